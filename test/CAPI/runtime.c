/*===- runtime.c - From text to a launch, in C ----------------------------===*/
// RUN: %{capi}/coda-capi-runtime %S/Inputs/linear.mlir | FileCheck %s
/* The driver is the one of test/Runtime, which only prints its calls.        */

#include "coda-c/Runtime.h"
#include "coda-c/Compile.h"

#include <stdio.h>

static int launch(const coda_module *module) {
  char message[512] = "";
  const coda_function *function = NULL;
  int64_t x_shape[] = {128, 64}, w_shape[] = {64, 256};
  coda_value arguments[] = {
      {CODA_BF16, 2, {.data = (void *)0x10000}, x_shape, NULL},
      {CODA_BF16, 2, {.data = (void *)0x20000}, w_shape, NULL}};
  void *results[] = {NULL};
  coda_status status =
      coda_module_find(module, "linear", &function, message, sizeof message);
  if (!status)
    status = coda_function_launch(function, arguments, 2, results, NULL, 0,
                                  NULL, message, sizeof message);
  // CHECK: launch {{.*}}linear
  // CHECK: launched: ok
  printf("launched: %s %s\n", coda_status_name(status), message);

  /* One dimension too few. */
  arguments[1].rank = 1;
  status = coda_function_launch(function, arguments, 2, results, NULL, 0, NULL,
                                message, sizeof message);
  // CHECK: launched: invalid argument {{.*}}argument 1{{.*}}rank
  printf("launched: %s %s\n", coda_status_name(status), message);
  return 0;
}

int main(int argc, char **argv) {
  static char source[4096];
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  size_t length = file ? fread(source, 1, sizeof source, file) : 0;
  if (!length)
    return 1;
  fclose(file);

  CodaCompileResult *result = NULL;
  if (codaCompile(source, length, "chip=sm_90a", &result)) {
    printf("%s", codaCompileResultGetMessages(result));
    return 1;
  }
  size_t manifest_size, ptx_size;
  const char *manifest =
      codaCompileResultGetText(result, "manifest", &manifest_size);
  const char *ptx = codaCompileResultGetText(result, "ptx", &ptx_size);
  char message[512] = "";
  coda_module *module = NULL;
  coda_status status = coda_module_load(manifest, manifest_size, ptx, ptx_size,
                                        &module, message, sizeof message);
  if (status) {
    printf("load: %s %s\n", coda_status_name(status), message);
    return 1;
  }
  launch(module);
  coda_module_unload(module);
  codaCompileResultDestroy(result);
  return 0;
}
