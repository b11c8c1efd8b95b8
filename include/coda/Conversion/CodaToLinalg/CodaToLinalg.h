//===- CodaToLinalg.h - Unfuses coda into linalg ----------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H
#define CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace coda {

#define GEN_PASS_DECL_CONVERTCODATOLINALGPASS
#include "coda/Conversion/Passes.h.inc"

/// Adds the pattern that replaces a `coda.gemm`, on tensors or memrefs, by
/// linalg ops of the same meaning.
void populateCodaToLinalgConversionPatterns(mlir::RewritePatternSet &patterns);

} // namespace coda

#endif // CODA_CONVERSION_CODATOLINALG_CODATOLINALG_H
