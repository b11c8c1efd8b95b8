//===- ProductViews.h - Results of a product, reshaped ----------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//
//
// A model reads a projection as [batch, heads, sequence, head width]: m and n
// of the product are split into parts, and the parts permuted. What reads such
// a view elementwise still joins the epilogue, for every part is a part of m or
// n.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_PRODUCTVIEWS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_PRODUCTVIEWS_H

#include "FusionUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Columns that lie in one tile of a kernel for certain, so that they can be
/// combined: those of an attention head.
inline constexpr int64_t kMaxGroupColumns = 256;

/// A part of m or n.
struct ViewPart {
  Dim dim;
  /// Static, or kDynamic.
  int64_t size;
  /// The size where it is known as a value; null otherwise.
  mlir::OpFoldResult value;
};

/// A result of a product through casts, reshapes and permutations.
struct ProductView {
  mlir::OpResult result;
  /// The parts in the order in which the result is stored.
  llvm::SmallVector<ViewPart> parts;
  /// The part that each dimension of the view runs over.
  llvm::SmallVector<unsigned> order;

  GemmOp getGemm() const { return mlir::cast<GemmOp>(result.getOwner()); }
  DimsAttr getDims() const {
    return getGemm().getOutDims(result.getResultNumber());
  }
  const ViewPart &getPart(unsigned dimension) const {
    return parts[order[dimension]];
  }
  /// Elements of the same dimension of the product from one index of a part to
  /// the next, kDynamic where not known.
  int64_t getInnerSize(unsigned part) const;
};

/// Whether `op` gives its first operand with its dimensions cast, split, merged
/// or permuted.
bool isReshape(mlir::Operation *op);

/// The view that `value` is, if it is one.
std::optional<ProductView> getProductView(mlir::Value value);

/// The ops that read a result of `gemm` through views and are none, in program
/// order. Only those in the product's block.
llvm::SmallVector<mlir::Operation *> getViewConsumers(GemmOp gemm);

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// A destination that a product is to have.
struct NewDestination {
  DimsAttr dims;
  mlir::Type element;
};

/// Makes `needed` available at the product's place and puts the rewriter there,
/// or at `consumer` if the product can move down to it; or says why not.
WhyNot placeGrowth(mlir::RewriterBase &rewriter, GemmOp gemm,
                   mlir::Operation *consumer,
                   llvm::ArrayRef<mlir::Value> needed);

/// Makes the tiles of new destinations from the tiles of the results so far and
/// those of the new operands.
using TileBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    llvm::ArrayRef<mlir::Value> results, llvm::ArrayRef<mlir::Value> operands)>;

/// Replaces `gemm` by one at the rewriter's place that has `destinations` too
/// and gives their values. Results without users are dropped.
llvm::SmallVector<mlir::Value>
growGemm(mlir::RewriterBase &rewriter, GemmOp &gemm, mlir::Location loc,
         llvm::ArrayRef<std::pair<mlir::Value, DimsAttr>> operands,
         llvm::ArrayRef<NewDestination> destinations, TileBuilder build);

/// A dimension of a value made from a product's result: a part of m or n, or,
/// if there is none, a unit dimension.
using ResultPart = std::optional<ViewPart>;

/// A slice of a product's result: half of the columns of a part of n.
struct ProductColumns {
  ProductView view;
  unsigned part = 0;
  bool isSecond = false;
  /// Every second one rather than one half.
  bool interleaved = false;
  /// Columns in one step of the part.
  int64_t inner = 1;
  /// The dimensions of the slice.
  llvm::SmallVector<ResultPart> parts;
  llvm::SmallVector<unsigned> matrixOrder;

  int64_t getPartSize() const { return view.parts[part].size; }
  /// Columns from one of a pair to the other.
  int64_t getStride() const {
    return interleaved ? inner : inner * (getPartSize() / 2);
  }
};
WhyNot matchColumns(GemmOp gemm, mlir::tensor::ExtractSliceOp slice,
                    ProductColumns &columns);

/// A slice of a product's result: columns `begin` to `end`.
struct ColumnRange {
  ProductView view;
  int64_t begin = 0, end = 0;
  /// The dimensions of the slice.
  llvm::SmallVector<ResultPart> parts;
  llvm::SmallVector<unsigned> matrixOrder;
};
WhyNot matchColumnRange(GemmOp gemm, mlir::tensor::ExtractSliceOp slice,
                        ColumnRange &range);

/// The value with dimensions `parts` made from a result stored as [m, n], which
/// has type `type` in the end.
mlir::Value shapeResult(mlir::RewriterBase &rewriter, mlir::Location loc,
                        mlir::Value result, llvm::ArrayRef<ResultPart> parts,
                        llvm::ArrayRef<unsigned> matrixOrder,
                        mlir::RankedTensorType type);

/// Erases `op`, which has no users, and what only it used, up to the product.
void eraseWithViews(mlir::RewriterBase &rewriter, mlir::Operation *op);

//===----------------------------------------------------------------------===//
// What joins through views
//===----------------------------------------------------------------------===//

/// Moves an elementwise op into the epilogue of `gemm`.
WhyNot fuseViewConsumer(mlir::RewriterBase &rewriter, GemmOp &gemm,
                        mlir::linalg::LinalgOp consumer);

/// Moves a reduction over the innermost part of n into the epilogue.
WhyNot fuseGroupReduction(mlir::RewriterBase &rewriter, GemmOp &gemm,
                          mlir::linalg::LinalgOp reduction);

/// Makes the two halves of a part of n, taken by slices, results of `gemm`.
WhyNot fuseSlices(mlir::RewriterBase &rewriter, GemmOp &gemm,
                  mlir::Operation *slice);

/// Makes two results of `gemm` that are put together as the halves of a part of
/// n one result.
WhyNot fuseJoin(mlir::RewriterBase &rewriter, GemmOp &gemm,
                mlir::Operation *join);

/// Any of these, by the kind of `consumer`.
WhyNot fuseThroughViews(mlir::RewriterBase &rewriter, GemmOp &gemm,
                        mlir::Operation *consumer);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_PRODUCTVIEWS_H
