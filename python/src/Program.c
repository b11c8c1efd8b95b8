/*===- Program.c - Manifests with their images ----------------------------===*/

#include "Program.h"

#include <stdarg.h>
#include <string.h>

PyObject *error_type, *argument_error_type;
PyTypeObject *program_type;

/*===----------------------------------------------------------------------===*\
|* Errors
\*===----------------------------------------------------------------------===*/

PyObject *raise_status(coda_status status, const char *message) {
  PyObject *type =
      status == CODA_INVALID_ARGUMENT ? argument_error_type : error_type;
  /* A message may hold any bytes of a manifest. */
  PyObject *text =
      PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
  PyObject *error =
      text ? PyObject_CallFunction(type, "Oi", text, (int)status) : NULL;
  if (error)
    PyErr_SetObject(type, error);
  Py_XDECREF(error);
  Py_XDECREF(text);
  return NULL;
}

static PyObject *raise_text(PyObject *text) {
  PyObject *error = text ? PyObject_CallFunction(argument_error_type, "Oi",
                                                 text, CODA_INVALID_ARGUMENT)
                         : NULL;
  if (error)
    PyErr_SetObject(argument_error_type, error);
  Py_XDECREF(error);
  Py_XDECREF(text);
  return NULL;
}

PyObject *raise_argument(const char *format, ...) {
  va_list list;
  va_start(list, format);
  PyObject *text = PyUnicode_FromFormatV(format, list);
  va_end(list);
  return raise_text(text);
}

PyObject *raise_about(const function_object *function, int32_t index,
                      const char *format, ...) {
  PyObject *text;
  PyObject *cause_type = NULL, *cause = NULL, *trace = NULL;
  if (format) {
    va_list list;
    va_start(list, format);
    text = PyUnicode_FromFormatV(format, list);
    va_end(list);
  } else if (!array_may_replace_error()) {
    return NULL;
  } else {
    PyErr_Fetch(&cause_type, &cause, &trace);
    text = cause ? PyObject_Str(cause) : PyUnicode_FromString("not an array");
  }
  const char *name = function->arguments[index].name;
  const char *who = coda_function_name(function->parsed);
  PyObject *whole =
      !text  ? NULL
      : name ? PyUnicode_FromFormat("function '%s': argument %d '%s': %U", who,
                                    (int)index, name, text)
             : PyUnicode_FromFormat("function '%s': argument %d: %U", who,
                                    (int)index, text);
  Py_XDECREF(text);
  Py_XDECREF(cause_type);
  Py_XDECREF(cause);
  Py_XDECREF(trace);
  return raise_text(whole);
}

/*===----------------------------------------------------------------------===*\
|* Loading
\*===----------------------------------------------------------------------===*/

coda_module *program_load(program_object *program, int32_t device) {
  int32_t slot = device < 0 ? 0 : device;
  if (slot >= MAX_DEVICES) {
    raise_argument("device %d: at most %d devices are supported", (int)device,
                   MAX_DEVICES);
    return NULL;
  }
  if (program->loaded[slot])
    return program->loaded[slot];
  char *manifest, *image, message[MESSAGE_SIZE] = "";
  Py_ssize_t manifest_size, image_size;
  if (PyBytes_AsStringAndSize(program->manifest, &manifest, &manifest_size) ||
      PyBytes_AsStringAndSize(program->image, &image, &image_size))
    return NULL;
  coda_module *module = NULL;
  coda_status status;
  Py_BEGIN_ALLOW_THREADS status =
      coda_module_load(manifest, (size_t)manifest_size, image,
                       (size_t)image_size, &module, message, sizeof message);
  Py_END_ALLOW_THREADS if (status) {
    raise_status(status, message);
    return NULL;
  }
  /* Another thread may have been faster. */
  if (program->loaded[slot])
    coda_module_unload(module);
  else
    program->loaded[slot] = module;
  return program->loaded[slot];
}

static PyObject *program_load_method(PyObject *self, PyObject *args) {
  int device = -1;
  if (!PyArg_ParseTuple(args, "|i:load", &device))
    return NULL;
  char message[MESSAGE_SIZE] = "";
  void *previous;
  coda_status status =
      coda_device_enter(device, &previous, message, sizeof message);
  if (status)
    return raise_status(status, message);
  coda_module *module = program_load((program_object *)self, device);
  coda_device_leave(previous);
  return module ? Py_NewRef(Py_None) : NULL;
}

/*===----------------------------------------------------------------------===*\
|* What is in it
\*===----------------------------------------------------------------------===*/

/* Sizes or strides, None where any will do. */
static PyObject *make_extents(const int64_t *extents, int32_t rank) {
  PyObject *tuple = PyTuple_New(rank < 0 ? 0 : rank);
  for (int32_t d = 0; tuple && d < rank; ++d) {
    PyObject *item = extents[d] == CODA_DYNAMIC
                         ? Py_NewRef(Py_None)
                         : PyLong_FromLongLong(extents[d]);
    if (!item || PyTuple_SetItem(tuple, d, item))
      Py_CLEAR(tuple);
  }
  return tuple;
}

/* A dict for each argument. */
static PyObject *make_arguments(const coda_function *function) {
  int32_t count = coda_function_argument_count(function);
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; list && i < count; ++i) {
    coda_argument_info info;
    coda_function_argument(function, i, &info);
    PyObject *shape = make_extents(info.shape, info.rank);
    PyObject *strides = make_extents(info.strides, info.rank);
    PyObject *entry =
        shape && strides
            ? Py_BuildValue("{s:z,s:s,s:i,s:O,s:O,s:O}", "name", info.name,
                            "type", array_type_name(info.type), "rank",
                            (int)info.rank, "written",
                            info.written ? Py_True : Py_False, "shape", shape,
                            "strides", strides)
            : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    if (!entry || PyList_Append(list, entry))
      Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  return list;
}

static PyObject *program_functions(PyObject *self, PyObject *unused) {
  (void)unused;
  const coda_module *module = ((program_object *)self)->parsed;
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; list && i < coda_module_function_count(module); ++i) {
    const coda_function *function = coda_module_function(module, i);
    PyObject *arguments = make_arguments(function);
    PyObject *entry =
        arguments ? Py_BuildValue("(siO)", coda_function_name(function),
                                  (int)coda_function_result_count(function),
                                  arguments)
                  : NULL;
    Py_XDECREF(arguments);
    if (!entry || PyList_Append(list, entry))
      Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  return list;
}

/*===----------------------------------------------------------------------===*\
|* The type
\*===----------------------------------------------------------------------===*/

static PyObject *program_new(PyTypeObject *type, PyObject *args,
                             PyObject *named) {
  static char *names[] = {"manifest", "image", NULL};
  PyObject *manifest, *image;
  if (!PyArg_ParseTupleAndKeywords(args, named, "SS:Program", names, &manifest,
                                   &image))
    return NULL;
  char message[MESSAGE_SIZE] = "", *text;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(manifest, &text, &size))
    return NULL;
  coda_module *parsed = NULL;
  coda_status status =
      coda_module_parse(text, (size_t)size, &parsed, message, sizeof message);
  if (status)
    return raise_status(status, message);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  program_object *self = (program_object *)allocate(type, 0);
  if (!self) {
    coda_module_unload(parsed);
    return NULL;
  }
  self->manifest = Py_NewRef(manifest);
  self->image = Py_NewRef(image);
  self->parsed = parsed;
  return (PyObject *)self;
}

static void program_dealloc(PyObject *object) {
  program_object *self = (program_object *)object;
  for (int32_t i = 0; i < MAX_DEVICES; ++i) {
    void *previous;
    if (!self->loaded[i] || coda_device_enter(i, &previous, NULL, 0))
      continue;
    coda_module_unload(self->loaded[i]);
    coda_device_leave(previous);
  }
  coda_module_unload(self->parsed);
  Py_XDECREF(self->manifest);
  Py_XDECREF(self->image);
  PyTypeObject *type = Py_TYPE(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"functions", program_functions, METH_NOARGS,
     "A tuple of name, number of results and arguments for each function."},
    {"load", program_load_method, METH_VARARGS,
     "Loads on a device now, and not at the first call there."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A manifest with its image, loaded where it is used."},
    {Py_tp_new, program_new},
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, methods},
    {0, NULL}};
static PyType_Spec spec = {"coda._launch.Program", sizeof(program_object), 0,
                           Py_TPFLAGS_DEFAULT, slots};

int add_program_type(PyObject *module) {
  program_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return program_type ? PyModule_AddType(module, program_type) : -1;
}
