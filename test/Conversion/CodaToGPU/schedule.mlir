// Ping-pong, unless the main loop is known to be long.

// RUN: coda-opt %s --coda-schedule | FileCheck %s
// RUN: coda-opt %s --coda-schedule=chip=sm_80 | FileCheck %s --check-prefix=SM80 --implicit-check-not='kernel = pingpong' --implicit-check-not='kernel = cooperative'
// RUN: coda-opt %s --coda-schedule=kernel=cooperative | FileCheck %s --check-prefix=COOPERATIVE
// RUN: coda-opt %s --coda-schedule=kernel=simple | FileCheck %s --check-prefix=SM80

// SM80-COUNT-6: schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32
// COOPERATIVE-COUNT-6: schedule<kernel = cooperative,

// CHECK-LABEL: func.func @no_matrix(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6>
func.func @no_matrix(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>,
    %d: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<1024x1024xbf16>) rhs(%b [n, k] : tensor<1024x1024xbf16>)
      outs(%d [m, n] : tensor<1024x1024xf32>) {
  ^bb0(%acc: !coda.tile<1024x1024xf32>):
    coda.yield %acc : !coda.tile<1024x1024xf32>
  } -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @vector(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6>
func.func @vector(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>,
    %bias: tensor<1024xf32>,
    %d: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<1024x1024xbf16>) rhs(%b [n, k] : tensor<1024x1024xbf16>)
      operands(%bias [n] : tensor<1024xf32>)
      outs(%d [m, n] : tensor<1024x1024xbf16>) {
  ^bb0(%acc: !coda.tile<1024x1024xf32>, %biast: !coda.tile<1x1024xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<1024x1024xf32>, %biasx = %biast : !coda.tile<1x1024xf32>)
        -> !coda.tile<1024x1024xbf16> {
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %c = arith.constant 0.707106769 : f32
      %s = arith.addf %x, %biasx : f32
      %u = arith.mulf %s, %c : f32
      %e = math.erf %u : f32
      %v = arith.addf %e, %one : f32
      %w = arith.mulf %s, %v : f32
      %q = arith.mulf %w, %half : f32
      %r = arith.truncf %q : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<1024x1024xbf16>
  } -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// A matrix operand takes the room of ring stages.
// CHECK-LABEL: func.func @matrix(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6, store_buffers = 1>
func.func @matrix(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>,
    %c: tensor<1024x1024xbf16>,
    %d: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<1024x1024xbf16>) rhs(%b [n, k] : tensor<1024x1024xbf16>)
      operands(%c [m, n] : tensor<1024x1024xbf16>)
      outs(%d [m, n] : tensor<1024x1024xbf16>) {
  ^bb0(%acc: !coda.tile<1024x1024xf32>, %ct: !coda.tile<1024x1024xbf16>):
    %1 = coda.map(%x = %acc : !coda.tile<1024x1024xf32>, %cx = %ct : !coda.tile<1024x1024xbf16>)
        -> !coda.tile<1024x1024xbf16> {
      %t = arith.truncf %x : f32 to bf16
      %r = arith.addf %t, %cx : bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<1024x1024xbf16>
  } -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// A long main loop: cooperative.
// CHECK-LABEL: func.func @long_loop(
// CHECK: schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 4>
func.func @long_loop(%a: tensor<1024x16384xbf16>, %b: tensor<1024x16384xbf16>,
    %d: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<1024x16384xbf16>) rhs(%b [n, k] : tensor<1024x16384xbf16>)
      outs(%d [m, n] : tensor<1024x1024xbf16>) {
  ^bb0(%acc: !coda.tile<1024x1024xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<1024x1024xf32>)
        -> !coda.tile<1024x1024xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<1024x1024xbf16>
  } -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// Nothing is known of the loop: as if it were short.
// CHECK-LABEL: func.func @dynamic(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6>
func.func @dynamic(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
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

// CHECK-LABEL: func.func @f16(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6>
func.func @f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf16>) rhs(%b [n, k] : tensor<?x?xf16>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A schedule that fits is kept as it is.
// CHECK-LABEL: func.func @given(
// CHECK: schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32, store_buffers = 1>
func.func @given(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32, store_buffers = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
