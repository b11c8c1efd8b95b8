/*===- ManifestReader.h - Reading a manifest, by parts ------------*- C -*-===*/

#ifndef CODA_RUNTIME_MANIFEST_READER_H
#define CODA_RUNTIME_MANIFEST_READER_H

#include "Json.h"

enum {
  MAX_ENTRIES = 65536, /* of values, steps, checks, buffers */
  /* CUDA passes at most 32764 bytes of parameters to a kernel. */
  MAX_PARAMS = 4096
};

#define FAIL(...) coda_reader_fail(r, CODA_INVALID_MANIFEST, __VA_ARGS__)

/* The index of an earlier value of `width` bits (0: any integer). */
int32_t coda_read_value(coda_reader *r, const coda_function *f,
                        const cJSON *item, int32_t limit, int width);
/* A member that is one. */
int32_t coda_read_member_value(coda_reader *r, const coda_function *f,
                               const cJSON *object, const char *name,
                               int width);
/* An array of `count` values into `out`. */
void coda_read_values(coda_reader *r, const coda_function *f,
                      const cJSON *object, const char *name, int32_t limit,
                      int32_t *count, int32_t *out, int width);
/* The conditions of something; all hold if there is none. */
void coda_read_when(coda_reader *r, const coda_function *f, const cJSON *object,
                    coda_when *when);

/* Entry `index` of the function's values; constants go to the module. */
void coda_read_expression(coda_reader *r, const coda_function *f,
                          const cJSON *json, int32_t index, coda_expr *e);
/* A launch or a copy. */
void coda_read_step(coda_reader *r, const coda_function *f, const cJSON *json,
                    coda_step *step);

#endif /* CODA_RUNTIME_MANIFEST_READER_H */
