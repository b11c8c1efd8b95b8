// What reads a product with m and n split into parts, or the parts permuted,
// joins its epilogue.

// RUN: coda-opt %s --coda-fuse --canonicalize --cse | FileCheck %s

#bshd = affine_map<(b, s, h, d) -> (b, s, h, d)>
#bhsd = affine_map<(b, h, s, d) -> (b, h, s, d)>

// A table of a position and a column of a head: the same for all batches and
// heads.
// CHECK-LABEL: func @table
// CHECK-SAME: %[[A:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<64x48xf32>, %[[COS:.*]]: tensor<8x12xf32>
// CHECK: coda.gemm lhs(%[[A]] [m, k]
// CHECK-SAME: operands(%[[COS]] [cyclic m, cyclic n] : tensor<8x12xf32>)
// CHECK-SAME: outs(%{{.*}} [m, n] : tensor<32x48xf32>)
// CHECK: arith.mulf
// CHECK: tensor.expand_shape {{.*}} into tensor<4x8x4x12xf32>
// CHECK-NOT: linalg
func.func @table(%a: tensor<32x64xf32>, %w: tensor<64x48xf32>, %cos: tensor<8x12xf32>) -> tensor<4x8x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %x = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [4, 8, 4, 12] : tensor<32x48xf32> into tensor<4x8x4x12xf32>
  %o = tensor.empty() : tensor<4x8x4x12xf32>
  %r = linalg.generic {indexing_maps = [#bshd, affine_map<(b, s, h, d) -> (s, d)>, #bshd], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %cos : tensor<4x8x4x12xf32>, tensor<8x12xf32>) outs(%o : tensor<4x8x4x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x4x12xf32>
  return %r : tensor<4x8x4x12xf32>
}

// A table with a batch of its own: its first two dimensions are m.
// CHECK-LABEL: func @batched_table
// CHECK-SAME: %[[COS:[a-z0-9]*]]: tensor<4x1x8x12xf32>)
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[COS]] {{\[}}[0, 1, 2], [3]] : tensor<4x1x8x12xf32> into tensor<32x12xf32>
// CHECK: coda.gemm
// CHECK-SAME: operands(%[[ROWS]] [m, cyclic n] : tensor<32x12xf32>)
// The result is in the order of the source: heads before positions.
// CHECK: tensor.expand_shape {{.*}} into tensor<4x8x4x12xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1, 3]
// CHECK-NOT: linalg
func.func @batched_table(%a: tensor<32x64xf32>, %w: tensor<64x48xf32>, %cos: tensor<4x1x8x12xf32>) -> tensor<4x4x8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %x = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [4, 8, 4, 12] : tensor<32x48xf32> into tensor<4x8x4x12xf32>
  %o = tensor.empty() : tensor<4x4x8x12xf32>
  %t = linalg.transpose ins(%x : tensor<4x8x4x12xf32>) outs(%o : tensor<4x4x8x12xf32>) permutation = [0, 2, 1, 3]
  %r = linalg.generic {indexing_maps = [#bhsd, affine_map<(b, h, s, d) -> (b, 0, s, d)>, #bhsd], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %cos : tensor<4x4x8x12xf32>, tensor<4x1x8x12xf32>) outs(%o : tensor<4x4x8x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x4x8x12xf32>
  return %r : tensor<4x4x8x12xf32>
}

// One number a head, and one a column of a head.
// CHECK-LABEL: func @per_head
// CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<4xf32>, %[[G:[a-z0-9]*]]: tensor<12xf32>)
// CHECK: coda.gemm
// CHECK-SAME: operands(%[[S]] [n / 12] : tensor<4xf32>, %[[G]] [cyclic n] : tensor<12xf32>)
// CHECK: coda.repeat %{{.*}} by 12 : !coda.tile<1x4xf32> -> !coda.tile<1x48xf32>
// CHECK-NOT: linalg
func.func @per_head(%a: tensor<32x64xf32>, %w: tensor<64x48xf32>, %s: tensor<4xf32>, %g: tensor<12xf32>) -> tensor<32x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [32, 4, 12] : tensor<32x48xf32> into tensor<32x4x12xf32>
  %o = tensor.empty() : tensor<32x4x12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (h)>, affine_map<(m, h, d) -> (d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s, %g : tensor<32x4x12xf32>, tensor<4xf32>, tensor<12xf32>) outs(%o : tensor<32x4x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %q1: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    %1 = arith.addf %0, %q1 : f32
    linalg.yield %1 : f32
  } -> tensor<32x4x12xf32>
  return %r : tensor<32x4x12xf32>
}

// The square matrix has parts of equal sizes: they are told apart by where they
// come from.
// CHECK-LABEL: func @square
// CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<8xf32>, %[[H:[a-z0-9]*]]: tensor<8xf32>)
// CHECK: coda.gemm
// CHECK-SAME: operands(%[[S]] [cyclic m] : tensor<8xf32>, %[[H]] [n / 8] : tensor<8xf32>)
// CHECK-NOT: linalg.generic
func.func @square(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>, %s: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [8, 8, 8, 8] : tensor<64x64xf32> into tensor<8x8x8x8xf32>
  %o = tensor.empty() : tensor<8x8x8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8x8x8xf32>) outs(%o : tensor<8x8x8x8xf32>) permutation = [0, 2, 1, 3]
  %r = linalg.generic {indexing_maps = [#bhsd, affine_map<(b, h, s, d) -> (s)>, affine_map<(b, h, s, d) -> (h)>, #bhsd], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %s, %g : tensor<8x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8x8x8x8xf32>) {
  ^bb0(%p0: f32, %q: f32, %q1: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    %1 = arith.addf %0, %q1 : f32
    linalg.yield %1 : f32
  } -> tensor<8x8x8x8xf32>
  return %r : tensor<8x8x8x8xf32>
}

// QK-norm: a mean of squares for each head, used again in the epilogue.
// CHECK-LABEL: func @head_norm
// CHECK: coda.gemm
// CHECK-SAME: outs(%{{.*}} [m, n] : tensor<?x48xf32>) {
// CHECK: %[[SQ:.*]] = coda.map
// CHECK: %[[SUM:.*]] = coda.reduce add %[[SQ]] along columns in groups of 12 : !coda.tile<?x48xf32> -> !coda.tile<?x4xf32>
// CHECK: coda.repeat %{{.*}} by 12 : !coda.tile<?x4xf32> -> !coda.tile<?x48xf32>
// CHECK-NOT: linalg
func.func @head_norm(%a: tensor<?x64xf32>, %w: tensor<64x48xf32>) -> tensor<?x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<?x64xf32>, tensor<64x48xf32>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [%m, 4, 12] : tensor<?x48xf32> into tensor<?x4x12xf32>
  %se = tensor.empty(%m) : tensor<?x4xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x4x12xf32>) outs(%sf : tensor<?x4xf32>) {
  ^bb0(%p0: f32, %out: f32):
    %0 = arith.mulf %p0, %p0 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  %o = tensor.empty(%m) : tensor<?x4x12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<?x4x12xf32>, tensor<?x4xf32>) outs(%o : tensor<?x4x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %out: f32):
    %0 = math.rsqrt %q : f32
    %1 = arith.mulf %p0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x4x12xf32>
  return %r : tensor<?x4x12xf32>
}
