//===- LinalgEmitter.h - Code of linalg ops in kernels ----------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_LINALGEMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_LINALGEMITTER_H

#include "KernelBuilder.h"
#include "LinalgParameters.h"

namespace coda {

/// Bytes of shared memory for a partial result of a thread.
inline constexpr int64_t kPartialBytes = 8;

/// Emits the code of `chains`, which share the thread blocks of a launch;
/// `entry` has an argument for each of `parameters`.
void emitLinalgChains(KernelBuilder &b,
                      mlir::ArrayRef<LinalgParameter> parameters,
                      mlir::Block *entry, mlir::ArrayRef<LinalgChain> chains);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_LINALGEMITTER_H
