//===- DataGenerator.cpp - Arguments for the function under test ----------===//

#include "DataGenerator.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;
using namespace coda::runner;

namespace {
/// SplitMix64: the same numbers on every platform, unlike the distributions of
/// the standard library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double nextUnit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};
} // namespace

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static double toDouble(llvm::APFloat value) {
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}

/// One of the values that arithmetic treats specially.
static double getSpecialValue(Random &random, DataKind kind, FloatType type) {
  double inf = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  uint64_t choice = random.next();
  double sign = choice & 1 ? -1.0 : 1.0;
  if (kind == DataKind::nan)
    return nan;
  if (kind == DataKind::inf)
    return sign * inf;
  switch ((choice >> 1) % 6) {
  case 0:
    return sign * 0.0;
  case 1:
    return sign * inf;
  case 2:
    return nan;
  case 3:
    return sign * toDouble(llvm::APFloat::getSmallest(semantics));
  case 4:
    return sign * toDouble(llvm::APFloat::getLargest(semantics));
  default:
    return sign;
  }
}

static void fill(HostArray &array, const DataOptions &options, Random &random) {
  auto floating = dyn_cast<FloatType>(array.getElementType());
  bool isBool = array.getElementType().isInteger(1);
  // Few, so that not every sum of a product has one in it.
  int64_t places = std::max<int64_t>(16, array.size() / 4);
  for (int64_t i = 0, size = array.size(); i < size; ++i) {
    double unit = random.nextUnit();
    if (!floating)
      array.set(i, std::floor(unit * (isBool ? 2 : options.intMax + 1)));
    else if (options.kind != DataKind::random && random.next() % places == 0)
      array.set(i, getSpecialValue(random, options.kind, floating));
    else
      array.set(i, 2 * unit - 1);
  }
}

/// The sizes of argument `number`, checked against its type.
static llvm::Expected<SmallVector<int64_t>>
getShape(unsigned number, Type type, const DataOptions &options) {
  auto shaped = dyn_cast<ShapedType>(type);
  auto given = options.shapes.find(number);
  if (!shaped) {
    if (given != options.shapes.end())
      return makeError("--arg-shape: argument " + Twine(number) +
                       " is a scalar");
    return SmallVector<int64_t>();
  }
  SmallVector<int64_t> shape(shaped.getShape());
  if (given == options.shapes.end()) {
    for (int64_t &size : shape)
      if (ShapedType::isDynamic(size))
        size = options.dynamicSize;
    return shape;
  }
  if (given->second.size() != shape.size())
    return makeError("--arg-shape: argument " + Twine(number) + " has " +
                     Twine(shape.size()) + " dimensions, but " +
                     Twine(given->second.size()) + " sizes are given");
  for (auto [expected, size] : llvm::zip_equal(shape, given->second)) {
    if (ShapedType::isStatic(expected) && expected != size)
      return makeError("--arg-shape: argument " + Twine(number) +
                       " has a dimension of size " + Twine(expected) +
                       ", but " + Twine(size) + " is given");
    expected = size;
  }
  return shape;
}

llvm::Expected<SmallVector<HostArray>>
coda::runner::generateArguments(ArrayRef<Type> types,
                                const DataOptions &options) {
  for (auto &[number, shape] : options.shapes)
    if (number >= types.size())
      return makeError("--arg-shape: there is no argument " + Twine(number) +
                       "; the function has " + Twine(types.size()));
  SmallVector<HostArray> arguments;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto shaped = dyn_cast<ShapedType>(type);
    if ((shaped && !shaped.hasRank()) ||
        !HostArray::getElementBytes(getElementTypeOrSelf(type))) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return makeError("argument " + Twine(i) + " has type " + text +
                       ", for which there is no data; expected a scalar, "
                       "ranked tensor or memref of floats or integers of 1, 8, "
                       "16, 32 or 64 bits");
    }
    auto shape = getShape(i, type, options);
    if (!shape)
      return shape.takeError();
    // A stream for each argument, so that its data do not depend on the sizes
    // of the others.
    Random random(options.seed * 1000003 + i);
    arguments.emplace_back(type, *shape);
    fill(arguments.back(), options, random);
  }
  for (auto [first, second] : options.aliases) {
    if (first >= arguments.size() || second >= arguments.size())
      return makeError("--alias: there is no argument " +
                       Twine(std::max(first, second)));
    if (arguments[first].describe() != arguments[second].describe() ||
        arguments[first].isScalar())
      return makeError("--alias: argument " + Twine(first) + " is " +
                       arguments[first].describe() + ", but argument " +
                       Twine(second) + " is " + arguments[second].describe() +
                       "; only shaped values of one type share a buffer");
    arguments[second] = arguments[first];
  }
  return arguments;
}
