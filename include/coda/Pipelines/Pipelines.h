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

} // namespace coda

#endif // CODA_PIPELINES_PIPELINES_H
