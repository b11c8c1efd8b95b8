/*===- Inspect.c - What arrays are ----------------------------------------===*/

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

PyMethodDef inspect_methods[] = {
    {"describe", describe, METH_O,
     "Element type, shape, strides and device of an array."},
    {NULL, NULL, 0, NULL}};
