// R7: a product that is read in parts.

// RUN: coda-opt %s --coda-fuse --canonicalize --cse | FileCheck %s

// Query, key and value of one projection, the value without what the others have:
// three products of one launch.
// CHECK-LABEL: func @parts
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<96x16xf32>, %[[B:[a-z0-9]*]]: tensor<96xf32>)
// CHECK-DAG: %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0] [48, 16] [1, 1]
// CHECK-DAG: %[[W1:.*]] = tensor.extract_slice %[[W]][48, 0] [24, 16] [1, 1]
// CHECK-DAG: %[[W2:.*]] = tensor.extract_slice %[[W]][72, 0] [24, 16] [1, 1]
// CHECK-DAG: %[[B2:.*]] = tensor.extract_slice %[[B]][72] [24] [1]
// CHECK: %[[Q:.*]] = coda.gemm {{.*}} rhs(%[[W0]] [n, k] : {{.*}}) {{.*}} attributes {coda.launch_group = [[GROUP:[0-9]+]] : i64}
// CHECK: math.exp
// CHECK: %[[K:.*]] = coda.gemm {{.*}} rhs(%[[W1]] [n, k] : {{.*}}) {{.*}} attributes {coda.launch_group = [[GROUP]] : i64}
// CHECK: %[[V:.*]] = coda.gemm {{.*}} rhs(%[[W2]] [n, k] : {{.*}}) operands(%[[B2]] [n] : {{.*}}) {{.*}} attributes {coda.launch_group = [[GROUP]] : i64}
// CHECK-NOT: linalg
// CHECK: return
func.func @parts(%a: tensor<8x16xf32>, %w: tensor<96x16xf32>, %b: tensor<96xf32>) -> (tensor<8x48xf32>, tensor<8x24xf32>, tensor<2x4x3x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : tensor<8x16xf32>, tensor<96x16xf32>) outs(%f : tensor<8x96xf32>) -> tensor<8x96xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<8x96xf32>, tensor<96xf32>) outs(%e : tensor<8x96xf32>) {
  ^bb0(%p0: f32, %q0: f32, %out: f32):
    %0 = arith.addf %p0, %q0 : f32
    linalg.yield %0 : f32
  } -> tensor<8x96xf32>
  %0 = tensor.extract_slice %q[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %o = tensor.empty() : tensor<8x48xf32>
  %r = linalg.exp ins(%0 : tensor<8x48xf32>) outs(%o : tensor<8x48xf32>) -> tensor<8x48xf32>
  %1 = tensor.extract_slice %q[0, 48] [8, 24] [1, 1] : tensor<8x96xf32> to tensor<8x24xf32>
  // By heads.
  %s = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [2, 4, 12, 8] : tensor<8x96xf32> into tensor<2x4x12x8xf32>
  %2 = tensor.extract_slice %s[0, 0, 9, 0] [2, 4, 3, 8] [1, 1, 1, 1] : tensor<2x4x12x8xf32> to tensor<2x4x3x8xf32>
  return %r, %1, %2 : tensor<8x48xf32>, tensor<8x24xf32>, tensor<2x4x3x8xf32>
}

// Slices that overlap would be computed twice.
// CHECK-LABEL: func @overlap
// CHECK-COUNT-1: coda.gemm
// CHECK-NOT: coda.gemm
// CHECK: tensor.extract_slice
func.func @overlap(%a: tensor<8x16xf32>, %w: tensor<96x16xf32>) -> (tensor<8x48xf32>, tensor<8x56xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : tensor<8x16xf32>, tensor<96x16xf32>) outs(%f : tensor<8x96xf32>) -> tensor<8x96xf32>
  %0 = tensor.extract_slice %p[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %1 = tensor.extract_slice %p[0, 40] [8, 56] [1, 1] : tensor<8x96xf32> to tensor<8x56xf32>
  return %0, %1 : tensor<8x48xf32>, tensor<8x56xf32>
}

// Columns that tensor copies could not begin at, of a weight stored by rows of k.
// CHECK-LABEL: func @misaligned
// CHECK-COUNT-1: coda.gemm
// CHECK-NOT: coda.gemm
// CHECK: tensor.extract_slice
func.func @misaligned(%a: tensor<8x16xf32>, %w: tensor<16x96xf32>) -> (tensor<8x30xf32>, tensor<8x66xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x96xf32>) outs(%f : tensor<8x96xf32>) -> tensor<8x96xf32>
  %0 = tensor.extract_slice %p[0, 0] [8, 30] [1, 1] : tensor<8x96xf32> to tensor<8x30xf32>
  %1 = tensor.extract_slice %p[0, 30] [8, 66] [1, 1] : tensor<8x96xf32> to tensor<8x66xf32>
  return %0, %1 : tensor<8x30xf32>, tensor<8x66xf32>
}
