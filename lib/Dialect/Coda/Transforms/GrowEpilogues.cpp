//===- GrowEpilogues.cpp - Elementwise ops join the epilogue --------------===//

#include "EpilogueOperands.h"
#include "Fusion.h"
#include "ReductionBodies.h"

#include "coda/Dialect/Coda/Utils/Reductions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Results and views of them
//===----------------------------------------------------------------------===//

/// Whether `op` only renames elements of a product's result: another static
/// shape, or one without unit dimensions.
static bool isView(Operation *op) {
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

namespace {
/// What a consumer becomes in an epilogue. Making it changes no IR.
struct ConsumerPlan {
  SmallVector<std::optional<Dim>> loops;
  /// For each operand of the consumer: the product's result that it is, or the
  /// epilogue operand that it becomes, or neither if its body ignores it.
  SmallVector<std::optional<unsigned>> results;
  SmallVector<std::optional<EpilogueOperand>> operands;
  SmallVector<DimsAttr> outDims;
  /// Scalars from outside that the body uses and that are no constants.
  SmallVector<Value> captured;
  /// The loop that is reduced, if one is, and what each result that has uses is
  /// then.
  std::optional<unsigned> reducedLoop;
  SmallVector<ReductionBody> reductions;

  /// Whether the epilogue reads `operand`: what a reduction starts from it does
  /// not, for that is added afterwards.
  bool reads(linalg::LinalgOp consumer, OpOperand &operand) const {
    return !(reducedLoop && consumer.isDpsInit(&operand)) &&
           consumer.payloadUsesValueFromOperand(&operand);
  }
};
} // namespace

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

static WhyNot planConsumer(GemmOp gemm, linalg::LinalgOp consumer,
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

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// Whether `user` reads the product only to give it to `consumer`.
static bool isViewFor(Operation *user, Operation *consumer) {
  return isView(user) && !user->use_empty() &&
         llvm::all_of(user->getUsers(), [&](Operation *next) {
           return next == consumer || isViewFor(next, consumer);
         });
}

/// Makes what the epilogue of the grown product reads available at one place
/// and puts the rewriter there: the product's place, or, if something cannot be
/// moved up to it, the consumer's.
static WhyNot place(RewriterBase &rewriter, GemmOp gemm,
                    linalg::LinalgOp consumer, const ConsumerPlan &plan) {
  SmallVector<Value> needed(plan.captured);
  for (const std::optional<EpilogueOperand> &operand : plan.operands)
    if (operand)
      needed.push_back(operand->value);
  DominanceInfo dominance;
  rewriter.setInsertionPoint(gemm);
  SmallVector<Value> below;
  for (Value value : needed)
    if (!dominance.properlyDominates(value, gemm))
      below.push_back(value);
  if (below.empty() ||
      succeeded(moveValueDefinitions(rewriter, below, gemm, dominance)))
    return std::nullopt;
  for (Operation *user : gemm->getUsers()) {
    Operation *inBlock = gemm->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || (inBlock != consumer && !isViewFor(inBlock, consumer) &&
                     inBlock->isBeforeInBlock(consumer)))
      return whyNot("an operand is computed after the product and cannot be "
                    "moved above it, nor the product below it");
  }
  rewriter.setInsertionPoint(consumer);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// Turns the body of a consumer into maps, one for each result.
class MapBuilder {
public:
  MapBuilder(RewriterBase &rewriter, linalg::LinalgOp consumer,
             TileType product, LoopDims loops)
      : rewriter(rewriter), consumer(consumer), product(product), loops(loops) {
  }

  /// The tile that stands for a scalar of the body.
  void setTile(Value scalar, Value tile) { tiles[scalar] = tile; }

  /// The tile of a scalar of the body; of one column if it has one element a
  /// row.
  Value build(Value scalar, bool isColumn = false) {
    TileType shape = isColumn
                         ? TileType::get(product.getRows(), 1, scalar.getType())
                         : product.cloneWith(scalar.getType());
    if (Value tile = tiles.lookup(scalar); tile && tile.getType() == shape)
      return tile;
    // What the scalar is computed from, as far as there are no tiles.
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> inputs;
    visit(scalar, ops, inputs);
    auto map = MapOp::create(rewriter, consumer.getLoc(), shape,
                             getTiles(inputs.getArrayRef()));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(map.getBody());
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip_equal(inputs, map.getBody()->getArguments()))
      mapping.map(input, argument);
    for (Operation *op : ops)
      rewriter.clone(*op, mapping);
    YieldOp::create(rewriter, consumer.getLoc(),
                    mapping.lookupOrDefault(scalar));
    tiles[scalar] = map;
    return map;
  }

  /// The tile of what the body reduces.
  Value build(const ReductionBody &body, unsigned loop) {
    Value element = build(body.element);
    if (body.index)
      return SelectColumnOp::create(rewriter, consumer.getLoc(), element,
                                    build(body.index, /*isColumn=*/true));
    Axis axis = *loops[loop] == Dim::m ? Axis::rows : Axis::columns;
    return ReduceOp::create(rewriter, consumer.getLoc(), body.kind, element,
                            axis, /*group=*/IntegerAttr());
  }

private:
  SmallVector<Value> getTiles(ArrayRef<Value> scalars) {
    SmallVector<Value> inputs;
    for (Value scalar : scalars)
      inputs.push_back(tiles.lookup(scalar));
    return inputs;
  }

  void visit(Value scalar, llvm::SetVector<Operation *> &ops,
             llvm::SetVector<Value> &inputs) {
    if (tiles.contains(scalar)) {
      inputs.insert(scalar);
      return;
    }
    Operation *op = scalar.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      bool isRow = *loops[index.getDim()] == Dim::m;
      OpBuilder::InsertionGuard guard(rewriter);
      tiles[scalar] =
          IndexOp::create(rewriter, index.getLoc(),
                          TileType::get(isRow ? product.getRows() : 1,
                                        isRow ? 1 : product.getColumns(),
                                        rewriter.getIndexType()),
                          isRow ? Axis::rows : Axis::columns);
      inputs.insert(scalar);
      return;
    }
    for (Value operand : op->getOperands())
      visit(operand, ops, inputs);
    ops.insert(op);
  }

  RewriterBase &rewriter;
  linalg::LinalgOp consumer;
  TileType product;
  LoopDims loops;
  DenseMap<Value, Value> tiles;
};
} // namespace

/// The destination that `consumer` names, if it is there at the insertion
/// point or can be brought there.
static Value getPreferredDestination(RewriterBase &rewriter, GemmOp gemm,
                                     linalg::LinalgOp consumer, Value init,
                                     bool atConsumer) {
  if (getProduct(init) == gemm || matchPattern(init, m_Constant()))
    return {};
  // The buffer is only written: what it was filled with does not matter.
  while (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getOutputs().front();
  DominanceInfo dominance;
  if (atConsumer || dominance.properlyDominates(init, gemm) ||
      succeeded(moveValueDefinitions(rewriter, init, gemm, dominance)))
    return init;
  return {};
}

/// Adds what `consumer` started result number `result` from to the finished
/// reduction, where the consumer stands.
static Value combineWithInit(RewriterBase &rewriter, linalg::LinalgOp consumer,
                             unsigned result, Reduction kind, Value value) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(consumer);
  Value init = consumer.getDpsInits()[result];
  auto type = cast<RankedTensorType>(init.getType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Location loc = consumer.getLoc();
  auto combined = linalg::GenericOp::create(
      rewriter, loc, type, ValueRange{value}, init, ArrayRef{map, map}, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(
            builder, loc,
            combinePartials(builder, loc, kind, arguments[0], arguments[1]));
      });
  return combined.getResult(0);
}

WhyNot coda::fuseConsumer(RewriterBase &rewriter, GemmOp &gemm,
                          linalg::LinalgOp consumer) {
  ConsumerPlan plan;
  if (WhyNot why = planConsumer(gemm, consumer, plan))
    return why;
  if (WhyNot why = place(rewriter, gemm, consumer, plan))
    return why;
  bool atConsumer = &*rewriter.getInsertionPoint() == consumer.getOperation();
  Location loc = rewriter.getFusedLoc({gemm.getLoc(), consumer.getLoc()});
  TileType product = gemm.getAccumulatorTile();
  int64_t rows = product.getRows(), columns = product.getColumns();

  // Operands: those there are, then the consumer's that are new.
  SmallVector<Value> operands(gemm.getEpilogueOperands());
  SmallVector<DimsAttr> operandDims;
  for (size_t i = 0; i < operands.size(); ++i)
    operandDims.push_back(gemm.getOperandDims(i));
  auto addOperand = [&](const EpilogueOperand &operand) -> size_t {
    Value value = operand.materialize(rewriter, rows, columns);
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] == value && operandDims[i] == operand.dims)
        return i;
    operands.push_back(value);
    operandDims.push_back(operand.dims);
    return operands.size() - 1;
  };
  // (scalar of the body, position among the operands)
  SmallVector<std::pair<Value, size_t>> scalars;
  for (OpOperand &operand : consumer->getOpOperands())
    if (const auto &planned = plan.operands[operand.getOperandNumber()])
      scalars.emplace_back(consumer.getMatchingBlockArgument(&operand),
                           addOperand(*planned));
  for (Value value : plan.captured) {
    EpilogueOperand scalar;
    scalar.value = value;
    scalar.dims = DimsAttr::get(gemm.getContext(), {});
    scalars.emplace_back(value, addOperand(scalar));
  }

  // Destinations: the product's results that others read, then the consumer's.
  SmallVector<Value> outs;
  SmallVector<DimsAttr> outDims;
  SmallVector<unsigned> keptResults, newResults;
  for (OpResult result : gemm->getResults()) {
    if (llvm::all_of(result.getUsers(), [&](Operation *user) {
          return user == consumer || isViewFor(user, consumer);
        }))
      continue;
    keptResults.push_back(result.getResultNumber());
    outs.push_back(gemm.getOuts()[result.getResultNumber()]);
    outDims.push_back(gemm.getOutDims(result.getResultNumber()));
  }
  for (OpResult result : consumer->getResults()) {
    if (result.use_empty())
      continue;
    unsigned number = result.getResultNumber();
    newResults.push_back(number);
    outDims.push_back(plan.outDims[number]);
    Value init = consumer.getDpsInits()[number];
    // What is still read afterwards is no place to write to.
    bool isRead = plan.reducedLoop && !plan.reductions[number].isInitNeutral;
    Value preferred = isRead ? Value()
                             : getPreferredDestination(rewriter, gemm, consumer,
                                                       init, atConsumer);
    outs.push_back(createDestination(
        rewriter, loc, gemm.getLhs(), gemm.getLhsDims(), gemm.getRhs().front(),
        gemm.getRhsDims(), rows, columns, plan.outDims[number],
        cast<RankedTensorType>(init.getType()).getElementType(), preferred,
        outs));
  }

  auto grown = GemmOp::create(rewriter, loc, gemm.getLhs(), gemm.getLhsDims(),
                              gemm.getRhs(), gemm.getRhsDims(), operands,
                              operandDims, outs, outDims);
  grown.setScheduleAttr(gemm.getScheduleAttr());
  grown->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());

  // The epilogue that there is moves over, then the consumer's maps follow.
  Block *body = grown.getBody();
  {
    OpBuilder::InsertionGuard guard(rewriter);
    YieldOp yield = gemm.getYield();
    SmallVector<Value> yielded(yield.getValues());
    rewriter.eraseOp(yield);
    SmallVector<Value> arguments(
        body->getArguments().take_front(gemm.getBody()->getNumArguments()));
    DenseMap<Value, Value> moved;
    for (auto [from, to] :
         llvm::zip_equal(gemm.getBody()->getArguments(), arguments))
      moved[from] = to;
    for (Value &value : yielded)
      if (Value to = moved.lookup(value))
        value = to;
    rewriter.mergeBlocks(gemm.getBody(), body, arguments);
    rewriter.setInsertionPointToEnd(body);

    MapBuilder maps(rewriter, consumer, product, plan.loops);
    for (OpOperand &operand : consumer->getOpOperands())
      if (auto result = plan.results[operand.getOperandNumber()])
        maps.setTile(consumer.getMatchingBlockArgument(&operand),
                     yielded[*result]);
    for (auto [scalar, position] : scalars)
      maps.setTile(scalar, grown.getOperandArgs()[position]);
    SmallVector<Value> values;
    for (unsigned result : keptResults)
      values.push_back(yielded[result]);
    Operation *terminator = consumer.getBlock()->getTerminator();
    // In the body's order, so that one result can use another's tile.
    SmallVector<unsigned> order(newResults);
    auto getDefinition = [&](unsigned result) -> Operation * {
      Operation *op = terminator->getOperand(result).getDefiningOp();
      return op && op->getBlock() == consumer.getBlock() ? op : nullptr;
    };
    llvm::sort(order, [&](unsigned a, unsigned b) {
      Operation *first = getDefinition(a), *second = getDefinition(b);
      return first && second ? first->isBeforeInBlock(second)
                             : !first && second;
    });
    if (!plan.reducedLoop)
      for (unsigned result : order)
        maps.build(terminator->getOperand(result));
    for (unsigned result : newResults)
      values.push_back(
          plan.reducedLoop
              ? maps.build(plan.reductions[result], *plan.reducedLoop)
              : maps.build(terminator->getOperand(result)));
    YieldOp::create(rewriter, loc, values);
  }

  for (auto [i, result] : llvm::enumerate(keptResults))
    rewriter.replaceAllUsesWith(gemm.getResult(result), grown.getResult(i));
  rewriter.setInsertionPointAfter(grown);
  for (auto [i, result] : llvm::enumerate(newResults)) {
    Value value = grown.getResult(keptResults.size() + i);
    Type type = consumer->getResult(result).getType();
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
    if (plan.reducedLoop && !plan.reductions[result].isInitNeutral)
      value = combineWithInit(rewriter, consumer, result,
                              plan.reductions[result].kind, value);
    rewriter.replaceAllUsesWith(consumer->getResult(result), value);
  }
  // A view is dead now if it was made for the consumer.
  SmallVector<Operation *> views;
  for (Value operand : consumer->getOperands())
    for (Operation *op = operand.getDefiningOp(); op && isView(op);
         op = op->getOperand(0).getDefiningOp())
      if (!llvm::is_contained(views, op))
        views.push_back(op);
  rewriter.eraseOp(consumer);
  for (Operation *view : views)
    if (view->use_empty())
      rewriter.eraseOp(view);
  rewriter.eraseOp(gemm);
  gemm = grown;
  return std::nullopt;
}
