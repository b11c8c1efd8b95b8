/*===- Arguments.c - What a function accepts ------------------------------===*/

#include "Internal.h"

#include <inttypes.h>
#include <stdio.h>

/* "argument 1 'w'" */
static const char *describe(const coda_function *function, int32_t index,
                            char *buffer, size_t size) {
  const char *name = function->arguments[index].name;
  if (name)
    snprintf(buffer, size, "function '%s': argument %d '%s'", function->name,
             (int)index, name);
  else
    snprintf(buffer, size, "function '%s': argument %d", function->name,
             (int)index);
  return buffer;
}

static coda_status check_tensor(const coda_function *function, int32_t index,
                                const coda_value *value,
                                const coda_message *message) {
  const coda_argument *expected = &function->arguments[index];
  char who[256];
#define DESCRIBE describe(function, index, who, sizeof who)
  if (value->rank && !value->shape)
    return coda_fail(message, CODA_INVALID_ARGUMENT, "%s: shape is null",
                     DESCRIBE);
  bool empty = false;
  for (int32_t d = 0; d < value->rank; ++d) {
    int64_t size = value->shape[d];
    if (size < 0)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "%s: size of dimension %d is %" PRId64, DESCRIBE, (int)d,
                       size);
    if (expected->shape[d] != CODA_DYNAMIC && expected->shape[d] != size)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "%s: size of dimension %d must be %" PRId64
                       ", but is %" PRId64,
                       DESCRIBE, (int)d, expected->shape[d], size);
    empty |= size == 0;
  }
  /* No element of an empty tensor is addressed: its strides and address do not
   * matter. */
  if (empty)
    return CODA_OK;
  int64_t last = 0, count = 1;
  for (int32_t d = value->rank - 1; d >= 0; --d) {
    int64_t extent, stride = value->strides ? value->strides[d] : count;
    if (__builtin_mul_overflow(count, value->shape[d], &count) ||
        __builtin_mul_overflow(stride, value->shape[d] - 1, &extent) ||
        __builtin_add_overflow(last, extent, &last) ||
        __builtin_mul_overflow(last, coda_type_bytes(value->type), &extent))
      return coda_fail(message, CODA_OVERFLOW,
                       "%s: its size in bytes does not fit 64 bits", DESCRIBE);
    if (expected->strides[d] != CODA_DYNAMIC &&
        expected->strides[d] != stride && value->shape[d] > 1)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "%s: stride of dimension %d must be %" PRId64
                       " elements, but is %" PRId64,
                       DESCRIBE, (int)d, expected->strides[d], stride);
  }
  uintptr_t address = (uintptr_t)value->u.data;
  if (!address)
    return coda_fail(message, CODA_INVALID_ARGUMENT, "%s: address is null",
                     DESCRIBE);
  if (address % (uintptr_t)coda_type_bytes(value->type))
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "%s: address 0x%" PRIxPTR
                     " is not a multiple of the %d bytes of a %s",
                     DESCRIBE, address, (int)coda_type_bytes(value->type),
                     coda_type_name(value->type));
  return CODA_OK;
}

coda_status coda_check_arguments(const coda_function *function,
                                 const coda_value *arguments, int32_t count,
                                 const coda_message *message) {
  if (count != function->argument_count)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "function '%s' takes %d arguments, but got %d",
                     function->name, (int)function->argument_count, (int)count);
  if (count && !arguments)
    return coda_fail(message, CODA_INVALID_ARGUMENT,
                     "function '%s': the arguments are null", function->name);
  for (int32_t i = 0; i < count; ++i) {
    const coda_argument *expected = &function->arguments[i];
    const coda_value *value = &arguments[i];
    char who[256];
    if (value->rank != expected->rank) {
      describe(function, i, who, sizeof who);
      if (expected->rank == CODA_SCALAR)
        return coda_fail(message, CODA_INVALID_ARGUMENT,
                         "%s must be a number of type %s, but is a tensor", who,
                         coda_type_name(expected->type));
      if (value->rank == CODA_SCALAR)
        return coda_fail(message, CODA_INVALID_ARGUMENT,
                         "%s must be a tensor of rank %d, but is a number", who,
                         (int)expected->rank);
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "%s: rank must be %d, but is %d", who,
                       (int)expected->rank, (int)value->rank);
    }
    if (value->type != expected->type)
      return coda_fail(message, CODA_INVALID_ARGUMENT,
                       "%s: element type must be %s, but is %s",
                       describe(function, i, who, sizeof who),
                       coda_type_name(expected->type),
                       coda_type_name(value->type));
    if (expected->rank == CODA_SCALAR) {
      int32_t width = coda_type_width(expected->type);
      if (width && width < 64 &&
          (value->u.integer < -((int64_t)1 << (width - 1)) ||
           value->u.integer >= ((int64_t)1 << width)))
        return coda_fail(message, CODA_INVALID_ARGUMENT,
                         "%s: %" PRId64 " does not fit type %s",
                         describe(function, i, who, sizeof who),
                         value->u.integer, coda_type_name(expected->type));
      continue;
    }
    coda_status status = check_tensor(function, i, value, message);
    if (status)
      return status;
  }
  return CODA_OK;
}
