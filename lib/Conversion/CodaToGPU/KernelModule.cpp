//===- KernelModule.cpp - Where kernels stand -----------------------------===//

#include "KernelModule.h"

#include "KernelBuilder.h"
#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace coda;

gpu::GPUModuleOp coda::getKernelModule(ModuleOp module, StringRef chip) {
  for (auto existing : module.getOps<gpu::GPUModuleOp>())
    if (existing.getName() == kKernelModuleName)
      return existing;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  auto kernels =
      gpu::GPUModuleOp::create(builder, module.getLoc(), kKernelModuleName);
  // The oldest PTX that has the instructions: newer than the driver's is
  // refused at load.
  StringRef features = getChipFeatures(chip)->ptxFeature;
  kernels.setTargetsAttr(builder.getArrayAttr(
      NVVM::NVVMTargetAttr::get(builder.getContext(), /*optLevel=*/3,
                                "nvptx64-nvidia-cuda", chip, features)));
  builder.setInsertionPointToStart(kernels.getBody());
  // Swizzled tiles need 1024 bytes of alignment; gpu.dynamic_shared_memory
  // would give 16.
  LLVM::GlobalOp::create(builder, module.getLoc(),
                         LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         kSharedMemoryName, /*value=*/Attribute(),
                         /*alignment=*/1024, /*addrSpace=*/3);
  return kernels;
}

LLVM::LLVMFuncOp coda::createKernel(gpu::GPUModuleOp kernels, Location loc,
                                    const Twine &name, TypeRange types,
                                    int64_t threads) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  std::string base = name.str(), unique = base;
  for (int i = 1; SymbolTable::lookupSymbolIn(kernels, unique); ++i)
    unique = base + "_" + std::to_string(i);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(kernels.getContext()), llvm::to_vector(types));
  auto function = LLVM::LLVMFuncOp::create(builder, loc, unique, type);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr("nvvm.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.reqntid", builder.getDenseI32ArrayAttr(
                                        {static_cast<int32_t>(threads), 1, 1}));
  return function;
}

SymbolRefAttr coda::getKernelReference(LLVM::LLVMFuncOp kernel) {
  return SymbolRefAttr::get(kernel.getContext(), kKernelModuleName,
                            {FlatSymbolRefAttr::get(kernel)});
}
