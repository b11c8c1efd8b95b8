//===- InitAll.cpp - Registration of everything in Coda -------------------===//

#include "coda/InitAll.h"

#include "coda/Conversion/Passes.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "coda/Dialect/Coda/Transforms/BufferizableOpInterfaceImpl.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"
#include "coda/Pipelines/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"

void coda::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<CodaDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

void coda::registerAllPasses() {
  registerCodaConversionPasses();
  registerCodaTransformsPasses();
  registerFusionPipeline();
  registerToPtxPipeline();
}
