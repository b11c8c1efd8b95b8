/*===- fake-arrays.c - An array library for tests -------------------------===*/
/*
 * The module _fake_arrays has a type Tensor, addresses without memory, with
 * DLPack's table of C functions as torch has it. `set_stream` sets what is the
 * current stream, `set_type` the type of what is allocated; `allocated` counts
 * what was allocated and is alive.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include "../../../python/src/DLPack.h"

#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  PyObject_HEAD dl_tensor tensor;
  int64_t shape[16], strides[16];
  dl_managed_versioned *owned;
} tensor_object;

static PyTypeObject *tensor_type;
static PyTypeObject *made_type; /* what new tensors are of */
static void *stream;
static uintptr_t next_address = 0x10000000;
static long alive;

/*===----------------------------------------------------------------------===*\
|* The table
\*===----------------------------------------------------------------------===*/

static void delete_managed(dl_managed_versioned *managed) {
  --alive;
  free(managed->tensor.shape);
  free(managed);
}

static int allocate(dl_tensor *prototype, dl_managed_versioned **result,
                    void *context,
                    void (*set_error)(void *, const char *, const char *)) {
  if (getenv("FAKE_FULL")) {
    set_error(context, "MemoryError", "the fake GPU is full");
    return -1;
  }
  dl_managed_versioned *managed = calloc(1, sizeof *managed);
  int64_t *extents = calloc(32, sizeof *extents), count = 1;
  managed->version.major = DL_MAJOR;
  managed->deleter = delete_managed;
  managed->tensor = *prototype;
  managed->tensor.shape = extents;
  managed->tensor.strides = extents + 16;
  for (int32_t d = prototype->rank - 1; d >= 0; --d) {
    extents[d] = prototype->shape[d];
    extents[16 + d] = count;
    count *= prototype->shape[d];
  }
  managed->tensor.data = (void *)next_address;
  next_address +=
      ((size_t)count * prototype->type.bits / 8 + 0xffff) & ~(size_t)0xffff;
  ++alive;
  *result = managed;
  return 0;
}

static tensor_object *make(PyTypeObject *type, const dl_tensor *from) {
  allocfunc create = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  tensor_object *self = (tensor_object *)create(type, 0);
  if (!self)
    return NULL;
  self->tensor = *from;
  memcpy(self->shape, from->shape, sizeof(int64_t) * (size_t)from->rank);
  memcpy(self->strides, from->strides, sizeof(int64_t) * (size_t)from->rank);
  self->tensor.shape = self->shape;
  self->tensor.strides = self->strides;
  return self;
}

static int to_object(dl_managed_versioned *managed, void **object) {
  tensor_object *self = make(made_type, &managed->tensor);
  if (!self)
    return -1;
  self->owned = managed;
  *object = self;
  return 0;
}

static int view_object(void *object, dl_tensor *result) {
  *result = ((tensor_object *)object)->tensor;
  return 0;
}

static int current_stream(int32_t type, int32_t device, void **result) {
  (void)type, (void)device;
  *result = stream;
  return 0;
}

static dl_exchange table = {{1, 3},    NULL,        allocate,      NULL,
                            to_object, view_object, current_stream};

/*===----------------------------------------------------------------------===*\
|* The type
\*===----------------------------------------------------------------------===*/

static int read_tuple(PyObject *tuple, int64_t *out) {
  Py_ssize_t count = PyTuple_Size(tuple);
  for (Py_ssize_t d = 0; d < count && d < 16; ++d)
    out[d] = PyLong_AsLongLong(PyTuple_GetItem(tuple, d));
  return PyErr_Occurred() ? -1 : (int)count;
}

/* Tensor(code, bits, shape, strides, address, device type, device) */
static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *named) {
  (void)named;
  int64_t shape[16], strides[16];
  PyObject *sizes, *steps, *address;
  dl_tensor tensor = {0};
  int code, bits;
  if (!PyArg_ParseTuple(args, "iiO!O!Oii", &code, &bits, &PyTuple_Type, &sizes,
                        &PyTuple_Type, &steps, &address, &tensor.device.type,
                        &tensor.device.id))
    return NULL;
  tensor.type.code = (uint8_t)code;
  tensor.type.bits = (uint8_t)bits;
  tensor.type.lanes = 1;
  tensor.rank = read_tuple(sizes, shape);
  if (tensor.rank < 0 || read_tuple(steps, strides) < 0)
    return NULL;
  tensor.data = PyLong_AsVoidPtr(address);
  tensor.shape = shape;
  tensor.strides = strides;
  return PyErr_Occurred() ? NULL : (PyObject *)make(type, &tensor);
}

static void tensor_dealloc(PyObject *object) {
  tensor_object *self = (tensor_object *)object;
  if (self->owned)
    self->owned->deleter(self->owned);
  PyTypeObject *type = Py_TYPE(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject *extents(PyObject *object, void *which) {
  const tensor_object *self = (const tensor_object *)object;
  PyObject *tuple = PyTuple_New(self->tensor.rank);
  for (int32_t d = 0; tuple && d < self->tensor.rank; ++d)
    PyTuple_SetItem(
        tuple, d,
        PyLong_FromLongLong((which ? self->strides : self->shape)[d]));
  return tuple;
}
static PyObject *get_address(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromVoidPtr(((tensor_object *)object)->tensor.data);
}
static PyObject *get_type(PyObject *object, void *unused) {
  (void)unused;
  const dl_type *type = &((tensor_object *)object)->tensor.type;
  return Py_BuildValue("(ii)", type->code, type->bits);
}
static PyObject *get_device(PyObject *object, void *unused) {
  (void)unused;
  const dl_device *device = &((tensor_object *)object)->tensor.device;
  return Py_BuildValue("(ii)", device->type, device->id);
}

static PyGetSetDef attributes[] = {{"shape", extents, NULL, NULL, NULL},
                                   {"strides", extents, NULL, NULL, &table},
                                   {"address", get_address, NULL, NULL, NULL},
                                   {"type_code", get_type, NULL, NULL, NULL},
                                   {"dl_device", get_device, NULL, NULL, NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, create},
                              {Py_tp_dealloc, tensor_dealloc},
                              {Py_tp_getset, attributes},
                              {0, NULL}};
static PyType_Spec spec = {"_fake_arrays.Tensor", sizeof(tensor_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

static PyObject *set_stream(PyObject *self, PyObject *address) {
  (void)self;
  stream = PyLong_AsVoidPtr(address);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}
static PyObject *allocated(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return PyLong_FromLong(alive);
}
static PyObject *set_type(PyObject *self, PyObject *type) {
  (void)self;
  made_type = (PyTypeObject *)Py_NewRef(type);
  return Py_NewRef(Py_None);
}
static PyMethodDef methods[] = {{"set_type", set_type, METH_O, NULL},
                                {"set_stream", set_stream, METH_O, NULL},
                                {"allocated", allocated, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_fake_arrays",
                                        NULL,
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__fake_arrays(void);
PyMODINIT_FUNC PyInit__fake_arrays(void) {
  PyObject *module = PyModule_Create(&definition);
  made_type = tensor_type = (PyTypeObject *)PyType_FromSpec(&spec);
  PyObject *capsule = PyCapsule_New(&table, "dlpack_exchange_api", NULL);
  if (!module || !tensor_type || !capsule ||
      PyObject_SetAttrString((PyObject *)tensor_type,
                             "__dlpack_c_exchange_api__", capsule) ||
      PyModule_AddType(module, tensor_type))
    return NULL;
  return module;
}
