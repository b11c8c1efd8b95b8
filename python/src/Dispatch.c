/*===- Dispatch.c - The kernel of a coda.gemm -----------------------------===*/
/*
 * What a call of coda.gemm does when its kernel is known: finds it by what the
 * arrays are, in a dict of coda's, and calls it.
 */

#include "Program.h"

#include <string.h>

/*===----------------------------------------------------------------------===*\
|* Signatures
\*===----------------------------------------------------------------------===*/

enum { MAX_ARRAYS = 32, WORDS_PER_ARRAY = 3 };
enum { ROWS = -1, ONE = -2 };
/* epilogue, out_dtype, dynamic, schedule, options */
enum { OPTION_COUNT = 5, DYNAMIC_OPTION = 2 };

typedef struct {
  PyObject *arrays[MAX_ARRAYS];
  array_view views[MAX_ARRAYS]; /* capsules are closed again */
  int64_t words[MAX_ARRAYS * WORDS_PER_ARRAY];
  int32_t count;
  int64_t rows; /* of the left-hand side */
  bool known;   /* there is a kernel for such arrays */
} signature;

/* Type, rank and storage, then the sizes that a kernel is compiled for. The
 * number of rows may be any, so it is left out; what broadcasts is not. */
static int add(signature *state, PyObject *object, bool operand) {
  if (state->count == MAX_ARRAYS) {
    raise_argument("at most %d arrays are supported", MAX_ARRAYS);
    return -1;
  }
  bool left = state->count == 0;
  int32_t index = state->count++;
  int64_t *words = state->words + index * WORDS_PER_ARRAY;
  array_view *view = &state->views[index];
  state->arrays[index] = object;
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    words[0] = PyFloat_Check(object) ? -1 : -2;
    words[1] = words[2] = 0;
    state->known &= operand;
    return 0;
  }
  int status = array_view_open(object, NULL, view);
  const coda_value *value = &view->value;
  int32_t rank = value->rank;
  if (!status) {
    int64_t transposed = 0;
    if (rank == 2) {
      int64_t inner = array_stride(value, 1), outer = array_stride(value, 0);
      if ((inner != 1 && value->shape[1] > 1) ||
          (outer == 1 && value->shape[0] > 1 && value->shape[1] == 1))
        transposed = outer == 1 ? 1 : 2;
    }
    if (left)
      state->rows = rank == 2 ? value->shape[0] : 0;
    state->known &= operand ? rank <= 2 : rank == 2;
    words[0] = value->type | rank << 8 | transposed << 16;
    words[1] = rank == 2 ? value->shape[0] : ONE;
    words[2] = rank ? value->shape[rank > 2 ? 1 : rank - 1] : ONE;
    if (rank == 2 &&
        (left || (operand && words[1] != 1 && words[1] == state->rows)))
      words[1] = ROWS;
  }
  array_view_close(view);
  return status;
}

/* Reads the arrays: 0, or -1 with an exception. `rhs` is one or a tuple. */
static int read_arrays(signature *state, PyObject *x, PyObject *rhs,
                       PyObject *operands) {
  state->count = 0;
  state->known = true;
  if (add(state, x, false))
    return -1;
  bool several = PyTuple_Check(rhs);
  Py_ssize_t sides = several ? PyTuple_Size(rhs) : 1;
  for (Py_ssize_t i = 0; i < sides; ++i)
    if (add(state, several ? PyTuple_GetItem(rhs, i) : rhs, false))
      return -1;
  Py_ssize_t rest = PyTuple_Size(operands);
  for (Py_ssize_t i = 0; i < rest; ++i)
    if (add(state, PyTuple_GetItem(operands, i), true))
      return -1;
  return 0;
}

/* A tuple of the signature and the options; None where there is no kernel. */
static PyObject *make_key(signature *state, PyObject *const *options) {
  if (!state->known)
    return Py_NewRef(Py_None);
  /* The rows matter to a kernel that is made for them. */
  PyObject *dynamic = options[DYNAMIC_OPTION];
  if (PyUnicode_Check(dynamic) &&
      PyUnicode_FindChar(dynamic, 'm', 0, PyUnicode_GetLength(dynamic), 1) < 0)
    state->words[1] = state->rows;
  PyObject *arrays = PyBytes_FromStringAndSize(
      (const char *)state->words,
      (Py_ssize_t)sizeof(int64_t) * state->count * WORDS_PER_ARRAY);
  PyObject *key = arrays ? PyTuple_New(1 + OPTION_COUNT) : NULL;
  if (!key) {
    Py_XDECREF(arrays);
    return NULL;
  }
  PyTuple_SetItem(key, 0, arrays);
  for (Py_ssize_t i = 0; i < OPTION_COUNT; ++i)
    PyTuple_SetItem(key, 1 + i, Py_NewRef(options[i]));
  return key;
}

/* key(x, rhs, operands, epilogue, out_dtype, dynamic, schedule, options) */
static PyObject *key(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self;
  if (count != 3 + OPTION_COUNT || !PyTuple_Check(args[2]))
    return raise_argument("key takes 8 arguments, the third a tuple");
  signature state;
  if (read_arrays(&state, args[0], args[1], args[2]))
    return NULL;
  return make_key(&state, args + 3);
}

/* dispatch(kernels, x, ..., options, stream, out) */
static PyObject *dispatch(PyObject *self, PyObject *const *args,
                          Py_ssize_t count) {
  (void)self;
  if (count != 6 + OPTION_COUNT || !PyDict_Check(args[0]) ||
      !PyTuple_Check(args[3]))
    return raise_argument("dispatch takes 11 arguments, the first a dict, the "
                          "fourth a tuple");
  signature state;
  PyObject *found = read_arrays(&state, args[1], args[2], args[3])
                        ? NULL
                        : make_key(&state, args + 4);
  PyObject *kernel = found && found != Py_None
                         ? PyDict_GetItemWithError(args[0], found)
                         : NULL;
  Py_XINCREF(kernel);
  Py_XDECREF(found);
  if (!kernel) {
    /* What is wrong with an argument is said where the kernel is made. */
    if (!array_may_replace_error())
      return NULL;
    PyErr_Clear();
    return Py_NewRef(Py_NotImplemented);
  }
  PyObject *result = NULL;
  if (PyObject_TypeCheck(kernel, function_type))
    result = function_invoke((function_object *)kernel, state.arrays,
                             state.count, state.views, args[4 + OPTION_COUNT],
                             args[5 + OPTION_COUNT]);
  else
    raise_argument("dispatch: the dict holds something else than functions");
  Py_DECREF(kernel);
  return result;
}

PyMethodDef dispatch_methods[] = {
    {"key", (PyCFunction)(void (*)(void))key, METH_FASTCALL,
     "A tuple that is equal where one kernel does, or None for arrays of other "
     "ranks."},
    {"dispatch", (PyCFunction)(void (*)(void))dispatch, METH_FASTCALL,
     "Calls the function that a dict has for the key; NotImplemented where it "
     "has none."},
    {NULL, NULL, 0, NULL}};
