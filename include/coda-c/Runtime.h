/*===- coda-c/Runtime.h - Runs what Coda compiled -----------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
|* The runtime is a library of its own, libcoda_runtime, because it also goes *|
|* to machines that have no compiler. Its functions are called coda_*, those  *|
|* of the compiler coda*.                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_RUNTIME_H
#define CODA_C_RUNTIME_H

#include "coda/Runtime/coda_runtime.h" // IWYU pragma: export

#endif /* CODA_C_RUNTIME_H */
