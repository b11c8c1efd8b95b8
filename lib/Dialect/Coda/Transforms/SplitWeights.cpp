//===- SplitWeights.cpp - Parts of a product as products ------------------===//
//
// A gate and what it gates are often one projection, taken apart by slices. The
// halves of a weight are as good: a product with two right-hand sides. So are
// query, key and value: three products of one launch, each with an epilogue and
// memory of its own.
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

/// `count` elements of `value` along n, from `offset` in steps of `step`.
static Value takeColumns(OpBuilder &builder, Location loc, Value value,
                         DimsAttr dims, int64_t offset, int64_t count,
                         int64_t step) {
  if (!dims.contains(Dim::n))
    return value;
  int64_t rank = dims.size();
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  int64_t n = dims.indexOf(Dim::n);
  sizes[n] = builder.getIndexAttr(count);
  offsets[n] = builder.getIndexAttr(offset);
  strides[n] = builder.getIndexAttr(step);
  return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                        strides);
}

/// Destinations like those of `gemm` with `columns` columns.
static void createDestinations(OpBuilder &builder, GemmOp gemm, int64_t columns,
                               SmallVectorImpl<Value> &outs,
                               SmallVectorImpl<DimsAttr> &outDims) {
  for (auto [i, out] : llvm::enumerate(gemm.getOuts())) {
    DimsAttr dims = gemm.getOutDims(i);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, gemm.getLoc(), out);
    if (dims.contains(Dim::n))
      sizes[dims.indexOf(Dim::n)] = builder.getIndexAttr(columns);
    outs.push_back(tensor::EmptyOp::create(
        builder, gemm.getLoc(), sizes,
        cast<RankedTensorType>(out.getType()).getElementType()));
    outDims.push_back(dims);
  }
}

/// Copies the epilogue of `gemm` to the end of the builder's block, for
/// `columns` columns; gives the values of the destinations.
static SmallVector<Value> cloneEpilogue(OpBuilder &builder, GemmOp gemm,
                                        IRMapping &mapping, int64_t columns) {
  for (Operation &op : gemm.getBody()->without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    auto type = cast<TileType>(op.getResult(0).getType());
    if (type.getColumns() == gemm.getStaticN())
      clone->getResult(0).setType(
          TileType::get(type.getRows(), columns, type.getElementType()));
  }
  return llvm::map_to_vector(gemm.getYield().getValues(), [&](Value value) {
    return mapping.lookup(value);
  });
}

/// Why an epilogue cannot be computed for some of the columns.
static WhyNot whyNotSplit(GemmOp gemm) {
  if (gemm.getRhs().size() != 1)
    return whyNot("it has two right-hand sides already");
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
  if (WhyNot why = whyNotSplit(gemm))
    return why;
  if (ShapedType::isDynamic(columns) || columns % 2 || columns < 4)
    return whyNot("it has no even number of columns");
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
    int64_t offset = *interleaved ? 1 : columns / 2;
    return takeColumns(rewriter, loc, value, dims, second ? offset : 0,
                       columns / 2, *interleaved ? 2 : 1);
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
    createDestinations(rewriter, gemm, columns / 2, outs, outDims);
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
    llvm::append_range(yielded,
                       cloneEpilogue(rewriter, gemm, mapping, columns / 2));
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

/// The product that computes columns `begin` to `end` of `gemm`.
static GemmOp createPart(RewriterBase &rewriter, GemmOp gemm, int64_t begin,
                         int64_t end) {
  Location loc = gemm.getLoc();
  auto take = [&](Value value, DimsAttr dims) {
    return takeColumns(rewriter, loc, value, dims, begin, end - begin, 1);
  };
  Value rhs = take(gemm.getRhs()[0], gemm.getRhsDims());
  SmallVector<Value> operands, outs;
  SmallVector<DimsAttr> operandDims, outDims;
  for (auto [i, operand] : llvm::enumerate(gemm.getEpilogueOperands())) {
    operandDims.push_back(gemm.getOperandDims(i));
    operands.push_back(take(operand, operandDims.back()));
  }
  createDestinations(rewriter, gemm, end - begin, outs, outDims);
  auto part =
      GemmOp::create(rewriter, loc, gemm.getLhs(), gemm.getLhsDims(), rhs,
                     gemm.getRhsDims(), operands, operandDims, outs, outDims);
  part.setScheduleAttr(gemm.getScheduleAttr());
  part->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(part.getBody());
  IRMapping mapping;
  mapping.map(gemm.getBody()->getArguments(), part.getBody()->getArguments());
  YieldOp::create(rewriter, loc,
                  cloneEpilogue(rewriter, gemm, mapping, end - begin));
  return part;
}

WhyNot coda::splitColumns(RewriterBase &rewriter, GemmOp gemm,
                          SmallVectorImpl<GemmOp> &products) {
  if (WhyNot why = whyNotSplit(gemm))
    return why;
  struct Taken {
    tensor::ExtractSliceOp slice;
    ColumnRange range;
    GemmOp product;
  };
  SmallVector<Taken, 0> slices;
  for (Operation *consumer : getViewConsumers(gemm)) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(consumer);
    if (!slice)
      return whyNot("its whole result is read too");
    ColumnRange range;
    if (WhyNot why = matchColumnRange(gemm, slice, range))
      return why;
    if (areJoined(slice))
      return whyNot("the slices are joined again");
    slices.push_back({slice, range, {}});
  }
  for (Operation *user : gemm->getUsers())
    if (user->getBlock() != gemm->getBlock())
      return whyNot("its result is read in another block");
  // Where the columns are contiguous, tensor copies begin at 16 bytes.
  auto type = cast<RankedTensorType>(gemm.getRhs()[0].getType());
  bool contiguous = gemm.getRhsDims().indexOf(Dim::n) == 1;
  for (Taken &taken : slices) {
    if (contiguous &&
        taken.range.begin * type.getElementTypeBitWidth() % 128 != 0)
      return whyNot("columns from ", taken.range.begin,
                    " begin at no 16 bytes of the weight");
    for (Taken &other : slices)
      if (taken.range.begin != other.range.begin &&
          taken.range.begin < other.range.end &&
          other.range.begin < taken.range.end)
        return whyNot("slices overlap");
      else if (taken.range.begin == other.range.begin &&
               taken.range.end != other.range.end)
        return whyNot("slices overlap");
  }
  if (slices.size() < 2 ||
      llvm::all_equal(llvm::map_range(
          slices, [](const Taken &taken) { return taken.range.begin; })))
    return whyNot("it is not read in parts");

  llvm::sort(slices, [](const Taken &a, const Taken &b) {
    return a.range.begin < b.range.begin;
  });
  rewriter.setInsertionPoint(gemm);
  for (auto [i, taken] : llvm::enumerate(slices)) {
    if (i && slices[i - 1].range.begin == taken.range.begin) {
      taken.product = slices[i - 1].product;
      continue;
    }
    taken.product =
        createPart(rewriter, gemm, taken.range.begin, taken.range.end);
    products.push_back(taken.product);
  }
  for (Taken &taken : slices) {
    rewriter.setInsertionPoint(taken.slice);
    Value result =
        taken.product->getResult(taken.range.view.result.getResultNumber());
    rewriter.replaceAllUsesWith(
        taken.slice.getResult(),
        shapeResult(rewriter, gemm.getLoc(), result, taken.range.parts,
                    taken.range.matrixOrder, taken.slice.getType()));
    eraseWithViews(rewriter, taken.slice);
  }
  rewriter.eraseOp(gemm);
  return std::nullopt;
}
