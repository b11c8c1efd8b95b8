/*===- Manifest.c - Compiles a manifest to a launch plan ------------------===*/
/*
 * Everything that the JSON says is checked here, once: after this no index is
 * out of range, values refer to earlier values only, and types agree.
 */

#include "ManifestReader.h"

#include <string.h>

enum {
  FORMAT_VERSION = 1,
  MAX_FUNCTIONS = 4096,
  MAX_ARGUMENTS = 1024,
  MAX_RESULTS = 64
};

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

/*===----------------------------------------------------------------------===*\
|* Buffers, results and checks
\*===----------------------------------------------------------------------===*/

/* Whether the address of a buffer decides `when`. */
static bool when_is_late(const coda_function *f, const coda_when *when) {
  for (int32_t i = 0; i < when->count; ++i)
    if (f->values[when->values[i]].late)
      return true;
  return false;
}

static void not_late(coda_reader *r, const coda_function *f, int32_t value,
                     const char *what) {
  if (!r->status && f->values[value].late)
    FAIL("%s must not depend on the address of a buffer", what);
}

static void read_buffer(coda_reader *r, const coda_function *f,
                        const cJSON *json, coda_buffer *buffer) {
  buffer->result = -1;
  buffer->bytes = coda_read_member_value(r, f, json, "bytes", 64);
  not_late(r, f, buffer->bytes, "bytes");
  buffer->alignment = coda_read_member_integer(r, json, "alignment", 1, 256);
  if (!r->status && (buffer->alignment & (buffer->alignment - 1)))
    FAIL("alignment must be a power of two");
  coda_read_when(r, f, json, &buffer->when);
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
    result->argument = (int32_t)coda_read_member_integer(r, json, "argument", 0,
                                                         f->argument_count - 1);
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
  coda_read_values(r, f, json, "shape", CODA_MAX_RANK, &result->rank,
                   result->shape, 64);
  coda_read_values(r, f, json, "strides", CODA_MAX_RANK, &strides,
                   result->strides, 64);
  if (!r->status && strides != result->rank)
    FAIL("has %d sizes, but %d strides", (int)result->rank, (int)strides);
  for (int32_t d = 0; !r->status && d < result->rank; ++d) {
    not_late(r, f, result->shape[d], "shape");
    not_late(r, f, result->strides[d], "strides");
  }
}

static void read_check(coda_reader *r, const coda_function *f,
                       const cJSON *json, coda_check *check) {
  check->value = coda_read_member_value(r, f, json, "value", 1);
  check->message = coda_copy_string(r, coda_read_string(r, json, "message"));
  coda_read_when(r, f, json, &check->when);
  if (!r->status)
    check->late = f->values[check->value].late || when_is_late(f, &check->when);
}

/*===----------------------------------------------------------------------===*\
|* Functions and the whole
\*===----------------------------------------------------------------------===*/

/* Reads each entry of array `name` of `json` with `CALL`, in which `item` is
 * the entry and `i` its number. */
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

/* Sorts the values by when they are computed. */
static void order_values(coda_reader *r, coda_function *f) {
  int32_t count = f->value_count;
  f->initial_values = coda_reader_allocate(r, count, sizeof(int64_t));
  f->early = coda_reader_allocate(r, count, sizeof(int32_t));
  f->late = coda_reader_allocate(r, count, sizeof(int32_t));
  if (r->status)
    return;
  for (int32_t i = 0; i < count; ++i) {
    const coda_expr *e = &f->values[i];
    if (e->op == OP_CONSTANT)
      f->initial_values[i] = e->constant;
    else if (e->late)
      f->late[f->late_count++] = i;
    else
      f->early[f->early_count++] = i;
  }
}

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
           coda_read_expression(r, f, item, i, &f->values[i]));
  f->value_count = values;
  order_values(r, f);
  if (r->status)
    return;
  FOR_EACH("buffers", buffers_json, read_buffer(r, f, item, &f->buffers[i]));
  FOR_EACH("results", results_json, read_result(r, f, i, item));
  FOR_EACH("checks", checks_json, read_check(r, f, item, &f->checks[i]));
  FOR_EACH("steps", steps_json, coda_read_step(r, f, item, &f->steps[i]));
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

/* Values of the whole manifest that are addresses of constants. */
static int32_t count_constants(const cJSON *functions) {
  const cJSON *function, *value;
  int32_t count = 0;
  cJSON_ArrayForEach(function, functions) {
    cJSON_ArrayForEach(value, coda_member(function, "values")) {
      const cJSON *op = coda_member(value, "op");
      if (count < MAX_ENTRIES && cJSON_IsString(op) &&
          !strcmp(op->valuestring, "module_constant"))
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
  int64_t version = coda_read_member_integer(r, json, "version", 1, INT32_MAX);
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
  int32_t constants = count_constants(functions);
  if (constants >= MAX_ENTRIES) {
    FAIL("has too many constants");
    return;
  }
  module->constants = coda_reader_allocate(r, constants, sizeof(coda_constant));
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
  while (end < text + size && (!*end || strchr(" \t\r\n", *end)))
    ++end;
  if (end < text + size) {
    cJSON_Delete(json);
    return coda_fail(message, CODA_INVALID_MANIFEST,
                     "manifest: not JSON: it ends at byte %zu of %zu",
                     (size_t)(end - text), size);
  }
  read_manifest(&reader, json);
  cJSON_Delete(json);
  return reader.status;
}
