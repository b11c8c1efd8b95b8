//===- CodaToLinalg.cpp - Unfuses coda into linalg ------------------------===//

#include "coda/Conversion/CodaToLinalg/CodaToLinalg.h"

#include "EpilogueToLinalg.h"
#include "LinalgBuilder.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coda {
#define GEN_PASS_DEF_CONVERTCODATOLINALGPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

/// `scalar` in the wider type that products are made and summed in.
static Value convertToAccumulator(OpBuilder &builder, Location loc,
                                  Value scalar, Type accumulator) {
  if (scalar.getType() == accumulator)
    return scalar;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(builder, loc, accumulator, scalar);
  return arith::ExtSIOp::create(builder, loc, accumulator, scalar);
}

/// The product of lhs and one right-hand side.
static LinalgValue createProduct(LinalgBuilder &builder, GemmOp gemm,
                                 Value rhs) {
  Location loc = gemm.getLoc();
  Type accumulator = GemmOp::getAccumulatorType(gemm.getInputElementType());
  LinalgValue zero =
      builder.fill(loc, builder.getRewriter().getZeroAttr(accumulator),
                   builder.createTemporary(loc, accumulator, {Dim::m, Dim::n}));
  LinalgValue inputs[] = {
      {gemm.getLhs(), SmallVector<Dim, 2>(gemm.getLhsDims().getDims())},
      {rhs, SmallVector<Dim, 2>(gemm.getRhsDims().getDims())}};
  auto body = [&](OpBuilder &nested, Location loc, ValueRange scalars) {
    Value a = convertToAccumulator(nested, loc, scalars[0], accumulator);
    Value b = convertToAccumulator(nested, loc, scalars[1], accumulator);
    Value sum;
    if (isa<FloatType>(accumulator)) {
      Value product = arith::MulFOp::create(nested, loc, a, b);
      sum = arith::AddFOp::create(nested, loc, scalars[2], product);
    } else {
      Value product = arith::MulIOp::create(nested, loc, a, b);
      sum = arith::AddIOp::create(nested, loc, scalars[2], product);
    }
    linalg::YieldOp::create(nested, loc, sum);
  };
  return builder.createGeneric(loc, {Dim::m, Dim::n, Dim::k}, inputs, zero,
                               body);
}

namespace {
struct UnfuseGemm : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    if (Operation *unsupported = EpilogueToLinalg::findUnsupported(gemm))
      return rewriter.notifyMatchFailure(unsupported,
                                         "has no lowering to linalg");
    LinalgBuilder builder(rewriter, gemm);
    SmallVector<LinalgValue> accumulators;
    for (Value rhs : gemm.getRhs())
      accumulators.push_back(createProduct(builder, gemm, rhs));
    SmallVector<Value> stored =
        EpilogueToLinalg(builder, gemm).lower(accumulators);
    builder.deallocateTemporaries();
    if (builder.onTensors())
      rewriter.replaceOp(gemm, stored);
    else
      rewriter.eraseOp(gemm);
    return success();
  }
};

struct ConvertCodaToLinalg
    : coda::impl::ConvertCodaToLinalgPassBase<ConvertCodaToLinalg> {
  void runOnOperation() override {
    // Refused before anything changes, so that the input stays as it was.
    bool unsupported = false;
    getOperation()->walk([&](GemmOp gemm) {
      if (Operation *op = EpilogueToLinalg::findUnsupported(gemm)) {
        op->emitError() << "'" << op->getName()
                        << "' has no lowering to linalg";
        unsupported = true;
      }
    });
    if (unsupported)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateCodaToLinalgConversionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void coda::populateCodaToLinalgConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<UnfuseGemm>(patterns.getContext());
}

GemmOp coda::unfuseEpilogue(RewriterBase &rewriter, GemmOp gemm) {
  Location loc = gemm.getLoc();
  rewriter.setInsertionPoint(gemm);
  LinalgBuilder builder(rewriter, gemm);
  Type accumulator = GemmOp::getAccumulatorType(gemm.getInputElementType());
  SmallVector<Value> outs;
  for (size_t i = 0, e = gemm.getRhs().size(); i < e; ++i)
    outs.push_back(
        builder.createTemporary(loc, accumulator, {Dim::m, Dim::n}).value);
  SmallVector<DimsAttr> dims(
      outs.size(), DimsAttr::get(rewriter.getContext(), {Dim::m, Dim::n}));
  auto product = GemmOp::create(
      rewriter, loc, gemm.getLhs(), gemm.getLhsDims(), gemm.getRhs(),
      gemm.getRhsDims(), ValueRange(), ArrayRef<DimsAttr>(), outs, dims,
      [](OpBuilder &, Location, ValueRange arguments) {
        return SmallVector<Value>(arguments);
      });
  SmallVector<LinalgValue> accumulators;
  for (Value result : product.getResults())
    accumulators.push_back({result, {Dim::m, Dim::n}});
  rewriter.replaceOp(gemm, EpilogueToLinalg(builder, gemm).lower(accumulators));
  return product;
}
