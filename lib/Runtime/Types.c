/*===- Types.c - Element types, errors and memory of the runtime ----------===*/

#include "Internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

coda_status coda_fail(const coda_message *message, coda_status status,
                      const char *format, ...) {
  if (message->buffer && message->size) {
    va_list list;
    va_start(list, format);
    vsnprintf(message->buffer, message->size, format, list);
    va_end(list);
  }
  return status;
}

const char *coda_status_name(int32_t status) {
  static const char *const names[] = {
      "ok",          "invalid manifest", "invalid argument", "check failed",
      "overflow",    "not found",        "out of memory",    "no CUDA driver",
      "no GPU",      "wrong GPU",        "driver error"};
  if (status < 0 || (size_t)status >= sizeof names / sizeof *names)
    return "unknown status";
  return names[status];
}

/*===----------------------------------------------------------------------===*\
|* Memory of a module
\*===----------------------------------------------------------------------===*/

struct coda_arena {
  struct coda_arena *next;
  /* Followed by the memory itself. */
  _Alignas(16) unsigned char memory[];
};

void *coda_arena_allocate(coda_module *module, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2) / size)
    return NULL;
  struct coda_arena *block = calloc(1, sizeof *block + count * size);
  if (!block)
    return NULL;
  block->next = module->arena;
  module->arena = block;
  return block->memory;
}

void coda_arena_free(coda_module *module) {
  while (module->arena) {
    struct coda_arena *next = module->arena->next;
    free(module->arena);
    module->arena = next;
  }
}

/*===----------------------------------------------------------------------===*\
|* Types
\*===----------------------------------------------------------------------===*/

static const struct {
  const char *name;
  int8_t bytes, width;
} types[] = {{"none", 0, 0},       {"i1", 1, 1},      {"i8", 1, 8},
             {"i16", 2, 16},       {"i32", 4, 32},    {"i64", 8, 64},
             {"f16", 2, 0},        {"bf16", 2, 0},    {"f32", 4, 0},
             {"f64", 8, 0},        {"f8E4M3FN", 1, 0}, {"f8E5M2", 1, 0}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

int32_t coda_type_from_name(const char *name) {
  for (int32_t i = 1; i < TYPE_COUNT; ++i)
    if (!strcmp(types[i].name, name))
      return i;
  return 0;
}

static int32_t known(int32_t type) {
  return type > 0 && type < TYPE_COUNT ? type : 0;
}
const char *coda_type_name(int32_t type) {
  return known(type) ? types[type].name : "unknown type";
}
int64_t coda_type_bytes(int32_t type) { return types[known(type)].bytes; }
int32_t coda_type_width(int32_t type) { return types[known(type)].width; }
bool coda_type_is_float(int32_t type) {
  return known(type) && types[type].width == 0;
}

/* Rounds to a float of `mantissa` stored bits whose smallest normal number is
 * 2^`min_exponent`, to nearest even; `bits` is the size of the whole. */
static uint64_t encode_small(double real, int mantissa, int min_exponent,
                             int bits) {
  uint64_t sign = signbit(real) ? (uint64_t)1 << (bits - 1) : 0;
  int max_field = (1 << (bits - 1 - mantissa)) - 1;
  uint64_t infinity = (uint64_t)max_field << mantissa;
  if (isnan(real))
    return sign | infinity | ((uint64_t)1 << (mantissa - 1));
  double magnitude = fabs(real);
  if (isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent;
  frexp(magnitude, &exponent); /* magnitude = f * 2^exponent, f in [0.5, 1) */
  --exponent;
  if (exponent < min_exponent)
    exponent = min_exponent;
  /* In units of the last place; nearbyint rounds ties to even. A carry into the
   * next binade comes out right since the fields are adjacent. */
  double units = nearbyint(ldexp(magnitude, mantissa - exponent));
  uint64_t encoded =
      (uint64_t)units + ((uint64_t)(exponent - min_exponent) << mantissa);
  return sign | (encoded >= infinity ? infinity : encoded);
}

uint64_t coda_encode_float(int32_t type, double real) {
  if (type == CODA_F64) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
  }
  if (type == CODA_F32) {
    float narrow = (float)real;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (type == CODA_BF16)
    return encode_small(real, 7, -126, 16);
  return encode_small(real, 10, -14, 16);
}
