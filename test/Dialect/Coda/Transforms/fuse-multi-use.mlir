// RUN: coda-opt %s --coda-fuse=merge-products=false --split-input-file | FileCheck %s

// The pre-activation is returned too: two destinations, in program order. The
// unused first product is none.

// CHECK-LABEL: func @preactivation
// CHECK: %[[Y:.*]]:2 = coda.gemm
// CHECK-SAME: outs(%{{.*}} [m, n] : tensor<8x16xf32>, %{{.*}} [m, n] : tensor<8x16xf32>)
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @preactivation(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.add ins(%0, %r : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.tanh ins(%1 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// Gate and up: each activation joins its product, the meeting op the later one.

// CHECK-LABEL: func @meet
// CHECK: %[[G:.*]] = coda.gemm
// CHECK: math.exp
// CHECK: %[[U:.*]] = coda.gemm {{.*}} operands(%[[G]] [m, n] : tensor<8x16xf32>)
// CHECK: arith.mulf
// CHECK: return %[[U]]
func.func @meet(%x: tensor<8x4xf32>, %g: tensor<4x16xf32>, %u: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %g : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.matmul ins(%x, %u : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.exp ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = linalg.mul ins(%2, %1 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

// A chain of products, the first read by an elementwise op as well. Sizes of
// fused values come from what they are computed from.

// CHECK-LABEL: func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>
// CHECK: %[[D:.*]] = tensor.dim %[[X]]
// CHECK: %[[P:.*]]:2 = coda.gemm lhs(%[[X]] [m, k] : tensor<?x4xf32>)
// CHECK: %[[Q:.*]] = coda.gemm lhs(%[[P]]#0 [m, k] : tensor<?x16xf32>)
// CHECK: return %[[Q]], %[[P]]#1
func.func @chain(%x: tensor<?x4xf32>, %w: tensor<4x16xf32>, %v: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<?x16xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e0 = tensor.empty(%m) : tensor<?x16xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x16xf32>) outs(%f0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %m1 = tensor.dim %0, %c0 : tensor<?x16xf32>
  %e1 = tensor.empty(%m1) : tensor<?x16xf32>
  %1 = linalg.exp ins(%0 : tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %m2 = tensor.dim %1, %c0 : tensor<?x16xf32>
  %e2 = tensor.empty(%m2) : tensor<?x4xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = linalg.matmul ins(%0, %v : tensor<?x16xf32>, tensor<16x4xf32>) outs(%f2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2, %1 : tensor<?x4xf32>, tensor<?x16xf32>
}
