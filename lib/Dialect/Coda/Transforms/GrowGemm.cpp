//===- GrowGemm.cpp - More operands, primitives and destinations ----------===//

#include "EpilogueOperands.h"
#include "ProductViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

/// Whether `user` reads the product only to give it to `consumer`.
static bool isOnlyFor(Operation *user, Operation *consumer) {
  return user == consumer ||
         (isReshape(user) && llvm::all_of(user->getUsers(), [&](Operation *op) {
            return isOnlyFor(op, consumer);
          }));
}

WhyNot coda::placeGrowth(RewriterBase &rewriter, GemmOp gemm,
                         Operation *consumer, ArrayRef<Value> needed) {
  return makeAvailable(rewriter, gemm, consumer, needed, [&](Operation *user) {
    return user->getBlock() != gemm->getBlock() ||
           (user->isBeforeInBlock(consumer) && !isOnlyFor(user, consumer));
  });
}

/// An empty tensor for a destination of `gemm`.
static Value createEmpty(OpBuilder &builder, Location loc, GemmOp gemm,
                         const NewDestination &destination) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, divisor] : llvm::zip_equal(destination.dims.getDims(),
                                             destination.dims.getDivisors())) {
    int64_t size = dim == Dim::m ? gemm.getStaticM() : gemm.getStaticN();
    if (ShapedType::isStatic(size)) {
      sizes.push_back(builder.getIndexAttr(llvm::divideCeil(size, divisor)));
      continue;
    }
    Value matrix = dim == Dim::m ? gemm.getLhs() : gemm.getRhs().front();
    DimsAttr dims = dim == Dim::m ? gemm.getLhsDims() : gemm.getRhsDims();
    sizes.push_back(
        tensor::getMixedSize(builder, loc, matrix, dims.indexOf(dim)));
  }
  return tensor::EmptyOp::create(builder, loc, sizes, destination.element);
}

SmallVector<Value>
coda::growGemm(RewriterBase &rewriter, GemmOp &gemm, Location loc,
               ArrayRef<std::pair<Value, DimsAttr>> newOperands,
               ArrayRef<NewDestination> destinations, TileBuilder build) {
  SmallVector<Value> operands(gemm.getEpilogueOperands());
  SmallVector<DimsAttr> operandDims;
  for (size_t i = 0; i < operands.size(); ++i)
    operandDims.push_back(gemm.getOperandDims(i));
  SmallVector<size_t> positions;
  for (auto [value, dims] : newOperands) {
    size_t i = 0;
    while (i < operands.size() &&
           (operands[i] != value || operandDims[i] != dims))
      ++i;
    positions.push_back(i);
    if (i < operands.size())
      continue;
    operands.push_back(value);
    operandDims.push_back(dims);
  }

  SmallVector<Value> outs;
  SmallVector<DimsAttr> outDims;
  SmallVector<unsigned> kept;
  for (OpResult result : gemm->getResults()) {
    if (result.use_empty())
      continue;
    kept.push_back(result.getResultNumber());
    outs.push_back(gemm.getOuts()[result.getResultNumber()]);
    outDims.push_back(gemm.getOutDims(result.getResultNumber()));
  }
  for (const NewDestination &destination : destinations) {
    outs.push_back(createEmpty(rewriter, loc, gemm, destination));
    outDims.push_back(destination.dims);
  }

  auto grown = GemmOp::create(rewriter, loc, gemm.getLhs(), gemm.getLhsDims(),
                              gemm.getRhs(), gemm.getRhsDims(), operands,
                              operandDims, outs, outDims);
  grown.setScheduleAttr(gemm.getScheduleAttr());
  grown->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = grown.getBody();
    YieldOp yield = gemm.getYield();
    SmallVector<Value> tiles(yield.getValues());
    rewriter.eraseOp(yield);
    auto arguments =
        body->getArguments().take_front(gemm.getBody()->getNumArguments());
    for (Value &tile : tiles)
      if (auto argument = dyn_cast<BlockArgument>(tile))
        tile = arguments[argument.getArgNumber()];
    rewriter.mergeBlocks(
        gemm.getBody(), body,
        SmallVector<Value>(arguments.begin(), arguments.end()));
    rewriter.setInsertionPointToEnd(body);
    SmallVector<Value> operandTiles;
    for (size_t position : positions)
      operandTiles.push_back(grown.getOperandArgs()[position]);
    SmallVector<Value> values;
    for (unsigned result : kept)
      values.push_back(tiles[result]);
    llvm::append_range(values, build(tiles, operandTiles));
    YieldOp::create(rewriter, loc, values);
  }
  for (auto [i, result] : llvm::enumerate(kept))
    rewriter.replaceAllUsesWith(gemm.getResult(result), grown.getResult(i));
  rewriter.eraseOp(gemm);
  gemm = grown;
  auto results = grown.getResults().drop_front(kept.size());
  return SmallVector<Value>(results.begin(), results.end());
}

Value coda::shapeResult(RewriterBase &rewriter, Location loc, Value result,
                        ArrayRef<ResultPart> parts,
                        ArrayRef<unsigned> matrixOrder, RankedTensorType type) {
  // Dimensions in the order of the matrix, each unit one after the dimension
  // that it follows in the value.
  SmallVector<unsigned> order;
  auto appendUnits = [&](unsigned from) {
    for (; from < parts.size() && !parts[from]; ++from)
      order.push_back(from);
  };
  appendUnits(0);
  for (unsigned dimension : matrixOrder) {
    order.push_back(dimension);
    appendUnits(dimension + 1);
  }

  // Which dimensions of the value each dimension of the matrix becomes.
  auto matrix = cast<RankedTensorType>(result.getType());
  SmallVector<ReassociationIndices> groups(2);
  for (auto [position, dimension] : llvm::enumerate(order)) {
    bool isN =
        parts[dimension] ? parts[dimension]->dim == Dim::n : !groups[1].empty();
    // Of a matrix with one row, a leading unit dimension is its m.
    groups[isN].push_back(position);
  }
  // A unit dimension of the matrix that the value has no dimension for takes
  // one of the other's units, or is collapsed away.
  if (groups[1].empty() && groups[0].size() > 1 &&
      !parts[order[groups[0].back()]]) {
    groups[1].push_back(groups[0].back());
    groups[0].pop_back();
  }
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (unsigned dimension : order) {
    shape.push_back(parts[dimension] ? parts[dimension]->size : 1);
    if (!parts[dimension])
      sizes.push_back(rewriter.getIndexAttr(1));
    else if (ShapedType::isStatic(parts[dimension]->size))
      sizes.push_back(rewriter.getIndexAttr(parts[dimension]->size));
    else
      sizes.push_back(parts[dimension]->value);
  }
  for (unsigned i : {0u, 1u})
    if (groups[i].size() == 1 && parts[order[groups[i][0]]]) {
      shape[groups[i][0]] = matrix.getDimSize(i);
      sizes[groups[i][0]] = tensor::getMixedSize(rewriter, loc, result, i);
    }
  if (groups[0].empty() || groups[1].empty()) {
    unsigned dropped = groups[0].empty() ? 0 : 1;
    result = dropUnitDims(rewriter, loc, result, {dropped});
    groups.erase(groups.begin() + dropped);
  }
  Value value = result;
  if (groups.size() != order.size())
    value = tensor::ExpandShapeOp::create(
        rewriter, loc, RankedTensorType::get(shape, matrix.getElementType()),
        result, groups, sizes);

  // Dimension i of the value is dimension [i] of the ordered one.
  SmallVector<int64_t> permutation(order.size());
  for (auto [position, dimension] : llvm::enumerate(order))
    permutation[dimension] = position;
  if (!llvm::is_sorted(permutation)) {
    SmallVector<OpFoldResult> permuted;
    for (int64_t position : permutation)
      permuted.push_back(sizes[position]);
    Value empty = tensor::EmptyOp::create(rewriter, loc, permuted,
                                          matrix.getElementType());
    value =
        linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
            ->getResult(0);
  }
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, loc, type, value);
  return value;
}

void coda::eraseWithViews(RewriterBase &rewriter, Operation *op) {
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty()) {
    Operation *dead = worklist.pop_back_val();
    SmallVector<Operation *> producers;
    for (Value operand : dead->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !isa<GemmOp>(producer) &&
          !llvm::is_contained(producers, producer))
        producers.push_back(producer);
    rewriter.eraseOp(dead);
    // Each becomes dead once, with its last user.
    for (Operation *producer : producers)
      if (isOpTriviallyDead(producer))
        worklist.push_back(producer);
  }
}
