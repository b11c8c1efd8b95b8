/*===- Arrays.h - Arrays of any library ---------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_PYTHON_ARRAYS_H
#define CODA_PYTHON_ARRAYS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "DLPack.h"

#include "coda/Runtime/coda_runtime.h"

#include <stdbool.h>

/* How the arrays of one Python type are read. */
typedef enum {
  ADAPTER_EXCHANGE, /* DLPack's table of C functions */
  ADAPTER_TORCH,    /* a torch tensor without it */
  ADAPTER_CUPY,     /* __cuda_array_interface__, and CuPy's current stream */
  ADAPTER_CUDA,     /* __cuda_array_interface__ */
  ADAPTER_CAPSULE,  /* __dlpack__ */
  ADAPTER_NONE      /* no array */
} array_adapter_kind;

typedef struct {
  PyObject *type; /* kept alive */
  array_adapter_kind kind;
  const dl_exchange *exchange;
  bool torch; /* a torch.Tensor */
} array_adapter;

/* What an array holds. `value` may point to what the object owns. */
typedef struct {
  coda_value value;
  const array_adapter *adapter;
  dl_device device;
  bool read_only;
  /* A stream that the array is made on, by __cuda_array_interface__. */
  bool has_stream;
  void *stream;
  int64_t shape[CODA_MAX_RANK], strides[CODA_MAX_RANK];
  /* Of a capsule that was opened. */
  dl_managed *managed;
  dl_managed_versioned *managed_versioned;
} array_view;

/* Finds out how arrays of the object's type are read; kept for the next one. */
const array_adapter *array_find_adapter(PyObject *object);

/* Reads an array. `stream` is where it will be used, for a __dlpack__. Returns
 * 0, or -1 with a TypeError that says what is wrong with it. The view needs
 * array_release in both cases. */
int array_view_open(PyObject *object, void *stream, array_view *view);
void array_view_close(array_view *view);

/* The current stream of the library that the array is of. Where it has none,
 * `*stream` is left as it is. */
int array_current_stream(const array_view *view, void **stream);

/* Numbers of coda_type and names of the types, both ways; 0 and NULL if there
 * is no such type. */
int32_t array_type_from_name(const char *name);
const char *array_type_name(int32_t type);
/* As libraries of arrays call it: "bfloat16". */
const char *array_type_array_name(int32_t type);
int64_t array_type_bytes(int32_t type);
/* The name in DLPack. */
dl_type array_dl_type(int32_t type);
int32_t array_type_from_dl(const dl_type *type);

/* Whether the array has no element. */
bool array_is_empty(const coda_value *value);
/* The stride of a dimension in elements. */
int64_t array_stride(const coda_value *value, int32_t dimension);
/* Whether an element of one may be an element of the other. */
bool array_overlap(const coda_value *a, const coda_value *b);

/* Whether the exception that is set says something about an array: an interrupt
 * does not. */
bool array_may_replace_error(void);

/* The attribute, or NULL without an exception where there is none. */
PyObject *array_attribute(PyObject *object, const char *name);

#endif /* CODA_PYTHON_ARRAYS_H */
