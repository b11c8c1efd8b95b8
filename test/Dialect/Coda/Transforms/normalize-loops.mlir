// RUN: coda-opt %s --coda-fusion --split-input-file | FileCheck %s

// A contraction of five loops, its columns split in heads, in odd loop order.

// CHECK-LABEL: func @heads
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x64xf32>, %[[W:.*]]: tensor<4x16x64xf32>
// CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<2x8x64xf32> into tensor<16x64xf32>
// CHECK-DAG: %[[B:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1], [2]] : tensor<4x16x64xf32> into tensor<64x64xf32>
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] : tensor<2x8x4x16xf32> into tensor<16x64xf32>
// CHECK: %[[Y:.*]] = coda.gemm lhs(%[[A]] [m, k] : tensor<16x64xf32>) rhs(%[[B]] [n, k] : tensor<64x64xf32>) operands(%[[R]] [m, n] : tensor<16x64xf32>)
// CHECK: arith.addf
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2, 3]]
// CHECK: return %[[E]]
func.func @heads(%x: tensor<2x8x64xf32>, %w: tensor<4x16x64xf32>, %r: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x8x4x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(k, w, h, s, b) -> (b, s, k)>, affine_map<(k, w, h, s, b) -> (h, w, k)>, affine_map<(k, w, h, s, b) -> (b, s, h, w)>],
                       iterator_types = ["reduction", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %w : tensor<2x8x64xf32>, tensor<4x16x64xf32>) outs(%zero : tensor<2x8x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %b, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x4x16xf32>
  %e = tensor.empty() : tensor<2x8x4x16xf32>
  %y = linalg.add ins(%p, %r : tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>) outs(%e : tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
  return %y : tensor<2x8x4x16xf32>
}

// -----

// The result stored by heads: the product in order, then a transpose.

// CHECK-LABEL: func @transposed_heads
// CHECK: %[[Y:.*]] = coda.gemm lhs(%{{.*}} [m, k] : tensor<16x64xf32>) rhs(%{{.*}} [n, k] : tensor<64x64xf32>)
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2, 3]]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<2x8x4x16xf32>) outs(%{{.*}} : tensor<2x4x8x16xf32>) permutation = [0, 2, 1, 3]
// CHECK: return %[[T]]
func.func @transposed_heads(%x: tensor<2x8x64xf32>, %w: tensor<4x16x64xf32>) -> tensor<2x4x8x16xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8x16xf32>
  %zero = linalg.fill ins(%c : f32) outs(%e : tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, h, s, w, k) -> (b, s, k)>, affine_map<(b, h, s, w, k) -> (h, w, k)>, affine_map<(b, h, s, w, k) -> (b, h, s, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x8x64xf32>, tensor<4x16x64xf32>) outs(%zero : tensor<2x4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x8x16xf32>
  return %p : tensor<2x4x8x16xf32>
}

// -----

// Contracted over heads and width: K of two loops.

// CHECK-LABEL: func @two_k
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x4x8x16xf32>) outs(%{{.*}} : tensor<2x8x4x16xf32>) permutation = [0, 2, 1, 3]
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<16x64xf32>) rhs(%{{.*}} [k, n] : tensor<64x32xf32>)
func.func @two_k(%x: tensor<2x4x8x16xf32>, %w: tensor<4x16x32xf32>) -> tensor<2x8x32xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x32xf32>
  %zero = linalg.fill ins(%c : f32) outs(%e : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, s, n, h, w) -> (b, h, s, w)>, affine_map<(b, s, n, h, w) -> (h, w, n)>, affine_map<(b, s, n, h, w) -> (b, s, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x4x8x16xf32>, tensor<4x16x32xf32>) outs(%zero : tensor<2x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x32xf32>
  return %p : tensor<2x8x32xf32>
}

// -----

// A batch of one with unit dimensions everywhere: broadcast maps with constants,
// a row statistic [1, S, 1], operands without the batch.

// CHECK-LABEL: func @unit_batch
// CHECK-SAME: %[[X:.*]]: tensor<1x8x64xbf16>, %[[W:.*]]: tensor<1x64x32xbf16>, %[[R:.*]]: tensor<1x8x1xf32>, %[[B:.*]]: tensor<1x1x32xf32>, %[[C:.*]]: tensor<8x32xf32>
// CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<8x64xbf16>
// CHECK-DAG: %[[W2:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<64x32xbf16>
// CHECK-DAG: %[[R2:.*]] = tensor.collapse_shape %[[R]] {{.*}} into tensor<8xf32>
// CHECK-DAG: %[[B2:.*]] = tensor.collapse_shape %[[B]] {{.*}} into tensor<32xf32>
// CHECK: coda.gemm lhs(%[[A]] [m, k] : tensor<8x64xbf16>) rhs(%[[W2]] [k, n] : tensor<64x32xbf16>)
// CHECK-SAME: operands(%[[R2]] [m] : tensor<8xf32>, %[[B2]] [n] : tensor<32xf32>, %[[C]] [m, n] : tensor<8x32xf32>)
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.addf
func.func @unit_batch(%x: tensor<1x8x64xbf16>, %w: tensor<1x64x32xbf16>, %r: tensor<1x8x1xf32>, %b: tensor<1x1x32xf32>, %c: tensor<8x32xf32>) -> tensor<1x8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x32xf32>
  %zero = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %p = linalg.batch_matmul ins(%x, %w : tensor<1x8x64xbf16>, tensor<1x64x32xbf16>) outs(%zero : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (0, 0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %r, %b, %c : tensor<1x8x32xf32>, tensor<1x8x1xf32>, tensor<1x1x32xf32>, tensor<8x32xf32>) outs(%e : tensor<1x8x32xf32>) {
  ^bb0(%i: f32, %s: f32, %t: f32, %u: f32, %o: f32):
    %0 = arith.mulf %i, %s : f32
    %1 = arith.addf %0, %t : f32
    %2 = arith.addf %1, %u : f32
    linalg.yield %2 : f32
  } -> tensor<1x8x32xf32>
  return %y : tensor<1x8x32xf32>
}

// -----

// One row: a vector times a matrix, what follows on vectors.

// CHECK-LABEL: func @vecmat
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<1x64xf32>) rhs(%{{.*}} [k, n] : tensor<64x32xf32>)
// CHECK-SAME: operands(%{{.*}} [n] : tensor<32xf32>) outs(%{{.*}} [n] : tensor<32xf32>)
func.func @vecmat(%x: tensor<64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %zero = linalg.fill ins(%z : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %p = linalg.vecmat ins(%x, %w : tensor<64xf32>, tensor<64x32xf32>) outs(%zero : tensor<32xf32>) -> tensor<32xf32>
  %y = linalg.add ins(%p, %b : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// -----

// CHECK-LABEL: func @matvec
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<1x64xf32>) rhs(%{{.*}} [n, k] : tensor<32x64xf32>) outs(%{{.*}} [n] : tensor<32xf32>)
func.func @matvec(%w: tensor<32x64xf32>, %x: tensor<64xf32>) -> tensor<32xf32> {
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %p = linalg.matvec ins(%w, %x : tensor<32x64xf32>, tensor<64xf32>) outs(%z : tensor<32xf32>) -> tensor<32xf32>
  return %p : tensor<32xf32>
}

// -----

// CHECK-LABEL: func @dot
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<1x64xf32>) rhs(%{{.*}} [n, k] : tensor<1x64xf32>) outs(%{{.*}} [] : tensor<f32>)
func.func @dot(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<f32> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %p = linalg.dot ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%z : tensor<f32>) -> tensor<f32>
  return %p : tensor<f32>
}

// -----

// A decode step: one row, the statistic a rank-0 tensor, the row split in heads.

// CHECK-LABEL: func @decode
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<1x64xf32>) rhs(%{{.*}} : tensor<64x32xf32>)
// CHECK-SAME: operands(%{{.*}} [] : tensor<f32>, %{{.*}} [n] : tensor<32xf32>)
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @decode(%x: tensor<1x64xf32>, %w: tensor<64x32xf32>, %r: tensor<f32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32xf32>
  %zero = linalg.fill ins(%z : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x32xf32>) outs(%zero : tensor<1x32xf32>) -> tensor<1x32xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [1, 4, 8] : tensor<1x32xf32> into tensor<1x4x8xf32>
  %c = tensor.collapse_shape %h [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %r, %b : tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) outs(%e1 : tensor<4x8xf32>) {
  ^bb0(%i: f32, %s: f32, %t: f32, %o: f32):
    %0 = arith.mulf %i, %s : f32
    %1 = arith.addf %0, %t : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A product of two batches is no one product: it keeps its name and form.

// CHECK-LABEL: func @batched
// CHECK: linalg.batch_matmul
func.func @batched(%x: tensor<4x8x64xf32>, %w: tensor<4x64x32xf32>, %c: tensor<4x8x32xf32>) -> tensor<4x8x32xf32> {
  %p = linalg.batch_matmul ins(%x, %w : tensor<4x8x64xf32>, tensor<4x64x32xf32>) outs(%c : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  return %p : tensor<4x8x32xf32>
}
