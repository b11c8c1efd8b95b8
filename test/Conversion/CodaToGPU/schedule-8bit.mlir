// One-byte inputs: twice the elements along k, and tensor cores only where both
// sides are stored along k.

// RUN: coda-opt %s --coda-schedule | FileCheck %s
// RUN: coda-opt %s --coda-schedule=chip=sm_90 | FileCheck %s --check-prefix=SM90
// RUN: not coda-opt %s --coda-schedule=kernel=pingpong 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: schedule-8bit.mlir:[[# @LINE + 30]]:8: error: 'coda.gemm' op cannot be scheduled as kernel 'pingpong': inputs of type i8 must be stored [m, k] and [n, k], but are [m, k] and [k, n]

// SM90-COUNT-4: schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32

// CHECK-LABEL: func.func @fp8(
// CHECK: schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 128, cluster = 2, stages = 6>
func.func @fp8(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf8E4M3FN>) rhs(%b [n, k] : tensor<?x?xf8E5M2>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The main loop is as long as one of 8192 elements of 2 bytes.
// CHECK-LABEL: func.func @long(
// CHECK: schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 128, cluster = 2, stages = 4>
func.func @long(%a: tensor<?x32768xi8>, %b: tensor<?x32768xi8>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x32768xi8>) rhs(%b [n, k] : tensor<?x32768xi8>)
      outs(%d [m, n] : tensor<?x?xi32>) {
  ^bb0(%acc: !coda.tile<?x?xi32>):
    coda.yield %acc : !coda.tile<?x?xi32>
  } -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// CHECK-LABEL: func.func @stored_along_n(
// CHECK: schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32
func.func @stored_along_n(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xi8>) rhs(%b [k, n] : tensor<?x?xi8>)
      outs(%d [m, n] : tensor<?x?xi32>) {
  ^bb0(%acc: !coda.tile<?x?xi32>):
    coda.yield %acc : !coda.tile<?x?xi32>
  } -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// 40 bytes a row: not for tensor copies.
// CHECK-LABEL: func.func @unaligned(
// CHECK: schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32
func.func @unaligned(%a: tensor<64x40xf8E5M2>, %b: tensor<64x40xf8E5M2>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x40xf8E5M2>) rhs(%b [n, k] : tensor<64x40xf8E5M2>)
      outs(%d [m, n] : tensor<64x64xf32>) {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    coda.yield %acc : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
