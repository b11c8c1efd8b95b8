//===- Reparameterization.h - The rules of coda-reparameterize --*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//
//
// Each rule tries one op, which it replaces, or gives the reason why not.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_REPARAMETERIZATION_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_REPARAMETERIZATION_H

#include "Factorization.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// A sum over rows or columns of what a product's result and whole-row values
/// make becomes sums of what the product alone makes, accumulated in f32.
WhyNot splitSum(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp sum);

/// Which of the rules that move factors through a product may be used.
struct ProductRules {
  /// R1: one row factor.
  bool rowFactor = true;
  /// R2: a factor for each column of the result.
  bool columnFactor = true;
  /// R5: several terms.
  bool layerNorm = true;
  /// R2: constant factors for each k go into a constant weight.
  bool foldConstants = true;
};

/// Moves row factors of an input of a contraction to its result.
WhyNot moveFactors(mlir::RewriterBase &rewriter,
                   mlir::linalg::LinalgOp contraction,
                   const ProductRules &rules);

/// A gather of an element in each row of log-softmax becomes that of the
/// logits, less their logsumexp.
WhyNot splitGather(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp gather);

/// Whether `op` is what `splitGather` is about: it reads an element of a
/// tensor by indices that it computes.
bool isGather(mlir::linalg::LinalgOp op);

/// The terms of a whole row: sums of products of row factors, computed in
/// `type` by one op. `values` gives, for each term, further row vectors to
/// multiply it by. Without `size` there is one row, and a number is computed.
/// `finish` then makes the element to store.
mlir::Value
createRows(mlir::RewriterBase &rewriter, mlir::Location loc,
           llvm::ArrayRef<Term> terms, llvm::ArrayRef<mlir::Value> values,
           mlir::Type type, std::optional<mlir::OpFoldResult> size,
           llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                          mlir::Value)>
               finish = {});

/// A tensor of `size` elements, all `value`.
mlir::Value createFilled(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         mlir::TypedAttr value);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_REPARAMETERIZATION_H
