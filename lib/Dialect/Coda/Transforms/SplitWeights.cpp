//===- SplitWeights.cpp - Halves of a product as two products -------------===//
//
// A gate and what it gates are often one projection, taken apart by slices. The
// halves of a weight are as good: a product with two right-hand sides.
//
//===----------------------------------------------------------------------===//

#include "MergeProducts.h"

#include "ProductViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coda;

/// Whether halves that begin at `op` are put together again, as rotary
/// embedding does: then they need their partners.
static bool areJoined(Operation *op) {
  SmallVector<Operation *> worklist(op->getUsers());
  llvm::SmallPtrSet<Operation *, 16> visited;
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (!visited.insert(user).second)
      continue;
    if (isa<tensor::ConcatOp, tensor::InsertSliceOp>(user))
      return true;
    if (isElementwise(user) || isReshape(user))
      llvm::append_range(worklist, user->getUsers());
  }
  return false;
}

/// Every second or half of the elements of `value` along n.
static Value takeHalf(OpBuilder &builder, Location loc, Value value,
                      DimsAttr dims, int64_t columns, bool second,
                      bool interleaved) {
  if (!dims.contains(Dim::n))
    return value;
  int64_t rank = dims.size();
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  int64_t n = dims.indexOf(Dim::n);
  sizes[n] = builder.getIndexAttr(columns / 2);
  if (second)
    offsets[n] = builder.getIndexAttr(interleaved ? 1 : columns / 2);
  if (interleaved)
    strides[n] = builder.getIndexAttr(2);
  return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                        strides);
}

/// Why an epilogue cannot be computed for half of the columns.
static WhyNot whyNotSplit(GemmOp gemm, int64_t columns) {
  if (gemm.getRhs().size() != 1)
    return whyNot("it has two right-hand sides already");
  if (ShapedType::isDynamic(columns) || columns % 2 || columns < 4)
    return whyNot("it has no even number of columns");
  for (size_t i = 0; i < gemm.getEpilogueOperands().size(); ++i) {
    DimsAttr dims = gemm.getOperandDims(i);
    if (dims.getDivisor(Dim::n) != 1 || dims.isCyclic(Dim::n))
      return whyNot("it reads an operand over groups of columns");
  }
  for (Operation &op : gemm.getBody()->without_terminator())
    if (!isa<MapOp>(op))
      return whyNot("its epilogue holds ", op.getName());
  return std::nullopt;
}

WhyNot coda::splitWeights(RewriterBase &rewriter, GemmOp &gemm) {
  int64_t columns = gemm.getStaticN();
  if (WhyNot why = whyNotSplit(gemm, columns))
    return why;
  struct Half {
    tensor::ExtractSliceOp slice;
    ProductColumns columns;
  };
  SmallVector<Half, 0> halves;
  std::optional<bool> interleaved;
  bool both[2] = {false, false};
  for (Operation *consumer : getViewConsumers(gemm)) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(consumer);
    if (!slice)
      return whyNot("its whole result is read too");
    ProductColumns matched;
    if (WhyNot why = matchColumns(gemm, slice, matched))
      return why;
    const ProductView &view = matched.view;
    if (!view.getDims().isWhole() ||
        matched.inner * matched.getPartSize() != columns ||
        (matched.interleaved && matched.inner != 1))
      return whyNot("it is sliced in groups of columns");
    if (interleaved && *interleaved != matched.interleaved)
      return whyNot("it is sliced in two ways");
    interleaved = matched.interleaved;
    if (areJoined(slice))
      return whyNot("the halves are joined again");
    both[matched.isSecond] = true;
    halves.push_back({slice, matched});
  }
  if (!both[0] || !both[1])
    return whyNot("not both halves are read");
  // The columns of a weight stored by rows of k are then not contiguous.
  if (*interleaved && gemm.getRhsDims().indexOf(Dim::n) != 0)
    return whyNot("its weight stores the columns interleaved");
  for (OpResult result : gemm->getResults())
    for (Operation *user : result.getUsers())
      if (user->getBlock() != gemm->getBlock())
        return whyNot("its result is read in another block");

  rewriter.setInsertionPoint(gemm);
  Location loc = gemm.getLoc();
  auto take = [&](Value value, DimsAttr dims, bool second) {
    return takeHalf(rewriter, loc, value, dims, columns, second, *interleaved);
  };
  SmallVector<Value> rhs, operands, outs;
  SmallVector<DimsAttr> operandDims, outDims;
  SmallVector<unsigned> positions[2];
  for (bool second : {false, true}) {
    rhs.push_back(take(gemm.getRhs()[0], gemm.getRhsDims(), second));
    for (auto [i, operand] : llvm::enumerate(gemm.getEpilogueOperands())) {
      DimsAttr dims = gemm.getOperandDims(i);
      if (second && !dims.contains(Dim::n)) {
        positions[1].push_back(positions[0][i]);
        continue;
      }
      positions[second].push_back(operands.size());
      operands.push_back(take(operand, dims, second));
      operandDims.push_back(dims);
    }
    for (OpResult result : gemm->getResults()) {
      DimsAttr dims = gemm.getOutDims(result.getResultNumber());
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
          rewriter, loc, gemm.getOuts()[result.getResultNumber()]);
      sizes[dims.indexOf(Dim::n)] = rewriter.getIndexAttr(columns / 2);
      outs.push_back(tensor::EmptyOp::create(
          rewriter, loc, sizes,
          cast<RankedTensorType>(result.getType()).getElementType()));
      outDims.push_back(dims);
    }
  }
  auto split =
      GemmOp::create(rewriter, loc, gemm.getLhs(), gemm.getLhsDims(), rhs,
                     gemm.getRhsDims(), operands, operandDims, outs, outDims);
  split.setScheduleAttr(gemm.getScheduleAttr());
  split->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  rewriter.setInsertionPointToEnd(split.getBody());
  SmallVector<Value> yielded;
  for (bool second : {false, true}) {
    IRMapping mapping;
    mapping.map(gemm.getAccumulatorArgs()[0],
                split.getAccumulatorArgs()[second]);
    for (auto [argument, position] :
         llvm::zip_equal(gemm.getOperandArgs(), positions[second]))
      mapping.map(argument, split.getOperandArgs()[position]);
    for (Operation &op : gemm.getBody()->without_terminator()) {
      Operation *clone = rewriter.clone(op, mapping);
      auto type = cast<TileType>(op.getResult(0).getType());
      if (type.getColumns() == columns)
        clone->getResult(0).setType(
            TileType::get(type.getRows(), columns / 2, type.getElementType()));
    }
    for (Value value : gemm.getYield().getValues())
      yielded.push_back(mapping.lookup(value));
  }
  YieldOp::create(rewriter, loc, yielded);

  for (Half &half : halves) {
    rewriter.setInsertionPoint(half.slice);
    const ProductColumns &taken = half.columns;
    Value result = split.getResult(taken.isSecond * gemm.getNumResults() +
                                   taken.view.result.getResultNumber());
    rewriter.replaceAllUsesWith(half.slice.getResult(),
                                shapeResult(rewriter, loc, result, taken.parts,
                                            taken.matrixOrder,
                                            half.slice.getType()));
    eraseWithViews(rewriter, half.slice);
  }
  rewriter.eraseOp(gemm);
  gemm = split;
  return std::nullopt;
}
