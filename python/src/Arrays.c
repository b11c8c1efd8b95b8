/*===- Arrays.c - Arrays of any library -----------------------------------===*/

#include "Arrays.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ADAPTERS = 32 };

static array_adapter adapters[MAX_ADAPTERS];
static int adapter_count;

PyObject *array_attribute(PyObject *object, const char *name) {
  PyObject *value = PyObject_GetAttrString(object, name);
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Clear();
  return value;
}

bool array_may_replace_error(void) {
  return !PyErr_Occurred() || (PyErr_ExceptionMatches(PyExc_Exception) &&
                               !PyErr_ExceptionMatches(PyExc_MemoryError));
}

/*===----------------------------------------------------------------------===*\
|* Adapters
\*===----------------------------------------------------------------------===*/

static const dl_exchange *find_exchange(PyObject *type) {
  PyObject *capsule = array_attribute(type, "__dlpack_c_exchange_api__");
  if (!capsule) {
    PyErr_Clear();
    return NULL;
  }
  const dl_exchange *exchange =
      PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  Py_DECREF(capsule); /* the table lives as long as the process */
  PyErr_Clear();
  while (exchange && exchange->version.major > DL_MAJOR)
    exchange = exchange->previous;
  if (exchange && (exchange->version.major != DL_MAJOR ||
                   !exchange->view_object || !exchange->current_stream))
    exchange = NULL;
  return exchange;
}

static bool is_torch(PyObject *object) {
  PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
  PyObject *torch = modules ? PyDict_GetItemString(modules, "torch") : NULL;
  PyObject *type = torch ? array_attribute(torch, "Tensor") : NULL;
  bool result = type && PyObject_IsInstance(object, type) == 1;
  Py_XDECREF(type);
  PyErr_Clear();
  return result;
}

/* The type's module: "torch", "cupy._core.core". */
static bool module_starts_with(PyObject *type, const char *name) {
  PyObject *module = array_attribute(type, "__module__");
  const char *text = module && PyUnicode_Check(module)
                         ? PyUnicode_AsUTF8AndSize(module, NULL)
                         : NULL;
  bool result = text && !strncmp(text, name, strlen(name));
  Py_XDECREF(module);
  PyErr_Clear();
  return result;
}

static bool has(PyObject *object, const char *name) {
  return PyObject_HasAttrString(object, name);
}

static array_adapter_kind find_kind(PyObject *object, PyObject *type) {
  if (has(object, "data_ptr") && has(object, "stride"))
    return ADAPTER_TORCH;
  if (module_starts_with(type, "cupy") &&
      has(object, "__cuda_array_interface__"))
    return ADAPTER_CUPY;
  /* JAX gives both, but only a capsule says that the array is ready. */
  if (module_starts_with(type, "jax") && has(object, "__dlpack__"))
    return ADAPTER_CAPSULE;
  if (has(object, "__cuda_array_interface__"))
    return ADAPTER_CUDA;
  return has(object, "__dlpack__") ? ADAPTER_CAPSULE : ADAPTER_NONE;
}

const array_adapter *array_find_adapter(PyObject *object) {
  static array_adapter uncached;
  PyObject *type = (PyObject *)Py_TYPE(object);
  for (int i = 0; i < adapter_count; ++i)
    if (adapters[i].type == type)
      return &adapters[i];
  array_adapter found = {type, ADAPTER_EXCHANGE, find_exchange(type), false};
  if (found.exchange)
    found.torch = is_torch(object);
  else
    found.kind = find_kind(object, type);
  /* Whether an object is no array may depend on more than its type. */
  if (found.kind == ADAPTER_NONE || adapter_count == MAX_ADAPTERS) {
    uncached = found;
    return &uncached;
  }
  Py_INCREF(type);
  adapters[adapter_count] = found;
  return &adapters[adapter_count++];
}

/*===----------------------------------------------------------------------===*\
|* DLPack
\*===----------------------------------------------------------------------===*/

static int view_tensor(const dl_tensor *tensor, array_view *view) {
  const dl_type *given = &tensor->type;
  int32_t type = array_type_from_dl(given);
  if (!type) {
    PyErr_Format(PyExc_TypeError,
                 "Coda has no element type for DLPack's type (code %d, %d "
                 "bits, %d lanes)",
                 (int)given->code, (int)given->bits, (int)given->lanes);
    return -1;
  }
  if (tensor->rank < 0 || tensor->rank > CODA_MAX_RANK) {
    PyErr_Format(PyExc_TypeError, "rank %d is not supported; at most %d is",
                 (int)tensor->rank, CODA_MAX_RANK);
    return -1;
  }
  if (tensor->rank && !tensor->shape) {
    PyErr_SetString(PyExc_TypeError, "its shape is null");
    return -1;
  }
  view->value.type = type;
  view->value.rank = tensor->rank;
  view->value.u.data =
      tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
  view->value.shape = tensor->shape;
  view->value.strides = tensor->strides;
  view->device = tensor->device;
  return 0;
}

/* Calls `__dlpack__`, with a version where that is known. */
static PyObject *make_capsule(PyObject *object, void *stream) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
  if (!method)
    return NULL;
  PyObject *none = PyTuple_New(0), *capsule = NULL;
  /* 1 is the default stream, 0 is not allowed. */
  unsigned long long number = stream ? (uintptr_t)stream : 1;
  PyObject *named =
      Py_BuildValue("{s:K,s:(ii)}", "stream", number, "max_version", 1, 0);
  if (none && named)
    capsule = PyObject_Call(method, none, named);
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    Py_XDECREF(named);
    named = Py_BuildValue("{s:K}", "stream", number);
    if (none && named)
      capsule = PyObject_Call(method, none, named);
  }
  Py_XDECREF(named);
  Py_XDECREF(none);
  Py_DECREF(method);
  return capsule;
}

static int open_capsule(PyObject *object, void *stream, array_view *view) {
  /* Asked first: a library may refuse the stream of another device. */
  if (has(object, "__dlpack_device__")) {
    PyObject *method = PyObject_GetAttrString(object, "__dlpack_device__");
    PyObject *device = method ? PyObject_CallNoArgs(method) : NULL;
    Py_XDECREF(method);
    int type = 0, id = 0;
    bool ok = device && PyTuple_Check(device) &&
              PyArg_ParseTuple(device, "ii", &type, &id);
    Py_XDECREF(device);
    if (!ok) {
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError) ||
          PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_TypeError,
                        "__dlpack_device__ gives no pair of numbers");
      return -1;
    }
    if (type != DL_CUDA && type != DL_CUDA_MANAGED) {
      view->device.type = type;
      view->device.id = id;
      view->value.rank = 0; /* refused for its device */
      view->value.type = CODA_F32;
      return 0;
    }
  }
  PyObject *capsule = make_capsule(object, stream);
  if (!capsule)
    return -1;
  int status = -1;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    dl_managed_versioned *managed =
        PyCapsule_GetPointer(capsule, "dltensor_versioned");
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    view->managed_versioned = managed;
    if (managed->version.major != DL_MAJOR) {
      PyErr_Format(PyExc_TypeError, "DLPack of version %d is not supported",
                   (int)managed->version.major);
    } else {
      view->read_only = managed->flags & DL_FLAG_READ_ONLY;
      status = view_tensor(&managed->tensor, view);
    }
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
    PyCapsule_SetName(capsule, "used_dltensor");
    view->managed = managed;
    status = view_tensor(&managed->tensor, view);
  } else {
    PyErr_SetString(PyExc_TypeError, "__dlpack__ gives no DLPack capsule");
  }
  Py_DECREF(capsule);
  return status;
}

/*===----------------------------------------------------------------------===*\
|* Attributes of Python objects
\*===----------------------------------------------------------------------===*/

/* In place of an exception that says nothing of what is wrong with `value`. */
static int32_t refuse(const char *what, const char *expected, PyObject *value) {
  if (value)
    PyErr_Format(PyExc_TypeError, "%s must be %s, but is %R", what, expected,
                 value);
  return -1;
}

/* Reads a sequence of numbers into `out`; gives how many, or -1. */
static int32_t read_extents(const char *what, PyObject *sequence,
                            int64_t *out) {
  static const char expected[] = "a sequence of integers of 64 bits";
  Py_ssize_t count = sequence ? PySequence_Size(sequence) : -1;
  if (count < 0)
    return refuse(what, expected, sequence);
  if (count > CODA_MAX_RANK) {
    PyErr_Format(PyExc_TypeError, "rank %zd is not supported; at most %d is",
                 count, CODA_MAX_RANK);
    return -1;
  }
  for (Py_ssize_t d = 0; d < count; ++d) {
    PyObject *item = PySequence_GetItem(sequence, d);
    out[d] = item ? PyLong_AsLongLong(item) : -1;
    Py_XDECREF(item);
    if (out[d] == -1 && PyErr_Occurred())
      return refuse(what, expected, sequence);
  }
  return (int32_t)count;
}

/* An address, which has no sign on the machines that there are. */
static int read_address(const char *what, PyObject *number, void **address) {
  *address = PyLong_Check(number) ? PyLong_AsVoidPtr(number) : NULL;
  if (PyLong_Check(number) && !PyErr_Occurred() && (intptr_t)*address >= 0)
    return 0;
  return refuse(what, "an address", number);
}

static PyObject *call_method(PyObject *object, const char *name) {
  PyObject *method = PyObject_GetAttrString(object, name);
  PyObject *result = method ? PyObject_CallNoArgs(method) : NULL;
  Py_XDECREF(method);
  return result;
}

/* "torch.bfloat16" */
static int32_t read_dtype(PyObject *dtype) {
  PyObject *text = dtype ? PyObject_Str(dtype) : NULL;
  const char *name = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  const char *dot = name ? strrchr(name, '.') : NULL;
  int32_t type = name ? array_type_from_name(dot ? dot + 1 : name) : 0;
  if (name && !type)
    PyErr_Format(PyExc_TypeError, "Coda has no element type for %s", name);
  Py_XDECREF(text);
  return type;
}

static int open_torch(PyObject *object, array_view *view) {
  PyObject *device = PyObject_GetAttrString(object, "device");
  PyObject *kind = device ? PyObject_GetAttrString(device, "type") : NULL;
  PyObject *id = device ? array_attribute(device, "index") : NULL;
  const char *kind_name = kind ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
  view->device.type =
      kind_name && !strcmp(kind_name, "cuda") ? DL_CUDA : DL_CPU;
  if (id && id != Py_None)
    view->device.id = (int32_t)PyLong_AsLong(id);
  Py_XDECREF(id);
  Py_XDECREF(kind);
  Py_XDECREF(device);
  if (PyErr_Occurred())
    return -1;
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  view->value.type = read_dtype(dtype);
  Py_XDECREF(dtype);
  if (!view->value.type)
    return -1;
  PyObject *shape = PyObject_GetAttrString(object, "shape");
  view->value.rank = read_extents("shape", shape, view->shape);
  Py_XDECREF(shape);
  PyObject *strides =
      view->value.rank < 0 ? NULL : call_method(object, "stride");
  int32_t count =
      strides ? read_extents("stride()", strides, view->strides) : -1;
  Py_XDECREF(strides);
  PyObject *address = count < 0 ? NULL : call_method(object, "data_ptr");
  if (!address)
    return -1;
  view->value.u.data = PyLong_AsVoidPtr(address);
  Py_DECREF(address);
  view->value.shape = view->shape;
  view->value.strides = view->strides;
  return PyErr_Occurred() ? -1 : 0;
}

/* The elements of "<f4". */
static int32_t read_typestr(PyObject *text) {
  static const struct {
    const char *name;
    int32_t type;
  } known[] = {{"|b1", CODA_I1},  {"|i1", CODA_I8},  {"|u1", CODA_I8},
               {"<i2", CODA_I16}, {"<i4", CODA_I32}, {"<i8", CODA_I64},
               {"<f2", CODA_F16}, {"<f4", CODA_F32}, {"<f8", CODA_F64}};
  const char *name = text && PyUnicode_Check(text)
                         ? PyUnicode_AsUTF8AndSize(text, NULL)
                         : NULL;
  for (size_t i = 0; name && i < sizeof known / sizeof *known; ++i)
    if (!strcmp(known[i].name, name))
      return known[i].type;
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "Coda has no element type for %R",
                 text ? text : Py_None);
  return 0;
}

static int read_interface(PyObject *interface, array_view *view) {
  if (!PyDict_Check(interface)) {
    PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__ is no dict");
    return -1;
  }
  view->device.type = DL_CUDA;
  view->device.id = -1; /* it does not say */
  view->value.type = read_typestr(PyDict_GetItemString(interface, "typestr"));
  if (!view->value.type)
    return -1;
  PyObject *mask = PyDict_GetItemString(interface, "mask");
  if (mask && mask != Py_None) {
    PyErr_SetString(PyExc_TypeError, "an array with a mask is not supported");
    return -1;
  }
  PyObject *shape = PyDict_GetItemString(interface, "shape");
  PyObject *data = PyDict_GetItemString(interface, "data");
  if (!shape || !data || !PyTuple_Check(data) || PyTuple_Size(data) != 2) {
    PyErr_SetString(PyExc_TypeError,
                    "__cuda_array_interface__ has no shape or no data");
    return -1;
  }
  view->value.rank = read_extents("shape", shape, view->shape);
  if (view->value.rank < 0)
    return -1;
  view->value.shape = view->shape;
  PyObject *address = PyTuple_GetItem(data, 0);
  if (address != Py_None && read_address("data", address, &view->value.u.data))
    return -1;
  view->read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  PyObject *stream = PyDict_GetItemString(interface, "stream");
  if (stream && stream != Py_None) {
    view->has_stream = true;
    if (read_address("stream", stream, &view->stream))
      return -1;
  }
  PyObject *strides = PyDict_GetItemString(interface, "strides");
  if (strides && strides != Py_None) {
    if (read_extents("strides", strides, view->strides) != view->value.rank) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "shape and strides differ in length");
      return -1;
    }
    int64_t size = array_type_bytes(view->value.type);
    for (int32_t d = 0; d < view->value.rank; ++d) {
      if (view->strides[d] % size) {
        PyErr_Format(PyExc_TypeError,
                     "stride %d is %lld bytes, which is no whole number of "
                     "elements",
                     (int)d, (long long)view->strides[d]);
        return -1;
      }
      view->strides[d] /= size;
    }
    view->value.strides = view->strides;
  }
  return PyErr_Occurred() ? -1 : 0;
}

static int open_interface(PyObject *object, array_view *view) {
  PyObject *interface =
      PyObject_GetAttrString(object, "__cuda_array_interface__");
  int status = interface ? read_interface(interface, view) : -1;
  Py_XDECREF(interface);
  return status;
}

/*===----------------------------------------------------------------------===*\
|* Views
\*===----------------------------------------------------------------------===*/

int array_view_open(PyObject *object, void *stream, array_view *view) {
  /* The extents are written before they are read. */
  memset(view, 0, offsetof(array_view, shape));
  view->managed = NULL;
  view->managed_versioned = NULL;
  view->adapter = array_find_adapter(object);
  switch (view->adapter->kind) {
  case ADAPTER_EXCHANGE: {
    dl_tensor tensor;
    if (view->adapter->exchange->view_object(object, &tensor))
      return -1;
    return view_tensor(&tensor, view);
  }
  case ADAPTER_TORCH:
    return open_torch(object, view);
  case ADAPTER_CUPY:
  case ADAPTER_CUDA:
    return open_interface(object, view);
  case ADAPTER_CAPSULE:
    return open_capsule(object, stream, view);
  case ADAPTER_NONE:
    break;
  }
  PyObject *name = PyType_GetName(Py_TYPE(object));
  PyErr_Format(PyExc_TypeError,
               "expected an array on a GPU (a torch tensor, or an object with "
               "__dlpack__ or __cuda_array_interface__), but got %U",
               name);
  Py_XDECREF(name);
  return -1;
}

void array_view_close(array_view *view) {
  if (view->managed_versioned && view->managed_versioned->deleter)
    view->managed_versioned->deleter(view->managed_versioned);
  if (view->managed && view->managed->deleter)
    view->managed->deleter(view->managed);
  view->managed_versioned = NULL;
  view->managed = NULL;
}

/* Calls a function of Python without arguments for an address. */
static int read_stream(PyObject *module, const char *function,
                       const char *argument, dl_device device, void **stream) {
  PyObject *result =
      device.id < 0 || !argument
          ? PyObject_CallMethod(module, function, NULL)
          : PyObject_CallMethod(module, function, argument, device.id);
  PyObject *number = NULL;
  if (result && PyLong_Check(result)) {
    number = result;
    result = NULL;
  } else if (result) {
    number = PyObject_GetAttrString(
        result, has(result, "cuda_stream") ? "cuda_stream" : "ptr");
  }
  Py_XDECREF(result);
  if (!number)
    return -1;
  *stream = PyLong_AsVoidPtr(number);
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : 0;
}

int array_current_stream(const array_view *view, void **stream) {
  const char *name = NULL;
  switch (view->adapter->kind) {
  case ADAPTER_EXCHANGE:
    return view->adapter->exchange->current_stream(view->device.type,
                                                   view->device.id, stream);
  case ADAPTER_TORCH:
    name = "torch.cuda";
    break;
  case ADAPTER_CUPY:
    name = "cupy.cuda";
    break;
  default:
    if (view->has_stream)
      *stream = view->stream;
    return 0;
  }
  PyObject *module = PyImport_ImportModule(name);
  if (!module)
    return -1;
  int status =
      view->adapter->kind == ADAPTER_TORCH
          ? read_stream(module, "current_stream", "i", view->device, stream)
          : read_stream(module, "get_current_stream", NULL, view->device,
                        stream);
  Py_DECREF(module);
  return status;
}
