//===- Manifest.cpp - Launch plans for programs without MLIR --------------===//

#include "coda/Target/Manifest.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "FunctionPlan.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coda;

/// What functions without kernels are compiled for: any GPU.
static constexpr const char *kAnyChip = "sm_50";

void coda::buildManifestPreparationPipeline(OpPassManager &pm) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(memref::createFoldMemRefAliasOpsPass());
  func.addPass(coda::createCodaResolveReshapesPass());
  func.addPass(memref::createExpandStridedMetadataPass());
  func.addPass(createLowerAffinePass());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
}

/// The chip and features that the kernels are compiled for.
static LogicalResult readTarget(ModuleOp module, std::string &chip,
                                std::string &features) {
  gpu::GPUModuleOp found;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    if (found) {
      gpuModule
              .emitOpError("cannot be put in a manifest: it is the second one "
                           "of its module; expected all kernels in one")
              .attachNote(found.getLoc())
          << "the first one is here";
      return failure();
    }
    found = gpuModule;
  }
  chip = kAnyChip;
  if (!found)
    return success();
  ArrayAttr targets = found.getTargetsAttr();
  auto target = targets && targets.size() == 1
                    ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                    : nullptr;
  if (!target)
    return found.emitOpError("cannot be put in a manifest: it must have "
                             "one target, a #nvvm.target");
  chip = target.getChip().str();
  features = target.getFeatures().str();
  return success();
}

LogicalResult coda::translateToManifest(ModuleOp module,
                                        llvm::raw_ostream &os) {
  std::string chip, features;
  if (failed(readTarget(module, chip, features)))
    return failure();
  SmallVector<std::pair<StringRef, FunctionPlan>> functions;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || !func.isPublic())
      continue;
    FailureOr<FunctionPlan> plan = planFunction(func);
    if (failed(plan))
      return failure();
    functions.emplace_back(func.getSymName(), std::move(*plan));
  }

  llvm::json::OStream json(os, /*IndentSize=*/1);
  // One entry a line: the file is meant to be read, too.
  auto list = [&](StringRef name, llvm::json::Array &entries) {
    json.attributeArray(name, [&] {
      for (const llvm::json::Value &entry : entries)
        json.rawValue([&](raw_ostream &os) { os << entry; });
    });
  };
  json.object([&] {
    json.attribute("format", "coda-manifest");
    json.attribute("version", 1);
    json.attribute("coda_version", CODA_VERSION);
    json.attributeObject("target", [&] {
      json.attribute("chip", chip);
      json.attribute("features", features);
    });
    json.attributeArray("functions", [&] {
      for (auto &[name, plan] : functions) {
        json.object([&, &name = name, &plan = plan] {
          json.attribute("name", name);
          list("arguments", plan.arguments);
          list("values", plan.values.entries);
          list("buffers", plan.buffers);
          list("results", plan.results);
          list("checks", plan.checks);
          list("steps", plan.steps);
        });
      }
    });
  });
  os << "\n";
  return success();
}
