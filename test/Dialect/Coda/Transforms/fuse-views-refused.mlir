// What does not join an epilogue through views, and why.

// RUN: coda-opt %s --coda-fuse --remarks-filter=coda --remark-format=emitRemark -split-input-file 2>&1 >/dev/null | FileCheck %s

#x = affine_map<(b, s, h, d) -> (b, s, h, d)>

// CHECK: not-fused {{.*}}over groups of rows
func.func @batch_alone(%a: tensor<32x64xf32>, %w: tensor<64x48xf32>, %c: tensor<4xf32>) -> tensor<4x8x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %v = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [4, 8, 4, 12] : tensor<32x48xf32> into tensor<4x8x4x12xf32>
  %o = tensor.empty() : tensor<4x8x4x12xf32>
  %r = linalg.generic {indexing_maps = [#x, affine_map<(b, s, h, d) -> (b)>, #x], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v, %c : tensor<4x8x4x12xf32>, tensor<4xf32>) outs(%o : tensor<4x8x4x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x4x12xf32>
  return %r : tensor<4x8x4x12xf32>
}

// -----

#x = affine_map<(b, s, h, d) -> (b, s, h, d)>

// CHECK: not-fused {{.*}}does not store the parts of m and of n in order
func.func @order(%a: tensor<32x64xf32>, %w: tensor<64x48xf32>, %c: tensor<4x4x8x12xf32>) -> tensor<4x8x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %v = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [4, 8, 4, 12] : tensor<32x48xf32> into tensor<4x8x4x12xf32>
  %o = tensor.empty() : tensor<4x8x4x12xf32>
  %r = linalg.generic {indexing_maps = [#x, affine_map<(b, s, h, d) -> (b, h, s, d)>, #x], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v, %c : tensor<4x8x4x12xf32>, tensor<4x4x8x12xf32>) outs(%o : tensor<4x8x4x12xf32>) {
  ^bb0(%p0: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p0, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x4x12xf32>
  return %r : tensor<4x8x4x12xf32>
}

// -----

// An odd head: the slices are no halves.
// CHECK: not-fused {{.*}}it takes 4 of 9 columns from 0 in steps of 1; expected a half or every second one
// CHECK: not-fused {{.*}}it takes 5 of 9 columns from 4
func.func @odd_head(%a: tensor<8x16xf32>, %w: tensor<16x36xf32>) -> (tensor<8x4x4xf32>, tensor<8x4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x36xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x36xf32>) -> tensor<8x36xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x36xf32>) outs(%f : tensor<8x36xf32>) -> tensor<8x36xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 4, 9] : tensor<8x36xf32> into tensor<8x4x9xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 4, 4] [1, 1, 1] : tensor<8x4x9xf32> to tensor<8x4x4xf32>
  %x2 = tensor.extract_slice %x[0, 0, 4] [8, 4, 5] [1, 1, 1] : tensor<8x4x9xf32> to tensor<8x4x5xf32>
  return %x1, %x2 : tensor<8x4x4xf32>, tensor<8x4x5xf32>
}

// -----

// A distance that no kernel pairs.
// CHECK: not-fused {{.*}}it pairs columns at a distance of 6; expected 1 or a multiple of 8
func.func @stride(%a: tensor<8x16xf32>, %w: tensor<16x36xf32>) -> (tensor<8x3x6xf32>, tensor<8x3x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x36xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x36xf32>) -> tensor<8x36xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x36xf32>) outs(%f : tensor<8x36xf32>) -> tensor<8x36xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 3, 12] : tensor<8x36xf32> into tensor<8x3x12xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 3, 6] [1, 1, 1] : tensor<8x3x12xf32> to tensor<8x3x6xf32>
  %x2 = tensor.extract_slice %x[0, 0, 6] [8, 3, 6] [1, 1, 1] : tensor<8x3x12xf32> to tensor<8x3x6xf32>
  return %x1, %x2 : tensor<8x3x6xf32>, tensor<8x3x6xf32>
}

// -----

// Slices that overlap: one of them is no half of its own.
// CHECK: not-fused {{.*}}it takes one half of the columns, and nothing the other
// CHECK: not-fused {{.*}}it takes 16 of 32 columns from 8
func.func @overlap(%a: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> (tensor<8x2x16xf32>, tensor<8x2x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 2, 32] : tensor<8x64xf32> into tensor<8x2x32xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 2, 16] [1, 1, 1] : tensor<8x2x32xf32> to tensor<8x2x16xf32>
  %x2 = tensor.extract_slice %x[0, 0, 8] [8, 2, 16] [1, 1, 1] : tensor<8x2x32xf32> to tensor<8x2x16xf32>
  return %x1, %x2 : tensor<8x2x16xf32>, tensor<8x2x16xf32>
}

// -----

// A slice of rows of a square product is no slice of columns.
// CHECK: not-fused {{.*}}it slices rows
func.func @rows(%a: tensor<32x16xf32>, %w: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<32x16xf32>, tensor<16x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %x1 = tensor.extract_slice %p[0, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  %x2 = tensor.extract_slice %p[16, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  return %x1, %x2 : tensor<16x32xf32>, tensor<16x32xf32>
}
