/*===- Torch.c - Results that are torch's ---------------------------------===*/
/*
 * DLPack's table allocates with torch's dispatcher, and then makes a second
 * tensor of the memory. What torch's own generated code calls does neither. It
 * is not torch's public interface: it is tried once, and used where it did what
 * is expected of it.
 */

#include "Buffer.h"

enum { TYPE_COUNT = CODA_F8E5M2 + 1 };

static PyObject *allocate_function; /* NULL: DLPack's way */
static PyObject *types[TYPE_COUNT]; /* torch's, by coda_type */
static bool looked;

/* torch._C._dynamo.guards._empty_strided_cuda */
static PyObject *find_function(PyObject *torch) {
  static const char *const path[] = {"_C", "_dynamo", "guards",
                                     "_empty_strided_cuda"};
  PyObject *at = Py_NewRef(torch);
  for (size_t i = 0; at && i < sizeof path / sizeof *path; ++i) {
    PyObject *next = array_attribute(at, path[i]);
    Py_DECREF(at);
    at = next;
  }
  return at;
}

static PyObject *make_tuple(const int64_t *extents, int32_t rank) {
  PyObject *tuple = PyTuple_New(rank);
  for (int32_t d = 0; tuple && d < rank; ++d)
    PyTuple_SetItem(tuple, d, PyLong_FromLongLong(extents[d]));
  return tuple;
}

static PyObject *call(const coda_result_info *info) {
  PyObject *args = PyTuple_New(3);
  PyObject *shape = make_tuple(info->shape, info->rank);
  PyObject *strides = make_tuple(info->strides, info->rank);
  PyObject *result = NULL;
  if (args && shape && strides) {
    PyTuple_SetItem(args, 0, shape);
    PyTuple_SetItem(args, 1, strides);
    PyTuple_SetItem(args, 2, Py_NewRef(types[info->type]));
    result = PyObject_CallObject(allocate_function, args);
  } else {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
  }
  Py_XDECREF(args);
  return result;
}

/* Whether the tensor is what was to be allocated; its address. */
static bool is_expected(const array_adapter *adapter, dl_device device,
                        const coda_result_info *info, PyObject *tensor,
                        void **data) {
  if (array_find_adapter(tensor)->exchange != adapter->exchange)
    return false;
  dl_tensor view;
  if (adapter->exchange->view_object(tensor, &view)) {
    PyErr_Clear();
    return false;
  }
  dl_type type = array_dl_type(info->type);
  if (view.device.type != device.type || view.device.id != device.id ||
      view.rank != info->rank || view.type.code != type.code ||
      view.type.bits != type.bits)
    return false;
  int64_t step = 1;
  for (int32_t d = info->rank - 1; d >= 0; --d) {
    int64_t stride = view.strides ? view.strides[d] : step;
    if (view.shape[d] != info->shape[d] ||
        (info->shape[d] > 1 && stride != info->strides[d]))
      return false;
    step *= view.shape[d];
  }
  *data = view.data ? (char *)view.data + view.byte_offset : NULL;
  return true;
}

static void look(const array_adapter *adapter, dl_device device) {
  looked = true;
  PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
  PyObject *torch = modules ? PyDict_GetItemString(modules, "torch") : NULL;
  allocate_function = torch ? find_function(torch) : NULL;
  for (int32_t t = 1; allocate_function && t < TYPE_COUNT; ++t)
    types[t] = array_attribute(torch, array_type_array_name(t));
  /* An allocation of nothing, for a trial. */
  coda_result_info info = {
      .type = CODA_F32, .rank = 2, .shape = {0, 3}, .strides = {3, 1}};
  void *data;
  PyObject *tensor = allocate_function && types[CODA_F32] ? call(&info) : NULL;
  if (!tensor || !is_expected(adapter, device, &info, tensor, &data))
    Py_CLEAR(allocate_function);
  Py_XDECREF(tensor);
  PyErr_Clear();
}

PyObject *torch_allocate(const array_adapter *adapter, dl_device device,
                         const coda_result_info *info, void **data) {
  if (!adapter->torch)
    return NULL;
  if (!looked)
    look(adapter, device);
  if (!allocate_function || !types[info->type])
    return NULL;
  PyObject *tensor = call(info);
  if (!tensor || is_expected(adapter, device, info, tensor, data))
    return tensor;
  /* Of another device: torch has its own opinion of which is current. */
  Py_DECREF(tensor);
  return NULL;
}
