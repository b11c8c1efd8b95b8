/*===- coda-c/Support.h - What all headers of the C API share -----*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* The C API of the compiler is in libCodaC. It is C11 and C++, and nothing   *|
|* in it ends the process: a call that fails says so by what it returns, and  *|
|* keeps a message that names the argument.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_SUPPORT_H
#define CODA_C_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CODA_CAPI_EXPORTED __attribute__((visibility("default")))
#else
#define CODA_CAPI_EXPORTED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the compiler, as "0.1.0".
CODA_CAPI_EXPORTED const char *codaCompilerVersion(void);

/// The message of the last call of this API that failed on this thread, as
/// "codaTileTypeGet: 'elementType' is null", and "" if none did. Valid until
/// the next one that fails.
CODA_CAPI_EXPORTED const char *codaGetLastErrorMessage(void);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_SUPPORT_H */
