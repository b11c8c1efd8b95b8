// Halves of a part of n that are sliced and joined are paired columns.

// RUN: coda-opt %s --coda-fuse --canonicalize --cse | FileCheck %s

// The halves of each head, rotated and joined by a concatenation.
// CHECK-LABEL: func @rotate_half
// CHECK: coda.gemm
// CHECK: %[[X1:.*]], %[[X2:.*]] = coda.unpair %{{.*}} stride 16 : !coda.tile<8x128xf32>
// CHECK: %[[NEG:.*]] = coda.map(%{{.*}} = %[[X2]]
// CHECK: arith.negf
// CHECK: coda.pair %[[NEG]], %[[X1]] stride 16
// CHECK-NOT: linalg
// CHECK-NOT: tensor.concat
func.func @rotate_half(%a: tensor<8x16xf32>, %w: tensor<16x128xf32>) -> tensor<8x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x128xf32>) outs(%f : tensor<8x128xf32>) -> tensor<8x128xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 4, 32] : tensor<8x128xf32> into tensor<8x4x32xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 4, 16] [1, 1, 1] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %x2 = tensor.extract_slice %x[0, 0, 16] [8, 4, 16] [1, 1, 1] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %o = tensor.empty() : tensor<8x4x16xf32>
  %n = linalg.negf ins(%x2 : tensor<8x4x16xf32>) outs(%o : tensor<8x4x16xf32>) -> tensor<8x4x16xf32>
  %r = tensor.concat dim(2) %n, %x1 : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x32xf32>
  return %r : tensor<8x4x32xf32>
}

// The same joined by two insertions, with tables of half the head's width.
// CHECK-LABEL: func @half_tables
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<8x16xf32>, %[[S:[a-z0-9]*]]: tensor<8x16xf32>)
// CHECK: coda.gemm
// CHECK-SAME: operands(%[[C]] [m, cyclic n / 2] : tensor<8x16xf32>, %[[S]] [m, cyclic n / 2] : tensor<8x16xf32>)
// CHECK: coda.unpair
// CHECK: arith.subf
// CHECK: coda.pair %{{.*}} stride 16
// CHECK-NOT: linalg
// CHECK-NOT: tensor.insert_slice
#x = affine_map<(m, h, d) -> (m, h, d)>
#t = affine_map<(m, h, d) -> (m, d)>
func.func @half_tables(%a: tensor<8x16xf32>, %w: tensor<16x128xf32>, %c: tensor<8x16xf32>, %s: tensor<8x16xf32>) -> tensor<8x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x128xf32>) outs(%f : tensor<8x128xf32>) -> tensor<8x128xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 4, 32] : tensor<8x128xf32> into tensor<8x4x32xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 4, 16] [1, 1, 1] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %x2 = tensor.extract_slice %x[0, 0, 16] [8, 4, 16] [1, 1, 1] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %o = tensor.empty() : tensor<8x4x16xf32>
  %y1 = linalg.generic {indexing_maps = [#x, #x, #t, #t, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x2, %c, %s : tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) outs(%o : tensor<8x4x16xf32>) {
  ^bb0(%i1: f32, %i2: f32, %ic: f32, %is: f32, %out: f32):
    %0 = arith.mulf %i1, %ic : f32
    %1 = arith.mulf %i2, %is : f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x4x16xf32>
  %y2 = linalg.generic {indexing_maps = [#x, #x, #t, #t, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x2, %c, %s : tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) outs(%o : tensor<8x4x16xf32>) {
  ^bb0(%i1: f32, %i2: f32, %ic: f32, %is: f32, %out: f32):
    %0 = arith.mulf %i2, %ic : f32
    %1 = arith.mulf %i1, %is : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x4x16xf32>
  %r0 = tensor.empty() : tensor<8x4x32xf32>
  %r1 = tensor.insert_slice %y1 into %r0[0, 0, 0] [8, 4, 16] [1, 1, 1] : tensor<8x4x16xf32> into tensor<8x4x32xf32>
  %r2 = tensor.insert_slice %y2 into %r1[0, 0, 16] [8, 4, 16] [1, 1, 1] : tensor<8x4x16xf32> into tensor<8x4x32xf32>
  return %r2 : tensor<8x4x32xf32>
}

// Even and odd columns, joined by a stack.
// CHECK-LABEL: func @adjacent
// CHECK: coda.gemm
// CHECK: %[[X1:.*]], %[[X2:.*]] = coda.unpair %{{.*}} stride 1 : !coda.tile<8x128xf32>
// CHECK: %[[NEG:.*]] = coda.map(%{{.*}} = %[[X2]]
// CHECK: coda.pair %[[NEG]], %[[X1]] stride 1
// CHECK-NOT: linalg
// CHECK-NOT: tensor.concat
func.func @adjacent(%a: tensor<8x16xf32>, %w: tensor<16x128xf32>) -> tensor<8x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x128xf32>) outs(%f : tensor<8x128xf32>) -> tensor<8x128xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 4, 32] : tensor<8x128xf32> into tensor<8x4x32xf32>
  %x1 = tensor.extract_slice %x[0, 0, 0] [8, 4, 16] [1, 1, 2] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %x2 = tensor.extract_slice %x[0, 0, 1] [8, 4, 16] [1, 1, 2] : tensor<8x4x32xf32> to tensor<8x4x16xf32>
  %o = tensor.empty() : tensor<8x4x16xf32>
  %n = linalg.negf ins(%x2 : tensor<8x4x16xf32>) outs(%o : tensor<8x4x16xf32>) -> tensor<8x4x16xf32>
  %y1 = tensor.expand_shape %n [[0], [1], [2, 3]] output_shape [8, 4, 16, 1] : tensor<8x4x16xf32> into tensor<8x4x16x1xf32>
  %y2 = tensor.expand_shape %x1 [[0], [1], [2, 3]] output_shape [8, 4, 16, 1] : tensor<8x4x16xf32> into tensor<8x4x16x1xf32>
  %s = tensor.concat dim(3) %y1, %y2 : (tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>) -> tensor<8x4x16x2xf32>
  %r = tensor.collapse_shape %s [[0], [1], [2, 3]] : tensor<8x4x16x2xf32> into tensor<8x4x32xf32>
  return %r : tensor<8x4x32xf32>
}
