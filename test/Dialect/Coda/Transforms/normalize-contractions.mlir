// RUN: coda-opt %s --coda-normalize --split-input-file | FileCheck %s
// RUN: coda-opt %s --coda-normalize --coda-fuse --canonicalize --split-input-file | FileCheck %s --check-prefix=FUSED

// A weight transposed, broadcast over the batch, and multiplied by batches.

// CHECK-LABEL: func @broadcast_weight
// CHECK-SAME: (%[[X:.*]]: tensor<4x8x64xf32>, %[[W:.*]]: tensor<32x64xf32>)
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<4x8x64xf32> into tensor<32x64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[W]] : tensor<32x64xf32>, tensor<32x64xf32>)
// CHECK: tensor.expand_shape
// FUSED-LABEL: func @broadcast_weight
// FUSED: coda.gemm lhs(%{{.*}} [m, k] : tensor<32x64xf32>) rhs(%{{.*}} [n, k] : tensor<32x64xf32>) outs(
func.func @broadcast_weight(%x: tensor<4x8x64xf32>, %w: tensor<32x64xf32>) -> tensor<4x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x64xf32>) outs(%e0 : tensor<64x32xf32>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<4x64x32xf32>
  %b = linalg.broadcast ins(%t : tensor<64x32xf32>) outs(%e1 : tensor<4x64x32xf32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<4x8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %p = linalg.batch_matmul ins(%x, %b : tensor<4x8x64xf32>, tensor<4x64x32xf32>) outs(%f : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  return %p : tensor<4x8x32xf32>
}

// -----

// The same from torch-mlir: the weight gets a unit dimension, then a generic
// with a constant 0 in its map broadcasts it. Sizes of batch and rows unknown.

// CHECK-LABEL: func @broadcast_weight_unit
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x64xbf16>, tensor<64x32xbf16>)
// FUSED-LABEL: func @broadcast_weight_unit
// FUSED-SAME: (%[[X:.*]]: tensor<?x?x64xbf16>, %[[W:.*]]: tensor<64x32xbf16>
// FUSED: %[[A:.*]] = tensor.collapse_shape %[[X]]
// FUSED: coda.gemm lhs(%[[A]] [m, k] : tensor<?x64xbf16>) rhs(%[[W]] [k, n] : tensor<64x32xbf16>) operands(%{{.*}} [n] : tensor<32xf32>)
// FUSED: arith.addf
// FUSED: arith.truncf
// FUSED-NOT: linalg.generic
func.func @broadcast_weight_unit(%x: tensor<?x?x64xbf16>, %w: tensor<64x32xbf16>, %bias: tensor<32xf32>) -> tensor<?x?x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x64xbf16>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x64xbf16>
  %we = tensor.expand_shape %w [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xbf16> into tensor<1x64x32xbf16>
  %e1 = tensor.empty(%d0) : tensor<?x64x32xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%we : tensor<1x64x32xbf16>) outs(%e1 : tensor<?x64x32xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<?x64x32xbf16>
  %e2 = tensor.empty(%d0, %d1) : tensor<?x?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %p = linalg.batch_matmul ins(%x, %b : tensor<?x?x64xbf16>, tensor<?x64x32xbf16>) outs(%f : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?x32xf32>, tensor<32xf32>) outs(%e2 : tensor<?x?x32xf32>) {
  ^bb0(%in: f32, %q: f32, %out: f32):
    %0 = arith.addf %in, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x32xf32>
  %e3 = tensor.empty(%d0, %d1) : tensor<?x?x32xbf16>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x?x32xf32>) outs(%e3 : tensor<?x?x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<?x?x32xbf16>
  return %c : tensor<?x?x32xbf16>
}
