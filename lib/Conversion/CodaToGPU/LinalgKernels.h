//===- LinalgKernels.h - Linalg ops beside products -------------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_LINALGKERNELS_H
#define CODA_LIB_CONVERSION_CODATOGPU_LINALGKERNELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace coda {

/// Ops that run one after the other.
struct LinalgChain {
  llvm::SmallVector<mlir::linalg::LinalgOp> ops;
  /// Without it, one thread (or warp) runs all ops for one index of their
  /// common parallel loops: each uses of the others' results its own elements
  /// only. Otherwise a thread block runs them for one index of so many leading
  /// parallel loops, as a row, and for 0 one cluster runs everything.
  std::optional<unsigned> groupLoops;

  bool isCluster() const { return groupLoops == 0; }
  /// Threads of a block that runs the chain.
  int64_t getThreads() const { return isCluster() ? 1024 : 256; }
};

/// Thread blocks of the cluster that runs a chain alone: as many as any Hopper
/// GPU can place together.
inline constexpr int64_t kLinalgCluster = 8;

/// Why `op` (on memrefs) cannot run on the GPU, or an empty string.
std::string whyNotLinalgKernel(mlir::linalg::LinalgOp op);

/// Whether `second` must wait for `first`.
bool depends(mlir::linalg::LinalgOp first, mlir::linalg::LinalgOp second);
/// Whether `second` touches of what both access the elements only that `first`
/// does with the same index of the parallel loops.
bool isAligned(mlir::linalg::LinalgOp first, mlir::linalg::LinalgOp second);

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
