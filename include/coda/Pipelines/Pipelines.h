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
// coda-to-cpu
//===----------------------------------------------------------------------===//

struct ToCpuOptions : mlir::PassPipelineOptions<ToCpuOptions> {
  Option<bool> emitCInterface{
      *this, "emit-c-interface",
      llvm::cl::desc(
          "Give each function a wrapper _mlir_ciface_NAME that takes "
          "memref descriptors by pointer"),
      llvm::cl::init(true)};
};

/// Adds the passes that take a module of any mix of coda (fused, or scheduled
/// on memrefs), linalg, tensor, arith, math, scf, cf and func to the LLVM
/// dialect, for execution on a CPU. Every rounding in the source is kept. The
/// result calls functions of libm and, for copies between strided buffers,
/// memrefCopy of MLIR's C runner utilities.
void buildToCpuPipeline(mlir::OpPassManager &manager,
                        const ToCpuOptions &options);

/// Makes `coda-to-cpu` known by name.
void registerToCpuPipeline();

//===----------------------------------------------------------------------===//
// coda-fusion
//===----------------------------------------------------------------------===//

struct FusionOptions : mlir::PassPipelineOptions<FusionOptions> {
  Option<bool> normalize{
      *this, "normalize",
      llvm::cl::desc("Bring the input to one form first; off where a caller "
                     "has done so"),
      llvm::cl::init(true)};
  Option<bool> allowReassoc{
      *this, "allow-reassoc",
      llvm::cl::desc("Rewrite what is equal in real arithmetic, so that more "
                     "can be fused; the rules follow"),
      llvm::cl::init(true)};
  Option<bool> rowFactor{
      *this, "row-factor",
      llvm::cl::desc("R1: row factors move through a product (exact in real "
                     "arithmetic; needs allow-reassoc)"),
      llvm::cl::init(true)};
  Option<bool> columnFactor{
      *this, "column-factor",
      llvm::cl::desc("R2: column factors move out of a product (exact in real "
                     "arithmetic; needs allow-reassoc)"),
      llvm::cl::init(true)};
  Option<bool> layerNorm{
      *this, "layer-norm",
      llvm::cl::desc("R5: sums of terms, as in LayerNorm, move through "
                     "products and sums (exact in real arithmetic, may cancel; "
                     "needs allow-reassoc)"),
      llvm::cl::init(true)};
  Option<bool> foldConstants{
      *this, "fold-constant-factors",
      llvm::cl::desc("R2: constant factors of an input go into a constant "
                     "weight (exact in real arithmetic; needs allow-reassoc)"),
      llvm::cl::init(true)};
  Option<bool> logSoftmax{
      *this, "log-softmax",
      llvm::cl::desc("R6: log-softmax at a target from logsumexp (exact in "
                     "real arithmetic; needs allow-reassoc)"),
      llvm::cl::init(true)};
};

/// Adds the passes from linalg on tensors to the fused level: coda.gemm with
/// epilogues, and whatever did not fuse as it was.
void buildFusionPipeline(mlir::OpPassManager &manager,
                         const FusionOptions &options);

/// Makes `coda-fusion` known by name.
void registerFusionPipeline();

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
  Option<std::string> tuningFile{
      *this, "tuning-file",
      llvm::cl::desc("JSON with schedules for some gemms; docs/tuning.md"),
      llvm::cl::init("")};
  Option<bool> absorbPartials{
      *this, "absorb-partials",
      llvm::cl::desc("Epilogues combine partial results that they alone read; "
                     "off for measurements"),
      llvm::cl::init(true)};
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

/// The second half of the same: from kernels and host code on. For a caller
/// that reads the kernel level, as the manifest does, in between.
void buildKernelsToPtxPipeline(mlir::OpPassManager &manager,
                               const ToPtxOptions &options);

/// Makes `coda-to-ptx` known by name.
void registerToPtxPipeline();

} // namespace coda

#endif // CODA_PIPELINES_PIPELINES_H
