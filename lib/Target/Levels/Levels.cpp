//===- Levels.cpp - The texts on the way from input to PTX ----------------===//

#include "coda/Target/Levels.h"

#include "coda/Pipelines/Pipelines.h"
#include "coda/Target/HostIR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace coda;

ArrayRef<LevelInfo> coda::getLevelInfos() {
  static constexpr LevelInfo infos[] = {
      {"input", "the input, parsed and verified"},
      {"fused", "coda.gemm on tensors"},
      {"scheduled", "the same with schedules"},
      {"bufferized", "the same on memrefs"},
      {"gpu", "kernels in nvvm, and host code"},
      {"manifest", "the launch plan alone"},
      {"llvm", "kernels in the LLVM dialect"},
      {"ptx", "PTX"},
      {"host", "LLVM IR of functions that run the kernels, with PTX and "
               "manifest inside"}};
  return infos;
}

std::optional<Level> coda::symbolizeLevel(StringRef name) {
  for (auto [i, info] : llvm::enumerate(getLevelInfos()))
    if (name == info.name)
      return static_cast<Level>(i);
  return std::nullopt;
}

LogicalResult
coda::compileToLevels(ModuleOp module, LevelSet wanted,
                      const FusionOptions &fusion, const ToPtxOptions &lowering,
                      PassRunner run,
                      function_ref<void(Level, std::string text)> keep) {
  auto keepModule = [&](Level level) {
    if (!wanted.contains(level))
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    os << "\n";
    keep(level, std::move(text));
  };
  keepModule(Level::input);
  if (!wanted.reaches(Level::fused))
    return success();
  if (failed(run("Fusion", [&](OpPassManager &manager) {
        buildFusionPipeline(manager, fusion);
      })))
    return failure();
  keepModule(Level::fused);

  // A stage of its own only where its text is wanted: a pass that has nothing
  // left to do costs time too.
  struct Step {
    Level level;
    PtxStage stage;
    StringRef name;
  };
  for (const Step &step :
       {Step{Level::scheduled, PtxStage::scheduled, "Schedules"},
        Step{Level::bufferized, PtxStage::bufferized, "Buffers"},
        Step{Level::gpu, PtxStage::kernel, "Kernels"}}) {
    bool isNeeded = step.level == Level::gpu ? wanted.reaches(step.level)
                                             : wanted.contains(step.level);
    if (!isNeeded)
      continue;
    if (failed(lowerToPtxStage(step.name, step.stage, lowering, run)))
      return failure();
    keepModule(step.level);
  }

  bool wantsPtx = wanted.reaches(Level::ptx);
  FailureOr<std::string> manifest = std::string();
  if (wantsPtx || wanted.contains(Level::manifest)) {
    manifest = makeManifest(module, run);
    if (failed(manifest))
      return failure();
    if (wanted.contains(Level::manifest))
      keep(Level::manifest, *manifest);
  }
  if (wanted.contains(Level::llvm)) {
    if (failed(run("LLVM", [&](OpPassManager &manager) {
          ToPtxOptions stopped;
          stopped.copyOptionValuesFrom(lowering);
          stopped.stopAfter = PtxStage::llvm;
          buildKernelsToPtxPipeline(manager, stopped);
        })))
      return failure();
    keepModule(Level::llvm);
  }
  if (!wantsPtx)
    return success();
  FailureOr<std::string> ptx = makePtx(module, lowering, run);
  if (failed(ptx))
    return failure();
  if (wanted.contains(Level::ptx))
    keep(Level::ptx, *ptx);
  if (!wanted.contains(Level::host))
    return success();
  std::string host;
  llvm::raw_string_ostream os(host);
  auto fail = [&](const Twine &message) { return module.emitError(message); };
  if (failed(writeHostIR(*manifest, *ptx, os, fail)))
    return failure();
  keep(Level::host, std::move(host));
  return success();
}
