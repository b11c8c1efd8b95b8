//===- GrowEpilogues.cpp - Elementwise ops join the epilogue --------------===//

#include "ConsumerPlan.h"
#include "Fusion.h"

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
/// and puts the rewriter there.
static WhyNot place(RewriterBase &rewriter, GemmOp gemm,
                    linalg::LinalgOp consumer, const ConsumerPlan &plan) {
  SmallVector<Value> needed(plan.captured);
  for (const std::optional<EpilogueOperand> &operand : plan.operands)
    if (operand)
      needed.push_back(operand->value);
  return makeAvailable(rewriter, gemm, consumer, needed, [&](Operation *user) {
    Operation *inBlock = gemm->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || (inBlock != consumer && !isViewFor(inBlock, consumer) &&
                        inBlock->isBeforeInBlock(consumer));
  });
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
