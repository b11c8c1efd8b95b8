/*===- Json.c - Checked access to a parsed manifest -----------------------===*/

#include "Json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void coda_reader_fail(coda_reader *r, coda_status status, const char *format,
                      ...) {
  if (r->status)
    return;
  char text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (r->length)
    r->status = coda_fail(r->message, status, "manifest: %s: %s", r->path, text);
  else
    r->status = coda_fail(r->message, status, "manifest: %s", text);
}

size_t coda_enter(coda_reader *r, const char *name, int index) {
  size_t length = r->length, space = sizeof r->path - length;
  int written =
      name ? snprintf(r->path + length, space, "%s%s", length ? "." : "", name)
           : snprintf(r->path + length, space, "[%d]", index);
  if (written > 0)
    r->length += (size_t)written < space ? (size_t)written : space - 1;
  return length;
}
void coda_leave(coda_reader *r, size_t length) {
  r->length = length;
  r->path[length] = 0;
}

void *coda_reader_allocate(coda_reader *r, int32_t count, size_t size) {
  void *memory = coda_arena_allocate(r->module, (size_t)count, size);
  if (!memory)
    coda_reader_fail(r, CODA_OUT_OF_MEMORY, "out of memory");
  return memory;
}

const cJSON *coda_member(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNull(item) ? NULL : item;
}

const cJSON *coda_read_array(coda_reader *r, const cJSON *object,
                             const char *name, int32_t limit, int32_t *count) {
  *count = 0;
  const cJSON *array = coda_member(object, name);
  size_t place = coda_enter(r, name, 0);
  if (!cJSON_IsArray(array)) {
    coda_reader_fail(r, CODA_INVALID_MANIFEST, "must be an array");
    array = NULL;
  } else {
    int64_t size = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array) ++size;
    if (size > limit) {
      coda_reader_fail(r, CODA_INVALID_MANIFEST,
                       "has %" PRId64 " entries, more than %d", size,
                       (int)limit);
      array = NULL;
    } else {
      *count = (int32_t)size;
    }
  }
  coda_leave(r, place);
  return r->status ? NULL : array;
}

const char *coda_read_string(coda_reader *r, const cJSON *object,
                             const char *name) {
  const cJSON *item = coda_member(object, name);
  if (cJSON_IsString(item) && item->valuestring)
    return item->valuestring;
  size_t place = coda_enter(r, name, 0);
  coda_reader_fail(r, CODA_INVALID_MANIFEST, "must be a string");
  coda_leave(r, place);
  return "";
}

char *coda_copy_string(coda_reader *r, const char *string) {
  size_t size = strlen(string) + 1;
  char *copy = coda_arena_allocate(r->module, size, 1);
  if (!copy) {
    coda_reader_fail(r, CODA_OUT_OF_MEMORY, "out of memory");
    return NULL;
  }
  memcpy(copy, string, size);
  return copy;
}

int64_t coda_read_integer(coda_reader *r, const cJSON *item, int64_t low,
                          int64_t high) {
  int64_t value = 0;
  if (cJSON_IsNumber(item)) {
    double number = item->valuedouble;
    if (!(fabs(number) <= 9007199254740992.0) || number != floor(number)) {
      coda_reader_fail(r, CODA_INVALID_MANIFEST,
                       "must be a whole number of at most 2^53, but is %g",
                       number);
      return low;
    }
    value = (int64_t)number;
  } else if (cJSON_IsString(item) && item->valuestring) {
    char *end;
    errno = 0;
    value = strtoll(item->valuestring, &end, 10);
    if (errno || end == item->valuestring || *end) {
      coda_reader_fail(r, CODA_INVALID_MANIFEST,
                       "must be a 64-bit whole number, but is \"%.40s\"",
                       item->valuestring);
      return low;
    }
  } else {
    coda_reader_fail(r, CODA_INVALID_MANIFEST, "must be a whole number");
    return low;
  }
  if (value < low || value > high) {
    coda_reader_fail(r, CODA_INVALID_MANIFEST,
                     "must be in [%" PRId64 ", %" PRId64 "], but is %" PRId64,
                     low, high, value);
    return low;
  }
  return value;
}

int64_t coda_read_member_integer(coda_reader *r, const cJSON *object,
                                 const char *name, int64_t low, int64_t high) {
  size_t place = coda_enter(r, name, 0);
  int64_t value = coda_read_integer(r, coda_member(object, name), low, high);
  coda_leave(r, place);
  return value;
}

int32_t coda_read_type(coda_reader *r, const cJSON *object, const char *name) {
  const char *text = coda_read_string(r, object, name);
  int32_t type = coda_type_from_name(text);
  if (!type) {
    size_t place = coda_enter(r, name, 0);
    coda_reader_fail(r, CODA_INVALID_MANIFEST, "unknown type '%.40s'", text);
    coda_leave(r, place);
  }
  return type;
}
