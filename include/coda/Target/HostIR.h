//===- HostIR.h - Host code that runs kernels -------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_HOSTIR_H
#define CODA_TARGET_HOSTIR_H

#include "mlir/Support/LLVM.h"

namespace coda {

/// Writes LLVM IR with one function for each in `manifest` (docs/manifest.md),
/// to be compiled into a program that links the runtime and nothing else:
///
///     int32_t NAME(argument..., result *..., void *stream,
///                  char *message, size_t message_size);
///
/// A tensor goes as a pointer to the memref descriptor of MLIR's C interface, a
/// number by value, a result as a pointer to a descriptor that is filled in.
/// The status is one of coda_status. Manifest and image are in the IR, and are
/// loaded by the first call; nothing unloads them.
mlir::LogicalResult
writeHostIR(llvm::StringRef manifest, llvm::StringRef image,
            llvm::raw_ostream &os,
            llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> fail);

} // namespace coda

#endif // CODA_TARGET_HOSTIR_H
