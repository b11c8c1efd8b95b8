/*===- Function.c - Calling a compiled function ---------------------------===*/

#include "Program.h"

#include <stdlib.h>
#include <string.h>

enum { INLINE_ARGUMENTS = 16, INLINE_RESULTS = 8 };

PyTypeObject *function_type;

/* One call. */
typedef struct {
  function_object *function;
  PyObject *args; /* the tuple */
  PyObject *out;  /* a tuple or list as long as the results, or NULL */
  int32_t opened; /* views that are to be closed */
  coda_value *values;
  array_view *views;
  coda_result_info *infos;
  void **results;
  PyObject **arrays; /* results as Python objects */
  /* The first array, whose library the results are of. */
  int32_t like;
  PyObject *like_object;
  array_view *like_view;
  dl_device device;
  bool stream_given;
  void *stream;
  /* The results that the caller gave. */
  array_view *out_views;
  int32_t out_opened;
  void *heap;
  coda_value inline_values[INLINE_ARGUMENTS];
  array_view inline_views[INLINE_ARGUMENTS + INLINE_RESULTS];
  coda_result_info inline_infos[INLINE_RESULTS];
  void *inline_results[INLINE_RESULTS];
  PyObject *inline_arrays[INLINE_RESULTS];
} call_state;

/*===----------------------------------------------------------------------===*\
|* Arguments
\*===----------------------------------------------------------------------===*/

static int read_scalar(call_state *call, int32_t index, PyObject *given) {
  const coda_argument_info *expected = &call->function->arguments[index];
  coda_value *value = &call->values[index];
  value->type = expected->type;
  value->rank = CODA_SCALAR;
  if (expected->type >= CODA_F16) {
    value->u.real = PyFloat_AsDouble(given);
  } else {
    PyObject *number = PyNumber_Index(given);
    value->u.integer = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
  }
  if (!PyErr_Occurred())
    return 0;
  PyErr_Clear();
  PyObject *name = PyType_GetName(Py_TYPE(given));
  if (PyLong_Check(given))
    raise_about(call->function, index, "%R does not fit 64 bits", given);
  else
    raise_about(call->function, index,
                "expected a number of type %s, but got %U",
                array_type_name(expected->type), name);
  Py_XDECREF(name);
  return -1;
}

static const char *device_name(int32_t type) {
  switch (type) {
  case DL_CPU:
    return "the CPU";
  case DL_CUDA_HOST:
    return "the CPU (pinned)";
  default:
    return "a device that is not CUDA's";
  }
}

/* Takes the dimensions that the layout names. */
static int apply_layout(const call_state *call, int32_t index,
                        array_view *view) {
  const argument_layout *layout = &call->function->layouts[index];
  coda_value *value = &view->value;
  if (layout->rank < 0)
    return 0;
  if (value->rank != layout->rank) {
    raise_about(call->function, index, "rank must be %d, but is %d",
                (int)layout->rank, (int)value->rank);
    return -1;
  }
  int64_t shape[CODA_MAX_RANK], strides[CODA_MAX_RANK];
  unsigned taken = 0;
  for (int8_t i = 0; i < layout->count; ++i) {
    int8_t d = layout->dims[i];
    shape[i] = value->shape[d];
    strides[i] = array_stride(value, d);
    taken |= 1u << d;
  }
  for (int32_t d = 0; d < value->rank; ++d) {
    if (taken >> d & 1 || value->shape[d] == 1)
      continue;
    raise_about(call->function, index,
                "size of dimension %d must be 1, but is %lld", (int)d,
                (long long)value->shape[d]);
    return -1;
  }
  memcpy(view->shape, shape, sizeof shape);
  memcpy(view->strides, strides, sizeof strides);
  value->shape = view->shape;
  value->strides = view->strides;
  value->rank = layout->count;
  return 0;
}

static int check_device(call_state *call, const array_view *view,
                        const char *kind, int32_t index) {
  int32_t type = view->device.type;
  if (type != DL_CUDA && type != DL_CUDA_MANAGED) {
    if (!kind)
      raise_about(call->function, index,
                  "expected an array on a GPU, but it is on %s",
                  device_name(type));
    else
      raise_argument("function '%s': %s %d: expected an array on a GPU, but it "
                     "is on %s",
                     coda_function_name(call->function->parsed), kind,
                     (int)index, device_name(type));
    return -1;
  }
  if (type == DL_CUDA && view->device.id >= 0) {
    if (call->device.id < 0) {
      call->device = view->device;
    } else if (call->device.id != view->device.id) {
      if (!kind)
        raise_about(call->function, index,
                    "expected an array on GPU %d, as those before it, but it "
                    "is on GPU %d",
                    (int)call->device.id, (int)view->device.id);
      else
        raise_argument("function '%s': %s %d: expected an array on GPU %d, but "
                       "it is on GPU %d",
                       coda_function_name(call->function->parsed), kind,
                       (int)index, (int)call->device.id, (int)view->device.id);
      return -1;
    }
  }
  return 0;
}

static int read_array(call_state *call, int32_t index, PyObject *given) {
  array_view *view = &call->views[index];
  if (array_view_open(given, call->stream, view))
    return raise_about(call->function, index, NULL), -1;
  if (check_device(call, view, NULL, index) ||
      (call->function->layouts && apply_layout(call, index, view)))
    return -1;
  if (view->read_only && call->function->arguments[index].written) {
    raise_about(call->function, index,
                "the function writes to it, but it is read-only");
    return -1;
  }
  call->values[index] = view->value;
  if (call->like < 0) {
    call->like = index;
    call->like_object = given;
    call->like_view = view;
    if (!call->stream_given && array_current_stream(view, &call->stream))
      return -1;
  }
  return 0;
}

/* Arrays behind a capsule wait for the stream of the others. */
static bool comes_last(PyObject *given) {
  return array_find_adapter(given)->kind == ADAPTER_CAPSULE;
}

static int read_arguments(call_state *call) {
  const function_object *function = call->function;
  Py_ssize_t count = PyTuple_Size(call->args);
  if (count != function->argument_count) {
    raise_argument("function '%s' takes %d argument%s, but got %zd",
                   coda_function_name(function->parsed),
                   (int)function->argument_count,
                   function->argument_count == 1 ? "" : "s", count);
    return -1;
  }
  for (int32_t i = 0; i < function->argument_count; ++i) {
    call->views[i].managed = NULL;
    call->views[i].managed_versioned = NULL;
  }
  call->opened = function->argument_count;
  bool late = false;
  for (int32_t i = 0; i < function->argument_count; ++i) {
    PyObject *given = PyTuple_GetItem(call->args, i);
    if (function->arguments[i].rank == CODA_SCALAR) {
      if (read_scalar(call, i, given))
        return -1;
    } else if (comes_last(given)) {
      late = true;
    } else if (read_array(call, i, given)) {
      return -1;
    }
  }
  for (int32_t i = 0; late && i < function->argument_count; ++i) {
    PyObject *given = PyTuple_GetItem(call->args, i);
    if (function->arguments[i].rank != CODA_SCALAR && comes_last(given) &&
        read_array(call, i, given))
      return -1;
  }
  return 0;
}

/* What is written must not share memory with anything else. */
static int check_overlap(call_state *call) {
  function_object *f = call->function;
  for (int32_t i = 0; f->writes && i < f->argument_count; ++i) {
    if (!f->arguments[i].written || f->arguments[i].rank == CODA_SCALAR)
      continue;
    for (int32_t j = 0; j < f->argument_count; ++j) {
      if (i == j || f->arguments[j].rank == CODA_SCALAR ||
          !array_overlap(&call->values[i], &call->values[j]))
        continue;
      raise_about(f, i, "it is written, but shares memory with argument %d",
                  (int)j);
      return -1;
    }
  }
  for (int32_t i = 0; i < call->out_opened; ++i) {
    if (!call->out_views[i].adapter)
      continue;
    const coda_value *out = &call->out_views[i].value;
    const char *name = coda_function_name(f->parsed);
    for (int32_t j = 0; j < f->argument_count; ++j) {
      if (f->arguments[j].rank == CODA_SCALAR ||
          !array_overlap(out, &call->values[j]))
        continue;
      const char *argument = f->arguments[j].name;
      raise_argument("function '%s': out %d shares memory with argument %d%s%s"
                     "%s",
                     name, (int)i, (int)j, argument ? " '" : "",
                     argument ? argument : "", argument ? "'" : "");
      return -1;
    }
    for (int32_t j = 0; j < i; ++j) {
      if (!call->out_views[j].adapter ||
          !array_overlap(out, &call->out_views[j].value))
        continue;
      raise_argument("function '%s': out %d shares memory with out %d", name,
                     (int)i, (int)j);
      return -1;
    }
  }
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* Results
\*===----------------------------------------------------------------------===*/

static int open_outs(call_state *call) {
  int32_t count = call->function->result_count;
  if (!call->out)
    return 0;
  for (int32_t i = 0; i < count; ++i)
    memset(&call->out_views[i], 0, sizeof call->out_views[i]);
  call->out_opened = count;
  for (int32_t i = 0; i < count; ++i) {
    PyObject *given = PySequence_GetItem(call->out, i);
    if (!given)
      return -1;
    Py_DECREF(given); /* `out` holds it */
    if (given == Py_None)
      continue;
    array_view *view = &call->out_views[i];
    if (array_view_open(given, call->stream, view)) {
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      raise_argument("function '%s': out %d: %S",
                     coda_function_name(call->function->parsed), (int)i,
                     value ? value : Py_None);
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(trace);
      return -1;
    }
    if (check_device(call, view, "out", i))
      return -1;
    if (view->read_only) {
      raise_argument("function '%s': out %d is read-only",
                     coda_function_name(call->function->parsed), (int)i);
      return -1;
    }
    if (!call->like_view) {
      call->like_view = view;
      call->like_object = given;
      if (!call->stream_given && array_current_stream(view, &call->stream))
        return -1;
    }
  }
  return 0;
}

static PyObject *make_extent_tuple(const int64_t *extents, int32_t rank) {
  PyObject *tuple = PyTuple_New(rank);
  for (int32_t d = 0; tuple && d < rank; ++d)
    if (PyTuple_SetItem(tuple, d, PyLong_FromLongLong(extents[d])))
      Py_CLEAR(tuple);
  return tuple;
}

static int check_out(const call_state *call, int32_t index) {
  const coda_result_info *info = &call->infos[index];
  const coda_value *value = &call->out_views[index].value;
  const char *name = coda_function_name(call->function->parsed);
  if (value->type != info->type) {
    raise_argument("function '%s': out %d: element type must be %s, but is %s",
                   name, (int)index, array_type_name(info->type),
                   array_type_name(value->type));
    return -1;
  }
  if (value->rank != info->rank ||
      memcmp(value->shape, info->shape, sizeof(int64_t) * (size_t)info->rank)) {
    PyObject *expected = make_extent_tuple(info->shape, info->rank);
    PyObject *given = make_extent_tuple(value->shape, value->rank);
    if (expected && given)
      raise_argument("function '%s': out %d: shape must be %R, but is %R", name,
                     (int)index, expected, given);
    Py_XDECREF(expected);
    Py_XDECREF(given);
    return -1;
  }
  if (array_is_empty(value))
    return 0;
  for (int32_t d = 0; d < info->rank; ++d) {
    int64_t stride = array_stride(value, d);
    if (info->shape[d] <= 1 || stride == info->strides[d])
      continue;
    raise_argument("function '%s': out %d: stride %d must be %lld, but is %lld",
                   name, (int)index, (int)d, (long long)info->strides[d],
                   (long long)stride);
    return -1;
  }
  if (!value->u.data) {
    raise_argument("function '%s': out %d: its address is null", name,
                   (int)index);
    return -1;
  }
  return 0;
}

static int place_results(call_state *call, coda_module *module) {
  for (int32_t i = 0; i < call->function->result_count; ++i) {
    const coda_result_info *info = &call->infos[i];
    if (info->argument >= 0) {
      call->results[i] = NULL;
      call->arrays[i] = Py_NewRef(PyTuple_GetItem(call->args, info->argument));
      continue;
    }
    if (call->out && call->out_views[i].adapter) {
      if (check_out(call, i))
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
  if ((call->out || function->writes) && check_overlap(call))
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
  if ((!named || !read_named(&call, named)) && !read_arguments(&call) &&
      !open_outs(&call)) {
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
