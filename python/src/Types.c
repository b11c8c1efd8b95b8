/*===- Types.c - Element types and extents --------------------------------===*/

#include "Arrays.h"

#include <string.h>

static const struct {
  const char *name, *array_name;
  dl_type type;
  int64_t bytes;
} types[] = {
    {NULL, NULL, {0, 0, 0}, 0},
    {"i1", "bool", {6, 8, 1}, 1},
    {"i8", "int8", {0, 8, 1}, 1},
    {"i16", "int16", {0, 16, 1}, 2},
    {"i32", "int32", {0, 32, 1}, 4},
    {"i64", "int64", {0, 64, 1}, 8},
    {"f16", "float16", {2, 16, 1}, 2},
    {"bf16", "bfloat16", {4, 16, 1}, 2},
    {"f32", "float32", {2, 32, 1}, 4},
    {"f64", "float64", {2, 64, 1}, 8},
    {"f8E4M3FN", "float8_e4m3fn", {10, 8, 1}, 1},
    {"f8E5M2", "float8_e5m2", {12, 8, 1}, 1},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

int32_t array_type_from_name(const char *name) {
  for (int32_t i = 1; i < TYPE_COUNT; ++i)
    if (!strcmp(name, types[i].name) || !strcmp(name, types[i].array_name))
      return i;
  return !strcmp(name, "uint8") ? CODA_I8 : 0;
}

const char *array_type_name(int32_t type) {
  return type > 0 && type < TYPE_COUNT ? types[type].name : NULL;
}

const char *array_type_array_name(int32_t type) {
  return type > 0 && type < TYPE_COUNT ? types[type].array_name : NULL;
}

int64_t array_type_bytes(int32_t type) {
  return type > 0 && type < TYPE_COUNT ? types[type].bytes : 0;
}

dl_type array_dl_type(int32_t type) {
  return types[type > 0 && type < TYPE_COUNT ? type : 0].type;
}

int32_t array_type_from_dl(const dl_type *type) {
  if (type->lanes != 1)
    return 0;
  /* The most common ones first. */
  if (type->code == 4 && type->bits == 16)
    return CODA_BF16;
  if (type->code == 2 && type->bits == 32)
    return CODA_F32;
  if (type->code == 1 && type->bits == 8)
    return CODA_I8; /* signs are a matter of the kernel */
  for (int32_t i = 1; i < TYPE_COUNT; ++i)
    if (types[i].type.code == type->code && types[i].type.bits == type->bits)
      return i;
  return 0;
}

bool array_is_empty(const coda_value *value) {
  for (int32_t d = 0; d < value->rank; ++d)
    if (!value->shape[d])
      return true;
  return false;
}

int64_t array_stride(const coda_value *value, int32_t dimension) {
  if (value->strides)
    return value->strides[dimension];
  int64_t stride = 1;
  for (int32_t d = value->rank - 1; d > dimension; --d)
    stride *= value->shape[d];
  return stride;
}

/* The addresses from the first byte of an array up to behind its last one. */
static void get_range(const coda_value *value, uintptr_t *begin,
                      uintptr_t *end) {
  int64_t low = 0, high = 1;
  for (int32_t d = 0; d < value->rank; ++d) {
    int64_t span = (value->shape[d] - 1) * array_stride(value, d);
    *(span < 0 ? &low : &high) += span;
  }
  int64_t bytes = array_type_bytes(value->type);
  *begin = (uintptr_t)value->u.data + (uintptr_t)(low * bytes);
  *end = (uintptr_t)value->u.data + (uintptr_t)(high * bytes);
}

bool array_overlap(const coda_value *a, const coda_value *b) {
  if (array_is_empty(a) || array_is_empty(b))
    return false;
  uintptr_t a_begin, a_end, b_begin, b_end;
  get_range(a, &a_begin, &a_end);
  get_range(b, &b_begin, &b_end);
  if (a_end <= b_begin || b_end <= a_begin)
    return false;
  /* Columns of one matrix: apart where they are in a row. */
  if (a->rank != 2 || b->rank != 2 || array_stride(a, 1) != 1 ||
      array_stride(b, 1) != 1)
    return true;
  int64_t size = array_type_bytes(a->type);
  int64_t pitch = array_stride(a, 0) * size;
  if (pitch <= 0 || pitch != array_stride(b, 0) * array_type_bytes(b->type))
    return true;
  int64_t offset = (int64_t)(b_begin - a_begin) % pitch;
  if (offset < 0)
    offset += pitch;
  int64_t a_width = a->shape[1] * size;
  int64_t b_width = b->shape[1] * array_type_bytes(b->type);
  return offset < a_width || offset + b_width > pitch;
}
