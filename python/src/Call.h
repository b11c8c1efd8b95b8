/*===- Call.h - One call of a function ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Coda, a compiler for GEMM-plus-epilogue kernels.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_PYTHON_CALL_H
#define CODA_PYTHON_CALL_H

#include "Program.h"

enum { INLINE_ARGUMENTS = 16, INLINE_RESULTS = 8 };

/* On the stack for calls of ordinary size. */
typedef struct {
  function_object *function;
  PyObject *const *args;
  Py_ssize_t arg_count;
  /* What was given for results: NULL, a tuple of as many, or (`one_out`) an
   * array for the only one. */
  PyObject *out;
  bool one_out;
  bool read_before; /* `views` are filled in, but for arrays with capsules */
  int32_t opened;   /* views that are to be closed */
  coda_value *values;
  array_view *views;
  coda_result_info *infos;
  void **results;
  PyObject **arrays; /* results as Python objects */
  /* The first array, whose library the results are of. */
  int32_t like;
  PyObject *like_object;
  array_view *like_view;
  dl_device device;
  bool stream_given;
  void *stream;
  /* The results that the caller gave. */
  array_view *out_views;
  int32_t out_opened;
  coda_module *module;
  dl_managed_versioned *pool; /* of the workspace */
  PyThreadState *released;    /* set while the GIL is not held */
  void *heap;
  coda_value inline_values[INLINE_ARGUMENTS];
  array_view inline_views[INLINE_ARGUMENTS + INLINE_RESULTS];
  coda_result_info inline_infos[INLINE_RESULTS];
  void *inline_results[INLINE_RESULTS];
  PyObject *inline_arrays[INLINE_RESULTS];
} call_state;

/* Each returns 0, or -1 with an exception that names the argument. */

/* Reads the arguments: `values`, and `views` of the arrays among them. */
int call_read_arguments(call_state *call);
/* Reads the arrays that are given for results. */
int call_read_outs(call_state *call);
/* Whether one of them is what result `index` has to be. */
int call_check_out(const call_state *call, int32_t index);
/* What is given for result `index`, borrowed; `out` must be set. */
PyObject *call_get_out(const call_state *call, int32_t index);
/* What is written must not share memory with anything else. */
int call_check_overlap(call_state *call);

#endif /* CODA_PYTHON_CALL_H */
