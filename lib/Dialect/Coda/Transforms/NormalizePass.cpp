//===- NormalizePass.cpp - coda-normalize ---------------------------------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "FixedPoint.h"
#include "Normalization.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

namespace coda {
#define GEN_PASS_DEF_CODANORMALIZEPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

/// Folds the reshapes that the other steps leave behind into each other, and
/// asks sizes of what values are computed from.
static LogicalResult foldReshapes(Operation *root) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyToFixedPoint(root, std::move(patterns), config);
}

/// Spells squares as multiplications. Other powers stay: x^0.5 and sqrt differ
/// for -infinity.
static void spellSquares(RewriterBase &rewriter, Operation *root) {
  root->walk([&](Operation *op) {
    if (!isa<math::PowFOp, math::FPowIOp>(op) ||
        !isa<linalg::LinalgOp>(op->getParentOp()))
      return;
    APFloat power(0.0f);
    APInt integer;
    bool isSquare = (matchPattern(op->getOperand(1), m_ConstantFloat(&power)) &&
                     power.isExactlyValue(2.0)) ||
                    (matchPattern(op->getOperand(1), m_ConstantInt(&integer)) &&
                     integer == 2);
    if (!isSquare)
      return;
    rewriter.setInsertionPoint(op);
    Value base = op->getOperand(0);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, base, base);
  });
}

namespace {
struct CodaNormalizePass
    : coda::impl::CodaNormalizePassBase<CodaNormalizePass> {
  using CodaNormalizePassBase::CodaNormalizePassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    expandQuantizedProducts(rewriter, root);
    WalkResult found = root->walk([](linalg::LinalgOp op) {
      return isContraction(op) || isContractionWithProducers(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    unmergeProducers(rewriter, root);
    spellSquares(rewriter, root);
    RewritePatternSet patterns(&getContext());
    populateNameReshapesPatterns(patterns);
    if (failed(applyToFixedPoint(root, std::move(patterns))))
      return signalPassFailure();
    if (failed(foldCopiesIntoContractions(root)))
      return signalPassFailure();
    collapseContractions(rewriter, root);
    sinkReshapes(rewriter, root);
    if (failed(foldReshapes(root)))
      return signalPassFailure();
  }
};
} // namespace
