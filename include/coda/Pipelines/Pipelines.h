//===- Pipelines.h - Pass pipelines -----------------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_PIPELINES_PIPELINES_H
#define CODA_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace coda {

//===----------------------------------------------------------------------===//
// coda-to-ptx
//===----------------------------------------------------------------------===//

/// How far `coda-to-ptx` goes.
enum class PtxStage { scheduled, bufferized, kernel, llvm, ptx };

struct ToPtxOptions : mlir::PassPipelineOptions<ToPtxOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("GPU that the kernels are for"),
                           llvm::cl::init("sm_90a")};
  Option<std::string> kernel{
      *this, "kernel",
      llvm::cl::desc("auto, cooperative, pingpong or simple; for measurements"),
      llvm::cl::init("auto")};
  Option<PtxStage> stopAfter{
      *this, "stop-after", llvm::cl::desc("Last level to lower to"),
      llvm::cl::init(PtxStage::ptx),
      llvm::cl::values(
          clEnumValN(PtxStage::scheduled, "scheduled",
                     "coda.gemm on tensors with schedules"),
          clEnumValN(PtxStage::bufferized, "bufferized", "the same on memrefs"),
          clEnumValN(PtxStage::kernel, "kernel",
                     "kernels in nvvm, and host code"),
          clEnumValN(PtxStage::llvm, "llvm", "kernels in the LLVM dialect"),
          clEnumValN(PtxStage::ptx, "ptx", "a gpu.binary with PTX"))};
};

/// Adds the passes from the fused level (coda.gemm on tensors) to host code and
/// a `gpu.binary` that holds PTX. Function arguments become memrefs of any
/// layout. No CUDA is needed.
void buildToPtxPipeline(mlir::OpPassManager &manager,
                        const ToPtxOptions &options);

/// Makes `coda-to-ptx` known by name.
void registerToPtxPipeline();

} // namespace coda

#endif // CODA_PIPELINES_PIPELINES_H
