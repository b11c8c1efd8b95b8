//===- ConsumerPlan.cpp - What joins an epilogue, and as what -------------===//

#include "ConsumerPlan.h"

#include "Fusion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Results and views of them
//===----------------------------------------------------------------------===//

bool coda::isView(Operation *op) {
  if (isa<tensor::CastOp>(op))
    return isa<RankedTensorType>(op->getResult(0).getType());
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  return collapse && collapse.getSrcType().getRank() == 2;
}

static Value stripViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

GemmOp coda::getProduct(Value value) {
  return stripViews(value).getDefiningOp<GemmOp>();
}

/// The dimension of the product that each dimension of `value` runs over. Only
/// unit dimensions may be collapsed away on the way from the result.
static std::optional<SmallVector<Dim>> getViewDims(GemmOp gemm, Value value) {
  if (auto result = dyn_cast<OpResult>(value);
      result && result.getOwner() == gemm)
    return llvm::to_vector(gemm.getOutDims(result.getResultNumber()).getDims());
  Operation *op = value.getDefiningOp();
  std::optional<SmallVector<Dim>> dims = getViewDims(gemm, op->getOperand(0));
  if (!dims || isa<tensor::CastOp>(op))
    return dims;
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  if (op->getResult(0).getType() == op->getOperand(0).getType())
    return dims;
  // From [1, N] or [M, 1] to a vector, or from [1, 1] to a vector or scalar.
  int64_t kept = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  SmallVector<Dim> left;
  for (auto [i, dim] : llvm::enumerate(*dims))
    if (shape[i] != 1 ||
        static_cast<int64_t>(dims->size() - i + left.size()) <= kept)
      left.push_back(dim);
  if (static_cast<int64_t>(left.size()) != kept)
    return std::nullopt;
  return left;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

bool coda::needsWholeReduction(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return !reduce.getGroup();
  return isa<SelectColumnOp>(op) ||
         llvm::any_of(op->getOperands(), needsWholeReduction);
}

/// Whether `scalar` is computed from operands that have one element a row, and
/// nothing else.
static bool isComputedByRow(linalg::LinalgOp consumer, Value scalar,
                            const ConsumerPlan &plan) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    const std::optional<EpilogueOperand> &operand =
        plan.operands[argument.getArgNumber()];
    return operand && !operand->dims.contains(Dim::n);
  }
  Operation *op = scalar.getDefiningOp();
  if (op->getBlock() != consumer.getBlock())
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return plan.loops[index.getDim()] == Dim::m;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isComputedByRow(consumer, operand, plan);
  });
}

/// The part of the plan that is about what a consumer reduces.
static WhyNot planReductions(GemmOp gemm, linalg::LinalgOp consumer,
                             ConsumerPlan &plan) {
  for (auto [i, init] : llvm::enumerate(consumer.getDpsInits())) {
    ReductionBody &body = plan.reductions.emplace_back();
    if (consumer->getResult(i).use_empty())
      continue;
    if (WhyNot why = matchReductionBody(consumer, i, *plan.reducedLoop, body))
      return why;
    if (body.index && (plan.loops[*plan.reducedLoop] != Dim::n ||
                       !isComputedByRow(consumer, body.index, plan)))
      return whyNot("it selects an element by an index that is not one a row");
    if (!body.isInitNeutral && getProduct(init) == gemm)
      return whyNot("it adds to another result of the product");
  }
  return std::nullopt;
}

/// Checks the ops of the body and collects the scalars that it captures.
static WhyNot planBody(linalg::LinalgOp consumer, ConsumerPlan &plan) {
  for (Operation &op : consumer.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      if (!plan.loops[index.getDim()])
        return whyNot("it uses the index of a loop that the product does not "
                      "run over");
      continue;
    }
    if (const char *why = MapOp::whyNotScalarBodyOp(&op))
      return whyNot("its body holds ", op.getName(), ", which ", why);
  }
  return collectCaptured(consumer, plan.captured);
}

WhyNot coda::planConsumer(GemmOp gemm, linalg::LinalgOp consumer,
                          ConsumerPlan &plan) {
  if (!consumer.hasPureTensorSemantics())
    return whyNot("it works on memrefs");
  if (consumer.getNumReductionLoops() > 1)
    return whyNot("it reduces over ", consumer.getNumReductionLoops(),
                  " loops; expected rows or columns");
  if (consumer->getBlock() != gemm->getBlock())
    return whyNot("it stands in another block");
  TileType product = gemm.getAccumulatorTile();
  int64_t rows = product.getRows(), columns = product.getColumns();
  plan.loops.resize(consumer.getNumLoops());
  plan.results.resize(consumer->getNumOperands());
  plan.operands.resize(consumer->getNumOperands());
  for (auto [i, iterator] : llvm::enumerate(consumer.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      plan.reducedLoop = i;

  // The product's results that it reads say what the loops are.
  for (OpOperand &operand : consumer->getOpOperands()) {
    Value source = stripViews(operand.get());
    if (source.getDefiningOp() != gemm || !plan.reads(consumer, operand))
      continue;
    unsigned number = cast<OpResult>(source).getResultNumber();
    if (needsWholeReduction(gemm.getYield().getValues()[number]))
      return whyNot("it reads a reduction that is complete only after the "
                    "product");
    std::optional<SmallVector<Dim>> dims = getViewDims(gemm, operand.get());
    if (!dims)
      return whyNot("it reads the product reshaped");
    AffineMap map = consumer.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineConstantExpr>(expr) && consumer.getShape(&operand)[i] == 1)
        continue;
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return whyNot("it indexes the product by ", expr, "; expected a loop");
      std::optional<Dim> &known = plan.loops[loop.getPosition()];
      if (known && *known != (*dims)[i])
        return whyNot("it reads the product at [m, n] and at [n, m]");
      known = (*dims)[i];
    }
    plan.results[operand.getOperandNumber()] = number;
  }
  for (auto [i, dim] : llvm::enumerate(plan.loops)) {
    if (!dim)
      return whyNot("it runs over loop ", i, ", which the product does not");
    if (llvm::count(plan.loops, dim) > 1)
      return whyNot("it reads the product at [m, n] and at [n, m]");
  }
  for (Dim dim : {Dim::m, Dim::n})
    if (!llvm::is_contained(plan.loops, std::optional(dim)) &&
        getSize(dim, rows, columns) != 1)
      return whyNot("it does not run over ", stringifyDim(dim),
                    " of the product");

  for (OpOperand &operand : consumer->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (plan.results[number] || !plan.reads(consumer, operand))
      continue;
    EpilogueOperand planned;
    if (WhyNot why = planOperand(operand.get(),
                                 consumer.getMatchingIndexingMap(&operand),
                                 plan.loops, rows, columns, planned))
      return why;
    plan.operands[number] = planned;
  }
  for (OpOperand &out : consumer.getDpsInitsMutable()) {
    AffineMap map = consumer.getMatchingIndexingMap(&out);
    if (!map.isProjectedPermutation() ||
        map.getNumResults() != consumer.getNumParallelLoops())
      return whyNot("it stores its result through ", map,
                    "; expected every parallel loop once");
    auto type = cast<RankedTensorType>(out.get().getType());
    if (!type.getElementType().isSignlessIntOrIndexOrFloat() ||
        type.getEncoding())
      return whyNot("it gives ", type,
                    "; expected a plain tensor of floats or integers");
    SmallVector<Dim> dims;
    for (auto [size, expr] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      dims.push_back(*plan.loops[cast<AffineDimExpr>(expr).getPosition()]);
      if (!areShapesCompatible({size}, {getSize(dims.back(), rows, columns)}))
        return whyNot("it gives ", type, ", but the product is of ", product);
    }
    plan.outDims.push_back(DimsAttr::get(gemm.getContext(), dims));
  }
  if (plan.reducedLoop)
    if (WhyNot why = planReductions(gemm, consumer, plan))
      return why;
  return planBody(consumer, plan);
}
