/*===- ManifestSteps.c - The steps of a manifest -------------------------===*/

#include "ManifestReader.h"

#include <stdlib.h>
#include <string.h>

static void read_tensor_map(coda_reader *r, const coda_function *f,
                            const cJSON *json, coda_tensor_map *map) {
  int32_t strides = 0, box = 0, i = 0;
  map->type = coda_read_type(r, json, "element_type");
  map->pointer = coda_read_member_value(r, f, json, "pointer", 64);
  coda_read_values(r, f, json, "sizes", 5, &map->rank, map->sizes, 64);
  coda_read_values(r, f, json, "strides", 4, &strides, map->strides, 64);
  const cJSON *item, *array = coda_read_array(r, json, "box", 5, &box);
  cJSON_ArrayForEach(item, array) map->box[i++] =
      (uint32_t)coda_read_integer(r, item, 1, 256);
  if (!r->status &&
      (map->rank < 1 || strides != map->rank - 1 || box != map->rank))
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
    param->value = coda_read_member_value(r, f, json, "value", width);
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

void coda_read_step(coda_reader *r, const coda_function *f, const cJSON *json,
                    coda_step *step) {
  coda_read_when(r, f, json, &step->when);
  const char *kind = coda_read_string(r, json, "kind");
  if (!strcmp(kind, "copy")) {
    step->copy = true;
    step->source = coda_read_member_value(r, f, json, "source", 64);
    step->destination = coda_read_member_value(r, f, json, "destination", 64);
    step->bytes = coda_read_member_value(r, f, json, "bytes", 64);
    return;
  }
  if (strcmp(kind, "launch")) {
    FAIL("kind must be 'launch' or 'copy', but is '%.40s'", kind);
    return;
  }
  read_kernel(r, json, step);
  int32_t count = 0, i = 0;
  coda_read_values(r, f, json, "grid", 3, &count, step->grid, 64);
  if (!r->status && count != 3)
    FAIL("grid must have 3 entries, but has %d", (int)count);
  step->shared_memory = -1;
  if (coda_member(json, "shared_memory"))
    step->shared_memory =
        coda_read_member_value(r, f, json, "shared_memory", 0);
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
