//===- Manifest.h - Launch plans for programs without MLIR ------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_MANIFEST_H
#define CODA_TARGET_MANIFEST_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace coda {

/// LLVM's attribute of a parameter that nothing is stored through. The manifest
/// says of an argument whose address goes anywhere else that it may be written.
inline constexpr llvm::StringLiteral kReadOnlyAttr = "llvm.readonly";

/// Writes the manifest (docs/manifest.md) of a module at kernel level: how to
/// run each public function whose host code is straight-line. The module's
/// gpu.module must still be there: it says what the kernels were compiled for.
/// What has no place in a manifest is one error, located at the op, and nothing
/// is written.
mlir::LogicalResult translateToManifest(mlir::ModuleOp module,
                                        llvm::raw_ostream &os);

/// Adds what host code needs before it can be translated: views become offsets,
/// sizes and strides, and affine expressions arithmetic. Kernels are not
/// touched.
void buildManifestPreparationPipeline(mlir::OpPassManager &pm);

} // namespace coda

#endif // CODA_TARGET_MANIFEST_H
