// RUN: coda-compile %s --emit=host | FileCheck %s

// A function of host code takes descriptors for tensors and numbers as they
// are; the manifest is inside.

// CHECK: @coda.manifest = private constant [{{[0-9]+}} x i8] c"{
// CHECK-SAME: coda-manifest
// CHECK: define internal i32 @coda.load(ptr %0, ptr %1, i64 %2)
// CHECK: load atomic ptr, ptr @coda.module acquire
// CHECK: call i32 @coda_module_load(ptr @coda.manifest, i64 {{[0-9]+}}, ptr @coda.image, i64 {{[0-9]+}},
// CHECK: cmpxchg ptr @coda.module, ptr null, ptr %{{.*}} acq_rel acquire

// CHECK: define i32 @numbers(i1 %0, i32 %1, half %2, bfloat %3, double %4, ptr %5, ptr %6, ptr %7, i64 %8)
// CHECK: call ptr @coda_module_function(ptr %{{.*}}, i32 0)
// CHECK: zext i1 %0 to i64
// CHECK: sext i32 %1 to i64
// CHECK: fpext half %2 to double
// CHECK: fpext bfloat %3 to double
// CHECK: call i32 @coda_function_plan(
// CHECK: call i32 @coda_function_launch({{.*}}, ptr %6, ptr %7, i64 %8)
func.func @numbers(%a: i1, %b: i32, %c: f16, %d: bf16, %e: f64, %x: memref<f32>) {
  return
}

// Offsets count elements.
// CHECK: define i32 @second(ptr %0, ptr %1, ptr %2, ptr %3, i64 %4)
// CHECK: call ptr @coda_module_function(ptr %{{.*}}, i32 1)
// CHECK: mul i64 %{{.*}}, 2
func.func @second(%x: memref<?x4xbf16>) -> memref<?x4xbf16> {
  return %x : memref<?x4xbf16>
}
