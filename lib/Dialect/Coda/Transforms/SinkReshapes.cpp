//===- SinkReshapes.cpp - Reshapes move below elementwise ops -------------===//

#include "Fusion.h"
#include "Normalization.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

namespace {
/// Matrices, and vectors that have an element for each row or column of one:
/// the axis that each of their dimensions runs over.
using Matrices = DenseMap<Value, SmallVector<unsigned, 2>>;

/// A reshaped matrix: where it comes from, and the axis of the matrix that each
/// of its dimensions splits.
struct Reshaped {
  Value matrix;
  SmallVector<unsigned> axes;
};
} // namespace

/// Follows reshapes from `value` up to one of `matrices`. A dimension that
/// merges parts of both axes ends the walk.
static std::optional<Reshaped> trace(Value value, const Matrices &matrices) {
  if (auto it = matrices.find(value); it != matrices.end())
    return Reshaped{value, SmallVector<unsigned>(ArrayRef(it->second))};
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

/// Whether `op` reduces some of its loops, and is no contraction.
static bool isReduction(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0 &&
         !isContraction(op) && !isContractionWithProducers(op) &&
         !isa<linalg::ConvolutionOpInterface>(op.getOperation());
}

/// The axis of the matrix that each loop of `op` runs over, from the first
/// reshaped matrix that it reads; none for unit loops that the matrix lacks.
static std::optional<SmallVector<std::optional<unsigned>>>
getLoopAxes(linalg::LinalgOp op, const Matrices &matrices) {
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

/// Takes dimensions that are always indexed by 0 off inputs, inits and results
/// of an op whose loops all run over an axis: a statistic that keeps a unit
/// dimension, and what reads it.
static linalg::GenericOp dropConstantDims(RewriterBase &rewriter,
                                          linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<SmallVector<unsigned>> unit(operands.size());
  bool changed = false;
  for (auto [i, map] : llvm::enumerate(maps)) {
    for (auto [result, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineConstantExpr>(expr))
        unit[i].push_back(result);
    if (unit[i].empty())
      continue;
    changed = true;
    operands[i] = dropUnitDims(rewriter, op.getLoc(), operands[i], unit[i]);
    map = map.dropResults(ArrayRef<int64_t>(
        SmallVector<int64_t>(unit[i].begin(), unit[i].end())));
  }
  if (!changed)
    return op;
  size_t numInputs = op.getNumDpsInputs();
  ValueRange inits = ValueRange(operands).drop_front(numInputs);
  auto dropped =
      linalg::GenericOp::create(rewriter, op.getLoc(), inits.getTypes(),
                                ValueRange(operands).take_front(numInputs),
                                inits, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), dropped.getRegion(),
                              dropped.getRegion().begin());
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(dropped.getResults())) {
    if (unit[numInputs + i].empty()) {
      results.push_back(result);
      continue;
    }
    // The reshape back is the collapse of the init, reversed.
    auto collapse =
        operands[numInputs + i].getDefiningOp<tensor::CollapseShapeOp>();
    Value init = op.getOutputs()[i];
    results.push_back(tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(), init.getType(), result,
        collapse.getReassociationIndices(),
        tensor::getMixedSizes(rewriter, op.getLoc(), init)));
  }
  rewriter.replaceOp(op, results);
  return dropped;
}

/// Makes an elementwise op or a reduction that reads a reshaped matrix read the
/// matrix; gives the op that then stands for it, and the axes of its loops.
static linalg::LinalgOp
sinkBelow(RewriterBase &rewriter, linalg::LinalgOp consumer,
          const Matrices &matrices,
          std::optional<SmallVector<std::optional<unsigned>>> &axes) {
  axes = getLoopAxes(consumer, matrices);
  if (!axes)
    return {};
  bool hasConstantDims =
      llvm::any_of(consumer.getIndexingMapsArray(), [](AffineMap map) {
        return llvm::any_of(map.getResults(),
                            llvm::IsaPred<AffineConstantExpr>);
      });
  auto isPlain = [&] {
    return llvm::count(*axes, std::optional(0u)) <= 1 &&
           llvm::count(*axes, std::optional(1u)) <= 1 &&
           llvm::all_of(*axes, [](auto axis) { return axis.has_value(); });
  };
  if (isPlain() && !hasConstantDims)
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
  rewriter.setInsertionPoint(op);
  op = dropConstantDims(rewriter, op);
  if (isPlain())
    return op;

  SmallVector<std::optional<unsigned>> old(*axes);
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
  axes->clear();
  for (unsigned axis : {0u, 1u})
    if (llvm::count(old, std::optional(axis)))
      axes->push_back(axis);
  return collapsed->collapsedOp;
}

void coda::sinkReshapes(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  // What a product gives, and what is computed from it elementwise or by
  // reducing its rows or columns.
  Matrices matrices;
  for (linalg::LinalgOp op : ops) {
    if (isContraction(op)) {
      if (!whyNotGemm(op) && op.getRank(op.getDpsInitOperand(0)) == 2)
        matrices[op->getResult(0)] = {0u, 1u};
      continue;
    }
    if (!isElementwise(op) && !isReduction(op))
      continue;
    std::optional<SmallVector<std::optional<unsigned>>> axes;
    linalg::LinalgOp sunk = sinkBelow(rewriter, op, matrices, axes);
    if (!sunk || sunk.getNumLoops() > 2)
      continue;
    // The reshape of a matrix back to itself is the matrix.
    for (OpOperand &operand : sunk->getOpOperands())
      if (auto source = trace(operand.get(), matrices);
          source && source->matrix.getType() == operand.get().getType())
        rewriter.modifyOpInPlace(sunk, [&] { operand.set(source->matrix); });
    for (OpResult result : sunk->getResults()) {
      AffineMap map = sunk.getMatchingIndexingMap(
          sunk.getDpsInitOperand(result.getResultNumber()));
      SmallVector<unsigned, 2> dims;
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          dims.push_back(*(*axes)[dim.getPosition()]);
      if (dims.size() == map.getNumResults() && llvm::is_sorted(dims))
        matrices[result] = dims;
    }
  }
}
