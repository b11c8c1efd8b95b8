//===- CollapseContractions.cpp - One loop each of M, N and K -------------===//

#include "FixedPoint.h"
#include "Normalization.h"

#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The element type that `value` holds before copies and widenings.
static Type getSourceType(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (isCopy(op) || isWideningCopy(op))) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return getElementTypeOrSelf(value);
}

/// Whether elementwise ops read what `op` reads instead: a widened or broadcast
/// bias or residual.
static bool isReadAtSource(Operation *op) {
  if (isWideningCopy(op))
    return true;
  if (!isCopy(op))
    return false;
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return source &&
         source.getRank() <
             cast<RankedTensorType>(op->getResult(0).getType()).getRank();
}

/// Whether the producer of an input of a contraction folds into it. A widening
/// does if the product can take both types then; it is exact, for a product
/// converts its inputs to the type that it accumulates in.
static bool foldsIntoConsumer(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  Operation *producer = operand->get().getDefiningOp();
  if (!consumer || !producer || !consumer.isDpsInput(operand))
    return false;
  if (isElementwise(consumer))
    return isReadAtSource(producer);
  if (!isContraction(consumer))
    return false;
  return isCopy(producer) ||
         (isWideningCopy(producer) &&
          mayMultiply(getSourceType(consumer.getDpsInputs()[0]),
                      getSourceType(consumer.getDpsInputs()[1])));
}

LogicalResult coda::foldCopiesIntoContractions(Operation *root) {
  // The upstream pattern wants generics on both sides.
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    bool isProduct = isContraction(op) && !whyNotGemmBody(op);
    if (!isProduct && !isElementwise(op))
      return;
    bool hasCopies = false;
    for (Value input : op.getDpsInputs())
      for (Operation *copy = input.getDefiningOp();
           copy && (isReadAtSource(copy) || (isProduct && isCopy(copy)));
           copy = copy->getOperand(0).getDefiningOp()) {
        hasCopies = true;
        if (!llvm::is_contained(named, copy))
          named.push_back(cast<linalg::LinalgOp>(copy));
      }
    if (hasCopies)
      named.push_back(op);
  });
  if (named.empty())
    return success();
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : named)
    if (!isa<linalg::GenericOp>(op)) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }

  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, foldsIntoConsumer);
  return applyToFixedPoint(root, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Unit loops
//===----------------------------------------------------------------------===//

/// Takes dimensions that are always indexed by 0 off the inputs.
static void dropConstantDims(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getInputs());
  bool changed = false;
  rewriter.setInsertionPoint(op);
  for (auto [input, map] : llvm::zip_first(inputs, maps)) {
    SmallVector<unsigned> unit;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineConstantExpr>(expr))
        unit.push_back(i);
    if (unit.empty())
      continue;
    input = dropUnitDims(rewriter, op.getLoc(), input, unit);
    map = map.dropResults(
        ArrayRef<int64_t>(SmallVector<int64_t>(unit.begin(), unit.end())));
    changed = true;
  }
  if (changed)
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
}

/// Drops unit loops while each of M, N and K keeps one loop.
static linalg::GenericOp dropUnitLoops(RewriterBase &rewriter,
                                       linalg::GenericOp op) {
  ContractionLoops loops;
  if (sortLoops(op, loops))
    return op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  linalg::ControlDropUnitDims control;
  SmallVector<unsigned> dropped;
  auto drop = [&](ArrayRef<unsigned> list, size_t keep) {
    size_t left = list.size();
    for (unsigned loop : list)
      if (sizes[loop] == 1 && left > keep) {
        dropped.push_back(loop);
        --left;
      }
  };
  // A batch loop of size 1 is the only M or N where there is no other.
  drop(loops.batch, 0);
  drop(loops.m, 1);
  drop(loops.n, 1);
  drop(loops.k, 1);
  if (dropped.empty())
    return op;
  control.controlFn = [&](Operation *) { return dropped; };
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::DropUnitDimsResult> result =
      linalg::dropUnitDims(rewriter, op, control);
  if (failed(result))
    return op;
  rewriter.replaceOp(op, result->replacements);
  return cast<linalg::GenericOp>(result->resultOp.getOperation());
}

//===----------------------------------------------------------------------===//
// Storage order
//===----------------------------------------------------------------------===//

/// The loops in `list` in the order in which `map` stores them.
static SmallVector<unsigned> sortBy(AffineMap map, ArrayRef<unsigned> list) {
  SmallVector<unsigned> order(list);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    MLIRContext *context = map.getContext();
    return *map.getResultPosition(getAffineDimExpr(a, context)) <
           *map.getResultPosition(getAffineDimExpr(b, context));
  });
  return order;
}

/// The permutation that stores a value indexed by `map` in the order of
/// `loops`, empty if it is stored in groups already.
static SmallVector<int64_t>
getTranspose(AffineMap map, ArrayRef<SmallVector<unsigned>> groups) {
  SmallVector<ReassociationIndices> sequences;
  SmallVector<int64_t> permutation;
  for (const SmallVector<unsigned> &group : groups) {
    if (group.size() > 1)
      sequences.emplace_back(group.begin(), group.end());
    for (unsigned loop : group)
      if (auto position =
              map.getResultPosition(getAffineDimExpr(loop, map.getContext())))
        permutation.push_back(*position);
  }
  if (linalg::areDimSequencesPreserved(map, sequences))
    permutation.clear();
  return permutation;
}

static Value transpose(RewriterBase &rewriter, Location loc, Value value,
                       ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, value);
  SmallVector<OpFoldResult> permuted;
  for (int64_t i : permutation)
    permuted.push_back(sizes[i]);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, permuted, type.getElementType());
  return linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
      ->getResult(0);
}

/// Stores inputs, init and result such that the loops of a group are beside
/// each other, in order.
static linalg::GenericOp storeInGroups(RewriterBase &rewriter,
                                       linalg::GenericOp op,
                                       ArrayRef<SmallVector<unsigned>> groups) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<int64_t> outPermutation;
  bool changed = false;
  for (auto [i, map] : llvm::enumerate(maps)) {
    SmallVector<int64_t> permutation = getTranspose(map, groups);
    if (permutation.empty())
      continue;
    changed = true;
    operands[i] = transpose(rewriter, loc, operands[i], permutation);
    SmallVector<AffineExpr> exprs;
    for (int64_t position : permutation)
      exprs.push_back(map.getResult(position));
    map = AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
    if (i == 2)
      outPermutation = permutation;
  }
  if (!changed)
    return op;
  auto stored = linalg::GenericOp::create(
      rewriter, loc, operands[2].getType(), ArrayRef(operands).take_front(2),
      operands[2], maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), stored.getRegion(),
                              stored.getRegion().begin());
  Value result = stored.getResult(0);
  if (!outPermutation.empty())
    result = transpose(rewriter, loc, result,
                       invertPermutationVector(outPermutation));
  rewriter.replaceOp(op, result);
  return stored;
}

static void collapse(RewriterBase &rewriter, linalg::LinalgOp contraction) {
  ContractionLoops loops;
  if (sortLoops(contraction, loops))
    return;
  SmallVector<int64_t> sizes = contraction.getStaticLoopRanges();
  if (llvm::any_of(loops.batch, [&](unsigned i) { return sizes[i] != 1; }))
    return;
  if (loops.batch.empty() && loops.m.size() < 2 && loops.n.size() < 2 &&
      loops.k.size() < 2)
    return;
  rewriter.setInsertionPoint(contraction);
  auto op = dyn_cast<linalg::GenericOp>(contraction.getOperation());
  if (!op) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, contraction);
    if (failed(generic))
      return;
    op = *generic;
  }
  op = dropUnitLoops(rewriter, op);
  dropConstantDims(rewriter, op);
  loops = ContractionLoops();
  if (sortLoops(op, loops) || !loops.batch.empty())
    return;

  // M and N in the order of the result, K in that of the right-hand side,
  // which is the weight as a rule: moving the other is cheaper.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<SmallVector<unsigned>> groups = {sortBy(maps[2], loops.m),
                                               sortBy(maps[2], loops.n),
                                               sortBy(maps[1], loops.k)};
  op = storeInGroups(rewriter, op, groups);
  SmallVector<unsigned> order;
  SmallVector<ReassociationIndices> sequences;
  for (const SmallVector<unsigned> &group : groups) {
    if (group.size() > 1) {
      auto numbers =
          llvm::seq<int64_t>(order.size(), order.size() + group.size());
      sequences.emplace_back(numbers.begin(), numbers.end());
    }
    llvm::append_range(order, group);
  }
  if (sequences.empty())
    return;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, op, order);
  if (failed(ordered))
    return;
  rewriter.setInsertionPoint(*ordered);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(*ordered, sequences, rewriter);
  if (succeeded(collapsed))
    rewriter.replaceOp(*ordered, collapsed->results);
}

void coda::collapseContractions(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> contractions;
  root->walk([&](linalg::LinalgOp op) {
    if (isContraction(op) && !whyNotGemmBody(op))
      contractions.push_back(op);
  });
  for (linalg::LinalgOp op : contractions)
    collapse(rewriter, op);
}
