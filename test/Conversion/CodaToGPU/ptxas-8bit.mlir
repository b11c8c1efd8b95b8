// fp8 and int8 assemble without a spill and without a warning that ptxas serialised
// wgmma: all pairs of formats, and results of one byte.

// REQUIRES: ptxas
// RUN: coda-opt %s --coda-to-ptx='chip=sm_90a kernel=cooperative stop-after=kernel' -o %t.cooperative.mlir
// RUN: coda-compile %t.cooperative.mlir -o %t.cooperative.ptx
// RUN: ptxas -arch=sm_90a -v %t.cooperative.ptx -o %t.cooperative.cubin 2>&1 | FileCheck %s --implicit-check-not=C75
// RUN: FileCheck %s --check-prefixes=PTX,COOPERATIVE --input-file=%t.cooperative.ptx
// RUN: coda-opt %s --coda-to-ptx='chip=sm_90a kernel=pingpong stop-after=kernel' -o %t.pingpong.mlir
// RUN: coda-compile %t.pingpong.mlir -o %t.pingpong.ptx
// RUN: ptxas -arch=sm_90a -v %t.pingpong.ptx -o %t.pingpong.cubin 2>&1 | FileCheck %s --implicit-check-not=C75
// RUN: FileCheck %s --check-prefixes=PTX,PINGPONG --input-file=%t.pingpong.ptx

// CHECK-COUNT-14: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: spill

// PTX-LABEL: .entry e4m3_e4m3_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3{{ }}
func.func @e4m3_e4m3(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<f32>, %bias: tensor<?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E4M3FN>) rhs(%b [n, k] : tensor<?x?xf8E4M3FN>)
      operands(%s [] : tensor<f32>, %bias [n] : tensor<?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>, %st: !coda.tile<1x1xf32>, %biast: !coda.tile<1x?xbf16>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>, %sx = %st : !coda.tile<1x1xf32>, %biasx = %biast : !coda.tile<1x?xbf16>)
        -> !coda.tile<?x?xbf16> {
      %y = arith.mulf %x, %sx : f32
      %e = arith.extf %biasx : bf16 to f32
      %z = arith.addf %y, %e : f32
      %r = arith.truncf %z : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// PTX-LABEL: .entry e4m3_e5m2_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e5m2{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2{{ }}
func.func @e4m3_e5m2(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E4M3FN>) rhs(%b [n, k] : tensor<?x?xf8E5M2>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// PTX-LABEL: .entry e5m2_e4m3_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e4m3{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.f32.e5m2.e4m3{{ }}
func.func @e5m2_e4m3(%a: tensor<?x?xf8E5M2>, %b: tensor<?x?xf8E4M3FN>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E5M2>) rhs(%b [n, k] : tensor<?x?xf8E4M3FN>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// PTX-LABEL: .entry to_e4m3_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e5m2{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.f32.e5m2.e5m2{{ }}
// Beyond the largest number the source has a NaN, the instruction does not.
// PTX: cvt.rn.satfinite.e4m3x2.f32
// PTX: setp.gt.f32 {{.*}}, 0f43E80000
// PTX: st.shared.b16
// PTX: cp.async.bulk.tensor.2d.global.shared
func.func @to_e4m3(%a: tensor<?x?xf8E5M2>, %b: tensor<?x?xf8E5M2>,
    %d: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf8E4M3FN> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E5M2>) rhs(%b [n, k] : tensor<?x?xf8E5M2>)
      outs(%d [m, n] : tensor<?x?xf8E4M3FN>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xf8E4M3FN> {
      %r = arith.truncf %x : f32 to f8E4M3FN
      coda.yield %r : f8E4M3FN
    }
    coda.yield %1 : !coda.tile<?x?xf8E4M3FN>
  } -> tensor<?x?xf8E4M3FN>
  return %0 : tensor<?x?xf8E4M3FN>
}

// PTX-LABEL: .entry to_e5m2_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3{{ }}
// Clamped in the source: nothing is beyond it.
// PTX-NOT: setp{{.*}}, 0f47700000
// PTX: cvt.rn.satfinite.e5m2x2.f32
func.func @to_e5m2(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>,
    %d: tensor<?x?xf8E5M2>) -> tensor<?x?xf8E5M2> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E4M3FN>) rhs(%b [n, k] : tensor<?x?xf8E4M3FN>)
      outs(%d [m, n] : tensor<?x?xf8E5M2>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xf8E5M2> {
      %high = arith.constant 57344.0 : f32
      %low = arith.constant -57344.0 : f32
      %y = arith.minimumf %x, %high : f32
      %z = arith.maximumf %y, %low : f32
      %r = arith.truncf %z : f32 to f8E5M2
      coda.yield %r : f8E5M2
    }
    coda.yield %1 : !coda.tile<?x?xf8E5M2>
  } -> tensor<?x?xf8E5M2>
  return %0 : tensor<?x?xf8E5M2>
}

// PTX-LABEL: .entry i8_sums_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8{{ }}
func.func @i8_sums(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>,
    %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xi8>) rhs(%b [n, k] : tensor<?x?xi8>)
      outs(%d [m, n] : tensor<?x?xi32>) {
  ^bb0(%acc: !coda.tile<?x?xi32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xi32>)
        -> !coda.tile<?x?xi32> {
      %one = arith.constant 1 : i32
      %r = arith.addi %x, %one : i32
      coda.yield %r : i32
    }
    coda.yield %1 : !coda.tile<?x?xi32>
  } -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// PTX-LABEL: .entry requantise_gemm(
// COOPERATIVE: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8{{ }}
// PINGPONG: wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8{{ }}
// PTX: cvt.rni.f32.f32
func.func @requantise(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %s: tensor<?xf32>,
    %d: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xi8>) rhs(%b [n, k] : tensor<?x?xi8>)
      operands(%s [n] : tensor<?xf32>)
      outs(%d [m, n] : tensor<?x?xi8>) {
  ^bb0(%acc: !coda.tile<?x?xi32>, %st: !coda.tile<1x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xi32>, %sx = %st : !coda.tile<1x?xf32>)
        -> !coda.tile<?x?xi8> {
      %high = arith.constant 127.0 : f32
      %low = arith.constant -128.0 : f32
      %f = arith.sitofp %x : i32 to f32
      %g = arith.mulf %f, %sx : f32
      %h = math.roundeven %g : f32
      %y = arith.minimumf %h, %high : f32
      %z = arith.maximumf %y, %low : f32
      %r = arith.fptosi %z : f32 to i8
      coda.yield %r : i8
    }
    coda.yield %1 : !coda.tile<?x?xi8>
  } -> tensor<?x?xi8>
  return %0 : tensor<?x?xi8>
}
