/*===- coda-c/Pipelines.h - Passes and pipelines ------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* The options of a pipeline are text, as "chip=sm_90a kernel=pingpong" or    *|
|* empty: the names, values and defaults are those of the command line and of *|
|* the structs in coda/Pipelines/Pipelines.h. What is wrong with them is said *|
|* to `callback` (which may be NULL) and codaGetLastErrorMessage, and nothing *|
|* is added.                                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_PIPELINES_H
#define CODA_C_PIPELINES_H

#include "coda-c/Support.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes Coda's passes and pipelines known by name, for
/// mlirOpPassManagerAddPipeline. Names are global to the process: fails if
/// another copy of Coda in it has taken them. The functions below need no
/// names.
CODA_CAPI_EXPORTED MlirLogicalResult codaRegisterAllPasses(void);

/// coda-fusion: linalg on tensors to coda.gemm with epilogues.
CODA_CAPI_EXPORTED MlirLogicalResult
codaAddFusionPipeline(MlirOpPassManager manager, MlirStringRef options,
                      MlirStringCallback callback, void *userData);

/// coda-to-ptx: from coda.gemm to host code and a gpu.binary with PTX, or to
/// the level that `stop-after` names.
CODA_CAPI_EXPORTED MlirLogicalResult
codaAddToPtxPipeline(MlirOpPassManager manager, MlirStringRef options,
                     MlirStringCallback callback, void *userData);

/// The second half of it: from kernels and host code on.
CODA_CAPI_EXPORTED MlirLogicalResult
codaAddKernelsToPtxPipeline(MlirOpPassManager manager, MlirStringRef options,
                            MlirStringCallback callback, void *userData);

/// coda-to-cpu: coda and linalg to the LLVM dialect.
CODA_CAPI_EXPORTED MlirLogicalResult
codaAddToCpuPipeline(MlirOpPassManager manager, MlirStringRef options,
                     MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_PIPELINES_H */
