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
    if (!isa<MapOp, IndexOp, ReduceOp, RepeatOp, UnpairOp, PairOp,
             SelectColumnOp, YieldOp>(op))
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

std::optional<LinalgValue> EpilogueToLinalg::getOwnDestination(Value tile) {
  // A memref destination may share its buffer with an operand that is yet to be
  // read, so there everything is computed before anything is stored.
  if (!builder.onTensors())
    return std::nullopt;
  SmallVector<Dim, 2> dims = getDims(cast<TileType>(tile.getType()));
  for (auto [i, yielded] : llvm::enumerate(gemm.getYield().getValues())) {
    LinalgValue destination = getDestination(i);
    if (yielded == tile && destination.dims.size() == dims.size() &&
        llvm::all_of(dims, [&](Dim dim) { return destination.hasDim(dim); }))
      return destination;
  }
  return std::nullopt;
}

OpFoldResult EpilogueToLinalg::getTileSize(Location loc, Value tile, Dim dim) {
  auto type = cast<TileType>(tile.getType());
  int64_t size = dim == Dim::m ? type.getRows() : type.getColumns();
  if (ShapedType::isStatic(size))
    return builder.getRewriter().getIndexAttr(size);
  const LinalgValue &value = tiles.at(tile);
  return value.hasDim(dim) ? builder.getSize(loc, value, dim)
                           : builder.getSize(loc, dim);
}

LinalgValue EpilogueToLinalg::createTemporary(
    Location loc, TileType type, ArrayRef<std::pair<Dim, OpFoldResult>> given) {
  SmallVector<Dim, 2> dims = getDims(type);
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : dims) {
    int64_t size = dim == Dim::m ? type.getRows() : type.getColumns();
    const auto *known =
        llvm::find_if(given, [&](auto entry) { return entry.first == dim; });
    if (ShapedType::isStatic(size))
      sizes.push_back(builder.getRewriter().getIndexAttr(size));
    else
      sizes.push_back(known == given.end() ? builder.getSize(loc, dim)
                                           : known->second);
  }
  return builder.createTemporary(loc, type.getElementType(), dims, sizes);
}

void EpilogueToLinalg::lower(MapOp map) {
  Location loc = map.getLoc();
  SmallVector<LinalgValue> inputs;
  SmallVector<std::pair<Dim, OpFoldResult>> sizes;
  SmallVector<Dim, 2> dims;
  for (Value input : map.getInputs()) {
    inputs.push_back(tiles.at(input));
    for (Dim dim : inputs.back().dims)
      if (!llvm::is_contained(dims, dim)) {
        sizes.push_back({dim, getTileSize(loc, input, dim)});
        dims.push_back(dim);
      }
  }
  auto body = [&](OpBuilder &nested, Location loc, ValueRange scalars) {
    IRMapping mapping;
    // The last scalar is the destination's old element, which is not read.
    mapping.map(map.getBody()->getArguments(), scalars.drop_back());
    for (Operation &op : map.getBody()->without_terminator())
      nested.clone(op, mapping);
    Value result = mapping.lookupOrDefault(map.getYield().getValues().front());
    linalg::YieldOp::create(nested, loc, result);
  };
  std::optional<LinalgValue> init = getOwnDestination(map);
  if (!init) {
    // Where no input runs over an axis, the result broadcasts along it too.
    auto size = [&](Dim dim, int64_t size) {
      return llvm::is_contained(dims, dim) ? size : 1;
    };
    TileType type = TileType::get(size(Dim::m, map.getType().getRows()),
                                  size(Dim::n, map.getType().getColumns()),
                                  map.getType().getElementType());
    init = createTemporary(loc, type, sizes);
  }
  tiles[map] = builder.createGeneric(loc, init->dims, inputs, *init, body);
}

void EpilogueToLinalg::lower(IndexOp index) {
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
  tiles[index] = builder.createGeneric(index.getLoc(), dims,
                                       ArrayRef<LinalgValue>(), init, body);
}

LinalgValue EpilogueToLinalg::createLike(Location loc,
                                         const LinalgValue &value) {
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : value.dims)
    sizes.push_back(builder.getSize(loc, value, dim));
  return builder.createTemporary(loc, value.getElementType(), value.dims,
                                 sizes);
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
    tiles[argument] = lowerOperand(i);

  for (Operation &op : gemm.getBody()->without_terminator())
    TypeSwitch<Operation *>(&op)
        .Case<MapOp, IndexOp, ReduceOp, RepeatOp, UnpairOp, PairOp,
              SelectColumnOp>([&](auto primitive) { lower(primitive); });

  YieldOp yield = gemm.getYield();
  SmallVector<LinalgValue> values;
  for (Value yielded : yield.getValues()) {
    LinalgValue value = tiles.at(yielded);
    // An operand that is stored as it is: on memrefs an earlier destination may
    // share its buffer.
    if (!builder.onTensors() && isa<BlockArgument>(yielded) &&
        gemm.getOuts().size() > 1)
      value = copy(yield.getLoc(), value, createLike(yield.getLoc(), value));
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
