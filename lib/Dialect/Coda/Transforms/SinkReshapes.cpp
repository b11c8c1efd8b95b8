//===- SinkReshapes.cpp - Reshapes move below elementwise ops -------------===//

#include "Fusion.h"
#include "Normalization.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

namespace {
/// A reshaped matrix: where it comes from, and the axis of the matrix that each
/// of its dimensions splits.
struct Reshaped {
  Value matrix;
  SmallVector<unsigned> axes;
};
} // namespace

/// Follows reshapes from `value` up to one of `matrices`. A dimension that
/// merges parts of both axes ends the walk.
static std::optional<Reshaped> trace(Value value,
                                     const DenseSet<Value> &matrices) {
  if (matrices.contains(value))
    return Reshaped{value, {0, 1}};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp,
                       tensor::CollapseShapeOp>(op))
    return std::nullopt;
  std::optional<Reshaped> source = trace(op->getOperand(0), matrices);
  if (!source || isa<tensor::CastOp>(op))
    return source;
  SmallVector<unsigned> axes;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (expand.getSrcType().getRank() == 0)
      return std::nullopt;
    for (auto [i, group] : llvm::enumerate(expand.getReassociationIndices()))
      axes.append(group.size(), source->axes[i]);
    return Reshaped{source->matrix, axes};
  }
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    std::optional<unsigned> axis;
    for (int64_t i : group) {
      if (collapse.getSrcType().getDimSize(i) == 1)
        continue;
      if (axis && *axis != source->axes[i])
        return std::nullopt;
      axis = source->axes[i];
    }
    axes.push_back(axis.value_or(source->axes[group.back()]));
  }
  return Reshaped{source->matrix, axes};
}

/// The axis of the matrix that each loop of `op` runs over, from the first
/// reshaped matrix that it reads; none for unit loops that the matrix lacks.
static std::optional<SmallVector<std::optional<unsigned>>>
getLoopAxes(linalg::LinalgOp op, const DenseSet<Value> &matrices) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<Reshaped> source = trace(operand->get(), matrices);
    if (!source)
      continue;
    SmallVector<std::optional<unsigned>> axes(op.getNumLoops());
    bool fits = true;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        axes[dim.getPosition()] = source->axes[i];
      else
        fits &= op.getShape(operand)[i] == 1;
    }
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    for (auto [axis, size] : llvm::zip_equal(axes, sizes))
      fits &= axis || size == 1;
    if (fits)
      return axes;
  }
  return std::nullopt;
}

/// Whether, unit loops aside, every operand of `op` is indexed by all loops of
/// an axis, in order, or by none.
static bool areAxesPreserved(linalg::LinalgOp op,
                             ArrayRef<std::optional<unsigned>> axes) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<ReassociationIndices> sequences(2);
  for (auto [loop, axis] : llvm::enumerate(axes))
    if (axis && sizes[loop] != 1)
      sequences[*axis].push_back(loop);
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<AffineExpr> exprs;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && op.getShape(&operand)[i] != 1)
        return false;
      if (dim && sizes[dim.getPosition()] != 1)
        exprs.push_back(expr);
    }
    maps.push_back(AffineMap::get(map.getNumDims(), 0, exprs, op.getContext()));
  }
  llvm::erase_if(sequences, [](auto &sequence) { return sequence.size() < 2; });
  return linalg::areDimSequencesPreserved(maps, sequences);
}

/// Drops the unit loops of `op` that are not the only loop of an axis.
static linalg::GenericOp
dropUnitLoops(RewriterBase &rewriter, linalg::GenericOp op,
              SmallVector<std::optional<unsigned>> &axes) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> dropped;
  SmallVector<std::optional<unsigned>> kept(axes);
  for (unsigned i = op.getNumLoops(); i-- > 0;)
    if (sizes[i] == 1 && (!axes[i] || llvm::count(kept, axes[i]) > 1)) {
      dropped.push_back(i);
      kept.erase(kept.begin() + i);
    }
  if (dropped.empty())
    return op;
  linalg::ControlDropUnitDims control;
  control.controlFn = [&](Operation *) { return dropped; };
  FailureOr<linalg::DropUnitDimsResult> result =
      linalg::dropUnitDims(rewriter, op, control);
  if (failed(result))
    return op;
  rewriter.replaceOp(op, result->replacements);
  axes = kept;
  return cast<linalg::GenericOp>(result->resultOp.getOperation());
}

/// Makes an elementwise op that reads a reshaped matrix read the matrix; gives
/// the op that then stands for it.
static linalg::LinalgOp sinkBelow(RewriterBase &rewriter,
                                  linalg::LinalgOp consumer,
                                  const DenseSet<Value> &matrices) {
  auto axes = getLoopAxes(consumer, matrices);
  if (!axes)
    return {};
  auto isPlain = [&] {
    return llvm::count(*axes, std::optional(0u)) <= 1 &&
           llvm::count(*axes, std::optional(1u)) <= 1 &&
           llvm::all_of(*axes, [](auto axis) { return axis.has_value(); });
  };
  if (isPlain())
    return consumer;
  if (!areAxesPreserved(consumer, *axes))
    return {};
  rewriter.setInsertionPoint(consumer);
  auto op = dyn_cast<linalg::GenericOp>(consumer.getOperation());
  if (!op) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, consumer);
    if (failed(generic))
      return {};
    op = *generic;
    rewriter.setInsertionPoint(op);
  }
  op = dropUnitLoops(rewriter, op, *axes);
  if (isPlain())
    return op;

  // Loops of one axis side by side, then one loop for them.
  SmallVector<unsigned> order;
  SmallVector<ReassociationIndices> sequences;
  for (unsigned axis : {0u, 1u}) {
    ReassociationIndices sequence;
    for (auto [loop, of] : llvm::enumerate(*axes))
      if (of == axis) {
        sequence.push_back(order.size());
        order.push_back(loop);
      }
    if (sequence.size() > 1)
      sequences.push_back(sequence);
  }
  if (order.size() != op.getNumLoops())
    return {};
  SmallVector<ReassociationIndices> unordered;
  for (const ReassociationIndices &sequence : sequences) {
    ReassociationIndices &loops = unordered.emplace_back();
    for (int64_t i : sequence)
      loops.push_back(order[i]);
  }
  if (llvm::any_of(
          op.getIndexingMapsArray(),
          [](AffineMap map) { return !map.isProjectedPermutation(); }) ||
      !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), unordered))
    return {};
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, op, order);
  if (failed(ordered))
    return {};
  rewriter.setInsertionPoint(*ordered);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(*ordered, sequences, rewriter);
  if (failed(collapsed))
    return {};
  rewriter.replaceOp(*ordered, collapsed->results);
  return collapsed->collapsedOp;
}

void coda::sinkReshapes(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  // Matrices that a product gives, and those computed from them elementwise.
  DenseSet<Value> matrices;
  for (linalg::LinalgOp op : ops) {
    if (isContraction(op)) {
      if (!whyNotGemm(op) && op.getRank(op.getDpsInitOperand(0)) == 2)
        matrices.insert(op->getResult(0));
      continue;
    }
    if (!isElementwise(op))
      continue;
    linalg::LinalgOp sunk = sinkBelow(rewriter, op, matrices);
    if (!sunk || sunk.getNumLoops() != 2)
      continue;
    // The reshape of a matrix back to itself is the matrix.
    for (OpOperand &operand : sunk->getOpOperands())
      if (auto source = trace(operand.get(), matrices);
          source && source->matrix.getType() == operand.get().getType())
        rewriter.modifyOpInPlace(sunk, [&] { operand.set(source->matrix); });
    for (Value result : sunk->getResults())
      if (sunk
              .getMatchingIndexingMap(sunk.getDpsInitOperand(
                  cast<OpResult>(result).getResultNumber()))
              .isIdentity())
        matrices.insert(result);
  }
}
