//===- ScalarEmitter.h - Scalar bodies on a thread's elements ---*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_SCALAREMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_SCALAREMITTER_H

#include "KernelBuilder.h"

namespace coda {

/// Why the body op cannot be compiled for the GPU, or an empty string.
std::string whyNotOnGPU(mlir::Operation *op);

/// Emits `op` of a coda.map body on `operands`, which are scalars or all
/// vectors of 2 elements; the result is of the same kind.
///
/// Operations in bf16, f16 or an 8-bit float are computed in f32 and rounded to
/// their type, which gives the correctly rounded result for one arithmetic
/// operation.
/// Transcendental functions use the special function unit, with these largest
/// errors:
///   exp, exp2   relative 2^-22 + |x| 2^-23   (ex2.approx)
///   tanh        absolute 2^-21               (from ex2.approx)
///   log, log2, log1p   absolute 2^-21        (lg2.approx)
///   rsqrt       relative 2^-22               (rsqrt.approx)
///   erf         absolute 4e-7                (Abramowitz and Stegun 7.1.28)
/// and with `fastMath` (every result of the kernel is rounded to 16 bits)
///   erf         2.1e-4 |erf|, and 1e-4 (1 - |erf|) + 2^-23 (a fitted tanh)
///   x/y         2 units in the last place    (div.full; IEEE otherwise)
mlir::Value emitScalarOp(KernelBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands, bool fastMath);

/// x where `op` is 1 + erf(x) in f32, the form of GELU; null otherwise.
mlir::Value getOnePlusErf(mlir::Operation *op);
/// 1 + erf(x) with the errors that emitScalarOp has under `fastMath`.
mlir::Value emitOnePlusErf(KernelBuilder &b, mlir::Value x);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_SCALAREMITTER_H
