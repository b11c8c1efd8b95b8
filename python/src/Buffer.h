/*===- Buffer.h - Arrays of Coda's own ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_PYTHON_BUFFER_H
#define CODA_PYTHON_BUFFER_H

#include "Program.h"

/* Allocates on the stream, where the memory is also freed. */
PyObject *buffer_allocate(program_object *program, coda_module *module,
                          dl_device device, const coda_result_info *info,
                          void *stream, void **data);

#endif /* CODA_PYTHON_BUFFER_H */
