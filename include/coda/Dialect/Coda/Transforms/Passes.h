//===- Passes.h - Transform passes of the coda dialect ----------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_TRANSFORMS_PASSES_H
#define CODA_DIALECT_CODA_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace coda {

#define GEN_PASS_DECL
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"

} // namespace coda

#endif // CODA_DIALECT_CODA_TRANSFORMS_PASSES_H
