//===- CodaTileOps.cpp - Primitives that combine columns ------------------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

/// ceil(size / divisor), unknown if `size` is.
static int64_t divideSize(int64_t size, int64_t divisor) {
  return ShapedType::isDynamic(size)
             ? size
             : static_cast<int64_t>(llvm::divideCeil(size, divisor));
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto tile = dyn_cast<TileType>(adaptor.getInput().getType());
  if (!tile)
    return emitOptionalError(loc, "input must be a tile");
  int64_t rows = tile.getRows(), columns = tile.getColumns();
  int64_t &reduced = adaptor.getAxis() == Axis::rows ? rows : columns;
  std::optional<uint64_t> group = adaptor.getGroup();
  if (group && static_cast<int64_t>(*group) < 1)
    return emitOptionalError(loc, "groups must have a positive size, but have ",
                             static_cast<int64_t>(*group));
  reduced = group ? divideSize(reduced, *group) : 1;
  types.push_back(TileType::get(rows, columns, tile.getElementType()));
  return success();
}

LogicalResult ReduceOp::verify() {
  Type element = getInput().getType().getElementType();
  bool ordered = llvm::is_contained(
      {Reduction::max, Reduction::min, Reduction::absmax}, getKind());
  if (auto type = dyn_cast<FloatType>(element)) {
    if (!ordered && !type.isF32() && !type.isF64())
      return emitOpError() << stringifyReduction(getKind())
                           << " must be of f32 or f64, so that no "
                              "intermediate result is rounded, but is of "
                           << type;
    return success();
  }
  if (getKind() == Reduction::logsumexp || !element.isSignlessInteger() ||
      !llvm::is_contained({32u, 64u}, element.getIntOrFloatBitWidth()))
    return emitOpError() << stringifyReduction(getKind())
                         << " is not available for elements of type "
                         << element;
  return success();
}

bool ReduceOp::combinesParts() {
  return GemmOp::getPartsOperand(getInput()).has_value();
}

namespace {
/// A reduction of one row or column, or in groups of one, of a kind that gives
/// a lone element back.
struct DropUnitReduction : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    if (reduce.getKind() == Reduction::absmax)
      return rewriter.notifyMatchFailure(reduce, "takes absolute values");
    if (reduce.combinesParts())
      return rewriter.notifyMatchFailure(reduce, "nothing else may read parts");
    if (reduce.getInput().getType() != reduce.getType())
      return rewriter.notifyMatchFailure(reduce, "changes the size");
    TileType tile = reduce.getType();
    int64_t size =
        reduce.getAxis() == Axis::rows ? tile.getRows() : tile.getColumns();
    if (size != 1 && reduce.getGroup() != 1)
      return rewriter.notifyMatchFailure(reduce, "has larger groups");
    rewriter.replaceOp(reduce, reduce.getInput());
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropUnitReduction>(context);
}

//===----------------------------------------------------------------------===//
// RepeatOp
//===----------------------------------------------------------------------===//

LogicalResult RepeatOp::verify() {
  TileType input = getInput().getType(), result = getType();
  int64_t count = getCount();
  if (count < 1)
    return emitOpError() << "must repeat each column a positive number of "
                            "times, but does "
                         << count;
  int64_t expected = divideSize(result.getColumns(), count);
  if (input.getRows() != result.getRows() ||
      input.getElementType() != result.getElementType() ||
      input.getColumns() != expected)
    return emitOpError() << "by " << count << " must have an input of type "
                         << TileType::get(result.getRows(), expected,
                                          result.getElementType())
                         << " for its result, but has " << input;
  return success();
}

//===----------------------------------------------------------------------===//
// UnpairOp, PairOp
//===----------------------------------------------------------------------===//

/// The columns of half a tile must come in whole runs of `stride`.
static LogicalResult verifyStride(std::optional<Location> loc, int64_t stride,
                                  int64_t columns, int64_t run) {
  if (stride < 1)
    return emitOptionalError(loc, "stride must be positive, but is ", stride);
  if (ShapedType::isStatic(columns) && columns % run)
    return emitOptionalError(loc, "stride ", stride, " needs a multiple of ",
                             run, " columns, but there are ", columns);
  return success();
}

LogicalResult UnpairOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto tile = dyn_cast<TileType>(adaptor.getInput().getType());
  if (!tile)
    return emitOptionalError(loc, "input must be a tile");
  int64_t stride = adaptor.getStride();
  if (failed(verifyStride(loc, stride, tile.getColumns(), 2 * stride)))
    return failure();
  types.assign(2,
               TileType::get(tile.getRows(), divideSize(tile.getColumns(), 2),
                             tile.getElementType()));
  return success();
}

LogicalResult UnpairOp::fold(FoldAdaptor,
                             SmallVectorImpl<OpFoldResult> &results) {
  auto pair = getInput().getDefiningOp<PairOp>();
  if (!pair || pair.getStride() != getStride() ||
      pair.getFirst().getType() != getFirst().getType())
    return failure();
  results.assign({pair.getFirst(), pair.getSecond()});
  return success();
}

LogicalResult PairOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto tile = dyn_cast<TileType>(adaptor.getFirst().getType());
  if (!tile)
    return emitOptionalError(loc, "first must be a tile");
  int64_t stride = adaptor.getStride(), columns = tile.getColumns();
  if (failed(verifyStride(loc, stride, columns, stride)))
    return failure();
  types.push_back(TileType::get(
      tile.getRows(), ShapedType::isDynamic(columns) ? columns : 2 * columns,
      tile.getElementType()));
  return success();
}

OpFoldResult PairOp::fold(FoldAdaptor) {
  auto unpair = getFirst().getDefiningOp<UnpairOp>();
  if (!unpair || unpair.getFirst() != getFirst() ||
      unpair.getSecond() != getSecond() || unpair.getStride() != getStride() ||
      unpair.getInput().getType() != getType())
    return {};
  return unpair.getInput();
}

//===----------------------------------------------------------------------===//
// SelectColumnOp
//===----------------------------------------------------------------------===//

LogicalResult SelectColumnOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto tile = dyn_cast<TileType>(adaptor.getInput().getType());
  auto index = dyn_cast<TileType>(adaptor.getIndex().getType());
  if (!tile || !index)
    return emitOptionalError(loc, "input and index must be tiles");
  bool fits = index.getColumns() == 1 &&
              (index.getRows() == tile.getRows() || index.getRows() == 1);
  Type element = index.getElementType();
  if (!fits || !(element.isIndex() || element.isSignlessInteger()))
    return emitOptionalError(
        loc, "index must be a column vector of integers with the input's ",
        ShapedType::isDynamic(tile.getRows()) ? std::string("?")
                                              : std::to_string(tile.getRows()),
        " rows, but is ", index);
  types.push_back(TileType::get(tile.getRows(), 1, tile.getElementType()));
  return success();
}
