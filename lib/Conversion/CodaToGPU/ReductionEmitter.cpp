//===- ReductionEmitter.cpp - Reductions of register fragments ------------===//
//
// A row's columns lie in 4 neighbouring lanes, a column's rows (of a block of
// 16) in 8 lanes that are 4 apart: a thread combines what it holds, then lanes
// exchange. Every lane has the result, combined in the same order in each run.
//
//===----------------------------------------------------------------------===//

#include "EpilogueEmitter.h"

#include "LogSumExp.h"
#include "coda/Dialect/Coda/Utils/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coda;

static constexpr ColumnSpace kFull = {ColumnSpace::Kind::Full, 0};

Value EpilogueEmitter::combine(Reduction kind, Value x, Value y) {
  return combinePartials(b, b.getLoc(), kind, x, y);
}

Value EpilogueEmitter::combineLanes(Reduction kind, Value value,
                                    ArrayRef<int64_t> masks) {
  for (int64_t mask : masks)
    value = combine(kind, value, b.shuffleXor(value, mask));
  return value;
}

/// `pair` with `neutral` in place of what lies outside of the product.
Value EpilogueEmitter::mask(Value pair, Value neutral,
                            FragmentPosition position, Dim dim) {
  GemmOp gemm = plan.gemm;
  if (dim == Dim::n) {
    int64_t size = gemm.getStaticN();
    if (ShapedType::isStatic(size) && size % plan.columns == 0)
      return pair;
    Value column = source.columnNumber(position);
    Value end = source.productSize(Dim::n);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < 2; ++i)
      elements.push_back(b.select(b.ult(b.add(column, b.i32(i)), end),
                                  b.element(pair, i), neutral));
    return b.pair(elements[0], elements[1]);
  }
  int64_t size = gemm.getStaticM();
  if (ShapedType::isStatic(size) && size % plan.rowsPerStep() == 0)
    return pair;
  Value inside = b.ult(source.rowNumber(position), source.productSize(Dim::m));
  return b.select(inside, pair, b.splat(neutral));
}

Value EpilogueEmitter::reduceColumns(ReduceOp reduce,
                                     FragmentPosition position) {
  Reduction kind = reduce.getKind();
  int64_t group = reduce.getGroup().value_or(plan.columns);
  int64_t first = 8 * position.group / group * group / 8;
  Value neutral = arith::ConstantOp::create(
      b, getNeutralElement(kind, reduce.getType().getElementType()));
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < group / 8; ++i) {
    FragmentPosition at = position.at(first + i);
    Value pair = evaluate(reduce.getInput(), at, kFull);
    if (!isa<VectorType>(pair.getType()))
      pair = b.splat(pair);
    pair = prepareElement(b, b.getLoc(), kind, pair);
    pairs.push_back(mask(pair, neutral, at, Dim::n));
  }
  if (kind == Reduction::logsumexp)
    return logSumExp(pairs);
  Value sum = pairs.front();
  for (Value pair : llvm::drop_begin(pairs))
    sum = combine(kind, sum, pair);
  sum = combine(kind, b.element(sum, 0), b.element(sum, 1));
  return combineLanes(kind, sum, {1, 2});
}

/// The maximum of all lanes first: then the exponentials only add up.
Value EpilogueEmitter::logSumExp(ArrayRef<Value> pairs) {
  Value highest = pairs.front();
  for (Value pair : pairs.drop_front())
    highest = combine(Reduction::max, highest, pair);
  highest =
      combine(Reduction::max, b.element(highest, 0), b.element(highest, 1));
  LogSumExp lse(b, combineLanes(Reduction::max, highest, {1, 2}));
  Value sum = b.f32(0);
  for (Value pair : pairs)
    for (int64_t i = 0; i < 2; ++i)
      sum = arith::AddFOp::create(b, sum, lse.power(b.element(pair, i)));
  return lse.result(combineLanes(Reduction::add, sum, {1, 2}));
}

/// The rows of one warp's 16: this pair's columns.
Value EpilogueEmitter::reduceRows(ReduceOp reduce, FragmentPosition position) {
  Reduction kind = reduce.getKind();
  Value neutral = arith::ConstantOp::create(
      b, getNeutralElement(kind, reduce.getType().getElementType()));
  SmallVector<Value> halves;
  for (int64_t half : {0, 1}) {
    FragmentPosition at = {position.block, half, position.group};
    Value pair = evaluate(reduce.getInput(), at, kFull);
    if (!isa<VectorType>(pair.getType()))
      pair = b.splat(pair);
    pair = prepareElement(b, b.getLoc(), kind, pair);
    halves.push_back(mask(pair, neutral, at, Dim::m));
  }
  SmallVector<Value> results;
  for (int64_t i = 0; i < 2; ++i) {
    Value both =
        combine(kind, b.element(halves[0], i), b.element(halves[1], i));
    results.push_back(combineLanes(kind, both, {4, 8, 16}));
  }
  return b.pair(results[0], results[1]);
}
