//===- HostArray.cpp - Arguments and results on the host ------------------===//

#include "HostArray.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace coda::runner;

unsigned HostArray::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 1 ? 1 : (bits % 8 ? 0 : bits / 8);
}

HostArray::HostArray(Type type, ArrayRef<int64_t> shape)
    : type(type), shape(shape) {
  bytes = std::make_shared<std::vector<char>>(
      size() * getElementBytes(getElementType()));
}

HostArray HostArray::clone() const {
  HostArray result = *this;
  result.bytes = std::make_shared<std::vector<char>>(*bytes);
  return result;
}

Type HostArray::getElementType() const { return getElementTypeOrSelf(type); }

int64_t HostArray::size() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

uint64_t HostArray::getBits(int64_t i) const {
  unsigned width = getElementBytes(getElementType());
  uint64_t bits = 0;
  std::memcpy(&bits, data() + i * width, width);
  return bits;
}

double HostArray::get(int64_t i) const {
  uint64_t bits = getBits(i);
  Type element = getElementType();
  auto floating = dyn_cast<FloatType>(element);
  if (!floating) {
    unsigned width = getElementBytes(element) * 8;
    return static_cast<double>(static_cast<int64_t>(bits << (64 - width)) >>
                               (64 - width));
  }
  llvm::APFloat value(floating.getFloatSemantics(),
                      APInt(floating.getWidth(), bits));
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}

void HostArray::set(int64_t i, double value) {
  Type element = getElementType();
  uint64_t bits;
  if (auto floating = dyn_cast<FloatType>(element)) {
    llvm::APFloat converted(value);
    bool inexact;
    converted.convert(floating.getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &inexact);
    bits = converted.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  unsigned width = getElementBytes(element);
  std::memcpy(data() + i * width, &bits, width);
}

std::string HostArray::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isScalar()) {
    os << type;
    return text;
  }
  os << (isa<MemRefType>(type) ? "memref<" : "tensor<");
  for (int64_t extent : shape)
    os << extent << 'x';
  os << getElementType() << '>';
  return text;
}

static void printValue(llvm::raw_ostream &os, const HostArray &array,
                       int64_t i) {
  os << llvm::format("%.9g", array.get(i));
}

void coda::runner::print(llvm::raw_ostream &os, StringRef name,
                         const HostArray &array, bool all) {
  uint64_t checksum = 0xcbf29ce484222325; // FNV-1a
  for (size_t i = 0; i < array.getNumBytes(); ++i)
    checksum = (checksum ^ static_cast<unsigned char>(array.data()[i])) *
               0x100000001b3;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  int64_t nans = 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    double value = array.get(i);
    nans += std::isnan(value);
    least = std::fmin(least, value);
    greatest = std::fmax(greatest, value);
  }
  os << name << ": " << array.describe()
     << llvm::format(" checksum 0x%016llx",
                     static_cast<unsigned long long>(checksum));
  if (array.size() > nans)
    os << llvm::format(" min %.6g max %.6g", least, greatest);
  os << " nan " << nans;
  int64_t shown = all ? array.size() : std::min<int64_t>(array.size(), 4);
  os << (all ? " values [" : " first [");
  for (int64_t i = 0; i < shown; ++i) {
    os << (i ? ", " : "");
    printValue(os, array, i);
  }
  os << "]\n";
}
