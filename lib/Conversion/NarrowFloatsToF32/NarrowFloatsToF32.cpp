//===- NarrowFloatsToF32.cpp - bf16 and f16 arithmetic in f32 -------------===//

#include "coda/Conversion/NarrowFloatsToF32/NarrowFloatsToF32.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace coda {
#define GEN_PASS_DEF_CONVERTNARROWFLOATSTOF32PASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

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
      converter, {BFloat16Type::get(context), Float16Type::get(context)},
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

namespace {
struct ConvertNarrowFloatsToF32
    : coda::impl::ConvertNarrowFloatsToF32PassBase<ConvertNarrowFloatsToF32> {
  void runOnOperation() override {
    // Nothing between these three may fold casts.
    if (failed(widenMath(getOperation())) || failed(widenArith(getOperation())))
      return signalPassFailure();
    keepRoundings(getOperation());
  }
};
} // namespace
