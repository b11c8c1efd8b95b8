//===- Float8Casts.cpp - Casts of 8-bit floats in kernels -----------------===//
//
// The conversion instructions take pairs, and saturate: what is too large
// becomes the largest number. In arith it becomes an infinity (f8E5M2) or a NaN
// (f8E4M3FN, which has no infinity), so that these are put in afterwards,
// unless the source clamps the value itself.
//
// Inline assembly, since LLVM offers the instructions from PTX 8.1 only.
//
//===----------------------------------------------------------------------===//

#include "Float8Casts.h"

#include "coda/Conversion/NarrowFloatsToF32/ExpandFloat8.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace coda;

namespace {
/// An 8-bit float's name in PTX, and what happens beyond its largest number.
struct Float8 {
  StringRef name;
  /// Magnitudes up to this one, or (`exclusive`) below it, are rounded to a
  /// number: half a unit above the largest, a tie, goes to the even neighbour.
  double limit;
  bool exclusive;
};
} // namespace

static Float8 getFloat8(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return {"e4m3x2", 464, false};
  return {"e5m2x2", 61440, true};
}

static Value emitInstruction(ImplicitLocOpBuilder &b, const Twine &text,
                             StringRef constraints, Type type,
                             ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             b, type, operands, text.str(), constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      .getRes();
}

/// The float that `value`, or both elements of the pair, is known to be.
static std::optional<double> getConstant(Value value) {
  APFloat constant(0.0);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.convertToDouble();
  auto second = value.getDefiningOp<LLVM::InsertElementOp>();
  auto first = second
                   ? second.getVector().getDefiningOp<LLVM::InsertElementOp>()
                   : LLVM::InsertElementOp();
  if (!first || first.getValue() != second.getValue())
    return std::nullopt;
  return getConstant(second.getValue());
}

/// Whether `value` is clamped to magnitudes below `limit`, or a NaN.
static bool isClamped(Value value, double limit) {
  bool above = false, below = false;
  for (int depth = 0; depth < 2; ++depth) {
    Operation *op = value.getDefiningOp();
    bool isMin = isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp>(op);
    bool isMax = isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op);
    if (!isMin && !isMax)
      break;
    std::optional<double> bound = getConstant(op->getOperand(1));
    // Both bounds are small, so that their order does not matter.
    if (!bound || !(std::abs(*bound) < limit))
      break;
    (isMin ? above : below) = true;
    value = op->getOperand(0);
  }
  return above && below;
}

namespace {
struct ConvertExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getIn());
    if (!isFloat8(element))
      return rewriter.notifyMatchFailure(op, "not from an 8-bit float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isPair = isa<VectorType>(op.getType());
    Type bytes = b.getI8Type();
    if (isPair)
      bytes = VectorType::get({2}, bytes);
    Value bits = arith::BitcastOp::create(b, bytes, op.getIn());
    bits = isPair ? Value(LLVM::BitcastOp::create(b, b.getI16Type(), bits))
                  : arith::ExtUIOp::create(b, b.getI16Type(), bits);
    Value packed = emitInstruction(
        b, "cvt.rn.f16x2." + getFloat8(element).name + " $0, $1;", "=r,h",
        b.getI32Type(), bits);
    Value halves = LLVM::BitcastOp::create(
        b, VectorType::get({2}, b.getF16Type()), packed);
    if (!isPair)
      halves = LLVM::ExtractElementOp::create(
          b, halves, arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
    Type target = getElementTypeOrSelf(op.getType());
    if (target.isF16()) {
      rewriter.replaceOp(op, halves);
      return success();
    }
    auto like = [&](Type type) {
      return isPair ? Type(VectorType::get({2}, type)) : type;
    };
    if (!target.isBF16()) {
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), halves);
      return success();
    }
    Value wide = arith::ExtFOp::create(b, like(b.getF32Type()), halves);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

struct ConvertTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!isFloat8(element))
      return rewriter.notifyMatchFailure(op, "not to an 8-bit float");
    if (from.isF64())
      return rewriter.notifyMatchFailure(op, "from f64: no instruction");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isPair = isa<VectorType>(op.getType());
    Value in = op.getIn();
    if (!from.isF32()) {
      Type wide = b.getF32Type();
      in = arith::ExtFOp::create(
          b, isPair ? Type(VectorType::get({2}, wide)) : wide, in);
    }
    auto i16 = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, b.getI16IntegerAttr(static_cast<int16_t>(value)));
    };
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    SmallVector<Value, 2> elements = {in, zero};
    if (isPair)
      for (int i : {0, 1})
        elements[i] = LLVM::ExtractElementOp::create(
            b, in, arith::ConstantOp::create(b, b.getI32IntegerAttr(i)));
    Float8 type = getFloat8(element);
    // The second operand goes to the lower half.
    Value bits =
        emitInstruction(b, "cvt.rn.satfinite." + type.name + ".f32 $0, $2, $1;",
                        "=h,f,f", b.getI16Type(), elements);
    if (!isClamped(op.getIn(), type.limit)) {
      Value limit = arith::ConstantOp::create(
          b, b.getF32FloatAttr(static_cast<float>(type.limit)));
      for (int i = 0; i < (isPair ? 2 : 1); ++i) {
        Value isOver =
            arith::CmpFOp::create(b,
                                  type.exclusive ? arith::CmpFPredicate::OGE
                                                 : arith::CmpFPredicate::OGT,
                                  math::AbsFOp::create(b, elements[i]), limit);
        // What comes after the largest number is what arith has.
        Value more =
            arith::SelectOp::create(b, isOver, i16(1 << (8 * i)), i16(0));
        bits = arith::AddIOp::create(b, bits, more);
      }
    }
    Value result = isPair ? Value(LLVM::BitcastOp::create(
                                b, VectorType::get({2}, b.getI8Type()), bits))
                          : arith::TruncIOp::create(b, b.getI8Type(), bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};
} // namespace

void coda::lowerFloat8Casts(gpu::GPUModuleOp kernels,
                            const ChipFeatures &features) {
  RewritePatternSet patterns(kernels.getContext());
  populateExpandFloat8Patterns(patterns);
  if (features.float8)
    patterns.add<ConvertExtension, ConvertTruncation>(kernels.getContext(),
                                                      /*benefit=*/2);
  walkAndApplyPatterns(kernels, std::move(patterns));
}
