//===- PairedColumns.cpp - Halves of a part of n, sliced and joined -------===//
//
// Rotary embedding takes the two halves of each head (or its even and odd
// columns) apart, and puts two of the same shape together. In an epilogue the
// first is coda.unpair, the second coda.pair.
//
//===----------------------------------------------------------------------===//

#include "ProductViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coda;

namespace {
/// Where a slice lies in the dimension that it takes a half of.
struct HalfSlice {
  unsigned dimension = 0;
  bool isSecond = false;
  bool interleaved = false;
};

/// Two values that are put together as halves of a dimension.
struct Join {
  Value first, second;
  unsigned dimension = 0;
  bool interleaved = false;
};
} // namespace

/// The one dimension of a value of type `whole` that is sliced. `isWhole` says
/// of a size known at run time whether it is that of the value's dimension.
static WhyNot matchDimension(OffsetSizeAndStrideOpInterface slice,
                             RankedTensorType whole,
                             function_ref<bool(unsigned, OpFoldResult)> isWhole,
                             unsigned &result) {
  std::optional<unsigned> dimension;
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  if (static_cast<int64_t>(sizes.size()) != whole.getRank())
    return whyNot("it slices to another rank");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t full = whole.getDimSize(i);
    if (slice.getStaticOffsets()[i] == 0 && slice.getStaticStrides()[i] == 1 &&
        (ShapedType::isStatic(full) ? size == full
                                    : isWhole(i, slice.getMixedSizes()[i])))
      continue;
    if (dimension)
      return whyNot("it slices more than one dimension");
    dimension = i;
  }
  if (!dimension)
    return whyNot("it slices no dimension");
  result = *dimension;
  if (whole.isDynamicDim(result) || ShapedType::isDynamic(sizes[result]) ||
      ShapedType::isDynamic(slice.getStaticOffsets()[result]) ||
      ShapedType::isDynamic(slice.getStaticStrides()[result]))
    return whyNot("it slices at places known only at run time");
  return std::nullopt;
}

/// Which half of a value of type `whole` the slice is.
static WhyNot matchHalf(OffsetSizeAndStrideOpInterface slice,
                        RankedTensorType whole,
                        function_ref<bool(unsigned, OpFoldResult)> isWhole,
                        HalfSlice &half) {
  if (WhyNot why = matchDimension(slice, whole, isWhole, half.dimension))
    return why;
  int64_t full = whole.getDimSize(half.dimension);
  int64_t size = slice.getStaticSizes()[half.dimension];
  int64_t offset = slice.getStaticOffsets()[half.dimension];
  int64_t step = slice.getStaticStrides()[half.dimension];
  if (full % 2 == 0 && size == full / 2 && step == 1 &&
      (offset == 0 || offset == size)) {
    half.isSecond = offset != 0;
    return std::nullopt;
  }
  if (full % 2 == 0 && size == full / 2 && step == 2 &&
      (offset == 0 || offset == 1)) {
    half.isSecond = offset != 0;
    half.interleaved = true;
    return std::nullopt;
  }
  return whyNot("it takes ", size, " of ", full, " columns from ", offset,
                " in steps of ", step, "; expected a half or every second one");
}

static WhyNot whyNotStride(int64_t stride) {
  if (stride != 1 && stride % 8 != 0)
    return whyNot("it pairs columns at a distance of ", stride,
                  "; expected 1 or a multiple of 8");
  if (2 * stride > kMaxGroupColumns)
    return whyNot("it pairs columns at a distance of ", stride,
                  ", which lie in one tile of a kernel up to ",
                  kMaxGroupColumns / 2);
  return std::nullopt;
}

/// The dims [m, n / divisor].
static DimsAttr getMatrixDims(MLIRContext *context, int64_t divisor) {
  return DimsAttr::get(context, {Dim::m, Dim::n}, {1, divisor}, {false, false});
}

static bool isMatrix(DimsAttr dims) {
  return dims.contains(Dim::m) && dims.contains(Dim::n) &&
         dims.getDivisor(Dim::m) == 1;
}

/// The dimensions of a value like `view` but for the size of one part, and
/// their order in the matrix.
static WhyNot planParts(const ProductView &view, unsigned part, int64_t size,
                        SmallVectorImpl<ResultPart> &parts,
                        SmallVectorImpl<unsigned> &matrixOrder) {
  for (unsigned number : view.order) {
    parts.push_back(view.parts[number]);
    if (number == part) {
      parts.back()->size = size;
      parts.back()->value = {};
    }
  }
  for (Dim dim : {Dim::m, Dim::n}) {
    unsigned unknown = 0, count = 0;
    for (auto [number, of] : llvm::enumerate(view.parts)) {
      const auto *dimension = llvm::find(view.order, number);
      if (of.dim != dim || dimension == view.order.end())
        continue;
      ++count;
      unknown += ShapedType::isDynamic(of.size) && !of.value;
      matrixOrder.push_back(dimension - view.order.begin());
    }
    if (count > 1 && unknown)
      return whyNot("the size of a part of ", stringifyDim(dim),
                    " is not known");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The view of a result of `gemm` that `op` slices.
static WhyNot matchSource(GemmOp gemm, tensor::ExtractSliceOp op,
                          ProductView &view) {
  std::optional<ProductView> found = getProductView(op.getSource());
  if (!found || found->getGemm() != gemm)
    return whyNot("it slices no view of the product");
  view = *found;
  if (!isMatrix(view.getDims()))
    return whyNot("it slices a result over m or n alone");
  if (op.getType().getRank() != op.getSourceType().getRank())
    return whyNot("it slices to another rank");
  return std::nullopt;
}

/// Whether `size` is that of dimension `i` of `view`, which `op` slices.
static bool isWholeSize(const ProductView &view, tensor::ExtractSliceOp op,
                        unsigned i, OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  if (!value)
    return false;
  auto dim = value.getDefiningOp<tensor::DimOp>();
  return value == dyn_cast_or_null<Value>(view.getPart(i).value) ||
         (dim && dim.getSource() == op.getSource() &&
          dim.getConstantIndex() == static_cast<int64_t>(i));
}

WhyNot coda::matchColumnRange(GemmOp gemm, tensor::ExtractSliceOp op,
                              ColumnRange &range) {
  if (WhyNot why = matchSource(gemm, op, range.view))
    return why;
  const ProductView &view = range.view;
  unsigned dimension;
  if (WhyNot why = matchDimension(
          op, op.getSourceType(),
          [&](unsigned i, OpFoldResult size) {
            return isWholeSize(view, op, i, size);
          },
          dimension))
    return why;
  unsigned part = view.order[dimension];
  int64_t inner = view.getInnerSize(part);
  if (view.parts[part].dim != Dim::n || ShapedType::isDynamic(inner) ||
      !view.getDims().isWhole() || op.getStaticStrides()[dimension] != 1 ||
      view.parts[part].size * inner != gemm.getStaticN())
    return whyNot("it slices no range of columns");
  range.begin = op.getStaticOffsets()[dimension] * inner;
  range.end = range.begin + op.getStaticSizes()[dimension] * inner;
  return planParts(view, part, op.getStaticSizes()[dimension], range.parts,
                   range.matrixOrder);
}

WhyNot coda::matchColumns(GemmOp gemm, tensor::ExtractSliceOp op,
                          ProductColumns &columns) {
  if (WhyNot why = matchSource(gemm, op, columns.view))
    return why;
  ProductView *view = &columns.view;
  auto isWhole = [&](unsigned i, OpFoldResult size) {
    return isWholeSize(*view, op, i, size);
  };
  HalfSlice half;
  if (WhyNot why = matchHalf(op, op.getSourceType(), isWhole, half))
    return why;
  columns.part = view->order[half.dimension];
  columns.isSecond = half.isSecond;
  columns.interleaved = half.interleaved;
  if (view->parts[columns.part].dim != Dim::n)
    return whyNot("it slices rows");
  columns.inner = view->getInnerSize(columns.part);
  if (ShapedType::isDynamic(columns.inner))
    return whyNot("the size of a part of n is not known");
  return planParts(columns.view, columns.part, columns.getPartSize() / 2,
                   columns.parts, columns.matrixOrder);
}

WhyNot coda::fuseSlices(RewriterBase &rewriter, GemmOp &gemm,
                        Operation *consumer) {
  auto op = cast<tensor::ExtractSliceOp>(consumer);
  ProductColumns slice;
  if (WhyNot why = matchColumns(gemm, op, slice))
    return why;
  if (WhyNot why = whyNotStride(slice.getStride()))
    return why;
  // All slices of the same pairing.
  SmallVector<std::pair<tensor::ExtractSliceOp, ProductColumns>, 0> slices;
  bool halves[2] = {false, false};
  for (Operation *user : getViewConsumers(gemm)) {
    auto other = dyn_cast<tensor::ExtractSliceOp>(user);
    ProductColumns matched;
    if (!other || matchColumns(gemm, other, matched) ||
        matched.view.result != slice.view.result ||
        matched.getStride() != slice.getStride())
      continue;
    halves[matched.isSecond] = true;
    slices.emplace_back(other, matched);
  }
  if (!halves[0] || !halves[1])
    return whyNot("it takes one half of the columns, and nothing the other");

  rewriter.setInsertionPoint(gemm);
  Location loc = rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()});
  unsigned number = slice.view.result.getResultNumber();
  NewDestination half = {
      getMatrixDims(gemm.getContext(),
                    2 * slice.view.getDims().getDivisor(Dim::n)),
      op.getType().getElementType()};
  SmallVector<Value> values = growGemm(
      rewriter, gemm, loc, {}, {half, half},
      [&](ArrayRef<Value> tiles, ArrayRef<Value>) {
        auto unpair = UnpairOp::create(rewriter, op.getLoc(), tiles[number],
                                       slice.getStride());
        return SmallVector<Value>{unpair.getFirst(), unpair.getSecond()};
      });
  for (auto &[other, matched] : slices) {
    rewriter.setInsertionPoint(other);
    rewriter.replaceAllUsesWith(
        other.getResult(),
        shapeResult(rewriter, loc, values[matched.isSecond], matched.parts,
                    matched.matrixOrder, other.getType()));
    eraseWithViews(rewriter, other);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

static WhyNot matchJoin(Operation *op, Join &join) {
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (concat.getInputs().size() != 2)
      return whyNot("it joins ", concat.getInputs().size(),
                    " values; expected 2");
    join.first = concat.getInputs()[0];
    join.second = concat.getInputs()[1];
    join.dimension = concat.getDim();
    return std::nullopt;
  }
  auto outer = cast<tensor::InsertSliceOp>(op);
  auto inner = outer.getDest().getDefiningOp<tensor::InsertSliceOp>();
  if (!inner || !inner->hasOneUse())
    return whyNot("it is inserted beside something else than the other half");
  HalfSlice halves[2];
  for (unsigned i : {0u, 1u}) {
    tensor::InsertSliceOp slice = i ? outer : inner;
    if (slice.getSourceType().getRank() != slice.getType().getRank())
      return whyNot("it is inserted with another rank");
    auto isWhole = [&](unsigned dimension, OpFoldResult size) {
      auto empty = inner.getDest().getDefiningOp<tensor::EmptyOp>();
      return empty &&
             isEqualConstantIntOrValue(size, empty.getMixedSizes()[dimension]);
    };
    if (WhyNot why = matchHalf(slice, slice.getType(), isWhole, halves[i]))
      return why;
  }
  if (halves[0].dimension != halves[1].dimension ||
      halves[0].interleaved != halves[1].interleaved ||
      halves[0].isSecond == halves[1].isSecond)
    return whyNot("the two inserted slices are no two halves");
  join.first = inner.getSource();
  join.second = outer.getSource();
  if (halves[0].isSecond)
    std::swap(join.first, join.second);
  join.dimension = halves[0].dimension;
  join.interleaved = halves[0].interleaved;
  return std::nullopt;
}

WhyNot coda::fuseJoin(RewriterBase &rewriter, GemmOp &gemm,
                      Operation *consumer) {
  Join join;
  if (WhyNot why = matchJoin(consumer, join))
    return why;
  std::optional<ProductView> first = getProductView(join.first);
  std::optional<ProductView> second = getProductView(join.second);
  if (!first || !second || first->getGemm() != gemm ||
      second->getGemm() != gemm)
    return whyNot("it joins a result of the product with another value");
  auto samePart = [](const ViewPart &a, const ViewPart &b) {
    return a.dim == b.dim && a.size == b.size &&
           (ShapedType::isStatic(a.size) || !a.value ||
            isEqualConstantIntOrValue(a.value, b.value));
  };
  if (!isMatrix(first->getDims()) || first->getDims() != second->getDims() ||
      first->order != second->order ||
      !llvm::equal(first->parts, second->parts, samePart))
    return whyNot("it joins two results of different parts");
  unsigned part = first->order[join.dimension];
  if (first->parts[part].dim != Dim::n)
    return whyNot("it joins rows");
  int64_t divisor = first->getDims().getDivisor(Dim::n);
  if (divisor % 2)
    return whyNot("it joins results that have all columns");
  int64_t size = first->parts[part].size;
  int64_t inner = first->getInnerSize(part);
  if (ShapedType::isDynamic(inner) || ShapedType::isDynamic(size))
    return whyNot("the size of a part of n is not known");
  int64_t stride = join.interleaved ? inner : inner * size;
  if (WhyNot why = whyNotStride(stride))
    return why;
  SmallVector<ResultPart> parts;
  SmallVector<unsigned> matrixOrder;
  if (WhyNot why = planParts(*first, part, 2 * size, parts, matrixOrder))
    return why;

  rewriter.setInsertionPoint(gemm);
  Location loc = rewriter.getFusedLoc({gemm.getLoc(), consumer->getLoc()});
  auto type = cast<RankedTensorType>(consumer->getResult(0).getType());
  NewDestination whole = {getMatrixDims(gemm.getContext(), divisor / 2),
                          type.getElementType()};
  SmallVector<Value> values =
      growGemm(rewriter, gemm, loc, {}, whole,
               [&](ArrayRef<Value> tiles, ArrayRef<Value>) {
                 return SmallVector<Value>{PairOp::create(
                     rewriter, consumer->getLoc(),
                     tiles[first->result.getResultNumber()],
                     tiles[second->result.getResultNumber()], stride)};
               });
  rewriter.setInsertionPoint(consumer);
  rewriter.replaceAllUsesWith(
      consumer->getResult(0),
      shapeResult(rewriter, loc, values.front(), parts, matrixOrder, type));
  eraseWithViews(rewriter, consumer);
  return std::nullopt;
}
