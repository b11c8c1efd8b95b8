/*===- Extension.c - The module coda._launch ------------------------------===*/

#include "Program.h"

PyObject *get_version(PyObject *self, PyObject *unused);

PyObject *get_version(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return PyUnicode_FromString(coda_version());
}

static PyMethodDef methods[] = {
    {"version", get_version, METH_NOARGS, "The version of the runtime."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "coda._launch",
    "Calls compiled functions with arrays of any library.",
    -1,
    methods,
    NULL,
    NULL,
    NULL,
    NULL};

static int initialize(PyObject *module) {
  PyObject *errors = PyImport_ImportModule("coda._errors");
  if (!errors)
    return -1;
  error_type = PyObject_GetAttrString(errors, "Error");
  argument_error_type = PyObject_GetAttrString(errors, "ArgumentError");
  Py_DECREF(errors);
  if (!error_type || !argument_error_type || add_program_type(module) ||
      add_function_type(module) || add_buffer_type(module))
    return -1;
  return PyModule_AddFunctions(module, inspect_methods) ||
                 PyModule_AddFunctions(module, dispatch_methods)
             ? -1
             : 0;
}

PyMODINIT_FUNC PyInit__launch(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module && initialize(module))
    Py_CLEAR(module);
  return module;
}
