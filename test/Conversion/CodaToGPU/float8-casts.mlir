// Casts of 8-bit floats: instructions from sm_90 on, arithmetic before. An operation
// in such a type is one in f32; what an integer is converted to goes through f32.

// RUN: coda-opt %s --convert-coda-to-gpu=chip=sm_90 | FileCheck %s
// RUN: coda-opt %s --convert-coda-to-gpu=chip=sm_80 | FileCheck %s --check-prefix=SM80 --implicit-check-not=extf --implicit-check-not=e4m3x2 --implicit-check-not=e5m2x2
// RUN: coda-opt %s --coda-to-ptx=chip=sm_80 -o %t
// RUN: coda-opt %s --coda-to-ptx=chip=sm_90 -o %t

// SM80-LABEL: llvm.func @casts_gemm_simple
// SM80: arith.minui {{.*}} : vector<2xi32>

// CHECK-LABEL: llvm.func @casts_gemm_simple
// The inputs, as f16 in shared memory.
// CHECK: %[[A:.*]] = llvm.inline_asm asm_dialect = att "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
// CHECK-NEXT: llvm.bitcast %[[A]] : i32 to vector<2xf16>
// CHECK: cvt.rn.f16x2.e5m2x2
// CHECK: nvvm.mma.sync {{.*}} vector<2xf16>
// A bias in f8E5M2, and the sum with it, which is rounded.
// CHECK: cvt.rn.f16x2.e5m2x2
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<2xf32>
// CHECK: %[[X:.*]] = llvm.extractelement %[[SUM]]
// CHECK: %[[Y:.*]] = llvm.extractelement %[[SUM]]
// CHECK: %[[BITS:.*]] = llvm.inline_asm asm_dialect = att "cvt.rn.satfinite.e5m2x2.f32 $0, $2, $1;", "=h,f,f" %[[X]], %[[Y]]
// CHECK: %[[ABS:.*]] = math.absf %[[X]]
// CHECK: %[[OVER:.*]] = arith.cmpf oge, %[[ABS]], %{{.*}} : f32
// CHECK: %[[ONE:.*]] = arith.select %[[OVER]]
// CHECK: arith.addi %[[BITS]], %[[ONE]] : i16
// CHECK-NOT: arith.truncf {{.*}} f8
func.func @casts(%a: memref<64x32xf8E4M3FN>, %b: memref<8x32xf8E5M2>,
    %bias: memref<8xf8E5M2>, %d: memref<64x8xf8E5M2>, %e: memref<64x8xi8>) {
  coda.gemm lhs(%a [m, k] : memref<64x32xf8E4M3FN>) rhs(%b [n, k] : memref<8x32xf8E5M2>)
      operands(%bias [n] : memref<8xf8E5M2>)
      outs(%d [m, n] : memref<64x8xf8E5M2>, %e [m, n] : memref<64x8xi8>)
      schedule<kernel = simple, tile_m = 64, tile_n = 8, tile_k = 32> {
  ^bb0(%acc: !coda.tile<64x8xf32>, %row: !coda.tile<1x8xf8E5M2>):
    %1 = coda.map(%x = %acc : !coda.tile<64x8xf32>, %q = %row : !coda.tile<1x8xf8E5M2>)
        -> !coda.tile<64x8xf8E5M2> {
      %c = arith.constant 0.5 : f8E5M2
      %t = arith.truncf %x : f32 to f8E5M2
      %s = arith.addf %t, %q : f8E5M2
      %r = arith.maximumf %s, %c : f8E5M2
      coda.yield %r : f8E5M2
    }
    %2 = coda.map(%x = %1 : !coda.tile<64x8xf8E5M2>) -> !coda.tile<64x8xi8> {
      %i = arith.fptosi %x : f8E5M2 to i8
      %f = arith.uitofp %i : i8 to f8E5M2
      %l = arith.cmpf olt, %f, %x : f8E5M2
      %z = arith.select %l, %f, %x : f8E5M2
      %r = arith.bitcast %z : f8E5M2 to i8
      coda.yield %r : i8
    }
    coda.yield %1, %2 : !coda.tile<64x8xf8E5M2>, !coda.tile<64x8xi8>
  }
  return
}
