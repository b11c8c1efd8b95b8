/*===- Function.c - Calling a compiled function ---------------------------===*/

#include "Call.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *function_type;

/*===----------------------------------------------------------------------===*\
|* Results
\*===----------------------------------------------------------------------===*/

static int place_results(call_state *call) {
  for (int32_t i = 0; i < call->function->result_count; ++i) {
    const coda_result_info *info = &call->infos[i];
    if (info->argument >= 0) {
      call->results[i] = NULL;
      call->arrays[i] = Py_NewRef(call->args[info->argument]);
      continue;
    }
    if (call->out && call->out_views[i].adapter) {
      if (call_check_out(call, i))
        return -1;
      call->results[i] = call->out_views[i].value.u.data;
      call->arrays[i] = Py_NewRef(call_get_out(call, i));
      continue;
    }
    call->arrays[i] = result_allocate(
        call->like_view, call->like_object, call->function->program,
        call->module, call->device, info, call->stream, &call->results[i]);
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

/* A coda_placement. Returns without the GIL, unless it fails: then with an
 * exception. */
static coda_status place(void *context, size_t bytes, void **workspace) {
  call_state *call = context;
  if (((call->out || call->function->writes) && call_check_overlap(call)) ||
      place_results(call))
    return CODA_INVALID_ARGUMENT;
  /* The library's pool is reused in the order of its current stream. */
  if (bytes && !call->stream_given && call->like_view) {
    call->pool = workspace_allocate(call->like_view, call->device, bytes + 255);
    if (call->pool)
      *workspace = (void *)(((uintptr_t)call->pool->tensor.data +
                             call->pool->tensor.byte_offset + 255) &
                            ~(uintptr_t)255);
    else if (PyErr_Occurred())
      return CODA_OUT_OF_MEMORY;
  }
  call->released = PyEval_SaveThread();
  return CODA_OK;
}

/* Whether an owner does not know of the stream: it may reuse its memory as soon
 * as nobody holds the array. */
static bool is_foreign(const call_state *call) {
  bool foreign = false;
  for (int32_t i = 0; i < call->opened; ++i)
    foreign |= call->views[i].managed || call->views[i].managed_versioned;
  for (int32_t i = 0; i < call->out_opened; ++i)
    foreign |=
        call->out_views[i].managed || call->out_views[i].managed_versioned;
  return foreign;
}

static PyObject *launch(call_state *call) {
  function_object *function = call->function;
  char message[MESSAGE_SIZE];
  message[0] = 0;
  call->module = program_load(function->program, call->device.id);
  if (!call->module)
    return NULL;
  coda_status status = coda_function_call(
      coda_module_function(call->module, function->index), call->values,
      function->argument_count, call->infos, call->results, place, call,
      call->stream, message, sizeof message);
  if (call->released) {
    if (!status && is_foreign(call))
      status =
          coda_synchronize(call->module, call->stream, message, sizeof message);
    PyEval_RestoreThread(call->released);
  }
  if (call->pool && call->pool->deleter)
    call->pool->deleter(call->pool);
  if (PyErr_Occurred())
    return NULL;
  return status ? raise_status(status, message) : finish_results(call);
}

static int read_stream(call_state *call, PyObject *value) {
  PyObject *address = array_attribute(value, "cuda_stream");
  if (!address && !PyErr_Occurred())
    address = array_attribute(value, "ptr");
  if (!address && !PyErr_Occurred())
    address = Py_NewRef(value);
  bool is_number = address && PyLong_Check(address) && !PyBool_Check(address);
  call->stream = is_number ? PyLong_AsVoidPtr(address) : NULL;
  Py_XDECREF(address);
  if (!is_number || PyErr_Occurred() || (intptr_t)call->stream < 0) {
    PyErr_Clear();
    raise_argument("function '%s': stream: expected an address or an "
                   "object with cuda_stream or ptr, but got %R",
                   coda_function_name(call->function->parsed), value);
    return -1;
  }
  call->stream_given = true;
  return 0;
}

static int read_out(call_state *call, PyObject *value) {
  int32_t count = call->function->result_count;
  Py_ssize_t given = 1;
  if (PyTuple_Check(value) || PyList_Check(value)) {
    call->out = PySequence_Tuple(value);
    if (!call->out)
      return -1;
    given = PyTuple_Size(call->out);
  } else {
    call->out = Py_NewRef(value);
    call->one_out = true;
  }
  if (given == count)
    return 0;
  raise_argument("function '%s' has %d result%s, but out has %zd",
                 coda_function_name(call->function->parsed), (int)count,
                 count == 1 ? "" : "s", given);
  return -1;
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

PyObject *function_invoke(function_object *function, PyObject *const *args,
                          Py_ssize_t count, array_view *views, PyObject *stream,
                          PyObject *out) {
  call_state call;
  call.function = function;
  call.args = args;
  call.arg_count = count;
  call.out = NULL;
  call.one_out = false;
  call.opened = call.out_opened = 0;
  call.like = -1;
  call.like_object = NULL;
  call.like_view = NULL;
  call.device.type = DL_CUDA;
  call.device.id = -1;
  call.stream_given = false;
  call.stream = NULL;
  call.pool = NULL;
  call.released = NULL;
  if (!make_room(&call))
    return PyErr_NoMemory();
  call.read_before = views && count == function->argument_count;
  if (call.read_before)
    call.views = views;
  PyObject *result = NULL;
  if ((stream == Py_None || !read_stream(&call, stream)) &&
      (out == Py_None || !read_out(&call, out)) &&
      !call_read_arguments(&call) && !call_read_outs(&call)) {
    char message[MESSAGE_SIZE];
    message[0] = 0;
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
  for (int32_t i = 0; i < function->result_count; ++i)
    Py_XDECREF(call.arrays[i]);
  Py_XDECREF(call.out);
  free(call.heap);
  return result;
}

/* One keyword argument. */
static int read_named(const function_object *function, PyObject *key,
                      PyObject *value, PyObject **stream, PyObject **out) {
  if (!PyUnicode_CompareWithASCIIString(key, "stream")) {
    *stream = value;
  } else if (!PyUnicode_CompareWithASCIIString(key, "out")) {
    *out = value;
  } else {
    raise_argument("function '%s' has no keyword argument %R; it takes stream "
                   "and out",
                   coda_function_name(function->parsed), key);
    return -1;
  }
  return 0;
}

static PyObject *function_call(PyObject *self, PyObject *args,
                               PyObject *named) {
  function_object *function = (function_object *)self;
  PyObject *stream = Py_None, *out = Py_None, *key, *value;
  Py_ssize_t position = 0, count = PyTuple_Size(args);
  while (named && PyDict_Next(named, &position, &key, &value))
    if (read_named(function, key, value, &stream, &out))
      return NULL;
  PyObject *few[INLINE_ARGUMENTS], **items = few;
  if (count > INLINE_ARGUMENTS) {
    items = malloc((size_t)count * sizeof *items);
    if (!items)
      return PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    items[i] = PyTuple_GetItem(args, i);
  PyObject *result = function_invoke(function, items, count, NULL, stream, out);
  if (items != few)
    free(items);
  return result;
}

/* The same without the tuple and the dict. */
static PyObject *function_raw(PyObject *self, PyObject *const *args,
                              Py_ssize_t count, PyObject *names) {
  function_object *function = (function_object *)self;
  PyObject *stream = Py_None, *out = Py_None;
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i)
    if (read_named(function, PyTuple_GetItem(names, i), args[count + i],
                   &stream, &out))
      return NULL;
  return function_invoke(function, args, count, NULL, stream, out);
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
      !PyArg_ParseTuple(entry, "iO!", &rank, &PyTuple_Type, &dims)) {
    PyErr_Clear();
    raise_argument("a layout is None or (rank, dims), but not %R", entry);
    return -1;
  }
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
      raise_argument("dimension %R in a layout of rank %d",
                     PyTuple_GetItem(dims, i), rank);
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

static PyMethodDef methods[] = {
    {"raw", (PyCFunction)(void (*)(void))function_raw,
     METH_FASTCALL | METH_KEYWORDS,
     "raw(*arguments, stream=None, out=None): the same as a call."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "A function of a program."},
                              {Py_tp_new, function_new},
                              {Py_tp_dealloc, function_dealloc},
                              {Py_tp_call, function_call},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"coda._launch.Function", sizeof(function_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int add_function_type(PyObject *module) {
  function_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return function_type ? PyModule_AddType(module, function_type) : -1;
}
