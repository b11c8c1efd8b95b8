//===- ResolveReshapes.cpp - Reshapes with sizes known at run time --------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "FixedPoint.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {
#define GEN_PASS_DEF_CODARESOLVERESHAPESPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

namespace {
struct ResolveExpandShape : OpRewritePattern<memref::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    MemRefType type = op.getResultType();
    auto unknown = [&](ReassociationIndicesRef group) {
      return llvm::count_if(group,
                            [&](int64_t i) { return type.isDynamicDim(i); });
    };
    SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
    if (llvm::all_of(groups, [&](auto &group) { return unknown(group) <= 1; }))
      return rewriter.notifyMatchFailure(op, "no group has 2 unknown sizes");

    Location loc = op.getLoc();
    auto source =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(type.getRank());
    for (auto [i, group] : llvm::enumerate(groups)) {
      OpFoldResult stride = source.getConstifiedMixedStrides()[i];
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = stride;
        Value product = arith::MulIOp::create(
            rewriter, loc,
            getValueOrCreateConstantIndexOp(rewriter, loc, stride),
            getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]));
        stride = product;
      }
    }
    // The result's type may say more than the operands do.
    auto [knownStrides, offset] = type.getStridesAndOffset();
    for (auto [stride, known] : llvm::zip_equal(strides, knownStrides))
      if (ShapedType::isStatic(known))
        stride = rewriter.getIndexAttr(known);
    OpFoldResult start = ShapedType::isStatic(offset)
                             ? OpFoldResult(rewriter.getIndexAttr(offset))
                             : source.getConstifiedMixedOffset();
    Value cast = memref::ReinterpretCastOp::create(
        rewriter, loc, source.getBaseBuffer(), start, sizes, strides);
    if (cast.getType() != type)
      cast = memref::CastOp::create(rewriter, loc, type, cast);
    rewriter.replaceOp(op, cast);
    return success();
  }
};

struct ResolveReshapes
    : coda::impl::CodaResolveReshapesPassBase<ResolveReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ResolveExpandShape>(&getContext());
    if (failed(applyToFixedPoint(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
