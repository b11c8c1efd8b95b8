//===- TileOpsToLinalg.cpp - Primitives that combine columns as linalg ----===//

#include "EpilogueToLinalg.h"

#include "coda/Dialect/Coda/Utils/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

static void yieldFirst(OpBuilder &builder, Location loc, ValueRange scalars) {
  linalg::YieldOp::create(builder, loc, scalars.front());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LinalgValue EpilogueToLinalg::lowerOperand(size_t i) {
  DimsAttr dims = gemm.getOperandDims(i);
  LinalgValue operand = {gemm.getEpilogueOperands()[i],
                         SmallVector<Dim, 2>(dims.getDims())};
  // Parts are the columns of their tile.
  llvm::replace(operand.dims, Dim::parts, Dim::n);
  if (!llvm::is_contained(dims.getCyclic(), true))
    return operand;
  // A map `d mod size` needs a static size, and linalg's shape checks a
  // divisible one: the element is read in the body instead.
  Location loc = operand.value.getLoc();
  SmallVector<OpFoldResult> sizes;
  for (auto [position, dim] : llvm::enumerate(dims.getDims()))
    sizes.push_back(dims.getCyclic()[position]
                        ? builder.scaleSize(loc, builder.getSize(loc, dim), 1,
                                            dims.getDivisors()[position])
                        : builder.getSize(loc, operand, dim));
  LinalgValue init = builder.createTemporary(loc, operand.getElementType(),
                                             operand.dims, sizes);
  SmallVector<Value> ownSizes;
  for (Dim dim : operand.dims)
    ownSizes.push_back(getValueOrCreateConstantIndexOp(
        builder.getRewriter(), loc, builder.getSize(loc, operand, dim)));
  auto body = [&](OpBuilder &nested, Location loc, ValueRange) {
    SmallVector<Value> indices;
    for (auto [position, size] : llvm::enumerate(ownSizes)) {
      Value index = linalg::IndexOp::create(nested, loc, position);
      if (dims.getCyclic()[position])
        index = arith::RemUIOp::create(nested, loc, index, size);
      indices.push_back(index);
    }
    Value element;
    if (builder.onTensors())
      element = tensor::ExtractOp::create(nested, loc, operand.value, indices);
    else
      element = memref::LoadOp::create(nested, loc, operand.value, indices);
    linalg::YieldOp::create(nested, loc, element);
  };
  return builder.createGeneric(loc, operand.dims, ArrayRef<LinalgValue>(), init,
                               body);
}

LinalgInput EpilogueToLinalg::indexColumns(Value tile, ArrayRef<Dim> loops,
                                           AffineExpr column) {
  const LinalgValue &value = tiles.at(tile);
  AffineMap map = builder.getMap(value, loops);
  unsigned n = llvm::find(loops, Dim::n) - loops.begin();
  AffineExpr loop = builder.getRewriter().getAffineDimExpr(n);
  // The other dimension, if any, is indexed by another loop.
  map = map.replace(loop, column, loops.size(), 0);
  return {value.value, map};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LinalgValue EpilogueToLinalg::reduceElements(
    ReduceOp reduce, TypedAttr neutral, std::optional<LinalgValue> shift,
    function_ref<Value(OpBuilder &, Location, Value, Value, Value)> combine) {
  Location loc = reduce.getLoc();
  bool alongRows = reduce.getAxis() == Axis::rows;
  Dim reduced = alongRows ? Dim::m : Dim::n;
  Dim kept = alongRows ? Dim::n : Dim::m;
  const LinalgValue &input = tiles.at(reduce.getInput());
  auto inputType = reduce.getInput().getType();
  bool hasKept =
      (alongRows ? inputType.getColumns() : inputType.getRows()) != 1;

  SmallVector<Dim, 2> loops;
  if (hasKept)
    loops.push_back(kept);
  loops.push_back(reduced);
  RewriterBase &rewriter = builder.getRewriter();
  AffineExpr loop = rewriter.getAffineDimExpr(loops.size() - 1);

  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  if (hasKept)
    sizes.push_back({kept, getTileSize(loc, reduce.getInput(), kept)});
  OpFoldResult length = getTileSize(loc, reduce.getInput(), reduced);
  int64_t group = reduce.getGroup().value_or(1);
  sizes.push_back({reduced, builder.scaleSize(loc, length, 1, group)});
  LinalgValue init = createTemporary(loc, reduce.getType(), sizes);
  init = builder.fill(loc, neutral, init);

  // A group is the quotient of the element's number: right for a last group
  // that is smaller too.
  auto getGroupMap = [&](const LinalgValue &value) {
    AffineMap map = builder.getMap(value, loops);
    return reduce.getGroup()
               ? map.replace(loop, loop.floorDiv(group), loops.size(), 0)
               : map;
  };
  SmallVector<LinalgInput> inputs;
  inputs.push_back({input.value, builder.getMap(input, loops)});
  if (shift)
    inputs.push_back({shift->value, getGroupMap(*shift)});
  // What broadcasts along a loop does not say how long it is.
  for (auto [i, dim] : llvm::enumerate(loops))
    if (!input.hasDim(dim)) {
      LinalgValue extent =
          builder.createTemporary(loc, input.getElementType(), {dim},
                                  {getTileSize(loc, reduce.getInput(), dim)});
      inputs.push_back(
          {extent.value,
           AffineMap::get(loops.size(), 0, rewriter.getAffineDimExpr(i))});
    }
  auto body = [&](OpBuilder &nested, Location loc, ValueRange scalars) {
    linalg::YieldOp::create(nested, loc,
                            combine(nested, loc, scalars.back(), scalars[0],
                                    shift ? scalars[1] : Value()));
  };
  return builder.createGeneric(loc, loops, inputs, init, getGroupMap(init),
                               reduced, body);
}

void EpilogueToLinalg::lower(ReduceOp reduce) {
  Type element = reduce.getType().getElementType();
  Reduction kind = reduce.getKind();
  if (kind != Reduction::logsumexp) {
    tiles[reduce] = reduceElements(
        reduce, getNeutralElement(kind, element), std::nullopt,
        [&](OpBuilder &nested, Location loc, Value partial, Value scalar,
            Value) {
          return combinePartials(nested, loc, kind, partial,
                                 prepareElement(nested, loc, kind, scalar));
        });
    return;
  }
  // The maximum first, as everyone computes it. An infinite one is no shift:
  // the exponentials are then 0 or infinity by themselves, and never NaN.
  Location loc = reduce.getLoc();
  auto type = cast<FloatType>(element);
  OpBuilder &rewriter = builder.getRewriter();
  LinalgValue maximum = reduceElements(
      reduce, getNeutralElement(Reduction::max, element), std::nullopt,
      [&](OpBuilder &nested, Location loc, Value partial, Value scalar, Value) {
        return combinePartials(nested, loc, Reduction::max, partial, scalar);
      });
  auto getShift = [&](OpBuilder &nested, Location loc, Value maximum) -> Value {
    Value infinity = arith::ConstantOp::create(
        nested, loc,
        nested.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
    Value isInfinite = arith::CmpFOp::create(
        nested, loc, arith::CmpFPredicate::OEQ,
        math::AbsFOp::create(nested, loc, maximum), infinity);
    Value zero =
        arith::ConstantOp::create(nested, loc, nested.getZeroAttr(type));
    return arith::SelectOp::create(nested, loc, isInfinite, zero, maximum);
  };
  LinalgValue sum =
      reduceElements(reduce, rewriter.getZeroAttr(element), maximum,
                     [&](OpBuilder &nested, Location loc, Value partial,
                         Value scalar, Value maximum) -> Value {
                       Value difference = arith::SubFOp::create(
                           nested, loc, scalar, getShift(nested, loc, maximum));
                       Value exp = math::ExpOp::create(nested, loc, difference);
                       return arith::AddFOp::create(nested, loc, partial, exp);
                     });
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  for (Dim dim : sum.dims)
    sizes.push_back({dim, builder.getSize(loc, sum, dim)});
  LinalgValue init = createTemporary(loc, reduce.getType(), sizes);
  tiles[reduce] = builder.createGeneric(
      loc, init.dims, {maximum, sum}, init,
      [&](OpBuilder &nested, Location loc, ValueRange scalars) {
        Value log = math::LogOp::create(nested, loc, scalars[1]);
        Value result = arith::AddFOp::create(
            nested, loc, getShift(nested, loc, scalars[0]), log);
        linalg::YieldOp::create(nested, loc, result);
      });
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void EpilogueToLinalg::lower(RepeatOp repeat) {
  Location loc = repeat.getLoc();
  const LinalgValue &input = tiles.at(repeat.getInput());
  if (!input.hasDim(Dim::n)) {
    // One column for all of them: it broadcasts as it is.
    tiles[repeat] = input;
    return;
  }
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  if (input.hasDim(Dim::m))
    sizes.push_back({Dim::m, builder.getSize(loc, input, Dim::m)});
  LinalgValue init = createTemporary(loc, repeat.getType(), sizes);
  AffineExpr column = builder.getRewriter().getAffineDimExpr(
      llvm::find(init.dims, Dim::n) - init.dims.begin());
  tiles[repeat] = builder.createGeneric(
      loc, init.dims,
      {indexColumns(repeat.getInput(), init.dims,
                    column.floorDiv(repeat.getCount()))},
      init, builder.getMap(init, init.dims), std::nullopt, yieldFirst);
}

void EpilogueToLinalg::lower(UnpairOp unpair) {
  Location loc = unpair.getLoc();
  const LinalgValue &input = tiles.at(unpair.getInput());
  if (!input.hasDim(Dim::n)) {
    tiles[unpair.getFirst()] = tiles[unpair.getSecond()] = input;
    return;
  }
  int64_t stride = unpair.getStride();
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  if (input.hasDim(Dim::m))
    sizes.push_back({Dim::m, builder.getSize(loc, input, Dim::m)});
  sizes.push_back(
      {Dim::n,
       builder.scaleSize(loc, builder.getSize(loc, input, Dim::n), 1, 2)});
  for (OpResult result : unpair->getResults()) {
    LinalgValue init =
        createTemporary(loc, cast<TileType>(result.getType()), sizes);
    // Two columns may leave one, which is no dimension of the result.
    SmallVector<Dim, 2> loops(init.dims);
    AffineExpr column = builder.getRewriter().getAffineConstantExpr(0);
    const auto *n = llvm::find(loops, Dim::n);
    if (n != loops.end())
      column = builder.getRewriter().getAffineDimExpr(n - loops.begin());
    AffineExpr whole = column.floorDiv(stride) * (2 * stride) +
                       column % stride + stride * result.getResultNumber();
    LinalgInput source{input.value, {}};
    SmallVector<AffineExpr> exprs;
    for (Dim dim : input.dims)
      exprs.push_back(dim == Dim::n
                          ? whole
                          : builder.getRewriter().getAffineDimExpr(
                                llvm::find(loops, dim) - loops.begin()));
    source.map = AffineMap::get(loops.size(), 0, exprs,
                                builder.getRewriter().getContext());
    tiles[result] = builder.createGeneric(loc, loops, {source}, init,
                                          builder.getMap(init, loops),
                                          std::nullopt, yieldFirst);
  }
}

void EpilogueToLinalg::lower(PairOp pair) {
  Location loc = pair.getLoc();
  int64_t stride = pair.getStride();
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  if (pair.getType().getRows() != 1)
    sizes.push_back({Dim::m, getTileSize(loc, pair.getFirst(), Dim::m)});
  sizes.push_back(
      {Dim::n, builder.scaleSize(loc, getTileSize(loc, pair.getFirst(), Dim::n),
                                 2, 1)});
  LinalgValue init = createTemporary(loc, pair.getType(), sizes);
  unsigned position = llvm::find(init.dims, Dim::n) - init.dims.begin();
  AffineExpr column = builder.getRewriter().getAffineDimExpr(position);
  AffineExpr half = column.floorDiv(2 * stride) * stride + column % stride;
  tiles[pair] = builder.createGeneric(
      loc, init.dims,
      {indexColumns(pair.getFirst(), init.dims, half),
       indexColumns(pair.getSecond(), init.dims, half)},
      init, builder.getMap(init, init.dims), std::nullopt,
      [&](OpBuilder &nested, Location loc, ValueRange scalars) {
        Value number = linalg::IndexOp::create(nested, loc, position);
        auto constant = [&](int64_t value) {
          return arith::ConstantIndexOp::create(nested, loc, value);
        };
        Value inPair =
            arith::RemUIOp::create(nested, loc, number, constant(2 * stride));
        Value isFirst = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ult, inPair, constant(stride));
        Value result = arith::SelectOp::create(nested, loc, isFirst, scalars[0],
                                               scalars[1]);
        linalg::YieldOp::create(nested, loc, result);
      });
}

void EpilogueToLinalg::lower(SelectColumnOp select) {
  Location loc = select.getLoc();
  const LinalgValue &input = tiles.at(select.getInput());
  SmallVector<Dim, 2> loops;
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  if (select.getType().getRows() != 1) {
    loops.push_back(Dim::m);
    sizes.push_back({Dim::m, getTileSize(loc, select.getInput(), Dim::m)});
  }
  loops.push_back(Dim::n);
  unsigned n = loops.size() - 1;
  RewriterBase &rewriter = builder.getRewriter();
  LinalgValue init =
      builder.fill(loc, rewriter.getZeroAttr(select.getType().getElementType()),
                   createTemporary(loc, select.getType(), sizes));
  const LinalgValue &index = tiles.at(select.getIndex());
  SmallVector<LinalgInput> inputs = {
      {input.value, builder.getMap(input, loops)},
      {index.value, builder.getMap(index, loops)}};
  if (!input.hasDim(Dim::n)) {
    LinalgValue extent =
        builder.createTemporary(loc, rewriter.getI8Type(), {Dim::n},
                                {getTileSize(loc, select.getInput(), Dim::n)});
    inputs.push_back(
        {extent.value,
         AffineMap::get(loops.size(), 0, rewriter.getAffineDimExpr(n))});
  }
  auto body = [&](OpBuilder &nested, Location loc, ValueRange scalars) {
    Value column = linalg::IndexOp::create(nested, loc, n);
    Value wanted = scalars[1];
    // As signed 64-bit numbers, so that a narrow index matches no column that
    // it cannot name.
    Type wide = nested.getI64Type();
    column = arith::IndexCastOp::create(nested, loc, wide, column);
    if (wanted.getType().isIndex())
      wanted = arith::IndexCastOp::create(nested, loc, wide, wanted);
    else if (wanted.getType().getIntOrFloatBitWidth() < 64)
      wanted = arith::ExtSIOp::create(nested, loc, wide, wanted);
    Value isIt = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq,
                                       column, wanted);
    Value result =
        arith::SelectOp::create(nested, loc, isIt, scalars[0], scalars.back());
    linalg::YieldOp::create(nested, loc, result);
  };
  tiles[select] = builder.createGeneric(
      loc, loops, inputs, init, builder.getMap(init, loops), Dim::n, body);
}
