// Constants that functions read lie beside the kernels, byte for byte as the
// device has them in memory.
// RUN: coda-opt %s --coda-module-constants | FileCheck %s
// RUN: coda-opt %s --coda-module-constants=chip=sm_80 | FileCheck %s --check-prefix=CHIP

// CHIP: gpu.module @coda_kernels [#nvvm.target<O = 3, chip = "sm_80"

// CHECK: gpu.module @coda_kernels
// CHECK: llvm.mlir.global external constant @constant_f32("\00\00\80?\00\00\00\C0") {addr_space = 1 : i32, alignment = 128 : i64}
// CHECK: @constant_splat("\C0?\C0?\C0?")
// CHECK: @constant_bools("\01\00\01\01\00\01\00\00\01")
// CHECK: @constant_all("\01\01")
// CHECK: @constant_index("\05\00\00\00\00\00\00\00\FF\FF\FF\FF\FF\FF\FF\FF")
// CHECK: @constant_fp8("8\C0")
// CHECK: @constant_resource("\01\00\02\00\03\00")
// CHECK: @constant_flags("\01\00")
// CHECK: @constant_empty("\00")
// CHECK: @constant_a_b("\01")
// CHECK: @constant_a_b_1("\02")
memref.global "private" constant @__constant_f32 : memref<2xf32> = dense<[1.0, -2.0]>
memref.global "private" constant @__constant_splat : memref<3xbf16> = dense<1.5>
memref.global "private" constant @bools : memref<9xi1> = dense<[true, false, true, true, false, true, false, false, true]>
memref.global "private" constant @all : memref<2xi1> = dense<true>
memref.global "private" constant @index : memref<2xindex> = dense<[5, -1]>
memref.global "private" constant @fp8 : memref<2xf8E4M3FN> = dense<[1.0, -2.0]>
memref.global "private" constant @resource : memref<3xi16> = dense_resource<shorts>
memref.global "private" constant @flags : memref<2xi1> = dense_resource<bools>
memref.global "private" constant @empty : memref<0x4xf32> = dense<>
memref.global "private" constant @a.b : memref<i8> = dense<1>
memref.global "private" constant @"a b" : memref<i8> = dense<2>

// What is not constant, and what no function reads, stays.
// CHECK: memref.global "private" @variable
// CHECK: memref.global "private" constant @unread
memref.global "private" @variable : memref<2xf32> = dense<0.0>
memref.global "private" constant @unread : memref<2xf32> = dense<0.0>
// Somebody else may read this one.
// CHECK: memref.global constant @public
memref.global constant @public : memref<1xi8> = dense<3>

// CHECK-NOT: memref.global

// CHECK-LABEL: func.func @f
// CHECK-NEXT: coda.module_constant @coda_kernels::@constant_f32 : memref<2xf32>
// CHECK-NEXT: coda.module_constant @coda_kernels::@constant_splat : memref<3xbf16>
func.func @f() -> (memref<2xf32>, memref<3xbf16>, memref<9xi1>, memref<2xi1>, memref<2xindex>, memref<2xf8E4M3FN>) {
  %0 = memref.get_global @__constant_f32 : memref<2xf32>
  %1 = memref.get_global @__constant_splat : memref<3xbf16>
  %2 = memref.get_global @bools : memref<9xi1>
  %3 = memref.get_global @all : memref<2xi1>
  %4 = memref.get_global @index : memref<2xindex>
  %5 = memref.get_global @fp8 : memref<2xf8E4M3FN>
  return %0, %1, %2, %3, %4, %5 : memref<2xf32>, memref<3xbf16>, memref<9xi1>, memref<2xi1>, memref<2xindex>, memref<2xf8E4M3FN>
}

// CHECK-LABEL: func.func @g
// CHECK-NEXT: coda.module_constant @coda_kernels::@constant_f32 : memref<2xf32>
// CHECK: coda.module_constant @coda_kernels::@constant_empty : memref<0x4xf32>
// CHECK: memref.get_global @variable
// CHECK: coda.module_constant @coda_kernels::@constant_public
func.func @g() -> (memref<2xf32>, memref<3xi16>, memref<2xi1>, memref<0x4xf32>, memref<i8>, memref<i8>, memref<2xf32>, memref<1xi8>) {
  %0 = memref.get_global @__constant_f32 : memref<2xf32>
  %1 = memref.get_global @resource : memref<3xi16>
  %2 = memref.get_global @flags : memref<2xi1>
  %3 = memref.get_global @empty : memref<0x4xf32>
  %4 = memref.get_global @a.b : memref<i8>
  %5 = memref.get_global @"a b" : memref<i8>
  %6 = memref.get_global @variable : memref<2xf32>
  %7 = memref.get_global @public : memref<1xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : memref<2xf32>, memref<3xi16>, memref<2xi1>, memref<0x4xf32>, memref<i8>, memref<i8>, memref<2xf32>, memref<1xi8>
}

{-#
  dialect_resources: {
    builtin: {
      shorts: "0x02000000010002000300",
      bools: "0x010000000200"
    }
  }
#-}
