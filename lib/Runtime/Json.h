/*===- Json.h - Checked access to a parsed manifest ---------------*- C -*-===*/

#ifndef CODA_RUNTIME_JSON_H
#define CODA_RUNTIME_JSON_H

#include "Internal.h"

#include <cjson/cJSON.h>

/* Reads JSON until the first error, which stays: the functions below give 0 or
 * NULL after it, so that a caller may test once a group. `path` names the place
 * that is read, for messages. */
typedef struct {
  coda_module *module;
  const coda_message *message;
  coda_status status;
  size_t length;
  char path[256];
} coda_reader;

/* Records an error at the current place. */
void coda_reader_fail(coda_reader *r, coda_status status, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));
/* Enters member `name` (or element `index` where it is NULL); the result is for
 * coda_leave. */
size_t coda_enter(coda_reader *r, const char *name, int index);
void coda_leave(coda_reader *r, size_t length);

/* Zeroed memory of the module. */
void *coda_reader_allocate(coda_reader *r, int32_t count, size_t size);

/* A member of an object; NULL and no error if it is missing or null. */
const cJSON *coda_member(const cJSON *object, const char *name);
/* An array member of at most `limit` elements, whose number goes to `count`. */
const cJSON *coda_read_array(coda_reader *r, const cJSON *object,
                             const char *name, int32_t limit, int32_t *count);
/* A string member, owned by the JSON. */
const char *coda_read_string(coda_reader *r, const cJSON *object,
                             const char *name);
/* A copy of a string that lives as long as the module. */
char *coda_copy_string(coda_reader *r, const char *string);
/* `item`, a whole number in [low, high]: a JSON number, or a string of decimal
 * digits where a double cannot hold it. */
int64_t coda_read_integer(coda_reader *r, const cJSON *item, int64_t low,
                          int64_t high);
/* The same for a member. */
int64_t coda_read_member_integer(coda_reader *r, const cJSON *object,
                                 const char *name, int64_t low, int64_t high);
/* A member that names an element type. */
int32_t coda_read_type(coda_reader *r, const cJSON *object, const char *name);

#endif /* CODA_RUNTIME_JSON_H */
