//===- NameReshapes.cpp - tensor.reshape as a split or merge --------------===//
//
// Where a size is known only at run time, exporters compute the new shape and
// use tensor.reshape, which says nothing about which dimensions go where. With
// one such size the types say it.
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

/// Whether each group holds as many elements on both sides, whatever the one
/// unknown size is.
static bool isSplitInGroups(RankedTensorType fine, RankedTensorType coarse,
                            ArrayRef<ReassociationIndices> groups) {
  if (static_cast<int64_t>(groups.size()) != coarse.getRank())
    return false;
  for (auto [size, group] : llvm::zip_equal(coarse.getShape(), groups)) {
    int64_t product = 1;
    unsigned unknown = 0;
    for (int64_t i : group) {
      if (fine.isDynamicDim(i))
        ++unknown;
      else
        product *= fine.getDimSize(i);
    }
    // An unknown size can only be told to be kept as it is.
    if (ShapedType::isDynamic(size) ? unknown != 1 || product != 1
                                    : unknown || product != size)
      return false;
  }
  return true;
}

namespace {
struct NameReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!source || !result || source.getRank() == result.getRank())
      return rewriter.notifyMatchFailure(op, "does not split or merge");
    if (llvm::is_contained(source.getShape(), 0) ||
        llvm::is_contained(result.getShape(), 0))
      return rewriter.notifyMatchFailure(op, "has no elements");
    if (source.getNumDynamicDims() > 1 || result.getNumDynamicDims() > 1)
      return rewriter.notifyMatchFailure(op, "has several unknown sizes");
    std::optional<SmallVector<ReassociationIndices>> groups =
        getReassociationIndicesForReshape(source, result);
    bool isExpand = source.getRank() < result.getRank();
    if (!groups || !isSplitInGroups(isExpand ? result : source,
                                    isExpand ? source : result, *groups))
      return rewriter.notifyMatchFailure(
          op, "the types do not say which dimensions it splits or merges");
    if (!isExpand) {
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, result, op.getSource(), *groups);
      return success();
    }
    // The sizes that the reshape was given, so that they are the values that
    // others use too.
    auto elements = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    SmallVector<OpFoldResult> sizes;
    for (auto [i, size] : llvm::enumerate(result.getShape())) {
      if (ShapedType::isStatic(size)) {
        sizes.push_back(rewriter.getIndexAttr(size));
        continue;
      }
      if (!elements)
        return rewriter.notifyMatchFailure(op, "its shape is not spelled out");
      Value element = elements.getElements()[i];
      if (!element.getType().isIndex())
        element = arith::IndexCastOp::create(rewriter, op.getLoc(),
                                             rewriter.getIndexType(), element);
      sizes.push_back(element);
    }
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, result, op.getSource(), *groups, sizes);
    return success();
  }
};
} // namespace

void coda::populateNameReshapesPatterns(RewritePatternSet &patterns) {
  patterns.add<NameReshape>(patterns.getContext());
}
