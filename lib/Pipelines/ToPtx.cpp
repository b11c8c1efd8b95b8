//===- ToPtx.cpp - From fused gemms to PTX --------------------------------===//

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"
#include "coda/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coda;

static void addBufferization(OpPassManager &manager) {
  manager.addPass(coda::createCodaOwnResultsPass());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  OpPassManager &host = manager.nest<func::FuncOp>();
  host.addPass(createCanonicalizerPass());
  host.addPass(createCSEPass());
  host.addPass(coda::createCodaViewArgumentsPass());
}

/// Leaves arithmetic on sizes, strides and offsets of arguments and
/// allocations in place of views. On functions only: kernels are long.
static void addHostSimplification(OpPassManager &manager) {
  OpPassManager &host = manager.nest<func::FuncOp>();
  host.addPass(coda::createCodaResolveReshapesPass());
  host.addPass(memref::createExpandStridedMetadataPass());
  host.addPass(createLowerAffinePass());
  host.addPass(createCanonicalizerPass());
  host.addPass(createCSEPass());
}

static void addKernelLowering(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  // LLVM simplifies what comes out; CSE first makes its work less.
  kernels.addPass(createCSEPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(arith::createArithExpandOpsPass());
  // Not convert-cf-to-llvm and its like: they run on whole modules, and the
  // host code stays as it is.
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

void coda::buildToPtxPipeline(OpPassManager &manager,
                              const ToPtxOptions &options) {
  CodaSchedulePassOptions schedule;
  schedule.chip = options.chip;
  schedule.kernel = options.kernel;
  schedule.tuningFile = options.tuningFile;
  schedule.absorbPartials = options.absorbPartials;
  manager.addPass(createCodaSchedulePass(schedule));
  if (options.stopAfter == PtxStage::scheduled)
    return;
  addBufferization(manager);
  if (options.stopAfter == PtxStage::bufferized)
    return;
  ConvertCodaToGPUPassOptions convert;
  convert.chip = options.chip;
  manager.addPass(createConvertCodaToGPUPass(convert));
  CodaModuleConstantsPassOptions constants;
  constants.chip = options.chip;
  manager.addPass(createCodaModuleConstantsPass(constants));
  addHostSimplification(manager);
  if (options.stopAfter == PtxStage::kernel)
    return;
  buildKernelsToPtxPipeline(manager, options);
}

void coda::buildKernelsToPtxPipeline(OpPassManager &manager,
                                     const ToPtxOptions &options) {
  addKernelLowering(manager);
  if (options.stopAfter == PtxStage::llvm)
    return;
  manager.addPass(createCodaKernelsToPtxPass());
}

void coda::registerToPtxPipeline() {
  PassPipelineRegistration<ToPtxOptions>(
      "coda-to-ptx",
      "Lower fused coda.gemm ops to kernels in PTX and host code",
      buildToPtxPipeline);
}
