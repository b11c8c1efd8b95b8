/*===- Manifest.c - Compiles a manifest to a launch plan ------------------===*/
/*
 * Everything that the JSON says is checked here, once: after this no index is
 * out of range, values refer to earlier values only, and types agree.
 */

#include "Json.h"

#include <stdlib.h>
#include <string.h>

enum {
  FORMAT_VERSION = 1,
  MAX_FUNCTIONS = 4096,
  MAX_ENTRIES = 65536, /* of values, steps, checks, buffers */
  MAX_ARGUMENTS = 1024,
  MAX_RESULTS = 64,
  /* CUDA passes at most 32764 bytes of parameters to a kernel. */
  MAX_PARAMS = 4096
};

#define FAIL(...) coda_reader_fail(r, CODA_INVALID_MANIFEST, __VA_ARGS__)

/*===----------------------------------------------------------------------===*\
|* References to values
\*===----------------------------------------------------------------------===*/

/* The index of an earlier value of `width` bits (0: any integer). */
static int32_t read_value(coda_reader *r, const coda_function *f,
                          const cJSON *item, int32_t limit, int width) {
  if (!limit) {
    FAIL("refers to a value, but there is none before it");
    return 0;
  }
  int32_t index = (int32_t)coda_read_integer(r, item, 0, limit - 1);
  if (!r->status && width && f->values[index].width != width)
    FAIL("value %d must be an i%d, but is an i%d", (int)index, width,
         (int)f->values[index].width);
  return index;
}

static int32_t read_member_value(coda_reader *r, const coda_function *f,
                                 const cJSON *object, const char *name,
                                 int width) {
  size_t place = coda_enter(r, name, 0);
  int32_t index = read_value(r, f, coda_member(object, name), f->value_count,
                             width);
  coda_leave(r, place);
  return index;
}

/* An array of `count` values into `out`. */
static void read_values(coda_reader *r, const coda_function *f,
                        const cJSON *object, const char *name, int32_t limit,
                        int32_t *count, int32_t *out, int width) {
  const cJSON *item, *array = coda_read_array(r, object, name, limit, count);
  if (!array)
    return;
  size_t place = coda_enter(r, name, 0);
  int32_t i = 0;
  cJSON_ArrayForEach(item, array) {
    size_t inner = coda_enter(r, NULL, i);
    out[i++] = read_value(r, f, item, f->value_count, width);
    coda_leave(r, inner);
  }
  coda_leave(r, place);
}

static void read_when(coda_reader *r, const coda_function *f,
                      const cJSON *object, coda_when *when) {
  if (!coda_member(object, "when"))
    return;
  int32_t count;
  if (!coda_read_array(r, object, "when", MAX_ENTRIES, &count))
    return;
  when->values = coda_reader_allocate(r, count, sizeof *when->values);
  if (!when->values)
    return;
  read_values(r, f, object, "when", count, &when->count, when->values, 1);
}

/* Whether the address of a buffer decides `when`. */
static bool when_is_late(const coda_function *f, const coda_when *when) {
  for (int32_t i = 0; i < when->count; ++i)
    if (f->values[when->values[i]].late)
      return true;
  return false;
}

/*===----------------------------------------------------------------------===*\
|* Arguments and values
\*===----------------------------------------------------------------------===*/

static void read_extents(coda_reader *r, const cJSON *object, const char *name,
                         int64_t *out, int64_t low, int32_t *rank) {
  const cJSON *item,
      *array = coda_read_array(r, object, name, CODA_MAX_RANK, rank);
  size_t place = coda_enter(r, name, 0);
  int32_t i = 0;
  cJSON_ArrayForEach(item, array) {
    size_t inner = coda_enter(r, NULL, i);
    out[i++] = cJSON_IsNull(item) ? CODA_DYNAMIC
                                  : coda_read_integer(r, item, low, INT64_MAX);
    coda_leave(r, inner);
  }
  coda_leave(r, place);
}

static void read_argument(coda_reader *r, const cJSON *json,
                          coda_argument *argument) {
  if (coda_member(json, "name"))
    argument->name = coda_copy_string(r, coda_read_string(r, json, "name"));
  const char *kind = coda_read_string(r, json, "kind");
  if (!strcmp(kind, "scalar")) {
    argument->rank = CODA_SCALAR;
    argument->type = coda_read_type(r, json, "type");
    if (argument->type >= CODA_F8E4M3FN)
      FAIL("a number cannot be of type %s", coda_type_name(argument->type));
    return;
  }
  if (strcmp(kind, "tensor")) {
    FAIL("kind must be 'tensor' or 'scalar', but is '%.40s'", kind);
    return;
  }
  argument->type = coda_read_type(r, json, "element_type");
  argument->written = cJSON_IsTrue(coda_member(json, "written"));
  int32_t strides;
  read_extents(r, json, "shape", argument->shape, 0, &argument->rank);
  read_extents(r, json, "strides", argument->strides, 0, &strides);
  if (strides != argument->rank)
    FAIL("has %d sizes, but %d strides", (int)argument->rank, (int)strides);
}

static const struct {
  const char *name;
  int8_t operands;
} operations[OP_COUNT] = {
    {"constant", 0}, {"size", 0},     {"stride", 0},
    {"pointer", 0},  {"buffer", 0},   {"scalar", 0},
    {"multiprocessor_count", 0},      {"addi", 2},
    {"subi", 2},     {"muli", 2},     {"divsi", 2},
    {"divui", 2},    {"ceildivsi", 2}, {"ceildivui", 2},
    {"floordivsi", 2}, {"remsi", 2},  {"remui", 2},
    {"andi", 2},     {"ori", 2},      {"xori", 2},
    {"shli", 2},     {"shrsi", 2},    {"shrui", 2},
    {"minsi", 2},    {"maxsi", 2},    {"minui", 2},
    {"maxui", 2},    {"cmpi", 2},     {"select", 3},
    {"extsi", 1},    {"extui", 1},    {"trunci", 1}};

static const char *const predicates[CMP_COUNT] = {
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

/* What an argument, size or stride entry refers to. */
static void read_source(coda_reader *r, const coda_function *f,
                        const cJSON *json, coda_expr *e) {
  if (!f->argument_count) {
    FAIL("refers to an argument, but there is none");
    return;
  }
  e->a = (int32_t)coda_read_member_integer(r, json, "argument", 0,
                                           f->argument_count - 1);
  if (r->status)
    return;
  const coda_argument *argument = &f->arguments[e->a];
  if (e->op == OP_SCALAR) {
    if (argument->rank != CODA_SCALAR ||
        coda_type_width(argument->type) != e->width)
      FAIL("argument %d is not a number of type i%d", (int)e->a, (int)e->width);
    return;
  }
  if (argument->rank == CODA_SCALAR) {
    FAIL("argument %d is a number", (int)e->a);
    return;
  }
  if (e->op == OP_POINTER)
    return;
  if (!argument->rank) {
    FAIL("argument %d has no dimension", (int)e->a);
    return;
  }
  e->b = (int32_t)coda_read_member_integer(r, json, "dimension", 0,
                                           argument->rank - 1);
}

/* The operands, whose types must agree with the operation's. */
static void read_operands(coda_reader *r, const coda_function *f,
                          const cJSON *json, int32_t index, coda_expr *e) {
  int32_t count, *out[3] = {&e->a, &e->b, &e->c}, i = 0;
  const cJSON *item, *array = coda_read_array(r, json, "operands", 3, &count);
  if (!array)
    return;
  if (count != operations[e->op].operands) {
    FAIL("%s takes %d operands, but has %d", operations[e->op].name,
         (int)operations[e->op].operands, (int)count);
    return;
  }
  cJSON_ArrayForEach(item, array) {
    size_t place = coda_enter(r, "operands", 0);
    size_t inner = coda_enter(r, NULL, i);
    int width = e->width;
    if (e->op == OP_CMPI)
      width = i ? f->values[e->a].width : 0;
    else if (e->op == OP_SELECT && i == 0)
      width = 1;
    else if (e->op >= OP_EXTSI)
      width = 0;
    *out[i] = read_value(r, f, item, index, width);
    coda_leave(r, inner);
    coda_leave(r, place);
    if (r->status)
      return;
    e->late |= f->values[*out[i]].late;
    ++i;
  }
  if (e->op == OP_CMPI && e->width != 1)
    FAIL("cmpi gives an i1, not an i%d", (int)e->width);
  int from = e->op >= OP_EXTSI ? f->values[e->a].width : 0;
  if (((e->op == OP_EXTSI || e->op == OP_EXTUI) && from >= e->width) ||
      (e->op == OP_TRUNCI && from <= e->width))
    FAIL("%s from i%d to i%d", operations[e->op].name, from, (int)e->width);
}

static void read_expression(coda_reader *r, const coda_function *f,
                            const cJSON *json, int32_t index, coda_expr *e) {
  const char *name = coda_read_string(r, json, "op");
  int op = 0;
  while (op < OP_COUNT && strcmp(operations[op].name, name))
    ++op;
  if (op == OP_COUNT) {
    FAIL("unknown operation '%.40s'", name);
    return;
  }
  e->op = (uint8_t)op;
  int32_t type = coda_read_type(r, json, "type");
  e->width = (uint8_t)coda_type_width(type);
  if (!e->width) {
    FAIL("a value must be an integer, not %s", coda_type_name(type));
    return;
  }
  if (op >= OP_SIZE && op <= OP_MULTIPROCESSOR_COUNT && op != OP_SCALAR &&
      e->width != 64) {
    FAIL("%s gives an i64", name);
    return;
  }
  switch (op) {
  case OP_CONSTANT: {
    int width = e->width;
    e->constant = coda_read_member_integer(
        r, json, "value",
        width == 1 ? 0 : width == 64 ? INT64_MIN : -((int64_t)1 << (width - 1)),
        width == 1    ? 1
        : width == 64 ? INT64_MAX
                      : ((int64_t)1 << (width - 1)) - 1);
    return;
  }
  case OP_MULTIPROCESSOR_COUNT:
    return;
  case OP_BUFFER:
    if (!f->buffer_count) {
      FAIL("refers to a buffer, but there is none");
      return;
    }
    e->a = (int32_t)coda_read_member_integer(r, json, "buffer", 0,
                                             f->buffer_count - 1);
    e->late = 1;
    return;
  case OP_SIZE:
  case OP_STRIDE:
  case OP_POINTER:
  case OP_SCALAR:
    read_source(r, f, json, e);
    return;
  default:
    break;
  }
  if (op == OP_CMPI) {
    const char *predicate = coda_read_string(r, json, "predicate");
    int p = 0;
    while (p < CMP_COUNT && strcmp(predicates[p], predicate))
      ++p;
    if (p == CMP_COUNT) {
      FAIL("unknown predicate '%.40s'", predicate);
      return;
    }
    e->predicate = (uint8_t)p;
  }
  read_operands(r, f, json, index, e);
}

/*===----------------------------------------------------------------------===*\
|* Buffers, results and checks
\*===----------------------------------------------------------------------===*/

static void not_late(coda_reader *r, const coda_function *f, int32_t value,
                     const char *what) {
  if (!r->status && f->values[value].late)
    FAIL("%s must not depend on the address of a buffer", what);
}

static void read_buffer(coda_reader *r, const coda_function *f,
                        const cJSON *json, coda_buffer *buffer) {
  buffer->result = -1;
  buffer->bytes = read_member_value(r, f, json, "bytes", 64);
  not_late(r, f, buffer->bytes, "bytes");
  buffer->alignment =
      coda_read_member_integer(r, json, "alignment", 1, 256);
  if (!r->status && (buffer->alignment & (buffer->alignment - 1)))
    FAIL("alignment must be a power of two");
  read_when(r, f, json, &buffer->when);
  if (!r->status && when_is_late(f, &buffer->when))
    FAIL("when must not depend on the address of a buffer");
}

static void read_result(coda_reader *r, coda_function *f, int32_t index,
                        const cJSON *json) {
  coda_result *result = &f->results[index];
  result->argument = result->buffer = -1;
  if (coda_member(json, "argument")) {
    if (!f->argument_count) {
      FAIL("refers to an argument, but there is none");
      return;
    }
    result->argument = (int32_t)coda_read_member_integer(
        r, json, "argument", 0, f->argument_count - 1);
    if (!r->status && f->arguments[result->argument].rank == CODA_SCALAR)
      FAIL("argument %d is a number", (int)result->argument);
  } else {
    if (!f->buffer_count) {
      FAIL("refers to a buffer, but there is none");
      return;
    }
    result->buffer = (int32_t)coda_read_member_integer(r, json, "buffer", 0,
                                                       f->buffer_count - 1);
    if (r->status)
      return;
    coda_buffer *buffer = &f->buffers[result->buffer];
    if (buffer->result >= 0)
      FAIL("buffer %d is already result %d", (int)result->buffer,
           (int)buffer->result);
    if (buffer->when.count)
      FAIL("buffer %d is not always allocated", (int)result->buffer);
    buffer->result = index;
  }
  result->type = coda_read_type(r, json, "element_type");
  int32_t strides = 0;
  read_values(r, f, json, "shape", CODA_MAX_RANK, &result->rank, result->shape,
              64);
  read_values(r, f, json, "strides", CODA_MAX_RANK, &strides, result->strides,
              64);
  if (!r->status && strides != result->rank)
    FAIL("has %d sizes, but %d strides", (int)result->rank, (int)strides);
  for (int32_t d = 0; !r->status && d < result->rank; ++d) {
    not_late(r, f, result->shape[d], "shape");
    not_late(r, f, result->strides[d], "strides");
  }
}

static void read_check(coda_reader *r, const coda_function *f,
                       const cJSON *json, coda_check *check) {
  check->value = read_member_value(r, f, json, "value", 1);
  check->message = coda_copy_string(r, coda_read_string(r, json, "message"));
  read_when(r, f, json, &check->when);
  if (!r->status)
    check->late = f->values[check->value].late || when_is_late(f, &check->when);
}

/*===----------------------------------------------------------------------===*\
|* Steps
\*===----------------------------------------------------------------------===*/

static void read_tensor_map(coda_reader *r, const coda_function *f,
                            const cJSON *json, coda_tensor_map *map) {
  int32_t strides = 0, box = 0, i = 0;
  map->type = coda_read_type(r, json, "element_type");
  map->pointer = read_member_value(r, f, json, "pointer", 64);
  read_values(r, f, json, "sizes", 5, &map->rank, map->sizes, 64);
  read_values(r, f, json, "strides", 4, &strides, map->strides, 64);
  const cJSON *item, *array = coda_read_array(r, json, "box", 5, &box);
  cJSON_ArrayForEach(item, array) map->box[i++] =
      (uint32_t)coda_read_integer(r, item, 1, 256);
  if (!r->status && (map->rank < 1 || strides != map->rank - 1 ||
                     box != map->rank))
    FAIL("a tensor map of %d sizes must have one stride less and as many box "
         "sizes, but has %d strides and %d box sizes",
         (int)map->rank, (int)strides, (int)box);
}

static void read_param(coda_reader *r, const coda_function *f,
                       const cJSON *json, coda_step *step, coda_param *param) {
  const char *kind = coda_read_string(r, json, "kind");
  if (!strcmp(kind, "tensor_map")) {
    param->kind = PARAM_TENSOR_MAP;
    param->tensor_map = step->tensor_map_count++;
    read_tensor_map(r, f, json, &step->tensor_maps[param->tensor_map]);
    return;
  }
  param->type = coda_read_type(r, json, "type");
  if (!strcmp(kind, "integer")) {
    param->kind = PARAM_INTEGER;
    int width = coda_type_width(param->type);
    if (!width)
      FAIL("%s is not an integer type", coda_type_name(param->type));
    param->value = read_member_value(r, f, json, "value", width);
    return;
  }
  if (strcmp(kind, "float")) {
    FAIL("kind must be 'tensor_map', 'integer' or 'float', but is '%.40s'",
         kind);
    return;
  }
  param->kind = PARAM_FLOAT;
  param->argument = -1;
  if (!coda_type_is_float(param->type) || param->type >= CODA_F8E4M3FN)
    FAIL("a number cannot be of type %s", coda_type_name(param->type));
  if (coda_member(json, "bits")) {
    const char *bits = coda_read_string(r, json, "bits");
    char *end;
    param->bits = strtoull(bits, &end, 16);
    if (end == bits || *end)
      FAIL("bits must be a hexadecimal number, but is '%.40s'", bits);
    return;
  }
  if (!f->argument_count) {
    FAIL("refers to an argument, but there is none");
    return;
  }
  param->argument = (int32_t)coda_read_member_integer(r, json, "argument", 0,
                                                      f->argument_count - 1);
  if (!r->status && (f->arguments[param->argument].rank != CODA_SCALAR ||
                     f->arguments[param->argument].type != param->type))
    FAIL("argument %d is not a number of type %s", (int)param->argument,
         coda_type_name(param->type));
}

static void read_triple(coda_reader *r, const cJSON *json, const char *name,
                        int32_t high, int32_t *out) {
  int32_t count, i = 0;
  const cJSON *item, *array = coda_read_array(r, json, name, 3, &count);
  if (array && count != 3)
    FAIL("%s must have 3 entries, but has %d", name, (int)count);
  cJSON_ArrayForEach(item, array) out[i++] =
      (int32_t)coda_read_integer(r, item, 1, high);
}

/* The kernel of the step: a new one, or one that an earlier step named. */
static void read_kernel(coda_reader *r, const cJSON *json, coda_step *step) {
  coda_module *module = r->module;
  const char *name = coda_read_string(r, json, "kernel");
  coda_kernel read = {0};
  read_triple(r, json, "block", 1024, read.threads);
  read_triple(r, json, "cluster", 16, read.cluster);
  if (r->status)
    return;
  for (int32_t i = 0; i < module->kernel_count; ++i) {
    coda_kernel *kernel = &module->kernels[i];
    if (strcmp(kernel->name, name))
      continue;
    if (memcmp(kernel->threads, read.threads, sizeof read.threads) ||
        memcmp(kernel->cluster, read.cluster, sizeof read.cluster))
      FAIL("kernel '%.80s' is launched with different blocks or clusters",
           name);
    step->kernel = i;
    return;
  }
  read.name = coda_copy_string(r, name);
  step->kernel = module->kernel_count;
  module->kernels[module->kernel_count++] = read;
}

static void read_step(coda_reader *r, const coda_function *f,
                      const cJSON *json, coda_step *step) {
  read_when(r, f, json, &step->when);
  const char *kind = coda_read_string(r, json, "kind");
  if (!strcmp(kind, "copy")) {
    step->copy = true;
    step->source = read_member_value(r, f, json, "source", 64);
    step->destination = read_member_value(r, f, json, "destination", 64);
    step->bytes = read_member_value(r, f, json, "bytes", 64);
    return;
  }
  if (strcmp(kind, "launch")) {
    FAIL("kind must be 'launch' or 'copy', but is '%.40s'", kind);
    return;
  }
  read_kernel(r, json, step);
  int32_t count = 0, i = 0;
  read_values(r, f, json, "grid", 3, &count, step->grid, 64);
  if (!r->status && count != 3)
    FAIL("grid must have 3 entries, but has %d", (int)count);
  step->shared_memory = -1;
  if (coda_member(json, "shared_memory"))
    step->shared_memory = read_member_value(r, f, json, "shared_memory", 0);
  const cJSON *item, *array = coda_read_array(r, json, "arguments", MAX_PARAMS,
                                              &step->param_count);
  step->params = coda_reader_allocate(r, step->param_count, sizeof(coda_param));
  step->tensor_maps =
      coda_reader_allocate(r, step->param_count, sizeof(coda_tensor_map));
  if (r->status)
    return;
  cJSON_ArrayForEach(item, array) {
    size_t place = coda_enter(r, "arguments", 0);
    size_t inner = coda_enter(r, NULL, i);
    read_param(r, f, item, step, &step->params[i++]);
    coda_leave(r, inner);
    coda_leave(r, place);
    if (r->status)
      return;
  }
}

/*===----------------------------------------------------------------------===*\
|* Functions and the whole
\*===----------------------------------------------------------------------===*/

/* Reads each entry of array `name` of `json` with `CALL`, in which `item` is the
 * entry and `i` its number. */
#define FOR_EACH(NAME, ARRAY, CALL)                                            \
  do {                                                                         \
    const cJSON *item;                                                         \
    int32_t i = 0;                                                             \
    size_t place = coda_enter(r, NAME, 0);                                     \
    cJSON_ArrayForEach(item, ARRAY) {                                          \
      size_t inner = coda_enter(r, NULL, i);                                   \
      if (!r->status && !cJSON_IsObject(item))                                 \
        FAIL("must be an object");                                             \
      if (r->status)                                                           \
        return;                                                                \
      CALL;                                                                    \
      if (r->status)                                                           \
        return;                                                                \
      coda_leave(r, inner);                                                    \
      ++i;                                                                     \
    }                                                                          \
    coda_leave(r, place);                                                      \
  } while (0)

static void read_function(coda_reader *r, const cJSON *json, coda_function *f) {
  f->module = r->module;
  f->name = coda_copy_string(r, coda_read_string(r, json, "name"));
  int32_t values;
#define ARRAY(NAME, LIMIT, COUNT, FIELD)                                       \
  const cJSON *NAME##_json = coda_read_array(r, json, #NAME, LIMIT, COUNT);    \
  if (r->status)                                                               \
    return;                                                                    \
  f->FIELD = coda_reader_allocate(r, *(COUNT), sizeof *f->FIELD);              \
  if (r->status)                                                               \
  return
  ARRAY(arguments, MAX_ARGUMENTS, &f->argument_count, arguments);
  ARRAY(values, MAX_ENTRIES, &values, values);
  ARRAY(buffers, MAX_ENTRIES, &f->buffer_count, buffers);
  ARRAY(results, MAX_RESULTS, &f->result_count, results);
  ARRAY(checks, MAX_ENTRIES, &f->check_count, checks);
  ARRAY(steps, MAX_ENTRIES, &f->step_count, steps);
#undef ARRAY
  FOR_EACH("arguments", arguments_json,
           read_argument(r, item, &f->arguments[i]));
  FOR_EACH("values", values_json,
           read_expression(r, f, item, i, &f->values[i]));
  f->value_count = values;
  FOR_EACH("buffers", buffers_json, read_buffer(r, f, item, &f->buffers[i]));
  FOR_EACH("results", results_json, read_result(r, f, i, item));
  FOR_EACH("checks", checks_json, read_check(r, f, item, &f->checks[i]));
  FOR_EACH("steps", steps_json, read_step(r, f, item, &f->steps[i]));
  for (int32_t i = 0; i < f->step_count; ++i) {
    const coda_step *step = &f->steps[i];
    if (step->param_count > f->max_params)
      f->max_params = step->param_count;
    if (step->tensor_map_count > f->max_tensor_maps)
      f->max_tensor_maps = step->tensor_map_count;
  }
}

/* Launches in the whole manifest: no more kernels than that. */
static int32_t count_steps(const cJSON *functions) {
  const cJSON *function, *step;
  int32_t count = 0;
  cJSON_ArrayForEach(function, functions) {
    cJSON_ArrayForEach(step, coda_member(function, "steps")) {
      if (count < MAX_ENTRIES * 16)
        ++count;
    }
  }
  return count;
}

static void read_manifest(coda_reader *r, const cJSON *json) {
  coda_module *module = r->module;
  if (!cJSON_IsObject(json)) {
    FAIL("must be an object");
    return;
  }
  const char *format = coda_read_string(r, json, "format");
  if (!r->status && strcmp(format, "coda-manifest"))
    FAIL("format must be 'coda-manifest', but is '%.40s'", format);
  int64_t version =
      coda_read_member_integer(r, json, "version", 1, INT32_MAX);
  if (!r->status && version != FORMAT_VERSION)
    FAIL("version %d is not the version %d that this runtime reads",
         (int)version, FORMAT_VERSION);
  const cJSON *target = coda_member(json, "target");
  const char *chip = coda_read_string(r, target, "chip");
  if (!r->status && strlen(chip) >= sizeof module->chip)
    FAIL("unknown chip '%.40s'", chip);
  int32_t count;
  const cJSON *functions =
      coda_read_array(r, json, "functions", MAX_FUNCTIONS, &count);
  if (r->status)
    return;
  strcpy(module->chip, chip);
  int32_t steps = count_steps(functions);
  if (steps >= MAX_ENTRIES * 16) {
    FAIL("has too many steps");
    return;
  }
  module->functions = coda_reader_allocate(r, count, sizeof(coda_function));
  module->kernels = coda_reader_allocate(r, steps, sizeof(coda_kernel));
  if (r->status)
    return;
  module->function_count = count;
  FOR_EACH("functions", functions,
           read_function(r, item, &module->functions[i]));
}

coda_status coda_parse_manifest(const char *text, size_t size,
                                coda_module *module,
                                const coda_message *message) {
  coda_reader reader = {.module = module, .message = message};
  const char *end = NULL;
  cJSON *json = cJSON_ParseWithLengthOpts(text, size, &end, 0);
  if (!json)
    return coda_fail(message, CODA_INVALID_MANIFEST,
                     "manifest: not JSON: error at byte %zu of %zu",
                     end ? (size_t)(end - text) : 0, size);
  read_manifest(&reader, json);
  cJSON_Delete(json);
  return reader.status;
}
