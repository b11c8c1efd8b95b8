//===- EpilogueEmitter.cpp - The epilogue on register fragments -----------===//

#include "EpilogueEmitter.h"

#include "ScalarEmitter.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coda;

EpilogueEmitter::EpilogueEmitter(KernelBuilder &b, const KernelPlan &plan,
                                 EpilogueSource &source)
    : b(b), plan(plan), source(source) {}

LogicalResult EpilogueEmitter::check(GemmOp gemm) {
  WalkResult walk = gemm.getEpilogue().walk([](Operation *op) {
    if (isa<MapOp, IndexOp, YieldOp>(op))
      return WalkResult::advance();
    std::string why = whyNotOnGPU(op);
    if (why.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be compiled for the GPU: " << why;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

EpilogueEmitter::Axes EpilogueEmitter::axes(Value tile) {
  auto known = knownAxes.find(tile);
  if (known != knownAxes.end())
    return known->second;
  Axes result{false, false};
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    int64_t operand = argument.getArgNumber() - plan.rhsCount;
    if (operand < 0)
      result = {true, true};
    else
      result = {plan.operands[operand].dims.contains(Dim::m),
                plan.operands[operand].dims.contains(Dim::n)};
  } else if (auto index = tile.getDefiningOp<IndexOp>()) {
    bool rows = index.getAxis() == Axis::rows;
    result = {rows, !rows};
  } else if (auto map = tile.getDefiningOp<MapOp>()) {
    for (Value input : map.getInputs()) {
      Axes inputAxes = axes(input);
      result.rows |= inputAxes.rows;
      result.columns |= inputAxes.columns;
    }
  }
  knownAxes[tile] = result;
  return result;
}

Value EpilogueEmitter::evaluate(Value tile, FragmentPosition position) {
  Axes along = axes(tile);
  Key key{tile, along.rows ? position.block : -1,
          along.rows ? position.half : -1, along.columns ? position.group : -1};
  auto known = values.find(key);
  if (known != values.end())
    return known->second;

  Value result;
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    int64_t number = argument.getArgNumber();
    result = number < plan.rhsCount
                 ? source.accumulator(number, position)
                 : source.operand(number - plan.rhsCount, position);
  } else if (auto index = tile.getDefiningOp<IndexOp>()) {
    Type element = index.getType().getElementType();
    auto toElement = [&](Value number) -> Value {
      if (element.isIndex())
        return arith::IndexCastUIOp::create(b, element, number);
      if (element.getIntOrFloatBitWidth() == 32)
        return number;
      return arith::ExtUIOp::create(b, element, number);
    };
    if (along.rows) {
      result = toElement(source.rowNumber(position));
    } else {
      Value first = source.columnNumber(position);
      result = b.pair(toElement(first), toElement(b.add(first, b.i32(1))));
    }
  } else {
    result = evaluateMap(tile.getDefiningOp<MapOp>(), position, along.columns);
  }
  values[key] = result;
  return result;
}

Value EpilogueEmitter::evaluateMap(MapOp map, FragmentPosition position,
                                   bool vector) {
  IRMapping mapping;
  auto widen = [&](Value value) {
    return vector && !isa<VectorType>(value.getType()) ? b.splat(value) : value;
  };
  for (auto [input, argument] :
       llvm::zip_equal(map.getInputs(), map.getBody()->getArguments()))
    mapping.map(argument, widen(evaluate(input, position)));
  for (Operation &op : map.getBody()->without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    Value result = emitScalarOp(b, &op, operands, plan.fastMath);
    mapping.map(op.getResult(0), widen(result));
  }
  return mapping.lookup(map.getYield().getValues().front());
}

Value EpilogueEmitter::result(int64_t index, FragmentPosition position) {
  Value tile = GemmOp(plan.gemm).getYield().getValues()[index];
  Value value = evaluate(tile, position);
  if (!isa<VectorType>(value.getType()))
    value = b.splat(value);
  const OutPlan &out = plan.outs[index];
  if (out.elementType == out.memoryType)
    return value;
  Type type = VectorType::get({2}, out.memoryType);
  if (out.elementType.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  return arith::ExtUIOp::create(b, type, value);
}
