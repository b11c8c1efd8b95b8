//===- RowParts.cpp - Partial results of a row, combined ------------------===//

#include "RowParts.h"

#include "LogSumExp.h"
#include "coda/Dialect/Coda/Utils/Reductions.h"

using namespace mlir;
using namespace coda;

RowParts::RowParts(KernelBuilder &b, const KernelPlan &plan,
                   const KernelParameters &parameters, int64_t index,
                   Reduction kind)
    : b(b), parameters(parameters), operand(plan.operands[index]),
      number(plan.operandNumber(index)), kind(kind) {}

void RowParts::shareBetweenLanes(Value lane) { sharedLane = lane; }

Value RowParts::pointer(Value row, Value part) {
  return parameters.elementPointer(b, number, operand.dims, operand.memoryType,
                                   row, row, part);
}

/// Pairs of a tree: as short a chain as there can be.
Value RowParts::combineAll(ArrayRef<Value> values, Reduction how) {
  SmallVector<Value> left(values);
  while (left.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < left.size(); i += 2)
      next.push_back(combinePartials(b, b.getLoc(), how, left[i], left[i + 1]));
    if (left.size() % 2)
      next.push_back(left.back());
    left = std::move(next);
  }
  Value result = left.front();
  if (!sharedLane)
    return result;
  return combinePartials(b, b.getLoc(), how, result, b.shuffleXor(result, 16));
}

SmallVector<Value> RowParts::begin(Value row, int64_t kept) {
  // A row that nothing is stored of may have the value of another.
  Value last = b.sub(parameters.size(Dim::m), b.i32(1));
  row = b.select(b.ult(row, last), row, last);
  int64_t lanes = sharedLane ? 2 : 1;
  int64_t count = llvm::divideCeil(operand.parts, lanes);
  Value first = sharedLane ? sharedLane : b.i32(0);
  Value next = pointer(row, first);
  Value stride = parameters.stride(number, Dim::parts);
  Value step = lanes == 2 ? b.add(stride, stride) : stride;
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i) {
    bool mayBePast = lanes * (i + 1) > operand.parts;
    Value here = mayBePast ? pointer(row, b.i32(operand.parts - 1)) : next;
    Value value =
        b.fromMemory(b.load(here, operand.memoryType), operand.elementType);
    value = prepareElement(b, b.getLoc(), kind, value);
    if (mayBePast)
      value = b.select(b.eq(sharedLane, b.i32(0)), value, neutral());
    values.push_back(value);
    if (i + 1 < count)
      next = b.elementPointer(next, step, operand.memoryType);
  }
  if (kind == Reduction::logsumexp)
    // The exponentials are of all values at once.
    return {combineLogarithms(values)};
  for (int64_t i = kept; i < count; ++i)
    values[i % kept] =
        combinePartials(b, b.getLoc(), kind, values[i % kept], values[i]);
  values.truncate(std::min(kept, count));
  return values;
}

Value RowParts::end(ArrayRef<Value> values) {
  return kind == Reduction::logsumexp ? values.front()
                                      : combineAll(values, kind);
}

Value RowParts::combineLogarithms(ArrayRef<Value> values) {
  LogSumExp lse(b, combineAll(values, Reduction::max));
  auto powers = llvm::map_to_vector(
      values, [&](Value value) { return lse.power(value); });
  return lse.result(combineAll(powers, Reduction::add));
}

Value RowParts::neutral() {
  return arith::ConstantOp::create(
      b, getNeutralElement(kind, operand.elementType));
}

Value RowParts::combineInLoop(Value row) {
  Value inside = b.ult(row, parameters.size(Dim::m));
  auto loop = [&](Reduction how, TypedAttr initial,
                  function_ref<Value(Value)> prepare) -> Value {
    Value start = arith::ConstantOp::create(b, initial);
    return b.loop(b.i32(0), b.i32(operand.parts), b.i32(1), {start},
                  [&](Value part, ValueRange carried) {
                    Value value =
                        b.fromMemory(b.loadIf(inside, pointer(row, part),
                                              operand.memoryType),
                                     operand.elementType);
                    return SmallVector<Value>{combinePartials(
                        b, b.getLoc(), how, carried[0], prepare(value))};
                  })[0];
  };
  if (kind != Reduction::logsumexp)
    return loop(kind, getNeutralElement(kind, operand.elementType),
                [&](Value value) {
                  return prepareElement(b, b.getLoc(), kind, value);
                });
  LogSumExp lse(b, loop(Reduction::max,
                        getNeutralElement(Reduction::max, operand.elementType),
                        [](Value value) { return value; }));
  return lse.result(loop(Reduction::add, b.getZeroAttr(operand.elementType),
                         [&](Value value) { return lse.power(value); }));
}
