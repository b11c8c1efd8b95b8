//===- ConstantTensors.cpp - Numbers of constant weights ------------------===//

#include "ConstantTensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

/// Weights with more elements are not computed: the compiler would take longer
/// than anyone expects.
static constexpr int64_t kMaxElements = int64_t(1) << 27;
/// Scalars that a vector may be computed from.
static constexpr unsigned kMaxScalars = 256;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isSupported(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// Bytes are in the order of the host: so does upstream keep them in memory.
template <typename T>
static T readBytes(const char *bytes) {
  T value;
  memcpy(&value, bytes, sizeof(T));
  return value;
}

static double readHalf(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fff;
  double value =
      magnitude >= 0x7c00
          ? (magnitude > 0x7c00 ? std::numeric_limits<double>::quiet_NaN()
                                : std::numeric_limits<double>::infinity())
          : std::ldexp(magnitude & 0x3ff, -24);
  if (uint32_t exponent = magnitude >> 10; exponent && exponent < 31)
    value = std::ldexp((magnitude & 0x3ff) | 0x400,
                       static_cast<int>(exponent) - 25);
  return bits & 0x8000 ? -value : value;
}

static double readElement(const char *bytes, Type type) {
  if (type.isF64())
    return readBytes<double>(bytes);
  if (type.isF32())
    return readBytes<float>(bytes);
  auto bits = readBytes<uint16_t>(bytes);
  if (type.isF16())
    return readHalf(bits);
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

double coda::roundTo(double value, FloatType type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // Where the result is a normal number for sure, its last bit is all that is
  // to be found.
  int exponent = std::ilogb(value);
  if (exponent >= APFloat::semanticsMinExponent(semantics) &&
      exponent < APFloat::semanticsMaxExponent(semantics)) {
    unsigned dropped = 53 - APFloat::semanticsPrecision(semantics);
    auto bits = llvm::bit_cast<uint64_t>(value);
    bits += (uint64_t(1) << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
    return llvm::bit_cast<double>(bits >> dropped << dropped);
  }
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// Writes what `type` holds.
static void writeElement(double value, FloatType type, char *bytes) {
  if (type.isF64()) {
    memcpy(bytes, &value, sizeof(value));
  } else if (type.isF32() || type.isBF16()) {
    auto single = static_cast<float>(value);
    if (type.isF32()) {
      memcpy(bytes, &single, sizeof(single));
      return;
    }
    auto bits = static_cast<uint16_t>(llvm::bit_cast<uint32_t>(single) >> 16);
    memcpy(bytes, &bits, sizeof(bits));
  } else {
    APFloat number(value);
    bool losesInfo;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    memcpy(bytes, &bits, sizeof(bits));
  }
}

std::optional<ConstantTensor> ConstantTensor::get(Value value) {
  ElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  ConstantTensor tensor;
  tensor.type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!tensor.type || !isSupported(tensor.type.getElementType()))
    return std::nullopt;
  std::optional<RawElements> elements = RawElements::get(attribute);
  if (!elements)
    return std::nullopt;
  tensor.elements = *elements;
  return tensor;
}

double ConstantTensor::at(int64_t index) const {
  double value;
  read(index, 0, value);
  return value;
}

void ConstantTensor::read(int64_t index, int64_t stride,
                          MutableArrayRef<double> values) const {
  Type element = type.getElementType();
  int64_t size = type.getElementTypeBitWidth() / 8;
  const char *from =
      elements.bytes.data() + (elements.splat ? 0 : index * size);
  for (double &value : values) {
    value = readElement(from, element);
    from += elements.splat ? 0 : stride * size;
  }
}

std::optional<ConstantMatrix> ConstantMatrix::get(const Element &element) {
  std::optional<ConstantTensor> elements = ConstantTensor::get(element.value);
  if (!elements)
    return std::nullopt;
  ConstantMatrix matrix{*elements, -1, -1};
  int64_t stride = 1;
  for (auto [role, size] : llvm::reverse(
           llvm::zip_equal(element.roles, elements->getType().getShape()))) {
    if (role == Role::none) {
      if (size != 1)
        return std::nullopt;
      continue;
    }
    int64_t &extent = role == Role::k ? matrix.k : matrix.n;
    if (extent >= 0)
      return std::nullopt;
    extent = size;
    (role == Role::k ? matrix.kStride : matrix.nStride) = stride;
    stride *= size;
  }
  if (matrix.k < 0 || matrix.n < 0)
    return std::nullopt;
  return matrix;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {
class Evaluator {
public:
  Evaluator(Factorizer &factorizer, int64_t size)
      : factorizer(factorizer), size(size) {}

  std::optional<SmallVector<double>> evaluate(const Element &element) {
    auto type = dyn_cast<FloatType>(element.getType());
    if (!type || !isSupported(type) || ++scalars > kMaxScalars)
      return std::nullopt;
    if (element.isTensor()) {
      if (std::optional<ConstantTensor> tensor =
              ConstantTensor::get(element.value))
        return readVector(*tensor, element.roles);
      return evaluateNext(factorizer.getDefinition(element));
    }
    APFloat constant(0.0f);
    if (matchPattern(element.value, m_ConstantFloat(&constant))) {
      bool losesInfo;
      constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
      return SmallVector<double>(size, constant.convertToDouble());
    }
    if (isa<BlockArgument>(element.value))
      return evaluateNext(factorizer.getDefinition(element));

    Operation *op = element.value.getDefiningOp();
    auto apply = [&](auto function) -> std::optional<SmallVector<double>> {
      SmallVector<SmallVector<double>, 2> operands;
      for (Value operand : op->getOperands()) {
        auto values = evaluate(Element{operand, element.roles});
        if (!values)
          return std::nullopt;
        operands.push_back(std::move(*values));
      }
      SmallVector<double> result(size);
      for (int64_t i = 0; i < size; ++i)
        result[i] =
            roundTo(function(operands.front()[i], operands.back()[i]), type);
      return result;
    };
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return apply([](double x, double) { return x; });
    if (isa<arith::NegFOp>(op))
      return apply([](double x, double) { return -x; });
    if (isa<arith::AddFOp>(op))
      return apply([](double x, double y) { return x + y; });
    if (isa<arith::SubFOp>(op))
      return apply([](double x, double y) { return x - y; });
    if (isa<arith::MulFOp>(op))
      return apply([](double x, double y) { return x * y; });
    if (isa<arith::DivFOp>(op))
      return apply([](double x, double y) { return x / y; });
    return std::nullopt;
  }

private:
  std::optional<SmallVector<double>>
  evaluateNext(const std::optional<Element> &element) {
    return element ? evaluate(*element) : std::nullopt;
  }

  std::optional<SmallVector<double>> readVector(const ConstantTensor &tensor,
                                                ArrayRef<Role> roles) {
    int64_t kStride = 0, stride = 1;
    for (auto [role, extent] :
         llvm::reverse(llvm::zip_equal(roles, tensor.getType().getShape()))) {
      if (role == Role::k ? extent != size || kStride : extent != 1)
        return std::nullopt;
      if (role == Role::k)
        kStride = stride;
      stride *= extent;
    }
    SmallVector<double> values(size);
    tensor.read(0, kStride, values);
    return values;
  }

  Factorizer &factorizer;
  int64_t size;
  unsigned scalars = 0;
};
} // namespace

std::optional<SmallVector<double>>
coda::evaluate(Factorizer &factorizer, const Element &element, int64_t size) {
  if (size > kMaxElements)
    return std::nullopt;
  return Evaluator(factorizer, size).evaluate(element);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Calls `visit` with k, n and what is there, in the order of the memory.
template <typename Visit>
static void forEachElement(const ConstantMatrix &matrix, Visit visit) {
  bool isKInner = matrix.kStride < matrix.nStride;
  int64_t outer = isKInner ? matrix.n : matrix.k;
  SmallVector<double> line(isKInner ? matrix.k : matrix.n);
  for (int64_t i = 0; i < outer; ++i) {
    matrix.elements.read(i * (isKInner ? matrix.nStride : matrix.kStride),
                         isKInner ? matrix.kStride : matrix.nStride, line);
    for (auto [j, value] : llvm::enumerate(line))
      isKInner ? visit(j, i, value) : visit(i, j, value);
  }
}

SmallVector<double> coda::sumColumns(const ConstantMatrix &matrix,
                                     ArrayRef<double> scale) {
  SmallVector<double> sums(matrix.n);
  forEachElement(matrix, [&](int64_t k, int64_t n, double value) {
    sums[n] += scale[k] * value;
  });
  return sums;
}

static TypedAttr createConstant(RankedTensorType type, AsmResourceBlob blob,
                                bool asResource) {
  if (asResource)
    return DenseResourceElementsAttr::get(type, "scaled_weight",
                                          std::move(blob));
  return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
}

WhyNot coda::scaleMatrix(const ConstantMatrix &matrix, ArrayRef<double> scale,
                         RankedTensorType type, unsigned kDim,
                         TypedAttr &result, SmallVector<double> &sums) {
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || !isSupported(element))
    return whyNot("the weight's elements are of type ", type.getElementType());
  if (matrix.n * matrix.k > kMaxElements)
    return whyNot("the weight has more than ", kMaxElements, " elements");
  int64_t size = element.getWidth() / 8;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(matrix.n * matrix.k * size, /*align=*/64);
  char *bytes = blob.getMutableData().data();
  // Where k comes first in memory or last.
  bool isKLast = llvm::all_of(type.getShape().drop_front(kDim + 1),
                              [](int64_t size) { return size == 1; });
  int64_t kStride = (isKLast ? 1 : matrix.n) * size;
  int64_t nStride = (isKLast ? matrix.k : 1) * size;

  // A product below the normal numbers loses more than its rounding. That is no
  // more than the rounding of another one in the same sum may be.
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  double smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  double unit = std::ldexp(
      1.0, -static_cast<int>(APFloat::semanticsPrecision(semantics)));
  SmallVector<double> largest(matrix.n), lost(matrix.n);
  sums.assign(matrix.n, 0);
  bool isFinite = true;
  forEachElement(matrix, [&](int64_t k, int64_t n, double value) {
    double exact = scale[k] * value;
    double rounded = roundTo(exact, element);
    isFinite &= std::isfinite(rounded);
    if (std::abs(exact) < smallest)
      lost[n] = std::max(lost[n], std::abs(exact - rounded));
    largest[n] = std::max(largest[n], std::abs(rounded));
    sums[n] += rounded;
    writeElement(rounded, element, bytes + k * kStride + n * nStride);
  });
  if (!isFinite)
    return whyNot("a scaled element of the weight is not finite");
  for (int64_t n = 0; n < matrix.n; ++n)
    if (lost[n] > unit * largest[n])
      return whyNot("scaled elements of the weight are too small for ",
                    Type(element));
  result = createConstant(type, std::move(blob), matrix.elements.isResource());
  return std::nullopt;
}
