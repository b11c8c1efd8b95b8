//===- ReparameterizePass.cpp - coda-reparameterize -----------------------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "FixedPoint.h"
#include "Reparameterization.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace coda {
#define GEN_PASS_DEF_CODAREPARAMETERIZEPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

/// Fuses elementwise ops on vectors with each other, statistics of rows as a
/// rule, and takes away what nothing uses any more.
static LogicalResult cleanUp(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *operand) {
        auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
        Operation *producer = operand->get().getDefiningOp();
        // A number is not computed once more for each element of a vector.
        return consumer && isElementwise(consumer) && isElementwise(producer) &&
               consumer.getNumLoops() <= 1 &&
               consumer.getNumLoops() ==
                   cast<linalg::LinalgOp>(producer).getNumLoops();
      });
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyToFixedPoint(root, std::move(patterns), config);
}

namespace {
struct CodaReparameterizePass
    : coda::impl::CodaReparameterizePassBase<CodaReparameterizePass> {
  using CodaReparameterizePassBase::CodaReparameterizePassBase;

  void runOnOperation() override {
    if (!allowReassoc)
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    bool changed = false;
    // In program order: what is computed from a statistic comes after it.
    auto forEach = [&](auto tryOp) {
      SmallVector<linalg::LinalgOp> ops;
      getOperation()->walk([&](linalg::LinalgOp op) {
        if (op.hasPureTensorSemantics())
          ops.push_back(op);
      });
      for (linalg::LinalgOp op : ops)
        tryOp(op);
    };
    auto report = [&](Location loc, const char *name, const char *text,
                      const WhyNot &why) {
      remark::RemarkOpts options =
          remark::RemarkOpts::name(name).category("coda");
      changed |= !why;
      if (!why)
        remark::passed(loc, options) << remark::add(text);
      else
        remark::missed(loc, options)
            << remark::add(text) << remark::reason("{0}", *why);
    };
    if (logSoftmax)
      forEach([&](linalg::LinalgOp op) {
        if (!isGather(op))
          return;
        Location loc = op.getLoc();
        WhyNot why = splitGather(rewriter, op);
        report(loc, "log-softmax",
               why ? "this gather stays as it is"
                   : "this gather of what a product gives is a selection of "
                     "columns",
               why);
      });
    if (layerNorm)
      forEach([&](linalg::LinalgOp op) {
        if (op.getNumReductionLoops() != 1 || isContraction(op))
          return;
        changed |= !splitSum(rewriter, op);
      });
    ProductRules rules;
    rules.rowFactor = rowFactor;
    rules.columnFactor = columnFactor;
    rules.layerNorm = layerNorm;
    rules.foldConstants = foldConstants;
    forEach([&](linalg::LinalgOp op) {
      if (!isContraction(op))
        return;
      Location loc = op.getLoc();
      WhyNot why = moveFactors(rewriter, op, rules);
      report(
          loc, "reparameterized",
          why ? "this contraction's inputs stay as they are"
              : "factors of an input of this contraction moved to its result",
          why);
    });
    if (!changed)
      return markAllAnalysesPreserved();
    if (failed(cleanUp(getOperation())))
      signalPassFailure();
  }
};
} // namespace
