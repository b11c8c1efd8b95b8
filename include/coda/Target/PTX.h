//===- PTX.h - PTX with the manifest to launch it ---------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_PTX_H
#define CODA_TARGET_PTX_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace coda {

enum class PtxStage;
struct ToPtxOptions;

/// Runs the passes that a function adds to a pass manager, on the module that
/// is compiled. `name` is of the level that they lower to, for reports.
using PassRunner = llvm::function_ref<mlir::LogicalResult(
    llvm::StringRef name,
    llvm::function_ref<void(mlir::OpPassManager &)> build)>;

/// What the runtime loads.
struct PtxProgram {
  std::string ptx; ///< empty if there are no kernels
  std::string manifest;
};

/// Lowers from the fused level, or any below it, down to `stage`.
mlir::LogicalResult lowerToPtxStage(llvm::StringRef name, PtxStage stage,
                                    const ToPtxOptions &options,
                                    PassRunner run);

/// Prepares a module at kernel level and makes its manifest.
mlir::FailureOr<std::string> makeManifest(mlir::ModuleOp module,
                                          PassRunner run);

/// Turns the kernels of a module at kernel level, or with kernels in the LLVM
/// dialect, into a gpu.binary and gives its PTX. After makeManifest: a binary
/// does not say what it requires.
mlir::FailureOr<std::string>
makePtx(mlir::ModuleOp module, const ToPtxOptions &options, PassRunner run);

/// Compiles a module at the fused level, or any down to that of kernels, which
/// is left with a gpu.binary. `stopAfter` of the options does not matter.
mlir::FailureOr<PtxProgram> compileToPtx(mlir::ModuleOp module,
                                         const ToPtxOptions &options,
                                         PassRunner run);

} // namespace coda

#endif // CODA_TARGET_PTX_H
