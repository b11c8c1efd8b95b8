//===- NarrowFloatsToF32.h - bf16 and f16 arithmetic in f32 -----*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_NARROWFLOATSTOF32_NARROWFLOATSTOF32_H
#define CODA_CONVERSION_NARROWFLOATSTOF32_NARROWFLOATSTOF32_H

#include "mlir/Pass/Pass.h"

namespace coda {

#define GEN_PASS_DECL_CONVERTNARROWFLOATSTOF32PASS
#include "coda/Conversion/Passes.h.inc"

} // namespace coda

#endif // CODA_CONVERSION_NARROWFLOATSTOF32_NARROWFLOATSTOF32_H
