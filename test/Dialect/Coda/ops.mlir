// RUN: coda-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @linear
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>,
                  %b: tensor<32xbf16>, %init: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  // CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<?x64xbf16>) rhs(%{{.*}} [n, k] : tensor<32x64xbf16>)
  // CHECK-SAME: operands(%{{.*}} [n] : tensor<32xbf16>) outs(%{{.*}} [m, n] : tensor<?x32xbf16>)
  %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                 rhs(%w [n, k] : tensor<32x64xbf16>)
                 operands(%b [n] : tensor<32xbf16>)
                 outs(%init [m, n] : tensor<?x32xbf16>) {
  ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xbf16>):
    // CHECK: coda.map(%[[P:.*]] = %{{.*}} : !coda.tile<?x32xf32>, %[[Q:.*]] = %{{.*}} : !coda.tile<1x32xbf16>)
    // CHECK-SAME: -> !coda.tile<?x32xbf16>
    %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>,
                  %q = %bias : !coda.tile<1x32xbf16>) -> !coda.tile<?x32xbf16> {
      %e = arith.extf %q : bf16 to f32
      %s = arith.addf %p, %e : f32
      %t = arith.truncf %s : f32 to bf16
      coda.yield %t : bf16
    }
    coda.yield %0 : !coda.tile<?x32xbf16>
  } -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}
