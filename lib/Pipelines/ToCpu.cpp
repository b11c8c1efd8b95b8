//===- ToCpu.cpp - The pipeline coda-to-cpu -------------------------------===//

#include "coda/Conversion/CodaToLinalg/CodaToLinalg.h"
#include "coda/Conversion/NarrowFloatsToF32/NarrowFloatsToF32.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"
#include "coda/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coda;

/// Tensors to memrefs, with nobody left to free what was allocated.
static void addBufferization(OpPassManager &manager) {
  manager.addPass(createConvertElementwiseToLinalgPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // Callers then need to know nothing about the function to fill a descriptor.
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::buildBufferDeallocationPipeline(manager);
  // A result that shares its buffer with an argument is cloned.
  manager.addPass(createConvertBufferizationToMemRefPass());
}

static void addLoops(OpPassManager &manager) {
  manager.addPass(createConvertLinalgToLoopsPass());
  manager.addPass(coda::createCodaResolveReshapesPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
}

/// Scalars to what LLVM and libm have on any CPU.
static void addScalars(OpPassManager &manager) {
  manager.addPass(createConvertNarrowFloatsToF32Pass());
  arith::ArithExpandOpsPassOptions expand;
  // Casts of bf16 by integer arithmetic: neither a call of a library function
  // nor, as AVX-512 would have it, a flush of denormals.
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  math::MathExpandOpsPassOptions expandMath;
  expandMath.opMnemonics = {"rsqrt"};
  manager.addPass(math::createMathExpandOpsPass(expandMath));
}

static void addLLVM(OpPassManager &manager, const ToCpuOptions &options) {
  if (options.emitCInterface)
    manager.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  // Unlike malloc with an alignment done by hand, it leaves LLVM the knowledge
  // that a buffer aliases no other, without which no sum stays in a register.
  memref.useAlignedAlloc = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
}

void coda::buildToCpuPipeline(OpPassManager &manager,
                              const ToCpuOptions &options) {
  manager.addPass(createConvertCodaToLinalgPass());
  addBufferization(manager);
  addLoops(manager);
  addScalars(manager);
  addLLVM(manager, options);
}

void coda::registerToCpuPipeline() {
  PassPipelineRegistration<ToCpuOptions>(
      "coda-to-cpu",
      "Lower coda, linalg and the dialects around them to the LLVM dialect for "
      "execution on a CPU",
      buildToCpuPipeline);
}
