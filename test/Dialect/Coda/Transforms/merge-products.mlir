// R7: products that share a left-hand side.

// RUN: coda-opt %s --coda-fuse --canonicalize --cse | FileCheck %s
// RUN: coda-opt %s --coda-fuse='merge-products=false launch-groups=false' | FileCheck %s --check-prefix=OFF
// RUN: coda-opt %s --coda-fuse --remarks-filter=coda --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SUMMARY

// SUMMARY: remark: [Analysis] summary
// SUMMARY-SAME: bytes-saved={{[0-9]+}}
// SUMMARY-SAME: launches-after=
// SUMMARY-SAME: launches-before=

// Gate and up meet: one product with two right-hand sides.
// CHECK-LABEL: func @gate_up
// CHECK-SAME: %[[A:.*]]: tensor<8x16xf32>, %[[G:.*]]: tensor<16x32xf32>, %[[U:.*]]: tensor<16x32xf32>
// CHECK: coda.gemm lhs(%[[A]] [m, k] : {{.*}}) rhs(%[[G]] [k, n] : {{.*}}, %[[U]] [k, n]
// CHECK-NOT: coda.gemm
// OFF-LABEL: func @gate_up
// OFF-COUNT-2: coda.gemm
func.func @gate_up(%a: tensor<8x16xf32>, %g: tensor<16x32xf32>, %u: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.matmul ins(%a, %g : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %q = linalg.matmul ins(%a, %u : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.mul ins(%p, %q : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// Products that do not meet stand next to each other and are one launch.
// CHECK-LABEL: func @beside
// CHECK: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// CHECK-NOT: linalg
// CHECK: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// CHECK: linalg.broadcast
// OFF-LABEL: func @beside
// OFF-NOT: coda.launch_group
func.func @beside(%a: tensor<8x16xf32>, %g: tensor<16x32xf32>, %u: tensor<16x8xf32>) -> (tensor<3x8x32xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.matmul ins(%a, %g : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e3 = tensor.empty() : tensor<3x8x32xf32>
  %s = linalg.broadcast ins(%p : tensor<8x32xf32>) outs(%e3 : tensor<3x8x32xf32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%a, %u : tensor<8x16xf32>, tensor<16x8xf32>) outs(%f2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s, %q : tensor<3x8x32xf32>, tensor<8x8xf32>
}

// One projection read in halves: the halves of the weight and of the bias.
// CHECK-LABEL: func @halves
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<64x16xf32>, %[[B:[a-z0-9]*]]: tensor<64xf32>)
// CHECK-DAG: %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0] [32, 16] [1, 1]
// CHECK-DAG: %[[W1:.*]] = tensor.extract_slice %[[W]][32, 0] [32, 16] [1, 1]
// CHECK-DAG: %[[B0:.*]] = tensor.extract_slice %[[B]][0] [32] [1]
// CHECK-DAG: %[[B1:.*]] = tensor.extract_slice %[[B]][32] [32] [1]
// CHECK: coda.gemm {{.*}} rhs(%[[W0]] [n, k] : {{.*}}, %[[W1]] [n, k] : {{.*}}) operands(%[[B0]] [n] : {{.*}}, %[[B1]] [n]
// CHECK-NOT: linalg
func.func @halves(%a: tensor<8x16xf32>, %w: tensor<64x16xf32>, %b: tensor<64xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : tensor<8x16xf32>, tensor<64x16xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<8x64xf32>, tensor<64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%p0: f32, %q0: f32, %out: f32):
    %0 = arith.addf %p0, %q0 : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %g = tensor.extract_slice %q[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %u = tensor.extract_slice %q[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %o = tensor.empty() : tensor<8x32xf32>
  %r = linalg.mul ins(%g, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%o : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// Every second column, of a weight stored by rows of k: neighbours are paired.
// CHECK-LABEL: func @interleaved
// CHECK: coda.gemm {{.*}} outs(%{{.*}} [m, n / 2] : tensor<8x32xf32>)
// CHECK: coda.unpair %{{.*}} stride 1
// CHECK-NOT: linalg
func.func @interleaved(%a: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %g = tensor.extract_slice %p[0, 0] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  %u = tensor.extract_slice %p[0, 1] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  %o = tensor.empty() : tensor<8x32xf32>
  %r = linalg.mul ins(%g, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%o : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
