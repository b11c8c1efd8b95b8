// An entry of the tuning file goes before a schedule on the op, and that before
// the choice of the pass.

// RUN: coda-opt %s --coda-schedule=tuning-file=%S/Inputs/tuning.json | FileCheck %s
// RUN: coda-opt %s --coda-to-ptx="tuning-file=%S/Inputs/tuning.json stop-after=scheduled" | FileCheck %s
// RUN: coda-compile %s --tuning-file=%S/Inputs/tuning.json --emit=scheduled | FileCheck %s

// CHECK-LABEL: func.func @known(
// CHECK: schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3>
func.func @known(%a: tensor<512x512xbf16>, %b: tensor<1024x512xbf16>, %d: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<512x512xbf16>) rhs(%b [n, k] : tensor<1024x512xbf16>)
      outs(%d [m, n] : tensor<512x1024xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 5> {
  ^bb0(%acc: !coda.tile<512x1024xf32>):
    coda.yield %acc : !coda.tile<512x1024xf32>
  } -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// The same but for one thing each: K is too small; another storage of B.
// CHECK-LABEL: func.func @small_k(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 5>
func.func @small_k(%a: tensor<512x448xbf16>, %b: tensor<1024x448xbf16>, %d: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<512x448xbf16>) rhs(%b [n, k] : tensor<1024x448xbf16>)
      outs(%d [m, n] : tensor<512x1024xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 5> {
  ^bb0(%acc: !coda.tile<512x1024xf32>):
    coda.yield %acc : !coda.tile<512x1024xf32>
  } -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// CHECK-LABEL: func.func @storage(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 6>
func.func @storage(%a: tensor<512x512xbf16>, %b: tensor<512x1024xbf16>, %d: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<512x512xbf16>) rhs(%b [k, n] : tensor<512x1024xbf16>)
      outs(%d [m, n] : tensor<512x1024xf32>) {
  ^bb0(%acc: !coda.tile<512x1024xf32>):
    coda.yield %acc : !coda.tile<512x1024xf32>
  } -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// CHECK-LABEL: func.func @unknown_m(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4>
func.func @unknown_m(%a: tensor<?x512xbf16>, %b: tensor<1024x512xbf16>, %d: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x512xbf16>) rhs(%b [n, k] : tensor<1024x512xbf16>)
      outs(%d [m, n] : tensor<?x1024xf32>) {
  ^bb0(%acc: !coda.tile<?x1024xf32>):
    coda.yield %acc : !coda.tile<?x1024xf32>
  } -> tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}

// CHECK-LABEL: func.func @f32(
// CHECK: schedule<kernel = simple, tile_m = 64, tile_n = 16, tile_k = 32>
func.func @f32(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<8x8xf32>) rhs(%b [k, n] : tensor<8x8xf32>)
      outs(%d [m, n] : tensor<8x8xf32>) {
  ^bb0(%acc: !coda.tile<8x8xf32>):
    coda.yield %acc : !coda.tile<8x8xf32>
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
