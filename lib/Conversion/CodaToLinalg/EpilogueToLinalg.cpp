//===- EpilogueToLinalg.cpp - Epilogue primitives as linalg ---------------===//

#include "EpilogueToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

EpilogueToLinalg::EpilogueToLinalg(LinalgBuilder &builder, GemmOp gemm)
    : builder(builder), gemm(gemm) {}

Operation *EpilogueToLinalg::findUnsupported(GemmOp gemm) {
  for (Operation &op : *gemm.getBody())
    if (!isa<MapOp, IndexOp, YieldOp>(op))
      return &op;
  return nullptr;
}

SmallVector<Dim, 2> EpilogueToLinalg::getDims(TileType type) {
  SmallVector<Dim, 2> dims;
  if (type.getRows() != 1)
    dims.push_back(Dim::m);
  if (type.getColumns() != 1)
    dims.push_back(Dim::n);
  return dims;
}

LinalgValue EpilogueToLinalg::getDestination(size_t i) {
  return {gemm.getOuts()[i], SmallVector<Dim, 2>(gemm.getOutDims(i).getDims())};
}

LinalgValue EpilogueToLinalg::getInit(Location loc, Value tile) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<Dim, 2> dims = getDims(type);
  // A memref destination may share its buffer with an operand that is yet to be
  // read, so there everything is computed before anything is stored.
  if (builder.onTensors()) {
    for (auto [i, yielded] : llvm::enumerate(gemm.getYield().getValues())) {
      LinalgValue destination = getDestination(i);
      if (yielded == tile && destination.dims.size() == dims.size() &&
          llvm::all_of(dims, [&](Dim dim) { return destination.hasDim(dim); }))
        return destination;
    }
  }
  return builder.createTemporary(loc, type.getElementType(), dims);
}

LinalgValue EpilogueToLinalg::lower(MapOp map) {
  SmallVector<LinalgValue> inputs;
  for (Value input : map.getInputs())
    inputs.push_back(tiles.at(input));
  auto body = [&](OpBuilder &nested, Location loc, ValueRange scalars) {
    IRMapping mapping;
    // The last scalar is the destination's old element, which is not read.
    mapping.map(map.getBody()->getArguments(), scalars.drop_back());
    for (Operation &op : map.getBody()->without_terminator())
      nested.clone(op, mapping);
    Value result = mapping.lookupOrDefault(map.getYield().getValues().front());
    linalg::YieldOp::create(nested, loc, result);
  };
  return builder.createGeneric(map.getLoc(), getDims(map.getType()), inputs,
                               getInit(map.getLoc(), map), body);
}

LinalgValue EpilogueToLinalg::lower(IndexOp index) {
  Type element = index.getType().getElementType();
  auto body = [&](OpBuilder &nested, Location loc, ValueRange) {
    Value number = linalg::IndexOp::create(nested, loc, 0);
    if (element != number.getType())
      number = arith::IndexCastOp::create(nested, loc, element, number);
    linalg::YieldOp::create(nested, loc, number);
  };
  SmallVector<Dim, 2> dims = getDims(index.getType());
  // The one row or column of a product of size 1 is a loop too: linalg.index
  // needs it.
  if (dims.empty())
    dims.push_back(index.getAxis() == Axis::rows ? Dim::m : Dim::n);
  LinalgValue init = builder.createTemporary(index.getLoc(), element, dims);
  return builder.createGeneric(index.getLoc(), dims, {}, init, body);
}

LinalgValue EpilogueToLinalg::copy(Location loc, LinalgValue source,
                                   LinalgValue target) {
  return builder.createGeneric(
      loc, target.dims, source, target,
      [](OpBuilder &nested, Location loc, ValueRange scalars) {
        linalg::YieldOp::create(nested, loc, scalars.front());
      });
}

SmallVector<Value> EpilogueToLinalg::lower(ArrayRef<LinalgValue> accumulators) {
  for (auto [argument, accumulator] :
       llvm::zip_equal(gemm.getAccumulatorArgs(), accumulators))
    tiles[argument] = accumulator;
  for (auto [i, argument] : llvm::enumerate(gemm.getOperandArgs()))
    tiles[argument] = {gemm.getEpilogueOperands()[i],
                       SmallVector<Dim, 2>(gemm.getOperandDims(i).getDims())};

  for (Operation &op : gemm.getBody()->without_terminator())
    TypeSwitch<Operation *>(&op).Case<MapOp, IndexOp>(
        [&](auto primitive) { tiles[primitive] = lower(primitive); });

  YieldOp yield = gemm.getYield();
  SmallVector<LinalgValue> values;
  for (Value yielded : yield.getValues()) {
    LinalgValue value = tiles.at(yielded);
    // An operand that is stored as it is: on memrefs an earlier destination may
    // share its buffer.
    if (!builder.onTensors() && isa<BlockArgument>(yielded) &&
        gemm.getOuts().size() > 1)
      value = copy(yield.getLoc(), value,
                   builder.createTemporary(yield.getLoc(),
                                           value.getElementType(), value.dims));
    values.push_back(value);
  }
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(values)) {
    LinalgValue destination = getDestination(i);
    auto generic = value.value.getDefiningOp<linalg::GenericOp>();
    bool stored = builder.onTensors() && generic &&
                  generic.getDpsInits().front() == destination.value &&
                  !llvm::is_contained(results, value.value);
    results.push_back(stored ? value.value
                             : copy(yield.getLoc(), value, destination).value);
  }
  return results;
}
