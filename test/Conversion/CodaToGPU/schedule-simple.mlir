// What no tensor copy or wgmma takes gets the kernel 'simple'.

// RUN: coda-opt %s --coda-schedule | FileCheck %s

// wgmma takes bf16 and f16 only.
// CHECK-LABEL: func.func @f32(
// CHECK: schedule<kernel = simple
func.func @f32(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf32>) rhs(%b [n, k] : tensor<?x?xf32>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Rows of 63 elements are no multiple of 16 bytes.
// CHECK-LABEL: func.func @odd(
// CHECK: schedule<kernel = simple
func.func @odd(%a: tensor<64x63xbf16>, %b: tensor<64x63xbf16>,
    %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x63xbf16>) rhs(%b [n, k] : tensor<64x63xbf16>)
      outs(%d [m, n] : tensor<64x64xf32>) {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    coda.yield %acc : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
