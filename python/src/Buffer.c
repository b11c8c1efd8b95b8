/*===- Buffer.c - Arrays of Coda's own ------------------------------------===*/
/*
 * Results for callers whose library has no way to allocate. Other libraries
 * take them through __dlpack__.
 */

#include "Buffer.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *buffer_type;

typedef struct {
  PyObject_HEAD program_object *program; /* keeps the module loaded */
  coda_module *module;
  dl_device device;
  int32_t type, rank;
  int64_t shape[CODA_MAX_RANK], strides[CODA_MAX_RANK];
  void *data, *stream;
} buffer_object;

PyObject *buffer_allocate(program_object *program, coda_module *module,
                          dl_device device, const coda_result_info *info,
                          void *stream, void **data) {
  char message[MESSAGE_SIZE] = "";
  coda_status status = coda_malloc(module, (size_t)info->bytes, data, stream,
                                   message, sizeof message);
  if (status)
    return raise_status(status, message);
  allocfunc allocate = (allocfunc)PyType_GetSlot(buffer_type, Py_tp_alloc);
  buffer_object *self = (buffer_object *)allocate(buffer_type, 0);
  if (!self) {
    coda_free(module, *data, stream, NULL, 0);
    return NULL;
  }
  self->program = (program_object *)Py_NewRef((PyObject *)program);
  self->module = module;
  self->device.type = DL_CUDA;
  self->device.id = device.id < 0 ? 0 : device.id;
  self->type = info->type;
  self->rank = info->rank;
  memcpy(self->shape, info->shape, sizeof self->shape);
  memcpy(self->strides, info->strides, sizeof self->strides);
  self->data = *data;
  self->stream = stream;
  return (PyObject *)self;
}

static void buffer_dealloc(PyObject *object) {
  buffer_object *self = (buffer_object *)object;
  void *previous;
  if (self->data && !coda_device_enter(self->device.id, &previous, NULL, 0)) {
    coda_free(self->module, self->data, self->stream, NULL, 0);
    coda_device_leave(previous);
  }
  Py_XDECREF((PyObject *)self->program);
  PyTypeObject *type = Py_TYPE(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/*===----------------------------------------------------------------------===*\
|* DLPack
\*===----------------------------------------------------------------------===*/

/* One of both forms, with what it needs to be freed. */
typedef struct {
  dl_managed_versioned versioned;
  dl_managed plain;
  PyObject *owner;
} export;

static void release(export *what) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(what->owner);
  PyGILState_Release(state);
  free(what);
}
static void delete_versioned(dl_managed_versioned *self) {
  release(self->context);
}
static void delete_plain(dl_managed *self) { release(self->context); }

static void delete_capsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
    delete_versioned(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  else if (PyCapsule_IsValid(capsule, "dltensor"))
    delete_plain(PyCapsule_GetPointer(capsule, "dltensor"));
}

static PyObject *make_capsule(buffer_object *self, bool versioned) {
  export *what = calloc(1, sizeof *what);
  if (!what)
    return PyErr_NoMemory();
  what->owner = Py_NewRef((PyObject *)self);
  dl_tensor tensor = {
      self->data,  self->device,  self->rank, array_dl_type(self->type),
      self->shape, self->strides, 0};
  what->versioned.version.major = DL_MAJOR;
  what->versioned.context = what->plain.context = what;
  what->versioned.deleter = delete_versioned;
  what->plain.deleter = delete_plain;
  what->versioned.tensor = what->plain.tensor = tensor;
  PyObject *capsule =
      versioned ? PyCapsule_New(&what->versioned, "dltensor_versioned",
                                delete_capsule)
                : PyCapsule_New(&what->plain, "dltensor", delete_capsule);
  if (!capsule)
    release(what);
  return capsule;
}

static PyObject *buffer_dlpack(PyObject *object, PyObject *args,
                               PyObject *named) {
  static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  buffer_object *self = (buffer_object *)object;
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None,
           *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOO:__dlpack__", names,
                                   &stream, &version, &device, &copy))
    return NULL;
  if (copy == Py_True) {
    PyErr_SetString(PyExc_BufferError, "a coda.Buffer does not copy itself");
    return NULL;
  }
  if (device != Py_None) {
    int type, id;
    if (!PyTuple_Check(device) || !PyArg_ParseTuple(device, "ii", &type, &id))
      return NULL;
    if (type != self->device.type || id != self->device.id) {
      PyErr_SetString(PyExc_BufferError, "a coda.Buffer does not move itself");
      return NULL;
    }
  }
  long long number = stream == Py_None ? 1 : PyLong_AsLongLong(stream);
  if (PyErr_Occurred())
    return NULL;
  void *consumer = number == 1 ? NULL : (void *)(uintptr_t)number;
  if (number != -1 && consumer != self->stream) {
    char message[MESSAGE_SIZE] = "";
    coda_status status;
    void *previous;
    status =
        coda_device_enter(self->device.id, &previous, message, sizeof message);
    if (!status) {
      Py_BEGIN_ALLOW_THREADS status =
          coda_synchronize(self->module, self->stream, message, sizeof message);
      Py_END_ALLOW_THREADS coda_device_leave(previous);
    }
    if (status)
      return raise_status(status, message);
  }
  bool versioned = false;
  if (version != Py_None) {
    PyObject *major = PySequence_GetItem(version, 0);
    versioned = major && PyLong_AsLong(major) >= DL_MAJOR;
    Py_XDECREF(major);
    if (PyErr_Occurred())
      return NULL;
  }
  return make_capsule(self, versioned);
}

static PyObject *buffer_dlpack_device(PyObject *object, PyObject *unused) {
  (void)unused;
  const buffer_object *self = (const buffer_object *)object;
  return Py_BuildValue("(ii)", self->device.type, self->device.id);
}

/*===----------------------------------------------------------------------===*\
|* Attributes
\*===----------------------------------------------------------------------===*/

static PyObject *make_tuple(const int64_t *extents, int32_t rank,
                            int64_t scale) {
  PyObject *tuple = PyTuple_New(rank);
  for (int32_t d = 0; tuple && d < rank; ++d)
    PyTuple_SetItem(tuple, d, PyLong_FromLongLong(extents[d] * scale));
  return tuple;
}

static PyObject *get_shape(PyObject *object, void *unused) {
  (void)unused;
  const buffer_object *self = (const buffer_object *)object;
  return make_tuple(self->shape, self->rank, 1);
}

static PyObject *get_strides(PyObject *object, void *unused) {
  (void)unused;
  const buffer_object *self = (const buffer_object *)object;
  return make_tuple(self->strides, self->rank, 1);
}

static PyObject *get_type(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(
      array_type_name(((const buffer_object *)object)->type));
}

static PyObject *get_interface(PyObject *object, void *unused) {
  (void)unused;
  static const char *const names[] = {NULL,  "|b1", "|i1", "<i2", "<i4",
                                      "<i8", "<f2", NULL,  "<f4", "<f8"};
  const buffer_object *self = (const buffer_object *)object;
  const char *name = self->type < (int)(sizeof names / sizeof *names)
                         ? names[self->type]
                         : NULL;
  if (!name) {
    PyErr_Format(PyExc_AttributeError,
                 "__cuda_array_interface__ has no type for %s",
                 array_type_name(self->type));
    return NULL;
  }
  PyObject *shape = make_tuple(self->shape, self->rank, 1);
  PyObject *strides =
      make_tuple(self->strides, self->rank, array_type_bytes(self->type));
  PyObject *result = NULL;
  if (shape && strides)
    result = Py_BuildValue(
        "{s:s,s:O,s:O,s:(KO),s:K,s:i}", "typestr", name, "shape", shape,
        "strides", strides, "data", (unsigned long long)(uintptr_t)self->data,
        Py_False, "stream",
        self->stream ? (unsigned long long)(uintptr_t)self->stream : 1ULL,
        "version", 3);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  return result;
}

static PyMethodDef methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))buffer_dlpack,
     METH_VARARGS | METH_KEYWORDS, "A DLPack capsule of the array."},
    {"__dlpack_device__", buffer_dlpack_device, METH_NOARGS,
     "Type and number of the device."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef attributes[] = {
    {"shape", get_shape, NULL, "Sizes.", NULL},
    {"strides", get_strides, NULL, "Strides in elements.", NULL},
    {"dtype", get_type, NULL, "The element type, as 'bf16'.", NULL},
    {"__cuda_array_interface__", get_interface, NULL, "Version 3.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "An array on a GPU, to be taken by another library with "
                "from_dlpack or through __cuda_array_interface__."},
    {Py_tp_dealloc, buffer_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL}};
static PyType_Spec spec = {
    "coda.Buffer", sizeof(buffer_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int add_buffer_type(PyObject *module) {
  buffer_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return buffer_type ? PyModule_AddType(module, buffer_type) : -1;
}
