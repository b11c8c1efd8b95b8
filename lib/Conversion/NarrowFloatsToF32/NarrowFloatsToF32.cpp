//===- NarrowFloatsToF32.cpp - Arithmetic of narrow floats in f32 ---------===//

#include "coda/Conversion/NarrowFloatsToF32/NarrowFloatsToF32.h"

#include "coda/Conversion/NarrowFloatsToF32/ExpandFloat8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace coda {
#define GEN_PASS_DEF_CONVERTNARROWFLOATSTOF32PASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

/// Refuses floats that nothing after this pass knows how to compute with.
static LogicalResult checkTypes(Operation *root) {
  auto check = [](Operation *op, Type type) -> LogicalResult {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.isF64() || element.isF32() || element.isF16() ||
        element.isBF16() || isExpandedFloat8(element))
      return success();
    return op->emitOpError("computes with values of type ")
           << element
           << ", which the CPU path does not support; expected f64, f32, f16, "
              "bf16, f8E4M3FN or f8E5M2";
  };
  WalkResult result = root->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult widenMath(Operation *root) {
  MLIRContext *context = root->getContext();
  SetVector<Type> supported;
  supported.insert(Float32Type::get(context));
  supported.insert(Float64Type::get(context));
  TypeConverter converter;
  math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                    Float32Type::get(context));
  ConversionTarget target(*context);
  math::populateExtendToSupportedTypesConversionTarget(target, converter);
  RewritePatternSet patterns(context);
  math::populateExtendToSupportedTypesPatterns(patterns, converter);
  return applyPartialConversion(root, target, std::move(patterns));
}

static LogicalResult widenArith(Operation *root) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter,
      {BFloat16Type::get(context), Float16Type::get(context),
       Float8E4M3FNType::get(context), Float8E5M2Type::get(context)},
      Float32Type::get(context));
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  return applyPartialConversion(root, target, std::move(patterns));
}

/// Takes the leave to contract from every cast below `root`.
static void keepRoundings(Operation *root) {
  auto keep = [](auto cast) {
    arith::FastMathFlags flags =
        cast.getFastmath().value_or(arith::FastMathFlags::none);
    if (!bitEnumContainsAny(flags, arith::FastMathFlags::contract))
      return;
    flags = flags & ~arith::FastMathFlags::contract;
    if (flags == arith::FastMathFlags::none)
      cast.removeFastmathAttr();
    else
      cast.setFastmath(flags);
  };
  root->walk([&](Operation *op) {
    if (auto extend = dyn_cast<arith::ExtFOp>(op))
      keep(extend);
    else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
      keep(truncate);
  });
}

/// Expands the casts of 8-bit floats, for which CPUs have no instruction.
static LogicalResult expandFloat8(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateExpandFloat8Patterns(patterns);
  // A folder could see through a cast, and a cast back be taken for none.
  GreedyRewriteConfig config;
  config.enableFolding(false);
  if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
    return root->emitError("the casts of 8-bit floats do not converge");
  WalkResult result = root->walk([&](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return WalkResult::advance();
    Type from = getElementTypeOrSelf(op->getOperand(0)),
         to = getElementTypeOrSelf(op->getResult(0));
    if (!isExpandedFloat8(from) && !isExpandedFloat8(to))
      return WalkResult::advance();
    op->emitOpError("from ")
        << from << " to " << to
        << " with this rounding is not supported on a CPU; expected scalars "
           "or vectors and to_nearest_even";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertNarrowFloatsToF32
    : coda::impl::ConvertNarrowFloatsToF32PassBase<ConvertNarrowFloatsToF32> {
  void runOnOperation() override {
    Operation *root = getOperation();
    // Nothing between the two and `keepRoundings` may fold casts.
    if (failed(checkTypes(root)) || failed(widenMath(root)) ||
        failed(widenArith(root)))
      return signalPassFailure();
    keepRoundings(root);
    if (failed(expandFloat8(root)))
      return signalPassFailure();
  }
};
} // namespace
