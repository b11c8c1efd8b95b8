//===- CodaToLinalg.h - Unfuses coda into linalg ----------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H
#define CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class RewriterBase;
} // namespace mlir

namespace coda {

#define GEN_PASS_DECL_CONVERTCODATOLINALGPASS
#include "coda/Conversion/Passes.h.inc"

/// Adds the pattern that replaces a `coda.gemm`, on tensors or memrefs, by
/// linalg ops of the same meaning.
void populateCodaToLinalgConversionPatterns(mlir::RewritePatternSet &patterns);

/// Leaves `gemm` (on tensors) its sums only, in the accumulator type, and
/// computes its epilogue in linalg ops after it, for a target that cannot run
/// the epilogue in a tile. Returns the op that computes the sums.
GemmOp unfuseEpilogue(mlir::RewriterBase &rewriter, GemmOp gemm);

} // namespace coda

#endif // CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H
