/*===- Inspect.c - What arrays are, for the choice of a kernel ------------===*/

#include "Program.h"

#include <string.h>

static PyObject *make_extents(const coda_value *value, bool strides) {
  PyObject *tuple = PyTuple_New(value->rank);
  for (int32_t d = 0; tuple && d < value->rank; ++d) {
    int64_t extent = strides ? array_stride(value, d) : value->shape[d];
    PyTuple_SetItem(tuple, d, PyLong_FromLongLong(extent));
  }
  return tuple;
}

/* (type, shape, strides, (device type, device number)) */
static PyObject *describe(PyObject *self, PyObject *object) {
  (void)self;
  array_view view;
  memset(&view, 0, sizeof view);
  PyObject *result = NULL;
  if (!array_view_open(object, NULL, &view)) {
    PyObject *shape = make_extents(&view.value, false);
    PyObject *strides = make_extents(&view.value, true);
    if (shape && strides)
      result = Py_BuildValue("(sOO(ii))", array_type_name(view.value.type),
                             shape, strides, view.device.type, view.device.id);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
  }
  array_view_close(&view);
  return result;
}

/*===----------------------------------------------------------------------===*\
|* Signatures
\*===----------------------------------------------------------------------===*/

enum { MAX_ARRAYS = 32, WORDS_PER_ARRAY = 3 };
enum { ROWS = -1, ONE = -2 };

typedef struct {
  int64_t words[MAX_ARRAYS * WORDS_PER_ARRAY];
  int32_t count;
  int64_t rows; /* of the left-hand side */
  bool known;   /* there is a kernel for such arrays */
} signature_state;

/* Type, rank and storage, then the sizes that a kernel is compiled for. The
 * number of rows may be any, so it is left out; what broadcasts is not. */
static int add(signature_state *state, PyObject *object, bool operand) {
  int64_t *words = state->words + state->count * WORDS_PER_ARRAY;
  bool left = state->count == 0;
  if (state->count++ == MAX_ARRAYS) {
    raise_argument("at most %d arrays are supported", MAX_ARRAYS);
    return -1;
  }
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    words[0] = PyFloat_Check(object) ? -1 : -2;
    words[1] = words[2] = 0;
    state->known &= operand;
    return 0;
  }
  array_view view;
  if (array_view_open(object, NULL, &view)) {
    array_view_close(&view);
    return -1;
  }
  const coda_value *value = &view.value;
  int32_t rank = value->rank;
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
  array_view_close(&view);
  return 0;
}

static PyObject *signature(PyObject *self, PyObject *const *args,
                           Py_ssize_t count) {
  (void)self;
  if (count != 3 || !PyTuple_Check(args[1]) || !PyTuple_Check(args[2]))
    return raise_argument("signature takes an array and two tuples");
  signature_state state;
  state.count = 0;
  state.known = true;
  if (add(&state, args[0], false))
    return NULL;
  Py_ssize_t sides = PyTuple_Size(args[1]), operands = PyTuple_Size(args[2]);
  for (Py_ssize_t i = 0; i < sides; ++i)
    if (add(&state, PyTuple_GetItem(args[1], i), false))
      return NULL;
  for (Py_ssize_t i = 0; i < operands; ++i)
    if (add(&state, PyTuple_GetItem(args[2], i), true))
      return NULL;
  if (!state.known)
    return Py_NewRef(Py_None);
  return PyBytes_FromStringAndSize((const char *)state.words,
                                   (Py_ssize_t)sizeof(int64_t) * state.count *
                                       WORDS_PER_ARRAY);
}

PyMethodDef inspect_methods[] = {
    {"describe", describe, METH_O,
     "Element type, shape, strides and device of an array."},
    {"signature", (PyCFunction)(void (*)(void))signature, METH_FASTCALL,
     "signature(x, rhs, operands): bytes that are equal where one kernel does, "
     "or None for arrays of other ranks."},
    {NULL, NULL, 0, NULL}};
