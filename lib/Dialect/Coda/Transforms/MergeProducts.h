//===- MergeProducts.h - Products of one left-hand side ---------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_MERGEPRODUCTS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_MERGEPRODUCTS_H

#include "FusionUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Makes one product with two right-hand sides of every two that share a
/// left-hand side and meet in an elementwise op (a gate and what it gates).
/// Bitwise exact.
void mergeProducts(mlir::RewriterBase &rewriter,
                   llvm::SmallVectorImpl<GemmOp> &gemms);

/// Makes a product whose result is read through its two halves only one with
/// two right-hand sides, which are halves of the weight. Bitwise exact.
WhyNot splitWeights(mlir::RewriterBase &rewriter, GemmOp &gemm);

/// Replaces a product whose result is read through slices of its columns only,
/// as query, key and value are, by a product for each: `products`. Bitwise
/// exact.
WhyNot splitColumns(mlir::RewriterBase &rewriter, GemmOp gemm,
                    llvm::SmallVectorImpl<GemmOp> &products);

/// Moves products that share a left-hand side next to each other and numbers
/// them as a launch group, from `next` on.
void groupLaunches(mlir::RewriterBase &rewriter, llvm::ArrayRef<GemmOp> gemms,
                   int64_t &next);

/// What a program costs, to be compared before and after fusion.
struct ProgramCost {
  int64_t launches = 0;
  /// Bytes that the ops of all launches read and write; none if a size is
  /// known only at run time.
  std::optional<int64_t> bytes = 0;
};
ProgramCost getProgramCost(mlir::Operation *root);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_MERGEPRODUCTS_H
