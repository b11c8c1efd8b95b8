/*===- launch.c - Calls a function of a manifest --------------------------===*/
/*
 * launch MANIFEST IMAGE FUNCTION [ARGUMENT...]
 *   ARGUMENT: TYPE=NUMBER, or TYPE[SIZE,...]@ADDRESS, or
 *             TYPE[SIZE,...]{STRIDE,...}@ADDRESS
 *   --threads=N launches from N threads at once, --workspace gives one.
 * Without FUNCTION it lists the functions.
 */

#include "coda/Runtime/coda_runtime.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 16, MAX_RESULTS = 64 };

static const char *const types[] = {"?",   "i1",  "i8",       "i16",
                                    "i32", "i64", "f16",      "bf16",
                                    "f32", "f64", "f8E4M3FN", "f8E5M2"};

static int64_t shapes[MAX_ARGUMENTS][64], strides[MAX_ARGUMENTS][64];
static coda_value values[MAX_ARGUMENTS];
static int count;
static const coda_function *function;
static void *workspace;

static int fail(coda_status status, const char *message) {
  printf("error: %s: %s\n", coda_status_name(status), message);
  return 1;
}

static int read_list(const char **text, char end, int64_t *out) {
  int n = 0;
  ++*text;
  while (**text && **text != end && n < 64) {
    char *next;
    out[n++] = strtoll(*text, &next, 0);
    *text = *next == ',' ? next + 1 : next;
    if (next == *text && **text != end)
      break;
  }
  if (**text == end)
    ++*text;
  return n;
}

static void read_argument(const char *text) {
  coda_value *value = &values[count];
  size_t length = strcspn(text, "[=");
  for (int i = 1; i < 12; ++i)
    if (strlen(types[i]) == length && !strncmp(types[i], text, length))
      value->type = i;
  text += length;
  if (*text == '=') {
    value->rank = CODA_SCALAR;
    if (value->type >= CODA_F16)
      value->u.real = strtod(text + 1, NULL);
    else
      value->u.integer = strtoll(text + 1, NULL, 0);
  } else {
    value->rank = read_list(&text, ']', shapes[count]);
    value->shape = shapes[count];
    if (*text == '{') {
      read_list(&text, '}', strides[count]);
      value->strides = strides[count];
    }
    if (*text == '@')
      value->u.data = (void *)(uintptr_t)strtoull(text + 1, NULL, 0);
  }
  ++count;
}

static void *launch(void *unused) {
  (void)unused;
  char message[512] = "";
  coda_result_info infos[MAX_RESULTS];
  void *results[MAX_RESULTS] = {0};
  size_t bytes = 0;
  coda_status status = coda_function_plan(function, values, count, infos,
                                          &bytes, message, sizeof message);
  if (status)
    return (void *)(intptr_t)fail(status, message);
  printf("workspace %zu\n", bytes);
  for (int i = 0; i < coda_function_result_count(function); ++i) {
    printf("result %d: %s shape", i, types[infos[i].type]);
    for (int d = 0; d < infos[i].rank; ++d)
      printf(" %" PRId64, infos[i].shape[d]);
    printf(" strides");
    for (int d = 0; d < infos[i].rank; ++d)
      printf(" %" PRId64, infos[i].strides[d]);
    if (infos[i].argument >= 0)
      printf(" argument %d\n", infos[i].argument);
    else
      printf(" bytes %" PRId64 "\n", infos[i].bytes);
  }
  status = coda_function_launch(function, values, count, results, workspace,
                                bytes, (void *)7, message, sizeof message);
  if (status)
    return (void *)(intptr_t)fail(status, message);
  for (int i = 0; i < coda_function_result_count(function); ++i)
    printf("result %d at 0x%" PRIxPTR "\n", i, (uintptr_t)results[i]);
  return NULL;
}

static void list(const coda_module *module) {
  for (int i = 0; i < coda_module_function_count(module); ++i) {
    const coda_function *f = coda_module_function(module, i);
    printf("function %s:", coda_function_name(f));
    coda_argument_info info;
    for (int a = 0; coda_function_argument(f, a, &info); ++a) {
      printf(" %s:%s", info.name ? info.name : "_", types[info.type]);
      for (int d = 0; d < info.rank; ++d)
        printf(d ? ",%" PRId64 : "[%" PRId64, info.shape[d]);
      printf(info.rank > 0 ? "]%s" : "%s", info.written ? "!" : "");
    }
    printf(" -> %d\n", coda_function_result_count(f));
  }
}

int main(int argc, char **argv) {
  int threads = 1, at = 1;
  for (; at < argc && !strncmp(argv[at], "--", 2); ++at) {
    if (!strncmp(argv[at], "--threads=", 10))
      threads = atoi(argv[at] + 10);
    else
      workspace = (void *)(uintptr_t)0x40000000;
  }
  char message[512] = "";
  coda_module *module;
  coda_status status = coda_module_load_files(
      at < argc ? argv[at] : NULL, at + 1 < argc ? argv[at + 1] : NULL, &module,
      message, sizeof message);
  if (status)
    return fail(status, message);
  int failed = 0;
  if (at + 2 >= argc) {
    list(module);
  } else if ((status = coda_module_find(module, argv[at + 2], &function,
                                        message, sizeof message))) {
    failed = fail(status, message);
  } else {
    for (int i = at + 3; i < argc && count < MAX_ARGUMENTS; ++i)
      read_argument(argv[i]);
    pthread_t ids[16];
    for (int i = 1; i < threads && i < 16; ++i)
      pthread_create(&ids[i], NULL, launch, NULL);
    failed = launch(NULL) != NULL;
    for (int i = 1; i < threads && i < 16; ++i) {
      void *other;
      pthread_join(ids[i], &other);
      failed |= other != NULL;
    }
  }
  coda_module_unload(module);
  return failed;
}
