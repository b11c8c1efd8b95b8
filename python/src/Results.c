/*===- Results.c - Memory for results and intermediates -------------------===*/

#include "Buffer.h"

#include <string.h>

static bool is_row_major(const coda_result_info *info) {
  int64_t step = 1;
  for (int32_t d = info->rank - 1; d >= 0; --d) {
    if (info->shape[d] != 1 && info->strides[d] != step)
      return false;
    step *= info->shape[d];
  }
  return true;
}

/* What a library calls where it cannot allocate. */
static void set_error(void *context, const char *kind, const char *message) {
  (void)context;
  PyGILState_STATE state = PyGILState_Ensure();
  PyErr_Format(error_type, "%s: %s", kind ? kind : "error",
               message ? message : "cannot allocate");
  PyGILState_Release(state);
}

static dl_managed_versioned *allocate(const dl_exchange *exchange,
                                      dl_tensor *prototype) {
  dl_managed_versioned *managed = NULL;
  if (exchange->allocate(prototype, &managed, NULL, set_error) || !managed) {
    if (!PyErr_Occurred())
      PyErr_SetString(error_type, "the array library cannot allocate");
    return NULL;
  }
  return managed;
}

static PyObject *make_tuple(const int64_t *extents, int32_t rank) {
  PyObject *tuple = PyTuple_New(rank);
  for (int32_t d = 0; tuple && d < rank; ++d)
    PyTuple_SetItem(tuple, d, PyLong_FromLongLong(extents[d]));
  return tuple;
}

/* Calls a function of coda._arrays. */
static PyObject *call_python(const char *name, PyObject *args) {
  PyObject *module = args ? PyImport_ImportModule("coda._arrays") : NULL;
  PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
  PyObject *result = function ? PyObject_CallObject(function, args) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(module);
  Py_XDECREF(args);
  return result;
}

/* An array that Python code makes, with its address. */
static PyObject *allocate_in_python(PyObject *like,
                                    const coda_result_info *info, void **data) {
  PyObject *shape = make_tuple(info->shape, info->rank);
  PyObject *strides = make_tuple(info->strides, info->rank);
  PyObject *array =
      shape && strides
          ? call_python("allocate", Py_BuildValue("(OsOO)", like,
                                                  array_type_name(info->type),
                                                  shape, strides))
          : NULL;
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  if (!array || array == Py_None)
    return array;
  array_view view;
  if (array_view_open(array, NULL, &view))
    Py_CLEAR(array);
  else
    *data = view.value.u.data;
  array_view_close(&view);
  return array;
}

PyObject *result_allocate(const array_view *like, PyObject *like_object,
                          program_object *program, coda_module *module,
                          dl_device device, const coda_result_info *info,
                          void *stream, void **data) {
  *data = NULL;
  array_adapter_kind kind = like ? like->adapter->kind : ADAPTER_NONE;
  const dl_exchange *exchange = like ? like->adapter->exchange : NULL;
  if (exchange) {
    PyObject *tensor = torch_allocate(like->adapter, device, info, data);
    if (tensor || PyErr_Occurred())
      return tensor;
  }
  if (exchange && exchange->allocate && exchange->to_object &&
      is_row_major(info)) {
    int64_t shape[CODA_MAX_RANK];
    memcpy(shape, info->shape, sizeof shape);
    dl_tensor prototype = {.device = device,
                           .rank = info->rank,
                           .type = array_dl_type(info->type),
                           .shape = shape};
    dl_managed_versioned *managed = allocate(exchange, &prototype);
    if (!managed)
      return NULL;
    *data = managed->tensor.data
                ? (char *)managed->tensor.data + managed->tensor.byte_offset
                : NULL;
    void *object = NULL;
    if (exchange->to_object(managed, &object))
      return NULL;
    return object;
  }
  if (kind == ADAPTER_EXCHANGE || kind == ADAPTER_TORCH ||
      kind == ADAPTER_CUPY) {
    PyObject *array = allocate_in_python(like_object, info, data);
    if (!array || array != Py_None)
      return array;
    Py_DECREF(array);
  }
  return buffer_allocate(program, module, device, info, stream, data);
}

PyObject *result_finish(const array_view *like, PyObject *like_object,
                        PyObject *result) {
  if (!like || like->adapter->kind == ADAPTER_NONE)
    return Py_NewRef(result);
  return call_python("convert", Py_BuildValue("(OO)", like_object, result));
}

dl_managed_versioned *workspace_allocate(const array_view *like,
                                         dl_device device, size_t bytes) {
  const dl_exchange *exchange = like->adapter->exchange;
  if (!exchange || !exchange->allocate)
    return NULL;
  int64_t size = (int64_t)bytes;
  dl_tensor prototype = {
      .device = device, .rank = 1, .type = {1, 8, 1}, .shape = &size};
  return allocate(exchange, &prototype);
}
