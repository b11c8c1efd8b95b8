//===- MergeProducts.cpp - Products of one left-hand side -----------------===//

#include "MergeProducts.h"

#include "ProductViews.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coda;

static bool shareLhs(GemmOp a, GemmOp b) {
  return a->getBlock() == b->getBlock() && a.getLhs() == b.getLhs() &&
         a.getLhsDims() == b.getLhsDims();
}

/// The elementwise ops that compute something of the results of `gemm` alone
/// or with other values.
static llvm::SetVector<Operation *> getElementwiseUsers(GemmOp gemm) {
  llvm::SetVector<Operation *> users;
  SmallVector<Operation *> worklist(gemm->getUsers());
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (!isElementwise(user) && !isReshape(user))
      continue;
    if (users.insert(user))
      llvm::append_range(worklist, user->getUsers());
  }
  return users;
}

/// Whether a value computed elementwise from `a` and one from `b` are operands
/// of one elementwise op.
static bool meet(GemmOp a, GemmOp b) {
  llvm::SetVector<Operation *> users = getElementwiseUsers(a);
  return llvm::any_of(getElementwiseUsers(b),
                      [&](Operation *op) { return users.contains(op); });
}

/// Makes what `gemm` reads available at `place`, which comes before it.
static bool moveOperandsBefore(RewriterBase &rewriter, GemmOp gemm,
                               Operation *place) {
  DominanceInfo dominance;
  SmallVector<Value> below;
  for (Value operand : gemm->getOperands())
    if (!dominance.properlyDominates(operand, place) &&
        !llvm::is_contained(below, operand))
      below.push_back(operand);
  return below.empty() ||
         succeeded(moveValueDefinitions(rewriter, below, place, dominance));
}

static GemmOp merge(RewriterBase &rewriter, GemmOp first, GemmOp second) {
  SmallVector<Value> rhs(first.getRhs()), operands(first.getEpilogueOperands()),
      outs(first.getOuts());
  llvm::append_range(rhs, second.getRhs());
  llvm::append_range(operands, second.getEpilogueOperands());
  llvm::append_range(outs, second.getOuts());
  SmallVector<DimsAttr> operandDims, outDims;
  for (GemmOp gemm : {first, second}) {
    for (size_t i = 0; i < gemm.getEpilogueOperands().size(); ++i)
      operandDims.push_back(gemm.getOperandDims(i));
    for (size_t i = 0; i < gemm.getOuts().size(); ++i)
      outDims.push_back(gemm.getOutDims(i));
  }
  rewriter.setInsertionPoint(first);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto merged =
      GemmOp::create(rewriter, loc, first.getLhs(), first.getLhsDims(), rhs,
                     first.getRhsDims(), operands, operandDims, outs, outDims);
  Block *body = merged.getBody();
  SmallVector<Value> yielded;
  size_t accumulators = 0, operandArguments = rhs.size();
  for (GemmOp gemm : {first, second}) {
    SmallVector<Value> arguments;
    for (size_t i = 0; i < gemm.getRhs().size(); ++i)
      arguments.push_back(body->getArgument(accumulators++));
    for (size_t i = 0; i < gemm.getEpilogueOperands().size(); ++i)
      arguments.push_back(body->getArgument(operandArguments++));
    YieldOp yield = gemm.getYield();
    for (Value value : yield.getValues()) {
      auto argument = dyn_cast<BlockArgument>(value);
      yielded.push_back(argument ? arguments[argument.getArgNumber()] : value);
    }
    rewriter.eraseOp(yield);
    rewriter.mergeBlocks(gemm.getBody(), body, arguments);
  }
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, loc, yielded);
  size_t results = first.getNumResults();
  rewriter.replaceOp(first, merged.getResults().take_front(results));
  rewriter.replaceOp(second, merged.getResults().drop_front(results));
  return merged;
}

void coda::mergeProducts(RewriterBase &rewriter,
                         SmallVectorImpl<GemmOp> &gemms) {
  for (size_t i = 0; i < gemms.size(); ++i)
    for (size_t j = i + 1; j < gemms.size(); ++j) {
      GemmOp first = gemms[i], second = gemms[j];
      if (!shareLhs(first, second) || first.getRhs().size() != 1 ||
          second.getRhs().size() != 1 ||
          first.getRhs()[0].getType() != second.getRhs()[0].getType() ||
          first.getRhsDims() != second.getRhsDims() || !meet(first, second))
        continue;
      if (second->isBeforeInBlock(first))
        std::swap(first, second);
      if (!moveOperandsBefore(rewriter, second, first))
        continue;
      gemms[i] = merge(rewriter, first, second);
      gemms.erase(gemms.begin() + j);
      break;
    }
}

void coda::groupLaunches(RewriterBase &rewriter, ArrayRef<GemmOp> gemms,
                         int64_t &next) {
  SmallVector<GemmOp> left(gemms);
  while (!left.empty()) {
    GemmOp first = left.front();
    SmallVector<GemmOp> group, others;
    for (GemmOp gemm : left)
      (shareLhs(first, gemm) ? group : others).push_back(gemm);
    left = others;
    llvm::sort(group, [](GemmOp a, GemmOp b) { return a->isBeforeInBlock(b); });
    Operation *last = group.front();
    SmallVector<GemmOp> grouped{group.front()};
    for (GemmOp gemm : ArrayRef(group).drop_front()) {
      if (!moveOperandsBefore(rewriter, gemm, group.front()))
        continue;
      rewriter.moveOpAfter(gemm, last);
      last = gemm;
      grouped.push_back(gemm);
    }
    if (grouped.size() < 2)
      continue;
    for (GemmOp gemm : grouped)
      gemm->setDiscardableAttr(kLaunchGroupAttrName,
                               rewriter.getI64IntegerAttr(next));
    ++next;
  }
}
