//===- Normalization.h - The steps of coda-normalize ------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_NORMALIZATION_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_NORMALIZATION_H

#include "FusionUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Takes out of contractions what computes their inputs elementwise.
void unmergeProducers(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Makes linalg.quantized_matmul ops plain products with corrections for the
/// zero points.
void expandQuantizedProducts(mlir::RewriterBase &rewriter,
                             mlir::Operation *root);

/// Folds transposes and broadcasts of the inputs of contractions into their
/// indexing maps.
mlir::LogicalResult foldCopiesIntoContractions(mlir::Operation *root);

/// Turns a tensor.reshape that only splits or merges dimensions into an
/// expand_shape or collapse_shape.
void populateNameReshapesPatterns(mlir::RewritePatternSet &patterns);

/// Makes every contraction that is no batched one run over one loop each of M,
/// N and K: drops unit loops, transposes what is not stored in order, and
/// collapses.
void collapseContractions(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Moves reshapes of a product's result below the elementwise ops that read it,
/// so that these run over M and N alone.
void sinkReshapes(mlir::RewriterBase &rewriter, mlir::Operation *root);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_NORMALIZATION_H
