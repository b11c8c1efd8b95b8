/*===- Program.h - The types of the extension ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_PYTHON_PROGRAM_H
#define CODA_PYTHON_PROGRAM_H

#include "Arrays.h"

enum { MAX_DEVICES = 64, MESSAGE_SIZE = 1024 };

/* A manifest with its image, loaded on each device when it is first used. */
typedef struct {
  PyObject_HEAD PyObject *manifest, *image; /* bytes */
  coda_module *parsed;                      /* without a device */
  coda_module *loaded[MAX_DEVICES];
} program_object;

/* How an array that a function is called with becomes one of its arguments: it
 * has `rank` dimensions, of which it takes those in `dims`, in that order. The
 * others must have size 1. */
typedef struct {
  int8_t rank; /* -1: as it is */
  int8_t count;
  int8_t dims[CODA_MAX_RANK];
} argument_layout;

typedef struct {
  PyObject_HEAD program_object *program; /* kept alive */
  const coda_function *parsed;
  int32_t index, argument_count, result_count;
  bool writes; /* to an argument */
  coda_argument_info *arguments;
  argument_layout *layouts;
} function_object;

extern PyObject *error_type, *argument_error_type;
extern PyTypeObject *program_type, *function_type, *buffer_type;

/* Raises coda.Error, or coda.ArgumentError where an argument was refused. */
PyObject *raise_status(coda_status status, const char *message);
/* Raises coda.ArgumentError. */
PyObject *raise_argument(const char *format, ...);
/* Raises coda.ArgumentError about an argument; if `format` is NULL, with the
 * text of the exception that is set. */
PyObject *raise_about(const function_object *function, int32_t index,
                      const char *format, ...);

/* Calls a function; `stream` and `out` may be None. `views` has what was read
 * of the arguments, or is NULL. */
PyObject *function_invoke(function_object *function, PyObject *const *args,
                          Py_ssize_t count, array_view *views, PyObject *stream,
                          PyObject *out);

/* The module on a device (-1: the current one); NULL with an exception. The
 * device must be entered. */
coda_module *program_load(program_object *program, int32_t device);

/* Makes a result of a library that `like` is an array of, or a coda.Buffer
 * where there is none that can. */
PyObject *result_allocate(const array_view *like, PyObject *like_object,
                          program_object *program, coda_module *module,
                          dl_device device, const coda_result_info *info,
                          void *stream, void **data);
/* Makes a tensor in torch's fastest way; NULL without an exception where there
 * is no such way. */
PyObject *torch_allocate(const array_adapter *adapter, dl_device device,
                         const coda_result_info *info, void **data);
/* Gives a coda.Buffer to the library that `like` is of, where it takes one. */
PyObject *result_finish(const array_view *like, PyObject *like_object,
                        PyObject *result);
/* Memory for intermediates from the library's own pool; NULL without an
 * exception where it has none. */
dl_managed_versioned *workspace_allocate(const array_view *like,
                                         dl_device device, size_t bytes);

/* Each adds its types to the module. 0, or -1 with an exception. */
int add_program_type(PyObject *module);
int add_function_type(PyObject *module);
int add_buffer_type(PyObject *module);
extern PyMethodDef inspect_methods[], dispatch_methods[];

#endif /* CODA_PYTHON_PROGRAM_H */
