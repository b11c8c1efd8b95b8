//===- Fusion.h - The steps of coda-fuse ------------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSION_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSION_H

#include "FusionUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Why a contraction is no coda.gemm, none if it is one.
WhyNot whyNotGemm(mlir::linalg::LinalgOp op);

/// Replaces a contraction that `whyNotGemm` has nothing against.
GemmOp formGemm(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// The product whose result, or view of a result, an op reads in `value`.
GemmOp getProduct(mlir::Value value);

/// Whether a tile is computed from one that is complete only after all tiles of
/// the kernel are: a reduction of whole rows or columns.
bool needsWholeReduction(mlir::Value tile);

/// Moves `consumer` into the epilogue of `gemm`, which is then replaced by
/// `gemm` grown, or says why not and changes nothing.
WhyNot fuseConsumer(mlir::RewriterBase &rewriter, GemmOp &gemm,
                    mlir::linalg::LinalgOp consumer);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSION_H
