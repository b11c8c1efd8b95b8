/*===- coda-c/Compile.h - From text to PTX and a manifest ---------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* The whole compiler in one call, without a type of MLIR in its signature:   *|
|* for bindings to other languages, and programs that only have text. What it *|
|* gives is what coda_module_load (coda-c/Runtime.h) takes.                   *|
|*                                                                            *|
|*   CodaCompileResult *result = NULL;                                        *|
|*   codaCompile(text, strlen(text), "chip=sm_90a", &result);                 *|
|*   const char *ptx = codaCompileResultGetText(result, "ptx", &length);      *|
|*   ...                                                                      *|
|*   codaCompileResultDestroy(result);                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_COMPILE_H
#define CODA_C_COMPILE_H

#include "coda-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a compilation gave: texts, and everything that was said on the way.
/// Immutable, so any thread may read it.
typedef struct CodaCompileResult CodaCompileResult;

enum {
  CODA_COMPILE_OK = 0,
  /// The source was refused; the diagnostics say where and why.
  CODA_COMPILE_FAILED = 1,
  /// An argument of the call was; the first diagnostic names it.
  CODA_COMPILE_INVALID_ARGUMENT = 2
};

enum {
  CODA_SEVERITY_ERROR = 0,
  CODA_SEVERITY_WARNING = 1,
  /// What the compiler did, or why not, where the option `remarks` asks for it.
  CODA_SEVERITY_REMARK = 2,
  /// Belongs to the diagnostic before it.
  CODA_SEVERITY_NOTE = 3
};

typedef struct CodaDiagnostic {
  int32_t severity;
  /// Counted from 1; 0 where the diagnostic has no place in the source.
  uint32_t line, column;
  /// As the option `source-name` gives it; never NULL.
  const char *file;
  const char *message;
  /// Of a remark: "passed", "missed", "failed" or "analysis". Else "".
  const char *kind;
  /// Of a remark: what it is about, as "not-a-gemm". Else "".
  const char *name;
} CodaDiagnostic;

/// Compiles MLIR text: linalg or coda on tensors, or coda.gemm on memrefs.
///
/// `options` is text as "chip=sm_90a emit=ptx,manifest" or NULL. It takes every
/// option of the pipelines coda-fusion and coda-to-ptx by the name that it has
/// there, except for `stop-after`, and
///
///   emit=LEVEL,...     the texts to keep, out of input, fused, scheduled,
///                      bufferized, gpu, manifest, llvm, ptx; what lies below
///                      the last one is not made (default: manifest,ptx)
///   remarks=REGEX      collect remarks of the categories that match, as coda
///   source-name=NAME   the file that locations name (default: "<source>")
///   threads=BOOL       let MLIR use threads of its own (default: true)
///
/// Returns CODA_COMPILE_OK, or how it failed. `*result` is set in both cases
/// and must be destroyed; a failed compilation still has the levels that were
/// reached. Only where `result` itself is NULL, codaGetLastErrorMessage says
/// so.
///
/// The same text and options give the same output. Calls on different threads
/// do not disturb each other.
CODA_CAPI_EXPORTED int32_t codaCompile(const char *source, size_t sourceLength,
                                       const char *options,
                                       CodaCompileResult **result);

/// Does nothing on NULL.
CODA_CAPI_EXPORTED void codaCompileResultDestroy(CodaCompileResult *result);

/// The text of a level by the name that `emit` knows it by, terminated by a
/// zero that `length` (which may be NULL) does not count. NULL if there is
/// none. "ptx" is empty for a module without kernels.
CODA_CAPI_EXPORTED const char *
codaCompileResultGetText(const CodaCompileResult *result, const char *level,
                         size_t *length);

/// Errors, warnings, notes and remarks, in the order in which they came.
CODA_CAPI_EXPORTED intptr_t
codaCompileResultGetNumDiagnostics(const CodaCompileResult *result);

/// False if `index` is out of range. The strings live as long as the result.
CODA_CAPI_EXPORTED bool
codaCompileResultGetDiagnostic(const CodaCompileResult *result, intptr_t index,
                               CodaDiagnostic *diagnostic);

/// All errors, warnings and notes as one text, one a line, as
/// "<source>:3:8: error: ...". Empty if there are none.
CODA_CAPI_EXPORTED const char *
codaCompileResultGetMessages(const CodaCompileResult *result);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_COMPILE_H */
