/*===- two-copies.c - Two libraries with Coda in them, in one process -----===*/
/* two-copies libCodaC.so OTHER.so [PLUGIN.so]                                */

#include "coda-c/Compile.h"
#include "coda-c/Dialect.h"
#include "coda-c/Pipelines.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A function by its name, as a pointer of its type. */
#define GET(library, name)                                                     \
  __typeof__(name) *p_##name = (__typeof__(name) *)dlsym(library, #name)

void otherAddDialect(void *registry);
bool otherLoad(void);
void otherRegisterPasses(void);

int main(int argc, char **argv) {
  if (argc < 3)
    return 1;
  void *libraries[3] = {NULL};
  for (int i = 1; i < argc && i < 4; ++i) {
    libraries[i - 1] = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i - 1]) {
      printf("%s\n", dlerror());
      return 1;
    }
  }
  void *coda = libraries[0], *other = libraries[1];
  GET(other, otherAddDialect);
  GET(other, otherLoad);
  GET(other, otherRegisterPasses);
  GET(coda, codaCompile);
  GET(coda, codaCompileResultDestroy);
  GET(coda, codaGetLastErrorMessage);
  GET(coda, codaRegisterAllDialects);
  GET(coda, codaRegisterAllPasses);
  GET(coda, codaTensorMapTypeGet);
  GET(coda, mlirContextCreateWithRegistry);
  GET(coda, mlirContextDestroy);
  GET(coda, mlirDialectHandleInsertDialect);
  GET(coda, mlirDialectHandleLoadDialect);
  GET(coda, mlirDialectRegistryCreate);
  GET(coda, mlirDialectRegistryDestroy);
  GET(coda, mlirGetDialectHandle__coda__);

  /* Each alone: contexts of their own. */
  printf("other loads %d\n", p_otherLoad());
  const char *source = "func.func @f() { return }";
  CodaCompileResult *result = NULL;
  printf("ours compiles %d\n",
         !p_codaCompile(source, strlen(source), NULL, &result));
  p_codaCompileResultDestroy(result);
  printf("other loads %d\n", p_otherLoad());

  /* Names of passes are the process's. */
  p_otherRegisterPasses();
  MlirLogicalResult status = p_codaRegisterAllPasses();
  printf("passes %d: %s\n", status.value, p_codaGetLastErrorMessage());

  /* Both in one context is what cannot be. */
  MlirDialectRegistry registry = p_mlirDialectRegistryCreate();
  p_otherAddDialect(registry.ptr);
  status = p_codaRegisterAllDialects(registry);
  printf("registry %d: %s\n", status.value, p_codaGetLastErrorMessage());
  p_mlirDialectHandleInsertDialect(p_mlirGetDialectHandle__coda__(), registry);
  printf("insert: %s\n", p_codaGetLastErrorMessage());
  MlirContext context = p_mlirContextCreateWithRegistry(registry, false);
  p_mlirDialectRegistryDestroy(registry);
  MlirDialect dialect =
      p_mlirDialectHandleLoadDialect(p_mlirGetDialectHandle__coda__(), context);
  printf("load %d: %s\n", dialect.ptr != NULL, p_codaGetLastErrorMessage());
  MlirType type = p_codaTensorMapTypeGet(context);
  printf("type %d: %s\n", type.ptr != NULL, p_codaGetLastErrorMessage());
  p_mlirContextDestroy(context);

  printf("end\n");
  return 0;
}
