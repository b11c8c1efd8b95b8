//===- ExpandFloat8.cpp - Casts of 8-bit floats as arithmetic -------------===//

#include "coda/Conversion/NarrowFloatsToF32/ExpandFloat8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

namespace {
/// The layout of a binary float without its sign.
struct Format {
  unsigned width, mantissa;
  int64_t bias;
  /// Magnitudes above this one are NaNs, and what rounds beyond the largest
  /// number becomes this.
  int64_t overflow;
  /// The exponent of all ones holds numbers, too: there is no infinity, and
  /// `overflow` is itself the NaN.
  bool isFinite;

  int64_t infinity() const {
    return (((int64_t(1) << (width - 1)) - 1) >> mantissa) << mantissa;
  }
  int64_t quietBit() const { return int64_t(1) << (mantissa - 1); }
};

/// Builds scalars, or vectors shaped like the value that is cast.
class Emitter {
public:
  Emitter(PatternRewriter &rewriter, Location loc, Type shape)
      : rewriter(rewriter), loc(loc), shape(shape) {}

  Type like(Type element) const {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(element);
    return element;
  }
  Type integer(unsigned width) const {
    return like(rewriter.getIntegerType(width));
  }
  Value constant(Type type, int64_t value) {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attribute =
        isa<FloatType>(element)
            ? TypedAttr(FloatAttr::get(
                  element, APFloat(cast<FloatType>(element).getFloatSemantics(),
                                   APInt(element.getIntOrFloatBitWidth(),
                                         uint64_t(value)))))
            : TypedAttr(rewriter.getIntegerAttr(element, value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(rewriter, loc, attribute);
  }
  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return Op::create(rewriter, loc, std::forward<Args>(args)...);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return make<arith::CmpIOp>(predicate, a, constant(a.getType(), b));
  }
  template <typename Op>
  Value withConstant(Value a, int64_t b) {
    return make<Op>(a, constant(a.getType(), b));
  }

private:
  PatternRewriter &rewriter;
  Location loc;
  Type shape;
};
} // namespace

static constexpr Format kF32 = {32, 23, 127, 0x7f800000, false};
static constexpr Format kF64 = {64, 52, 1023, 0x7ff0000000000000, false};

static Format getFormat(Type type) {
  return isa<Float8E4M3FNType>(type) ? Format{8, 3, 7, 0x7f, true}
                                     : Format{8, 2, 15, 0x7c, false};
}

bool coda::isExpandedFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Decodes i8 `bits` to an f32, which holds every value exactly.
static Value decode(Emitter &b, Value bits, Format from) {
  Type i32 = b.integer(32), f32 = b.like(Float32Type::get(bits.getContext()));
  unsigned shift = kF32.mantissa - from.mantissa;
  Value wide = b.make<arith::ExtUIOp>(i32, bits);
  Value magnitude = b.withConstant<arith::AndIOp>(wide, 0x7f);
  Value sign = b.withConstant<arith::ShLIOp>(
      b.withConstant<arith::AndIOp>(wide, 0x80), 24);

  // A normal number needs another bias.
  Value moved = b.withConstant<arith::ShLIOp>(magnitude, shift);
  Value result = b.withConstant<arith::AddIOp>(moved, (kF32.bias - from.bias)
                                                          << kF32.mantissa);
  // A subnormal one is its mantissa times a power of two.
  int64_t unit = (kF32.bias + 1 - from.bias - from.mantissa) << kF32.mantissa;
  Value small = b.make<arith::BitcastOp>(
      i32, b.make<arith::MulFOp>(b.make<arith::UIToFPOp>(f32, magnitude),
                                 b.constant(f32, unit)));
  result = b.make<arith::SelectOp>(
      b.compare(arith::CmpIPredicate::ult, magnitude, 1 << from.mantissa),
      small, result);
  // Infinities, and NaNs, which come out quiet.
  if (!from.isFinite)
    result = b.make<arith::SelectOp>(
        b.compare(arith::CmpIPredicate::eq, magnitude, from.infinity()),
        b.constant(i32, kF32.infinity()), result);
  Value nan =
      b.withConstant<arith::OrIOp>(moved, kF32.infinity() | kF32.quietBit());
  result = b.make<arith::SelectOp>(
      from.isFinite
          ? b.compare(arith::CmpIPredicate::eq, magnitude, from.overflow)
          : b.compare(arith::CmpIPredicate::ugt, magnitude, from.overflow),
      nan, result);
  return b.make<arith::BitcastOp>(f32, b.make<arith::OrIOp>(result, sign));
}

/// Encodes `value`, an f32 or f64, to i8 bits.
static Value encode(Emitter &b, Value value, Format from, Format to) {
  Type integer = b.integer(from.width), real = value.getType();
  unsigned shift = from.mantissa - to.mantissa;
  int64_t mask = from.width == 64 ? INT64_MAX : INT32_MAX;
  Value bits = b.make<arith::BitcastOp>(integer, value);
  Value magnitude = b.withConstant<arith::AndIOp>(bits, mask);
  Value sign = b.withConstant<arith::AndIOp>(
      b.withConstant<arith::ShRUIOp>(bits, from.width - 8), 0x80);

  // Normal: round to nearest even by adding just under a half, or a half where
  // the number above is the even one; the carry goes on into the exponent.
  Value odd = b.withConstant<arith::AndIOp>(
      b.withConstant<arith::ShRUIOp>(magnitude, shift), 1);
  Value rounded = b.withConstant<arith::AddIOp>(
      magnitude, (int64_t(1) << (shift - 1)) - 1 -
                     ((from.bias - to.bias) << from.mantissa));
  rounded = b.withConstant<arith::ShRUIOp>(b.make<arith::AddIOp>(rounded, odd),
                                           shift);
  rounded = b.withConstant<arith::MinUIOp>(rounded, to.overflow);

  // Subnormal: added to a number whose last bit is worth the smallest one, the
  // value is rounded to a whole number of those.
  int64_t magic = (from.bias + 1 - to.bias - to.mantissa + from.mantissa)
                  << from.mantissa;
  Value sum = b.make<arith::AddFOp>(b.make<arith::BitcastOp>(real, magnitude),
                                    b.constant(real, magic));
  Value small = b.withConstant<arith::SubIOp>(
      b.make<arith::BitcastOp>(integer, sum), magic);
  Value result = b.make<arith::SelectOp>(
      b.compare(arith::CmpIPredicate::ult, magnitude,
                (from.bias + 1 - to.bias) << from.mantissa),
      small, rounded);

  // A NaN keeps the bits of its mantissa that fit, and comes out quiet.
  Value nan = b.constant(integer, to.overflow);
  if (!to.isFinite)
    nan = b.withConstant<arith::OrIOp>(
        b.withConstant<arith::AndIOp>(
            b.withConstant<arith::ShRUIOp>(magnitude, shift),
            (int64_t(1) << to.mantissa) - 1),
        to.infinity() | to.quietBit());
  result = b.make<arith::SelectOp>(
      b.compare(arith::CmpIPredicate::ugt, magnitude, from.infinity()), nan,
      result);
  return b.make<arith::TruncIOp>(b.integer(8),
                                 b.make<arith::OrIOp>(result, sign));
}

namespace {
struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn()), to = op.getType();
    if (!isExpandedFloat8(from))
      return rewriter.notifyMatchFailure(op, "not from f8E4M3FN or f8E5M2");
    if (isa<TensorType>(to))
      return rewriter.notifyMatchFailure(op, "on tensors");
    Emitter b(rewriter, op.getLoc(), op.getIn().getType());
    Value result = decode(b, b.make<arith::BitcastOp>(b.integer(8), op.getIn()),
                          getFormat(from));
    unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
    if (width > 32)
      result = b.make<arith::ExtFOp>(to, result);
    else if (width < 32) // exact: bf16 and f16 hold every value
      result = b.make<arith::TruncFOp>(to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn()), to = op.getType();
    Type element = getElementTypeOrSelf(to);
    if (!isExpandedFloat8(element))
      return rewriter.notifyMatchFailure(op, "not to f8E4M3FN or f8E5M2");
    if (isa<TensorType>(to))
      return rewriter.notifyMatchFailure(op, "on tensors");
    if (!from.isF64() && !from.isF32() && !from.isF16() && !from.isBF16())
      return rewriter.notifyMatchFailure(
          op, "from a type other than f64, f32, f16 and bf16");
    if (op.getRoundingmodeAttr() &&
        op.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "not rounded to nearest even");
    Emitter b(rewriter, op.getLoc(), to);
    Value value = op.getIn();
    if (from.getIntOrFloatBitWidth() < 32)
      value = b.make<arith::ExtFOp>(b.like(rewriter.getF32Type()), value);
    Value bits =
        encode(b, value, from.isF64() ? kF64 : kF32, getFormat(element));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, bits);
    return success();
  }
};
} // namespace

void coda::populateExpandFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtension, ExpandTruncation>(patterns.getContext());
}
