//===- EpilogueEmitter.cpp - The epilogue on register fragments -----------===//

#include "EpilogueEmitter.h"

#include "ScalarEmitter.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coda;

using Kind = ColumnSpace::Kind;

static constexpr ColumnSpace kFull = {Kind::Full, 0};

EpilogueEmitter::EpilogueEmitter(KernelBuilder &b, const KernelPlan &plan,
                                 EpilogueSource &source)
    : b(b), plan(plan), source(source) {}

LogicalResult EpilogueEmitter::check(GemmOp gemm) {
  WalkResult walk = gemm.getEpilogue().walk([](Operation *op) {
    if (op->hasTrait<EpiloguePrimitive>() || isa<YieldOp>(op))
      return WalkResult::advance();
    std::string why = whyNotOnGPU(op);
    if (why.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be compiled for the GPU: " << why;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

Value EpilogueEmitter::evaluate(Value tile, FragmentPosition position,
                                ColumnSpace space) {
  ColumnSpace own = plan.spaces.columns(tile);
  // What is open is what it is needed as.
  if (own.kind != Kind::Open)
    space = own;
  bool alongRows = plan.spaces.alongRows(tile);
  int64_t column = -1;
  if (space.kind == Kind::Group)
    column = 8 * position.group / space.parameter;
  else if (space.kind != Kind::One)
    column = position.group;
  Key key{
      tile,   alongRows ? position.block : -1,  alongRows ? position.half : -1,
      column, static_cast<int64_t>(space.kind), space.parameter};
  auto known = values.find(key);
  if (known != values.end())
    return known->second;
  Value result = compute(tile, position, space);
  values[key] = result;
  return result;
}

Value EpilogueEmitter::compute(Value tile, FragmentPosition position,
                               ColumnSpace space) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    int64_t number = argument.getArgNumber();
    return number < plan.rhsCount
               ? source.accumulator(number, position)
               : source.operand(number - plan.rhsCount, position, space);
  }
  Operation *op = tile.getDefiningOp();
  if (auto index = dyn_cast<IndexOp>(op))
    return computeIndex(index, position);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (std::optional<size_t> parts =
            GemmOp::getPartsOperand(reduce.getInput()))
      return source.combinedParts(*parts, position, reduce.getKind());
    return reduce.getAxis() == Axis::rows ? reduceRows(reduce, position)
                                          : reduceColumns(reduce, position);
  }
  if (auto repeat = dyn_cast<RepeatOp>(op)) {
    Value value = evaluate(repeat.getInput(), position,
                           {Kind::Group, int64_t(repeat.getCount())});
    return space.kind == Kind::One ? value : b.splat(value);
  }
  if (auto pair = dyn_cast<PairOp>(op))
    return computePair(pair, position);
  if (isa<UnpairOp>(op))
    return computeUnpair(cast<OpResult>(tile), position);
  return computeMap(cast<MapOp>(op), position, space);
}

Value EpilogueEmitter::computeIndex(IndexOp index, FragmentPosition position) {
  Type element = index.getType().getElementType();
  auto toElement = [&](Value number) -> Value {
    if (element.isIndex())
      return arith::IndexCastUIOp::create(b, element, number);
    if (element.getIntOrFloatBitWidth() == 32)
      return number;
    return arith::ExtUIOp::create(b, element, number);
  };
  if (index.getAxis() == Axis::rows)
    return toElement(source.rowNumber(position));
  Value first = source.columnNumber(position);
  return b.pair(toElement(first), toElement(b.add(first, b.i32(1))));
}

std::pair<int64_t, bool> EpilogueEmitter::partner(int64_t group,
                                                  int64_t stride) {
  bool isSecond = 8 * group % (2 * stride) >= stride;
  return {group + (isSecond ? -stride : stride) / 8, isSecond};
}

Value EpilogueEmitter::computePair(PairOp pair, FragmentPosition position) {
  int64_t stride = pair.getStride();
  ColumnSpace half = {Kind::Half, stride};
  auto widen = [&](Value value) {
    return isa<VectorType>(value.getType()) ? value : b.splat(value);
  };
  if (stride == 1)
    return b.pair(evaluate(pair.getFirst(), position, half),
                  evaluate(pair.getSecond(), position, half));
  auto [other, isSecond] = partner(position.group, stride);
  if (isSecond)
    return widen(evaluate(pair.getSecond(), position.at(other), half));
  return widen(evaluate(pair.getFirst(), position, half));
}

Value EpilogueEmitter::computeUnpair(OpResult result,
                                     FragmentPosition position) {
  auto unpair = cast<UnpairOp>(result.getOwner());
  int64_t stride = unpair.getStride();
  int64_t number = result.getResultNumber();
  if (plan.spaces.columns(unpair.getInput()).kind == Kind::One)
    return evaluate(unpair.getInput(), position, {});
  if (stride == 1)
    return b.element(evaluate(unpair.getInput(), position, kFull), number);
  auto [other, isSecond] = partner(position.group, stride);
  // Halves stand where the first of the pair does.
  int64_t group = (number == 1) != isSecond ? other : position.group;
  return evaluate(unpair.getInput(), position.at(group), kFull);
}

Value EpilogueEmitter::computeMap(MapOp map, FragmentPosition position,
                                  ColumnSpace space) {
  IRMapping mapping;
  bool vector = space.inPairs();
  auto widen = [&](Value value) {
    return vector && !isa<VectorType>(value.getType()) ? b.splat(value) : value;
  };
  for (auto [input, argument] :
       llvm::zip_equal(map.getInputs(), map.getBody()->getArguments()))
    mapping.map(argument, widen(evaluate(input, position, space)));
  for (Operation &op : map.getBody()->without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    Value erfOf = plan.fastMath ? getOnePlusErf(&op) : Value();
    Value result = erfOf ? emitOnePlusErf(b, mapping.lookup(erfOf))
                         : emitScalarOp(b, &op, operands, plan.fastMath);
    mapping.map(op.getResult(0), widen(result));
  }
  return mapping.lookup(map.getYield().getValues().front());
}

Value EpilogueEmitter::result(int64_t index, FragmentPosition position) {
  Value tile = GemmOp(plan.gemm).getYield().getValues()[index];
  ColumnSpace space = plan.spaces.out(index);
  Value value = evaluate(tile, position, space);
  if (space.inPairs() && !isa<VectorType>(value.getType()))
    value = b.splat(value);
  return b.toMemory(value);
}

void EpilogueEmitter::prepare(FragmentPosition position) {
  for (ReduceOp reduce : GemmOp(plan.gemm).getBody()->getOps<ReduceOp>())
    if (!reduce.combinesParts())
      (void)evaluate(reduce.getInput(), position, kFull);
  // The second of a pair may need more of the halves than the first.
  for (auto [i, operand] : llvm::enumerate(plan.operands)) {
    int64_t stride = operand.halfStride;
    bool isFirst = stride && 8 * position.group % (2 * stride) < stride;
    if (operand.access == OperandAccess::Ring && isFirst)
      (void)evaluate(GemmOp(plan.gemm).getOperandArgs()[i], position,
                     {Kind::Half, stride});
  }
}
