//===- Float8Casts.h - Casts of 8-bit floats in kernels ---------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_FLOAT8CASTS_H
#define CODA_LIB_CONVERSION_CODATOGPU_FLOAT8CASTS_H

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace coda {

/// Replaces arith.extf from, and arith.truncf to, 8-bit floats, scalars or
/// pairs: by conversion instructions where the chip has them, else by
/// arithmetic. The results are arith's, APFloat's, in every case.
void lowerFloat8Casts(mlir::gpu::GPUModuleOp kernels,
                      const ChipFeatures &features);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_FLOAT8CASTS_H
