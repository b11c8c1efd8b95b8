//===- FixedPoint.h - Patterns until none matches ---------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_FIXEDPOINT_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_FIXEDPOINT_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace coda {

/// Applies `patterns` below `root` until none matches. Upstream's driver gives
/// up after some rounds without a word; here that is an error at `root`.
mlir::LogicalResult
applyToFixedPoint(mlir::Operation *root, mlir::RewritePatternSet &&patterns,
                  const mlir::GreedyRewriteConfig &config = {});

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_FIXEDPOINT_H
