//===- tiny-opt.cpp - A small compiler that uses Coda ---------------------===//
//
// A compiler of its own: it has a pass, a pipeline and an -opt tool, and takes
// the GPU part of the pipeline from Coda. The order is
//
//   its own passes -> Coda's fusion -> its own look at the result
//   -> its own bufferization -> Coda's kernels -> its own lowering of the rest
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/Passes.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "coda/Dialect/Coda/Transforms/Passes.h"
#include "coda/InitAll.h"
#include "coda/Pipelines/Pipelines.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {
/// Says of each fused product what is in its epilogue, as a compiler would that
/// decides something by it.
class ReportGemms
    : public PassWrapper<ReportGemms, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportGemms)
  StringRef getArgument() const override { return "tiny-report-gemms"; }
  StringRef getDescription() const override { return "Describe each gemm"; }

  void runOnOperation() override {
    getOperation().walk([](coda::GemmOp gemm) {
      auto epilogue = gemm.getBody()->without_terminator();
      mlir::emitRemark(gemm.getLoc())
          << "product of " << gemm.getRhs().size()
          << " right-hand side(s), epilogue of "
          << std::distance(epilogue.begin(), epilogue.end()) << " primitive(s)";
    });
  }
};

/// The options of this compiler hold Coda's.
struct TinyOptions : PassPipelineOptions<TinyOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::desc("GPU to compile for"),
                           llvm::cl::init("sm_90a")};
  Option<bool> report{*this, "report", llvm::cl::desc("Describe each gemm"),
                      llvm::cl::init(false)};
};
} // namespace

static void buildTinyPipeline(OpPassManager &manager,
                              const TinyOptions &options) {
  manager.addPass(createInlinerPass());
  coda::buildFusionPipeline(manager, coda::FusionOptions());
  if (options.report)
    manager.addNestedPass<func::FuncOp>(std::make_unique<ReportGemms>());

  // Arguments keep plain layouts here, which Coda's own pipeline does not ask
  // for: coda.gemm takes whatever bufferization decides.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));

  coda::CodaSchedulePassOptions schedule;
  schedule.chip = options.chip;
  manager.addPass(coda::createCodaSchedulePass(schedule));
  // What did not fuse is loops on the host; Coda would make kernels of it.
  OpPassManager &host = manager.nest<func::FuncOp>();
  host.addPass(createConvertLinalgToLoopsPass());
  coda::ConvertCodaToGPUPassOptions convert;
  convert.chip = options.chip;
  manager.addPass(coda::createConvertCodaToGPUPass(convert));
  OpPassManager &cleanup = manager.nest<func::FuncOp>();
  cleanup.addPass(createCanonicalizerPass());
  cleanup.addPass(createCSEPass());
}

int main(int argc, char **argv) {
  coda::registerAllPasses();
  PassRegistration<ReportGemms>();
  PassPipelineRegistration<TinyOptions>("tiny-pipeline",
                                        "From linalg to kernels and host code",
                                        buildTinyPipeline);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  coda::registerAllDialects(registry);
  return asMainReturnCode(
      MlirOptMain(argc, argv, "A small compiler\n", registry));
}
