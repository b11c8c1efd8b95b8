/*===- compile.c - codaCompile --------------------------------------------===*/
// RUN: %{capi}/coda-capi-compile %S/Inputs/linear.mlir 2>/dev/null | FileCheck %s

#include "coda-c/Compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"input",      "fused", "scheduled",
                                     "bufferized", "gpu",   "manifest",
                                     "llvm",       "ptx",   "host"};

/* Compiles, and prints what came but the texts. */
static CodaCompileResult *compile(const char *source, size_t length,
                                  const char *options) {
  CodaCompileResult *result = NULL;
  int status = codaCompile(source, length, options, &result);
  printf("status %d:", status);
  for (int i = 0; i < 9; ++i)
    if (codaCompileResultGetText(result, levels[i], NULL))
      printf(" %s", levels[i]);
  printf("\n%s", codaCompileResultGetMessages(result));
  return result;
}

static void check(const char *source, const char *options) {
  codaCompileResultDestroy(
      compile(source, source ? strlen(source) : 0, options));
}

static void print_text(const CodaCompileResult *result, const char *level) {
  size_t length = 0;
  const char *text = codaCompileResultGetText(result, level, &length);
  printf("== %s %d\n%.*s\n", level, text && strlen(text) == length,
         text ? (int)length : 0, text ? text : "");
}

// CHECK-LABEL: {{^}}test levels
static void test_levels(const char *source) {
  printf("test levels\n");
  // CHECK-NEXT: status 0: input fused scheduled bufferized gpu manifest llvm ptx host
  CodaCompileResult *result = compile(
      source, strlen(source),
      "emit=input,fused,scheduled,bufferized,gpu,manifest,llvm,ptx,host");
  for (int i = 0; i < 9; ++i)
    print_text(result, levels[i]);
  // CHECK-NEXT: == input 1
  // CHECK: linalg.matmul
  // CHECK: == fused 1
  // CHECK-NOT: linalg
  // CHECK: coda.gemm {{.*}} outs({{.*}} : tensor<128x256xf32>) {
  // CHECK: == scheduled 1
  // CHECK: coda.gemm {{.*}} schedule<
  // CHECK: == bufferized 1
  // CHECK: coda.gemm {{.*}} outs({{.*}} : memref<128x256xf32>
  // CHECK: == gpu 1
  // CHECK: gpu.module @
  // CHECK: gpu.launch_func
  // CHECK: == manifest 1
  // CHECK: "format": "coda-manifest"
  // CHECK: == llvm 1
  // CHECK: llvm.func @
  // CHECK: == ptx 1
  // CHECK: .target sm_90a
  // CHECK: == host 1
  // CHECK: define {{.*}}@linear
  codaCompileResultDestroy(result);

  /* Every pair of levels can be asked for: one does not spoil the other. */
  CodaCompileResult *all[2];
  // CHECK: status 0: manifest ptx
  all[0] = compile(source, strlen(source), NULL);
  // CHECK-NEXT: status 0: bufferized manifest llvm ptx
  all[1] = compile(source, strlen(source), "emit=ptx,llvm,bufferized,manifest");
  // CHECK-NEXT: same 1 1
  printf("same %d %d\n",
         !strcmp(codaCompileResultGetText(all[0], "ptx", NULL),
                 codaCompileResultGetText(all[1], "ptx", NULL)),
         !strcmp(codaCompileResultGetText(all[0], "manifest", NULL),
                 codaCompileResultGetText(all[1], "manifest", NULL)));
  codaCompileResultDestroy(all[0]);
  codaCompileResultDestroy(all[1]);
  // CHECK-NEXT: status 0: fused
  check(source, "emit=fused threads=false");
  // CHECK-NEXT: status 0:
  check("", NULL);
}

// CHECK-LABEL: {{^}}test options
static void test_options(const char *source) {
  printf("test options\n");
  CodaCompileResult *result =
      compile(source, strlen(source),
              "chip=sm_80 kernel={simple} emit={scheduled,ptx}");
  print_text(result, "scheduled");
  print_text(result, "ptx");
  // CHECK-NEXT: status 0: scheduled ptx
  // CHECK: schedule<kernel = simple
  // CHECK: .target sm_80
  codaCompileResultDestroy(result);
  // CHECK: status 2:
  // CHECK-NEXT: error: 'options': unknown option 'chop'; there are {{.*}}chip, {{.*}}emit, {{.*}}kernel, {{.*}}, threads
  check(source, "chop=sm_80");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': option 'threads' cannot be 'often'
  check(source, "threads=often");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': option 'emit' cannot be 'sass'; there are input, fused, {{.*}}, host
  check(source, "emit=fused,sass");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': option 'stop-after' cannot be given; 'emit' says how far to go
  check(source, "stop-after=kernel");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': option 'remarks' is no regular expression: {{.*}}
  check(source, "remarks=(");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': the braces in the value of option 'chip' do not match
  check(source, "chip={sm_90a");
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'options': expected NAME=VALUE at '=sm_90a'
  check(source, " =sm_90a");
  // CHECK-NEXT: status 1:
  // CHECK-NEXT: error: {{.*}}sm_12{{.*}}
  check(source, "chip=sm_12");
}

// CHECK-LABEL: {{^}}test remarks
static void test_remarks(const char *source) {
  printf("test remarks\n");
  CodaCompileResult *result = compile(
      source, strlen(source), "emit=fused remarks=coda source-name=l.mlir");
  CodaDiagnostic diagnostic;
  for (intptr_t i = 0; i < codaCompileResultGetNumDiagnostics(result); ++i) {
    codaCompileResultGetDiagnostic(result, i, &diagnostic);
    printf("%d %s:%u:%u %s %s: %s\n", diagnostic.severity, diagnostic.file,
           diagnostic.line, diagnostic.column, diagnostic.kind, diagnostic.name,
           diagnostic.message);
  }
  // CHECK-NEXT: status 0: fused
  // CHECK: 2 l.mlir:6:8 passed fused: this contraction is a product with an epilogue, {{.*}}destinations=1
  // CHECK: range 0 codaCompileResultGetDiagnostic: 'index' is 1000, but there are 3
  printf("range %d ",
         codaCompileResultGetDiagnostic(result, 1000, &diagnostic));
  printf("%s\n", codaGetLastErrorMessage());
  codaCompileResultDestroy(result);
}

// CHECK-LABEL: {{^}}test sources
static void test_sources(const char *source) {
  printf("test sources\n");
  // CHECK-NEXT: status 1:
  // CHECK-NEXT: <source>:1:1: error: custom op 'func.f' is unknown
  check("func.f", NULL);
  /* Cut at any place, the source is refused or compiled, and never more. */
  int refused = 0, length = (int)strlen(source);
  for (int i = 1; i < length; i += 7) {
    CodaCompileResult *result = NULL;
    refused +=
        codaCompile(source, i, "emit=input", &result) == CODA_COMPILE_FAILED;
    codaCompileResultDestroy(result);
  }
  // CHECK-NEXT: many were refused: 1
  printf("many were refused: %d\n", refused * 7 > length / 2);
  // CHECK-NEXT: status 1: fused
  // CHECK-NEXT: x.mlir:2:8: error: {{.*}}
  check("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = math.exp %x : tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}",
        "emit=fused,gpu,manifest source-name=x.mlir");
  // CHECK-NEXT: status 1:
  // CHECK-NEXT: <source>:1:1: error: 'gpu.module' op is not taken as input: kernels are made from coda.gemm
  check("gpu.module @kernels { }", NULL);
  // CHECK-NEXT: status 1:
  // CHECK-NEXT: <source>:1:1: error: the source is bytecode; it must be the text of MLIR
  check("ML\xefR\x01", NULL);
  char *deep = malloc(100001);
  deep[100000] = 0;
  const char *const fills = "({[<-";
  for (const char *fill = fills; *fill; ++fill) {
    memset(deep, *fill, 100000);
    // CHECK-COUNT-5: <source>:1:257: error: the source is nested more than 256 deep
    check(deep, NULL);
  }
  free(deep);
  /* A zero is no end. */
  // CHECK: status 1:
  // CHECK-NEXT: <source>:{{.*}}: error:
  codaCompileResultDestroy(compile("module {\0 }}", 12, NULL));
}

// CHECK-LABEL: {{^}}test arguments
static void test_arguments(void) {
  printf("test arguments\n");
  // CHECK-NEXT: 2: codaCompile: 'result' is null
  printf("%d: ", codaCompile("", 0, NULL, NULL));
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: status 2:
  // CHECK-NEXT: error: 'source' is null
  check(NULL, NULL);
  CodaCompileResult *result = NULL;
  // CHECK-NEXT: 2: codaCompile: 'source' is null
  printf("%d: ", codaCompile(NULL, 4, NULL, &result));
  printf("%s\n", codaGetLastErrorMessage());
  codaCompileResultDestroy(result);
  // CHECK-NEXT: codaCompileResultGetText: 'result' is null
  codaCompileResultGetText(NULL, "ptx", NULL);
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: codaCompileResultGetDiagnostic: 'result' is null
  codaCompileResultGetDiagnostic(NULL, 0, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  codaCompile("", 0, NULL, &result);
  // CHECK-NEXT: codaCompileResultGetText: 'level' is null
  codaCompileResultGetText(result, NULL, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: codaCompileResultGetText: there is no text of level 'fused'
  codaCompileResultGetText(result, "fused", NULL);
  printf("%s\n", codaGetLastErrorMessage());
  codaCompileResultDestroy(result);
  codaCompileResultDestroy(NULL);
  // CHECK-NEXT: 0 ''
  printf("%d '%s'\n", (int)codaCompileResultGetNumDiagnostics(NULL),
         codaCompileResultGetMessages(NULL));
}

int main(int argc, char **argv) {
  static char source[4096];
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file || !fread(source, 1, sizeof source - 1, file))
    return 1;
  fclose(file);
  test_levels(source);
  test_options(source);
  test_remarks(source);
  test_sources(source);
  test_arguments();
  // CHECK: end
  printf("end\n");
  return 0;
}
