//===- PTX.cpp - PTX with the manifest to launch it -----------------------===//

#include "coda/Target/PTX.h"

#include "coda/Pipelines/Pipelines.h"
#include "coda/Target/Manifest.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace coda;

LogicalResult coda::lowerToPtxStage(StringRef name, PtxStage stage,
                                    const ToPtxOptions &options,
                                    PassRunner run) {
  return run(name, [&](OpPassManager &manager) {
    ToPtxOptions stopped;
    stopped.copyOptionValuesFrom(options);
    stopped.stopAfter = stage;
    buildToPtxPipeline(manager, stopped);
  });
}

FailureOr<std::string> coda::makeManifest(ModuleOp module, PassRunner run) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(run("Manifest", buildManifestPreparationPipeline)) ||
      failed(translateToManifest(module, os)))
    return failure();
  return text;
}

/// The text in the module's binaries.
static FailureOr<std::string> getPtx(ModuleOp module) {
  std::string text;
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    for (Attribute entry : binary.getObjects()) {
      auto object = dyn_cast<gpu::ObjectAttr>(entry);
      if (!object || object.getFormat() != gpu::CompilationTarget::Assembly)
        return binary.emitOpError("must hold PTX as text");
      StringRef ptx = object.getObject().getValue();
      // The terminator that some serializers leave.
      text += ptx.rtrim('\0');
    }
  }
  // A module without kernels is valid: its functions only return arguments.
  return text;
}

FailureOr<std::string>
coda::makePtx(ModuleOp module, const ToPtxOptions &options, PassRunner run) {
  if (failed(run("PTX", [&](OpPassManager &manager) {
        ToPtxOptions complete;
        complete.copyOptionValuesFrom(options);
        complete.stopAfter = PtxStage::ptx;
        buildKernelsToPtxPipeline(manager, complete);
      })))
    return failure();
  return getPtx(module);
}

FailureOr<PtxProgram> coda::compileToPtx(ModuleOp module,
                                         const ToPtxOptions &options,
                                         PassRunner run) {
  if (failed(lowerToPtxStage("Kernels", PtxStage::kernel, options, run)))
    return failure();
  FailureOr<std::string> manifest = makeManifest(module, run);
  if (failed(manifest))
    return failure();
  FailureOr<std::string> ptx = makePtx(module, options, run);
  if (failed(ptx))
    return failure();
  return PtxProgram{std::move(*ptx), std::move(*manifest)};
}
