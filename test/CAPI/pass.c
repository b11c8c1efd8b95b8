/*===- pass.c - Passes, pipelines and translations ------------------------===*/
// RUN: %{capi}/coda-capi-pass %S/Inputs/linear.mlir 2>/dev/null | FileCheck %s

#include "Inputs/text.h"

#include "coda-c/Dialect.h"
#include "coda-c/Pipelines.h"
#include "coda-c/Target.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"

#include <stdio.h>
#include <string.h>

static char source[4096];
static MlirContext context;
static char callback[] = "callback: ", before[] = "before: ",
            null_manager[] = "null: ";

static void print_line(MlirStringRef piece, void *prefix) {
  printf("%s%.*s\n", (const char *)prefix, (int)piece.length, piece.data);
}

static void print_first_lines(MlirStringRef piece, void *unused) {
  (void)unused;
  printf("%.*s\n", (int)(piece.length < 400 ? piece.length : 400), piece.data);
}

static MlirLogicalResult diagnose(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  printf("at ");
  mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), print, NULL);
  printf(": ");
  mlirDiagnosticPrint(diagnostic, print, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

typedef MlirLogicalResult (*AddPipeline)(MlirOpPassManager, MlirStringRef,
                                         MlirStringCallback, void *);

/* Runs a pipeline on the module, and says whether it could. */
static void run(MlirModule module, AddPipeline add, const char *options) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult status = add(mlirPassManagerGetAsOpPassManager(manager),
                                 text(options), print_line, callback);
  if (mlirLogicalResultIsSuccess(status))
    status = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  printf("run %d\n", mlirLogicalResultIsSuccess(status));
  mlirPassManagerDestroy(manager);
}

static MlirModule parse(void) {
  return mlirModuleCreateParse(context, text(source));
}

static void dump(MlirModule module) {
  mlirOperationPrint(mlirModuleGetOperation(module), print, NULL);
}

// CHECK-LABEL: {{^}}test pipelines
static void test_pipelines(void) {
  printf("test pipelines\n");
  MlirModule module = parse();
  // CHECK-NEXT: run 1
  run(module, codaAddFusionPipeline, "normalize=true");
  dump(module);
  // CHECK: coda.gemm {{.*}} outs({{.*}} : tensor<128x256xf32>) {
  run(module, codaAddToPtxPipeline, "chip=sm_90a stop-after=kernel");
  // CHECK: run 1
  dump(module);
  // CHECK: gpu.module @{{.*}} [#nvvm.target<{{.*}}chip = "sm_90a"
  MlirLogicalResult status =
      codaTranslateModuleToManifest(module, print_first_lines, NULL);
  // CHECK: "format": "coda-manifest"
  // CHECK: manifest 1
  printf("manifest %d\n", mlirLogicalResultIsSuccess(status));
  run(module, codaAddKernelsToPtxPipeline, "");
  // CHECK: run 1
  dump(module);
  // CHECK: gpu.binary
  mlirModuleDestroy(module);

  module = parse();
  run(module, codaAddToCpuPipeline, "emit-c-interface=false");
  // CHECK: run 1
  dump(module);
  // CHECK: llvm.func @linear
  // CHECK-NOT: _mlir_ciface
  mlirModuleDestroy(module);
}

// CHECK-LABEL: {{^}}test target
static void test_target(void) {
  printf("test target\n");
  MlirModule module = parse();
  // CHECK-NEXT: run 1
  run(module, codaAddFusionPipeline, "");
  MlirLogicalResult status = codaTranslateModuleToPtx(
      module, text("chip=sm_90"), print_first_lines, print_first_lines, NULL);
  // CHECK: .target sm_90
  // CHECK: "format": "coda-manifest"
  // CHECK: ptx 1
  printf("ptx %d\n", mlirLogicalResultIsSuccess(status));
  mlirModuleDestroy(module);

  /* What is not fused has no place in a manifest. */
  module = mlirModuleCreateParse(
      context, text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                    "  %0 = math.exp %x : tensor<4xf32>\n"
                    "  return %0 : tensor<4xf32>\n}"));
  status = codaTranslateModuleToPtx(module, text(""), NULL, NULL, NULL);
  // CHECK-NEXT: at loc("-":2:8): {{.*}}
  // CHECK-NEXT: ptx 0 codaTranslateModuleToPtx: {{.*}}
  printf("ptx %d %s\n", mlirLogicalResultIsSuccess(status),
         codaGetLastErrorMessage());
  mlirModuleDestroy(module);
}

// CHECK-LABEL: {{^}}test names
static void test_names(void) {
  printf("test names\n");
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager ops = mlirPassManagerGetAsOpPassManager(manager);
  // CHECK: before: 'coda-fusion' does not refer to a registered pass or pass pipeline
  mlirOpPassManagerAddPipeline(ops, text("coda-fusion"), print_line, before);
  MlirLogicalResult first = codaRegisterAllPasses();
  MlirLogicalResult second = codaRegisterAllPasses();
  MlirLogicalResult added = mlirOpPassManagerAddPipeline(
      ops, text("coda-fuse,coda-to-ptx{chip=sm_90a}"), print, NULL);
  // CHECK: registered 1 1 added 1
  printf("registered %d %d added %d\n", mlirLogicalResultIsSuccess(first),
         mlirLogicalResultIsSuccess(second), mlirLogicalResultIsSuccess(added));
  mlirPassManagerDestroy(manager);
}

// CHECK-LABEL: {{^}}test errors
static void test_errors(void) {
  printf("test errors\n");
  MlirModule module = parse();
  // CHECK-NEXT: callback: codaAddToPtxPipeline: 'options': unknown option 'normalize'; there are absorb-partials, chip, kernel, stop-after, tuning-file
  // CHECK-NEXT: run 0
  run(module, codaAddToPtxPipeline, "normalize=true");
  // CHECK-NEXT: callback: codaAddToPtxPipeline: 'options': option 'stop-after' cannot be 'never'
  // CHECK-NEXT: run 0
  run(module, codaAddToPtxPipeline, "stop-after=never");
  MlirOpPassManager null = {NULL};
  // CHECK-NEXT: null: codaAddToCpuPipeline: 'manager' is null
  codaAddToCpuPipeline(null, text(""), print_line, null_manager);
  // CHECK-NEXT: codaAddFusionPipeline: 'manager' is null
  codaAddFusionPipeline(null, text(""), NULL, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  MlirModule none = {NULL};
  // CHECK-NEXT: codaTranslateModuleToPtx: 'module' is null
  codaTranslateModuleToPtx(none, text(""), NULL, NULL, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: codaTranslateModuleToPtx: 'options': unknown option 'x'; {{.*}}
  codaTranslateModuleToPtx(module, text("x"), NULL, NULL, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: codaTranslateModuleToManifest: 'module' is null
  codaTranslateModuleToManifest(none, NULL, NULL);
  printf("%s\n", codaGetLastErrorMessage());
  mlirModuleDestroy(module);
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file || !fread(source, 1, sizeof source - 1, file))
    return 1;
  fclose(file);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  codaRegisterAllDialects(registry);
  context = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, diagnose, NULL, NULL);
  test_pipelines();
  test_target();
  test_names();
  test_errors();
  mlirContextDestroy(context);
  // CHECK: end
  printf("end\n");
  return 0;
}
