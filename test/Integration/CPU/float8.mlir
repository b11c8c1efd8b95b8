// RUN: coda-runner --backend=cpu %s --compare | FileCheck %s

// Products of 8-bit floats in both forms, with a result of the same type and
// arithmetic in it; scalars, constants and integers converted to one.

// CHECK: result #0: tensor<5x7xf8E4M3FN> {{.*}} nan 0
// CHECK: compare result #0: tensor<5x7xf8E4M3FN> {{.*}} ok
// CHECK: compare result #1: f8E5M2 {{.*}} ok
// CHECK-NEXT: PASS
func.func @linear(%x: tensor<5x16xf8E4M3FN>, %w: tensor<16x7xf8E4M3FN>, %b: tensor<7xf8E4M3FN>, %s: f8E5M2, %i: i32)
    -> (tensor<5x7xf8E4M3FN>, f8E5M2) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %y = linalg.matmul ins(%x, %w : tensor<5x16xf8E4M3FN>, tensor<16x7xf8E4M3FN>)
                     outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  %out = tensor.empty() : tensor<5x7xf8E4M3FN>
  %z = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<5x7xf32>, tensor<7xf8E4M3FN>) outs(%out : tensor<5x7xf8E4M3FN>) {
  ^bb0(%p: f32, %q: f8E4M3FN, %o: f8E4M3FN):
    %c = arith.constant 0.5 : f8E4M3FN
    %t = arith.truncf %p : f32 to f8E4M3FN
    %u = arith.addf %t, %q : f8E4M3FN
    %v = arith.mulf %u, %c : f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> tensor<5x7xf8E4M3FN>
  %f = arith.sitofp %i : i32 to f8E5M2
  %g = arith.maximumf %f, %s : f8E5M2
  %e = math.exp %g : f8E5M2
  return %z, %e : tensor<5x7xf8E4M3FN>, f8E5M2
}
