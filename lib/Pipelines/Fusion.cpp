//===- Fusion.cpp - coda-fusion: linalg to the fused level ----------------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"
#include "coda/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void coda::buildFusionPipeline(OpPassManager &manager,
                               const FusionOptions &options) {
  if (options.normalize) {
    // Static sizes first: what follows needs them to tell unit dimensions.
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCodaNormalizePass());
    // One value for what is computed twice, so that it is one operand.
    manager.addPass(createCSEPass());
  }
  if (options.allowReassoc) {
    CodaReparameterizePassOptions rules;
    rules.allowReassoc = true;
    rules.rowFactor = options.rowFactor;
    rules.columnFactor = options.columnFactor;
    rules.layerNorm = options.layerNorm;
    rules.foldConstants = options.foldConstants;
    rules.logSoftmax = options.logSoftmax;
    manager.addPass(createCodaReparameterizePass(rules));
    // Products that share an input share what it became.
    manager.addPass(createCSEPass());
  }
  manager.addPass(createCodaFusePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void coda::registerFusionPipeline() {
  PassPipelineRegistration<FusionOptions>(
      "coda-fusion", "From linalg on tensors to coda.gemm with epilogues",
      buildFusionPipeline);
}
