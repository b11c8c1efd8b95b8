/*===- coda-c/Target.h - PTX and manifests of modules -------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* For programs that hold a module. Errors go to the diagnostic handlers of   *|
|* its context, and to codaGetLastErrorMessage.                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_TARGET_H
#define CODA_C_TARGET_H

#include "coda-c/Support.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Compiles a module of coda.gemm (on tensors, or any level down to kernels) to
/// PTX and the manifest that says how to launch it. `options` are those of
/// coda-to-ptx. Each text goes to its callback, in pieces; either may be NULL.
/// The module is left with host code and a gpu.binary.
CODA_CAPI_EXPORTED MlirLogicalResult codaTranslateModuleToPtx(
    MlirModule module, MlirStringRef options, MlirStringCallback ptx,
    MlirStringCallback manifest, void *userData);

/// The manifest alone of a module at kernel level (`stop-after=kernel`); host
/// code is simplified on the way, kernels stay as they are.
CODA_CAPI_EXPORTED MlirLogicalResult codaTranslateModuleToManifest(
    MlirModule module, MlirStringCallback manifest, void *userData);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_TARGET_H */
