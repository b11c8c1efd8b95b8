//===- AbsorbOperands.h - Vectors computed where they are read --*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_TRANSFORMS_ABSORBOPERANDS_H
#define CODA_DIALECT_CODA_TRANSFORMS_ABSORBOPERANDS_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Moves elementwise linalg ops on vectors that only products read into the
/// epilogue of `gemm` (on tensors), which is then replaced by `gemm` grown.
void absorbOperands(mlir::RewriterBase &rewriter, GemmOp &gemm);

} // namespace coda

#endif // CODA_DIALECT_CODA_TRANSFORMS_ABSORBOPERANDS_H
