//===- KernelModule.h - Where kernels stand ---------------------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_KERNELMODULE_H
#define CODA_LIB_CONVERSION_CODATOGPU_KERNELMODULE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace coda {

/// The module that all kernels of `module` go to, and so one PTX file.
mlir::gpu::GPUModuleOp getKernelModule(mlir::ModuleOp module,
                                       llvm::StringRef chip);

/// A kernel without a body, named `name` or, if that is taken, a name after it.
mlir::LLVM::LLVMFuncOp createKernel(mlir::gpu::GPUModuleOp kernels,
                                    mlir::Location loc, const llvm::Twine &name,
                                    mlir::TypeRange types, int64_t threads);

/// What a launch calls `kernel` by.
mlir::SymbolRefAttr getKernelReference(mlir::LLVM::LLVMFuncOp kernel);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_KERNELMODULE_H
