/*===- Function.c - Calling a compiled function ---------------------------===*/

#include "Call.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *function_type;

/*===----------------------------------------------------------------------===*\
|* Results
\*===----------------------------------------------------------------------===*/

static int place_results(call_state *call, coda_module *module) {
  for (int32_t i = 0; i < call->function->result_count; ++i) {
    const coda_result_info *info = &call->infos[i];
    if (info->argument >= 0) {
      call->results[i] = NULL;
      call->arrays[i] = Py_NewRef(PyTuple_GetItem(call->args, info->argument));
      continue;
    }
    if (call->out && call->out_views[i].adapter) {
      if (call_check_out(call, i))
        return -1;
      call->results[i] = call->out_views[i].value.u.data;
      call->arrays[i] = PySequence_GetItem(call->out, i);
      continue;
    }
    call->arrays[i] = result_allocate(
        call->like_view, call->like_object, call->function->program, module,
        call->device, info, call->stream, &call->results[i]);
    if (!call->arrays[i])
      return -1;
  }
  return 0;
}

static PyObject *finish_results(call_state *call) {
  int32_t count = call->function->result_count;
  for (int32_t i = 0; i < count; ++i) {
    if (Py_TYPE(call->arrays[i]) != buffer_type)
      continue;
    PyObject *array =
        result_finish(call->like_view, call->like_object, call->arrays[i]);
    if (!array)
      return NULL;
    Py_DECREF(call->arrays[i]);
    call->arrays[i] = array;
  }
  if (count == 1)
    return Py_NewRef(call->arrays[0]);
  if (!count)
    return Py_NewRef(Py_None);
  PyObject *tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple && i < count; ++i)
    PyTuple_SetItem(tuple, i, Py_NewRef(call->arrays[i]));
  return tuple;
}

/*===----------------------------------------------------------------------===*\
|* The call
\*===----------------------------------------------------------------------===*/

static PyObject *launch(call_state *call) {
  function_object *function = call->function;
  char message[MESSAGE_SIZE] = "";
  coda_module *module = program_load(function->program, call->device.id);
  if (!module)
    return NULL;
  const coda_function *compiled = coda_module_function(module, function->index);
  size_t bytes = 0;
  coda_status status =
      coda_function_plan(compiled, call->values, function->argument_count,
                         call->infos, &bytes, message, sizeof message);
  if (status)
    return raise_status(status, message);
  if ((call->out || function->writes) && call_check_overlap(call))
    return NULL;
  if (place_results(call, module))
    return NULL;
  /* The library's pool is reused in the order of its current stream. */
  dl_managed_versioned *pool = NULL;
  void *workspace = NULL;
  if (bytes && !call->stream_given && call->like_view) {
    pool = workspace_allocate(call->like_view, call->device, bytes + 255);
    if (!pool && PyErr_Occurred())
      return NULL;
    if (pool)
      workspace = (void *)(((uintptr_t)pool->tensor.data +
                            pool->tensor.byte_offset + 255) &
                           ~(uintptr_t)255);
  }
  /* An owner that does not know of the stream may reuse its memory as soon as
   * nobody holds the array. */
  bool foreign = false;
  for (int32_t i = 0; i < call->opened; ++i)
    foreign |= call->views[i].managed || call->views[i].managed_versioned;
  for (int32_t i = 0; i < call->out_opened; ++i)
    foreign |=
        call->out_views[i].managed || call->out_views[i].managed_versioned;
  Py_BEGIN_ALLOW_THREADS status = coda_function_launch(
      compiled, call->values, function->argument_count, call->results,
      workspace, bytes, call->stream, message, sizeof message);
  if (!status && foreign)
    status = coda_synchronize(module, call->stream, message, sizeof message);
  Py_END_ALLOW_THREADS if (pool && pool->deleter) pool->deleter(pool);
  if (status)
    return raise_status(status, message);
  return finish_results(call);
}

/* The keyword arguments `stream` and `out`. */
static int read_named(call_state *call, PyObject *named) {
  Py_ssize_t position = 0;
  PyObject *key, *value;
  while (PyDict_Next(named, &position, &key, &value)) {
    if (!PyUnicode_CompareWithASCIIString(key, "stream")) {
      if (value == Py_None)
        continue;
      PyObject *address = array_attribute(value, "cuda_stream");
      if (!address && !PyErr_Occurred())
        address = array_attribute(value, "ptr");
      if (!address && !PyErr_Occurred())
        address = Py_NewRef(value);
      call->stream = address ? PyLong_AsVoidPtr(address) : NULL;
      Py_XDECREF(address);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        raise_argument("function '%s': stream: expected an address or an "
                       "object with cuda_stream or ptr, but got %R",
                       coda_function_name(call->function->parsed), value);
        return -1;
      }
      call->stream_given = true;
    } else if (!PyUnicode_CompareWithASCIIString(key, "out")) {
      int32_t count = call->function->result_count;
      if (value == Py_None)
        continue;
      if (PyTuple_Check(value) || PyList_Check(value)) {
        call->out = Py_NewRef(value);
      } else {
        call->out = PyTuple_New(1);
        if (call->out)
          PyTuple_SetItem(call->out, 0, Py_NewRef(value));
      }
      if (!call->out)
        return -1;
      if (PySequence_Size(call->out) != count) {
        raise_argument("function '%s' has %d result%s, but out has %zd",
                       coda_function_name(call->function->parsed), (int)count,
                       count == 1 ? "" : "s", PySequence_Size(call->out));
        return -1;
      }
    } else {
      raise_argument("function '%s' has no keyword argument %R; it takes "
                     "stream and out",
                     coda_function_name(call->function->parsed), key);
      return -1;
    }
  }
  return 0;
}

static bool make_room(call_state *call) {
  size_t arguments = (size_t)call->function->argument_count;
  size_t results = (size_t)call->function->result_count;
  call->heap = NULL;
  call->values = call->inline_values;
  call->views = call->inline_views;
  call->out_views = call->inline_views + INLINE_ARGUMENTS;
  call->infos = call->inline_infos;
  call->results = call->inline_results;
  call->arrays = call->inline_arrays;
  if (arguments > INLINE_ARGUMENTS || results > INLINE_RESULTS) {
    call->heap = calloc(1, arguments * sizeof(coda_value) +
                               (arguments + results) * sizeof(array_view) +
                               results * (sizeof(coda_result_info) +
                                          sizeof(void *) + sizeof(void *)) +
                               1);
    if (!call->heap)
      return false;
    call->values = call->heap;
    call->views = (array_view *)(call->values + arguments);
    call->out_views = call->views + arguments;
    call->infos = (coda_result_info *)(call->out_views + results);
    call->results = (void **)(call->infos + results);
    call->arrays = (PyObject **)(call->results + results);
  }
  memset(call->arrays, 0, results * sizeof(PyObject *));
  return true;
}

static PyObject *function_call(PyObject *self, PyObject *args,
                               PyObject *named) {
  call_state call;
  call.function = (function_object *)self;
  call.args = args;
  call.out = NULL;
  call.opened = call.out_opened = 0;
  call.like = -1;
  call.like_object = NULL;
  call.like_view = NULL;
  call.device.type = DL_CUDA;
  call.device.id = -1;
  call.stream_given = false;
  call.stream = NULL;
  if (!make_room(&call))
    return PyErr_NoMemory();
  PyObject *result = NULL;
  if ((!named || !read_named(&call, named)) && !call_read_arguments(&call) &&
      !call_read_outs(&call)) {
    char message[MESSAGE_SIZE] = "";
    void *previous;
    coda_status status =
        coda_device_enter(call.device.id, &previous, message, sizeof message);
    if (status) {
      raise_status(status, message);
    } else {
      result = launch(&call);
      coda_device_leave(previous);
    }
  }
  for (int32_t i = 0; i < call.opened; ++i)
    array_view_close(&call.views[i]);
  for (int32_t i = 0; i < call.out_opened; ++i)
    array_view_close(&call.out_views[i]);
  for (int32_t i = 0; i < call.function->result_count; ++i)
    Py_XDECREF(call.arrays[i]);
  Py_XDECREF(call.out);
  free(call.heap);
  return result;
}

/*===----------------------------------------------------------------------===*\
|* The type
\*===----------------------------------------------------------------------===*/

/* One entry of `layouts`: None, or the rank and the dimensions taken. */
static int read_layout(PyObject *entry, argument_layout *layout) {
  layout->rank = -1;
  if (entry == Py_None)
    return 0;
  int rank;
  PyObject *dims;
  if (!PyTuple_Check(entry) ||
      !PyArg_ParseTuple(entry, "iO!", &rank, &PyTuple_Type, &dims))
    return PyErr_Occurred() ? -1 : (raise_argument("a layout is a tuple"), -1);
  Py_ssize_t count = PyTuple_Size(dims);
  if (rank < 0 || rank > CODA_MAX_RANK || count > rank) {
    raise_argument("a layout of rank %d takes %zd dimensions", rank, count);
    return -1;
  }
  unsigned taken = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    long dim = PyLong_AsLong(PyTuple_GetItem(dims, i));
    if (dim < 0 || dim >= rank || taken >> dim & 1) {
      PyErr_Clear();
      raise_argument("dimension %ld in a layout of rank %d", dim, rank);
      return -1;
    }
    taken |= 1u << dim;
    layout->dims[i] = (int8_t)dim;
  }
  layout->rank = (int8_t)rank;
  layout->count = (int8_t)count;
  return 0;
}

static int fill(function_object *self, PyObject *layouts) {
  self->argument_count = coda_function_argument_count(self->parsed);
  self->result_count = coda_function_result_count(self->parsed);
  size_t count = (size_t)self->argument_count;
  self->arguments = calloc(count + 1, sizeof *self->arguments);
  if (!self->arguments)
    return PyErr_NoMemory(), -1;
  for (int32_t i = 0; i < self->argument_count; ++i) {
    coda_function_argument(self->parsed, i, &self->arguments[i]);
    self->writes |= self->arguments[i].written;
  }
  if (layouts == Py_None)
    return 0;
  if (!PyTuple_Check(layouts) ||
      PyTuple_Size(layouts) != self->argument_count) {
    raise_argument("layouts must be a tuple with an entry for each argument");
    return -1;
  }
  self->layouts = calloc(count + 1, sizeof *self->layouts);
  if (!self->layouts)
    return PyErr_NoMemory(), -1;
  for (int32_t i = 0; i < self->argument_count; ++i)
    if (read_layout(PyTuple_GetItem(layouts, i), &self->layouts[i]))
      return -1;
  return 0;
}

static PyObject *function_new(PyTypeObject *type, PyObject *args,
                              PyObject *named) {
  static char *names[] = {"program", "index", "layouts", NULL};
  program_object *program;
  PyObject *layouts = Py_None;
  int index;
  if (!PyArg_ParseTupleAndKeywords(args, named, "O!i|O:Function", names,
                                   program_type, &program, &index, &layouts))
    return NULL;
  const coda_function *parsed = coda_module_function(program->parsed, index);
  if (!parsed)
    return raise_argument("there is no function %d", index);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  function_object *self = (function_object *)allocate(type, 0);
  if (!self)
    return NULL;
  self->program = (program_object *)Py_NewRef((PyObject *)program);
  self->parsed = parsed;
  self->index = index;
  if (fill(self, layouts)) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static void function_dealloc(PyObject *object) {
  function_object *self = (function_object *)object;
  free(self->arguments);
  free(self->layouts);
  Py_XDECREF((PyObject *)self->program);
  PyTypeObject *type = Py_TYPE(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "A function of a program; call it with its arguments."},
    {Py_tp_new, function_new},
    {Py_tp_dealloc, function_dealloc},
    {Py_tp_call, function_call},
    {0, NULL}};
static PyType_Spec spec = {"coda._launch.Function", sizeof(function_object), 0,
                           Py_TPFLAGS_DEFAULT, slots};

int add_function_type(PyObject *module) {
  function_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return function_type ? PyModule_AddType(module, function_type) : -1;
}
