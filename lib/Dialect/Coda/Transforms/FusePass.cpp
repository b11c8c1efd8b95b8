//===- FusePass.cpp - coda-fuse -------------------------------------------===//

#include "coda/Dialect/Coda/Transforms/AbsorbOperands.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "FixedPoint.h"
#include "Fusion.h"
#include "MergeProducts.h"
#include "ProductViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace coda {
#define GEN_PASS_DEF_CODAFUSEPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

static remark::RemarkOpts getRemark(StringRef name) {
  return remark::RemarkOpts::name(name).category("coda");
}

/// Sizes of values that fusion takes away are asked of what they are computed
/// from instead.
static LogicalResult resolveSizes(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyToFixedPoint(root, std::move(patterns), config);
}

/// Makes a product of every contraction that is one, in program order.
static SmallVector<GemmOp> formGemms(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> contractions;
  root->walk([&](linalg::LinalgOp op) {
    if (isContraction(op))
      contractions.push_back(op);
    else if (isContractionWithProducers(op))
      remark::missed(op.getLoc(), getRemark("not-a-gemm"))
          << remark::add("this contraction stays linalg")
          << remark::reason("its body computes more than a sum of products of "
                            "its inputs");
  });
  SmallVector<GemmOp> gemms;
  for (linalg::LinalgOp op : contractions) {
    if (WhyNot why = whyNotGemm(op)) {
      remark::missed(op.getLoc(), getRemark("not-a-gemm"))
          << remark::add("this contraction stays linalg")
          << remark::reason("{0}", *why);
      continue;
    }
    gemms.push_back(formGemm(rewriter, op));
  }
  return gemms;
}

/// The linalg ops that read a result of `gemm`, directly or through views, in
/// program order.
static SmallVector<linalg::LinalgOp> getConsumers(GemmOp gemm) {
  SmallVector<linalg::LinalgOp> consumers;
  SmallVector<Operation *> worklist(gemm->getUsers());
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (auto consumer = dyn_cast<linalg::LinalgOp>(user)) {
      if (!llvm::is_contained(consumers, consumer))
        consumers.push_back(consumer);
      continue;
    }
    for (Value result : user->getResults())
      if (getProduct(result) == gemm)
        llvm::append_range(worklist, result.getUsers());
  }
  llvm::sort(consumers, [&](linalg::LinalgOp a, linalg::LinalgOp b) {
    Block *block = gemm->getBlock();
    Operation *first = block->findAncestorOpInBlock(*a);
    Operation *second = block->findAncestorOpInBlock(*b);
    if (!first || !second || first == second)
      return !second && first;
    return first->isBeforeInBlock(second);
  });
  return consumers;
}

/// Where several products meet, the last one takes the op.
static bool isLastProduct(GemmOp gemm, Operation *consumer) {
  return llvm::none_of(consumer->getOperands(), [&](Value operand) {
    std::optional<ProductView> view = getProductView(operand);
    GemmOp other = view ? view->getGemm() : GemmOp();
    return other && other != gemm && other->getBlock() == gemm->getBlock() &&
           gemm->isBeforeInBlock(other);
  });
}

/// Grows the epilogue of `gemm` until nothing more fits; returns how many ops
/// joined. With `split`, a product read in halves becomes one with two
/// right-hand sides.
static unsigned growEpilogue(RewriterBase &rewriter, GemmOp &gemm, bool split) {
  unsigned count = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (linalg::LinalgOp consumer : getConsumers(gemm)) {
      if (!isLastProduct(gemm, consumer) ||
          fuseConsumer(rewriter, gemm, consumer))
        continue;
      ++count;
      changed = true;
      break;
    }
    if (changed)
      continue;
    for (Operation *consumer : getViewConsumers(gemm)) {
      if (!isLastProduct(gemm, consumer))
        continue;
      // Halves of the weight rather than of the tile: these need not lie in
      // one tile of a kernel.
      bool isSplit = split && isa<tensor::ExtractSliceOp>(consumer) &&
                     !splitWeights(rewriter, gemm);
      if (!isSplit && fuseThroughViews(rewriter, gemm, consumer))
        continue;
      ++count;
      changed = true;
      break;
    }
  }
  return count;
}

static void emitRemarks(RewriterBase &rewriter, GemmOp gemm, unsigned count) {
  remark::passed(gemm.getLoc(), getRemark("fused"))
      << remark::add(count ? "this contraction is a product with an epilogue"
                           : "this contraction is a product; nothing was "
                             "fused into it")
      << remark::metric("fused-ops", count)
      << remark::metric("destinations", gemm.getOuts().size());
  for (Operation *consumer : getViewConsumers(gemm)) {
    if (!isLastProduct(gemm, consumer))
      continue;
    WhyNot why;
    auto op = dyn_cast<linalg::LinalgOp>(consumer);
    if (op && llvm::is_contained(getConsumers(gemm), op))
      why = fuseConsumer(rewriter, gemm, op);
    else if (op || isa<tensor::ExtractSliceOp, tensor::ConcatOp,
                       tensor::InsertSliceOp>(consumer))
      why = fuseThroughViews(rewriter, gemm, consumer);
    if (why)
      remark::missed(consumer->getLoc(), getRemark("not-fused"))
          << remark::add("this op stays outside the product's epilogue")
          << remark::reason("{0}", *why);
  }
}

static void emitSummary(Operation *root, const ProgramCost &before,
                        const ProgramCost &after) {
  std::string saved = "unknown";
  if (before.bytes && after.bytes)
    saved = std::to_string(*before.bytes - *after.bytes);
  remark::analysis(root->getLoc(), getRemark("summary"))
      << remark::metric("launches-before", before.launches)
      << remark::metric("launches-after", after.launches)
      << remark::metric("bytes-saved", saved);
}

namespace {
struct CodaFusePass : coda::impl::CodaFusePassBase<CodaFusePass> {
  using CodaFusePassBase::CodaFusePassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(resolveSizes(root)))
      return signalPassFailure();
    ProgramCost before = getProgramCost(root);
    IRRewriter rewriter(&getContext());
    SmallVector<GemmOp> gemms = formGemms(rewriter, root);
    if (mergeProductsOption)
      mergeProducts(rewriter, gemms);
    for (size_t i = 0; i < gemms.size(); ++i) {
      unsigned count = growEpilogue(rewriter, gemms[i], mergeProductsOption);
      SmallVector<GemmOp> parts;
      if (mergeProductsOption && !splitColumns(rewriter, gemms[i], parts)) {
        // Each may grow further.
        gemms.erase(gemms.begin() + i);
        gemms.insert(gemms.begin() + i, parts.begin(), parts.end());
        --i;
        continue;
      }
      GemmOp gemm = gemms[i];
      // Asking again why something did not join costs; nobody listens usually.
      if (getContext().getRemarkEngine())
        emitRemarks(rewriter, gemm, count);
    }
    // Vectors last: before, ops that join an epilogue read them too.
    for (GemmOp &gemm : gemms)
      absorbOperands(rewriter, gemm);
    int64_t nextGroup = 0;
    if (launchGroups)
      groupLaunches(rewriter, gemms, nextGroup);
    if (getContext().getRemarkEngine())
      emitSummary(root, before, getProgramCost(root));
  }
};
} // namespace
