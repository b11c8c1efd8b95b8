/*===- ManifestValues.c - The values of a manifest -----------------------===*/

#include "ManifestReader.h"

#include <string.h>

int32_t coda_read_value(coda_reader *r, const coda_function *f,
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

int32_t coda_read_member_value(coda_reader *r, const coda_function *f,
                               const cJSON *object, const char *name,
                               int width) {
  size_t place = coda_enter(r, name, 0);
  int32_t index =
      coda_read_value(r, f, coda_member(object, name), f->value_count, width);
  coda_leave(r, place);
  return index;
}

void coda_read_values(coda_reader *r, const coda_function *f,
                      const cJSON *object, const char *name, int32_t limit,
                      int32_t *count, int32_t *out, int width) {
  const cJSON *item, *array = coda_read_array(r, object, name, limit, count);
  if (!array)
    return;
  size_t place = coda_enter(r, name, 0);
  int32_t i = 0;
  cJSON_ArrayForEach(item, array) {
    size_t inner = coda_enter(r, NULL, i);
    out[i++] = coda_read_value(r, f, item, f->value_count, width);
    coda_leave(r, inner);
  }
  coda_leave(r, place);
}

void coda_read_when(coda_reader *r, const coda_function *f, const cJSON *object,
                    coda_when *when) {
  if (!coda_member(object, "when"))
    return;
  int32_t count;
  if (!coda_read_array(r, object, "when", MAX_ENTRIES, &count))
    return;
  when->values = coda_reader_allocate(r, count, sizeof *when->values);
  if (!when->values)
    return;
  coda_read_values(r, f, object, "when", count, &when->count, when->values, 1);
}

static const struct {
  const char *name;
  int8_t operands;
} operations[OP_COUNT] = {{"constant", 0},
                          {"size", 0},
                          {"stride", 0},
                          {"pointer", 0},
                          {"buffer", 0},
                          {"scalar", 0},
                          {"multiprocessor_count", 0},
                          {"module_constant", 0},
                          {"addi", 2},
                          {"subi", 2},
                          {"muli", 2},
                          {"divsi", 2},
                          {"divui", 2},
                          {"ceildivsi", 2},
                          {"ceildivui", 2},
                          {"floordivsi", 2},
                          {"remsi", 2},
                          {"remui", 2},
                          {"andi", 2},
                          {"ori", 2},
                          {"xori", 2},
                          {"shli", 2},
                          {"shrsi", 2},
                          {"shrui", 2},
                          {"minsi", 2},
                          {"maxsi", 2},
                          {"minui", 2},
                          {"maxui", 2},
                          {"cmpi", 2},
                          {"select", 3},
                          {"extsi", 1},
                          {"extui", 1},
                          {"trunci", 1}};

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
    *out[i] = coda_read_value(r, f, item, index, width);
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

static void read_constant(coda_reader *r, const cJSON *json, coda_expr *e) {
  e->a = r->module->constant_count++;
  coda_constant *constant = &r->module->constants[e->a];
  constant->symbol = coda_copy_string(r, coda_read_string(r, json, "symbol"));
  constant->bytes = coda_read_member_integer(r, json, "bytes", 1, INT64_MAX);
}

void coda_read_expression(coda_reader *r, const coda_function *f,
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
  if (op >= OP_SIZE && op <= OP_MODULE_CONSTANT && op != OP_SCALAR &&
      e->width != 64) {
    FAIL("%s gives an i64", name);
    return;
  }
  switch (op) {
  case OP_CONSTANT: {
    int width = e->width;
    e->constant = coda_read_member_integer(
        r, json, "value",
        width == 1    ? 0
        : width == 64 ? INT64_MIN
                      : -((int64_t)1 << (width - 1)),
        width == 1    ? 1
        : width == 64 ? INT64_MAX
                      : ((int64_t)1 << (width - 1)) - 1);
    return;
  }
  case OP_MULTIPROCESSOR_COUNT:
    return;
  case OP_MODULE_CONSTANT:
    read_constant(r, json, e);
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
