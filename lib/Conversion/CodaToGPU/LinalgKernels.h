//===- LinalgKernels.h - Linalg ops beside products -------------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_LINALGKERNELS_H
#define CODA_LIB_CONVERSION_CODATOGPU_LINALGKERNELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace coda {

/// Ops that one thread (or warp) runs one after the other for one index of
/// their common parallel loops: each uses of the others' results its own
/// elements only.
using LinalgChain = llvm::SmallVector<mlir::linalg::LinalgOp>;

/// Why `op` (on memrefs) cannot run on the GPU, or an empty string.
std::string whyNotLinalgKernel(mlir::linalg::LinalgOp op);

/// The memref that `value` is a view of, or itself.
mlir::Value getViewedMemRef(mlir::Value value);

/// Makes a kernel that runs `chains` beside each other, and its launch, in
/// place of their ops. The launch stands where the last op does.
void emitLinalgKernel(mlir::ArrayRef<LinalgChain> chains, mlir::ModuleOp module,
                      llvm::StringRef chip);

/// Replaces the linalg ops of `module` by launches. Neighbours share one launch
/// as far as they do not depend on each other's other elements.
mlir::LogicalResult convertLinalgToGPU(mlir::ModuleOp module,
                                       llvm::StringRef chip);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_LINALGKERNELS_H
