/*===- Arguments.c - What a function is called with
 * ------------------------===*/

#include "Call.h"

#include <string.h>

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
  /* A capsule is made for the stream. */
  if ((!call->read_before || view->adapter->kind == ADAPTER_CAPSULE) &&
      array_view_open(given, call->stream, view))
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
  /* The stream is that of what is read first. */
  if (call->like < 0 && !call->stream_given &&
      array_current_stream(view, &call->stream))
    return -1;
  if (call->like < 0 || index < call->like) {
    call->like = index;
    call->like_object = given;
    call->like_view = view;
  }
  return 0;
}

/* Arrays behind a capsule wait for the stream of the others. */
static bool comes_last(PyObject *given) {
  return array_find_adapter(given)->kind == ADAPTER_CAPSULE;
}

int call_read_arguments(call_state *call) {
  const function_object *function = call->function;
  Py_ssize_t count = call->arg_count;
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
    PyObject *given = call->args[i];
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
    PyObject *given = call->args[i];
    if (function->arguments[i].rank != CODA_SCALAR && comes_last(given) &&
        read_array(call, i, given))
      return -1;
  }
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* Given results
\*===----------------------------------------------------------------------===*/

PyObject *call_get_out(const call_state *call, int32_t index) {
  return call->one_out ? call->out : PyTuple_GetItem(call->out, index);
}

int call_read_outs(call_state *call) {
  int32_t count = call->function->result_count;
  if (!call->out)
    return 0;
  for (int32_t i = 0; i < count; ++i)
    memset(&call->out_views[i], 0, sizeof call->out_views[i]);
  call->out_opened = count;
  for (int32_t i = 0; i < count; ++i) {
    PyObject *given = call_get_out(call, i);
    if (given == Py_None)
      continue;
    array_view *view = &call->out_views[i];
    if (array_view_open(given, call->stream, view)) {
      if (!array_may_replace_error())
        return -1;
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

int call_check_out(const call_state *call, int32_t index) {
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

int call_check_overlap(call_state *call) {
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
