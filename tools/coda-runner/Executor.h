//===- Executor.h - Where a function runs -----------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CODA_RUNNER_EXECUTOR_H
#define CODA_TOOLS_CODA_RUNNER_EXECUTOR_H

#include "HostArray.h"

#include "mlir/IR/BuiltinOps.h"

namespace coda::runner {

/// Compiles and runs one function. The seam between the tool and a backend.
class Executor {
public:
  virtual ~Executor() = default;

  /// Compiles `module`, which is changed, and calls `function` of it, whose
  /// type was `type` before any pass ran. The function may write to shaped
  /// arguments. Says what is wrong where it fails.
  virtual llvm::LogicalResult
  run(mlir::ModuleOp module, llvm::StringRef function, mlir::FunctionType type,
      llvm::ArrayRef<HostArray> arguments,
      llvm::SmallVectorImpl<HostArray> &results) = 0;
};

/// Through the pipeline coda-to-cpu and the JIT.
std::unique_ptr<Executor> createCpuExecutor();

/// Through the pipeline coda-to-ptx, from the fused level on, and the runtime.
std::unique_ptr<Executor> createGpuExecutor(llvm::StringRef chip);

/// Whether code for a chip can run here.
enum class GpuState {
  usable,
  absent, ///< no driver, no device, or another one
  noChip, ///< there is no such chip
};
/// Gives the reason too where it cannot.
GpuState checkGpu(const std::string &chip, std::string &message);

} // namespace coda::runner

#endif // CODA_TOOLS_CODA_RUNNER_EXECUTOR_H
