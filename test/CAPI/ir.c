/*===- ir.c - The dialect through the C API -------------------------------===*/
// RUN: %{capi}/coda-capi-ir 2>&1 | FileCheck %s

#include "Inputs/text.h"

#include "coda-c/Dialect.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Support.h"

#include <stdio.h>

static MlirContext context;
static MlirLocation loc;

static MlirLogicalResult diagnose(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  printf("at ");
  mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), print, NULL);
  printf(": ");
  mlirDiagnosticPrint(diagnostic, print, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

// CHECK-LABEL: {{^}}test registration
static void test_registration(void) {
  printf("test registration\n");
  context = mlirContextCreate();
  mlirContextAttachDiagnosticHandler(context, diagnose, NULL, NULL);
  loc = mlirLocationFileLineColGet(context, text("here"), 3, 7);
  MlirDialectHandle handle = mlirGetDialectHandle__coda__();
  MlirStringRef name = mlirDialectHandleGetNamespace(handle);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(handle, registry);
  MlirLogicalResult status = codaRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextGetOrLoadDialect(context, text("arith"));
  MlirDialect dialect = mlirDialectHandleLoadDialect(handle, context);
  // CHECK-NEXT: coda 0.{{[0-9]+}}.{{[0-9]+}} registered 1 loaded 1 error ''
  printf("%.*s %s registered %d loaded %d error '%s'\n", (int)name.length,
         name.data, codaCompilerVersion(), mlirLogicalResultIsSuccess(status),
         !mlirDialectIsNull(dialect), codaGetLastErrorMessage());
  // CHECK-NEXT: codaRegisterAllDialects: 'registry' is null
  codaRegisterAllDialects((MlirDialectRegistry){NULL});
  printf("%s\n", codaGetLastErrorMessage());
}

// CHECK-LABEL: {{^}}test types
static void test_types(void) {
  printf("test types\n");
  MlirType f32 = mlirF32TypeGet(context);
  MlirType tile = codaTileTypeGet(loc, codaGetDynamicSize(), 64, f32);
  mlirTypePrint(tile, print, NULL);
  // CHECK-NEXT: !coda.tile<?x64xf32> dynamic 1 columns 64
  printf(" dynamic %d columns %d\n",
         codaTileTypeGetRows(tile) == codaGetDynamicSize(),
         (int)codaTileTypeGetColumns(tile));
  // CHECK-NEXT: tile 1 0 0 element 1 id 1
  printf("tile %d %d %d element %d id %d\n", codaTypeIsATile(tile),
         codaTypeIsATile(f32), codaTypeIsATile((MlirType){NULL}),
         mlirTypeEqual(codaTileTypeGetElementType(tile), f32),
         mlirTypeIDEqual(mlirTypeGetTypeID(tile), codaTileTypeGetTypeID()));
  MlirType map = codaTensorMapTypeGet(context);
  // CHECK-NEXT: tensor map 1 0 id 1
  printf("tensor map %d %d id %d\n", codaTypeIsATensorMap(map),
         codaTypeIsATensorMap(tile),
         mlirTypeIDEqual(mlirTypeGetTypeID(map), codaTensorMapTypeGetTypeID()));

  /* What is no tile has no sizes. */
  // CHECK-NEXT: rows -1 columns -1 element null 1
  printf("rows %d columns %d element null %d\n", (int)codaTileTypeGetRows(f32),
         (int)codaTileTypeGetColumns((MlirType){NULL}),
         mlirTypeIsNull(codaTileTypeGetElementType(f32)));
  // CHECK-NEXT: at loc("here":3:7): codaTileTypeGet: a tile's size must not be negative, but is -2
  // CHECK-NEXT: null 1: codaTileTypeGet: a tile's size must not be negative, but is -2
  printf("null %d: ", mlirTypeIsNull(codaTileTypeGet(loc, -2, 4, f32)));
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: at {{.*}}: codaTileTypeGet: a tile's elements must be of signless integer, index or float type, but are 'none'
  codaTileTypeGet(loc, 1, 1, mlirNoneTypeGet(context));
  // CHECK-NEXT: at {{.*}}: codaTileTypeGet: 'elementType' is null
  codaTileTypeGet(loc, 1, 1, (MlirType){NULL});
  // CHECK-NEXT: codaTileTypeGet: 'loc' is null
  codaTileTypeGet((MlirLocation){NULL}, 1, 1, f32);
  printf("%s\n", codaGetLastErrorMessage());
  // CHECK-NEXT: codaTensorMapTypeGet: 'context' is null
  codaTensorMapTypeGet((MlirContext){NULL});
  printf("%s\n", codaGetLastErrorMessage());
}

// CHECK-LABEL: {{^}}test attributes
static void test_attributes(void) {
  printf("test attributes\n");
  CodaDim nk[] = {CodaDimN, CodaDimK}, mm[] = {CodaDimM, CodaDimM};
  MlirAttribute dims = codaDimsAttrGet(loc, 2, nk);
  mlirAttributePrint(dims, print, NULL);
  // CHECK-NEXT: #coda<dims[n, k]> 2: 1 2 -1
  printf(" %d: %d %d %d\n", (int)codaDimsAttrGetNumDims(dims),
         codaDimsAttrGetDim(dims, 0), codaDimsAttrGetDim(dims, 1),
         codaDimsAttrGetDim(dims, 2));
  MlirAttribute none = codaDimsAttrGet(loc, 0, NULL);
  // CHECK-NEXT: dims 1 1 0 number 0 id 1
  printf(
      "dims %d %d %d number %d id %d\n", codaAttributeIsADims(dims),
      codaAttributeIsADims(none), codaAttributeIsADims((MlirAttribute){NULL}),
      (int)codaDimsAttrGetNumDims(none),
      mlirTypeIDEqual(mlirAttributeGetTypeID(dims), codaDimsAttrGetTypeID()));
  // CHECK-NEXT: at {{.*}}: codaDimsAttrGet: dimension m is listed twice
  codaDimsAttrGet(loc, 2, mm);
  // CHECK-NEXT: at {{.*}}: codaDimsAttrGet: 'numDims' must be from 0 to 3, but is 4
  codaDimsAttrGet(loc, 4, mm);
  // CHECK-NEXT: at {{.*}}: codaDimsAttrGet: 'dims' is null
  codaDimsAttrGet(loc, 1, NULL);
  nk[1] = (CodaDim)9;
  // CHECK-NEXT: at {{.*}}: codaDimsAttrGet: 'dims' has 9 at position 1, which is no CodaDim
  codaDimsAttrGet(loc, 2, nk);

  CodaSchedule schedule = codaScheduleDefault(), copy = {0};
  schedule.stages = 4;
  schedule.cluster = 2;
  MlirAttribute attr = codaScheduleAttrGet(loc, &schedule);
  // CHECK-NEXT: #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 4>
  mlirAttributePrint(attr, print, NULL);
  // CHECK-NEXT: schedule 1 0 id 1 value 1: 128 256 64 2 4 8 2
  printf("\nschedule %d %d id %d value %d: ", codaAttributeIsASchedule(attr),
         codaAttributeIsASchedule(dims),
         mlirTypeIDEqual(mlirAttributeGetTypeID(attr),
                         codaScheduleAttrGetTypeID()),
         codaScheduleAttrGetValue(attr, &copy));
  printf("%d %d %d %d %d %d %d\n", (int)copy.tileM, (int)copy.tileN,
         (int)copy.tileK, (int)copy.cluster, (int)copy.stages, (int)copy.raster,
         (int)copy.storeBuffers);
  // CHECK-NEXT: other 0 0
  printf("other %d %d\n", codaScheduleAttrGetValue(dims, &copy),
         codaScheduleAttrGetValue(attr, NULL));
  schedule.tileM = 100;
  // CHECK-NEXT: at {{.*}}: codaScheduleAttrGet: tile_m must be a multiple of 128 from 128 to 256, but is 100
  codaScheduleAttrGet(loc, &schedule);
  schedule.kernel = -1;
  // CHECK-NEXT: at {{.*}}: codaScheduleAttrGet: 'kernel' is -1, which is no CodaKernel
  codaScheduleAttrGet(loc, &schedule);
  // CHECK-NEXT: at {{.*}}: codaScheduleAttrGet: 'schedule' is null
  codaScheduleAttrGet(loc, NULL);
}

static MlirOperation append(MlirBlock block, const char *name, intptr_t count,
                            const MlirValue *operands, MlirType result) {
  MlirOperationState state = mlirOperationStateGet(text(name), loc);
  mlirOperationStateAddOperands(&state, count, operands);
  mlirOperationStateAddResults(&state, 1, &result);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

static MlirType tensor(int64_t rows, int64_t columns, MlirType element) {
  int64_t shape[] = {rows, columns};
  return mlirRankedTensorTypeGet(2, shape, element, mlirAttributeGetNull());
}

/* y = x0 + x w^T, and the number of each row beside it. */
static MlirOperation make_gemm(MlirBlock function, MlirValue *values,
                               CodaGemmDescription *gemm) {
  MlirType f32 = mlirF32TypeGet(context);
  MlirOperation op = codaGemmCreate(loc, gemm);
  if (mlirOperationIsNull(op))
    return op;
  MlirBlock body = codaOperationGetBody(op);
  MlirValue inputs[] = {mlirBlockGetArgument(body, 0),
                        mlirBlockGetArgument(body, 1)};
  MlirOperation map = codaMapCreate(loc, 2, inputs, f32);
  MlirBlock scalars = codaOperationGetBody(map);
  MlirValue addends[] = {mlirBlockGetArgument(scalars, 0),
                         mlirBlockGetArgument(scalars, 1)};
  MlirValue sum =
      mlirOperationGetResult(append(scalars, "arith.addf", 2, addends, f32), 0);
  mlirBlockAppendOwnedOperation(scalars, codaYieldCreate(loc, 1, &sum));
  mlirBlockAppendOwnedOperation(body, map);

  MlirNamedAttribute axis = mlirNamedAttributeGet(
      mlirIdentifierGet(context, text("axis")),
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), 0));
  MlirNamedAttribute note = mlirNamedAttributeGet(
      mlirIdentifierGet(context, text("note")), mlirUnitAttrGet(context));
  MlirNamedAttribute attributes[] = {axis, note};
  MlirType rows = codaTileTypeGet(loc, 16, 1, mlirIntegerTypeGet(context, 32));
  MlirOperation index = codaOperationCreate(loc, text("coda.index"), 0, NULL, 1,
                                            &rows, 2, attributes);
  mlirBlockAppendOwnedOperation(body, index);
  MlirValue tiles[] = {mlirOperationGetResult(map, 0),
                       mlirOperationGetResult(index, 0)};
  mlirBlockAppendOwnedOperation(
      body,
      codaOperationCreate(loc, text("coda.yield"), 2, tiles, 0, NULL, 0, NULL));
  (void)values;
  mlirBlockAppendOwnedOperation(function, op);
  return op;
}

// CHECK-LABEL: {{^}}test gemm
static void test_gemm(void) {
  printf("test gemm\n");
  MlirType bf16 = mlirBF16TypeGet(context), f32 = mlirF32TypeGet(context);
  int64_t rows[] = {16};
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  MlirType types[] = {
      tensor(16, 32, bf16), tensor(8, 32, bf16), tensor(16, 8, f32),
      tensor(16, 8, f32),
      mlirRankedTensorTypeGet(1, rows, i32, mlirAttributeGetNull())};
  MlirLocation locs[] = {loc, loc, loc, loc, loc};
  MlirBlock block = mlirBlockCreate(5, types, locs);
  MlirValue values[5];
  for (int i = 0; i < 5; ++i)
    values[i] = mlirBlockGetArgument(block, i);
  CodaDim mk[] = {CodaDimM, CodaDimK}, nk[] = {CodaDimN, CodaDimK},
          mn[] = {CodaDimM, CodaDimN}, m[] = {CodaDimM};
  MlirAttribute mnAttr = codaDimsAttrGet(loc, 2, mn);
  MlirAttribute outDims[] = {mnAttr, codaDimsAttrGet(loc, 1, m)};
  CodaSchedule schedule = {CodaKernelSimple, 64, 8, 16, 1, 1, 8, 2};
  CodaGemmDescription gemm = {.lhs = values[0],
                              .lhsDims = codaDimsAttrGet(loc, 2, mk),
                              .numRhs = 1,
                              .rhs = &values[1],
                              .rhsDims = codaDimsAttrGet(loc, 2, nk),
                              .numOperands = 1,
                              .operands = &values[2],
                              .operandDims = &mnAttr,
                              .numOuts = 2,
                              .outs = &values[3],
                              .outDims = outDims,
                              .schedule = codaScheduleAttrGet(loc, &schedule)};
  MlirOperation op = make_gemm(block, values, &gemm);
  // CHECK-NEXT: valid 1 gemm 1 0 results 2
  printf("valid %d gemm %d %d results %d\n", mlirOperationVerify(op),
         codaOperationIsAGemm(op), codaOperationIsAGemm((MlirOperation){NULL}),
         (int)mlirOperationGetNumResults(op));
  // CHECK-NEXT: coda.gemm lhs({{.*}} [m, k] : tensor<16x32xbf16>) rhs({{.*}} [n, k] : tensor<8x32xbf16>)
  // CHECK-SAME: operands({{.*}} [m, n] : tensor<16x8xf32>) outs({{.*}} [m, n] : tensor<16x8xf32>, {{.*}} [m] : tensor<16xi32>)
  // CHECK-SAME: schedule<kernel = simple
  // CHECK-NEXT: (%[[ACC:.*]]: !coda.tile<16x8xf32>, %[[OTHER:.*]]: !coda.tile<16x8xf32>):
  // CHECK-NEXT: %[[MAP:.*]] = coda.map(%[[A:.*]] = %[[ACC]] : !coda.tile<16x8xf32>, %[[B:.*]] = %[[OTHER]] : !coda.tile<16x8xf32>) -> !coda.tile<16x8xf32> {
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: coda.yield %[[SUM]] : f32
  // CHECK: %[[ROW:.*]] = coda.index rows {note} : !coda.tile<16x1xi32>
  // CHECK-NEXT: coda.yield %[[MAP]], %[[ROW]]
  mlirOperationPrint(op, print, NULL);
  printf("\n");

  /* An epilogue that does not fit is found by the verifier. */
  MlirOperation unfinished = codaGemmCreate(loc, &gemm);
  mlirBlockAppendOwnedOperation(codaOperationGetBody(unfinished),
                                codaYieldCreate(loc, 0, NULL));
  // CHECK: at loc("here":3:7): 'coda.yield' op must give a tile for each of 2 destinations, but gives 0
  // CHECK-NEXT: valid 0
  printf("valid %d\n", mlirOperationVerify(unfinished));
  mlirOperationDestroy(unfinished);

  // CHECK-NEXT: at loc("here":3:7): codaGemmCreate: 'gemm' is null
  codaGemmCreate(loc, NULL);
  CodaGemmDescription bad = gemm;
  bad.lhs.ptr = NULL;
  // CHECK-NEXT: codaGemmCreate: 'lhs' is null
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.rhs = NULL;
  // CHECK-NEXT: codaGemmCreate: 'rhs' is null
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.numRhs = 0;
  // CHECK-NEXT: codaGemmCreate: 'rhs' is empty
  codaGemmCreate(loc, &bad);
  bad.numRhs = -1;
  // CHECK-NEXT: codaGemmCreate: the number of 'rhs' is negative
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.rhsDims = mlirUnitAttrGet(context);
  // CHECK-NEXT: codaGemmCreate: 'rhsDims' must be an attribute of codaDimsAttrGet
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.operandDims = NULL;
  // CHECK-NEXT: codaGemmCreate: 'operandDims' is null
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.operandDims = &outDims[1];
  // CHECK-NEXT: codaGemmCreate: 'operands[0]' has rank 2, but 1 dims
  codaGemmCreate(loc, &bad);
  bad = gemm;
  outDims[1].ptr = NULL;
  // CHECK-NEXT: codaGemmCreate: 'outDims[1]' is null
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.numOuts = 1;
  bad.lhs = values[4];
  bad.lhsDims = codaDimsAttrGet(loc, 1, m);
  // CHECK-NEXT: codaGemmCreate: 'lhs' has elements that cannot be multiplied
  codaGemmCreate(loc, &bad);
  bad = gemm;
  bad.numOuts = 1;
  bad.schedule = mnAttr;
  // CHECK-NEXT: codaGemmCreate: 'schedule' must be an attribute of codaScheduleAttrGet
  codaGemmCreate(loc, &bad);
  // CHECK-NEXT: codaGemmCreate: 'loc' is null
  codaGemmCreate((MlirLocation){NULL}, &gemm);
  printf("%s\n", codaGetLastErrorMessage());

  // CHECK-NEXT: codaMapCreate: 'inputs[0]' is no tile
  codaMapCreate(loc, 1, values, f32);
  // CHECK-NEXT: codaMapCreate: 'elementType' is null
  codaMapCreate(loc, 0, NULL, (MlirType){NULL});
  // CHECK-NEXT: codaYieldCreate: 'values' is null
  codaYieldCreate(loc, 1, NULL);
  // CHECK-NEXT: codaOperationCreate: 'name' is 'coda.none', which is no op of the dialect 'coda'
  codaOperationCreate(loc, text("coda.none"), 0, NULL, 0, NULL, 0, NULL);
  // CHECK-NEXT: codaOperationCreate: 'name' is 'arith.addf', which is no op of the dialect 'coda'
  codaOperationCreate(loc, text("arith.addf"), 0, NULL, 0, NULL, 0, NULL);
  // CHECK-NEXT: codaOperationCreate: 'name' is 'coda.map', which has a region; use codaGemmCreate or codaMapCreate
  codaOperationCreate(loc, text("coda.map"), 0, NULL, 0, NULL, 0, NULL);
  // CHECK-NEXT: codaOperationCreate: 'attributes' of 'coda.index': {{.*}}Axis
  MlirNamedAttribute axis = mlirNamedAttributeGet(
      mlirIdentifierGet(context, text("axis")), mlirUnitAttrGet(context));
  codaOperationCreate(loc, text("coda.index"), 0, NULL, 0, NULL, 1, &axis);
  // CHECK-NEXT: codaOperationCreate: 'name' is null
  codaOperationCreate(loc, (MlirStringRef){NULL, 0}, 0, NULL, 0, NULL, 0, NULL);
  // CHECK-NEXT: codaOperationGetBody: 'op' is null
  codaOperationGetBody((MlirOperation){NULL});
  printf("%s\n", codaGetLastErrorMessage());
  mlirBlockDestroy(block);
}

int main(void) {
  test_registration();
  test_types();
  test_attributes();
  test_gemm();
  mlirContextDestroy(context);
  // CHECK: end
  printf("end\n");
  return 0;
}
