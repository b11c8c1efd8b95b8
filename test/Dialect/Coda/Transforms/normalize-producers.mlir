// RUN: coda-opt %s --coda-normalize | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --exact --function=scaled | FileCheck %s --check-prefix=RESULT
// RUN: coda-runner %s --backend=cpu --compare --function=both | FileCheck %s --check-prefix=RESULT

// RESULT: PASS

#mk = affine_map<(m, n, k) -> (m, k)>
#m = affine_map<(m, n, k) -> (m, 0)>
#k = affine_map<(m, n, k) -> (k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A scale of the left-hand side's elements, and its rounding, which stay in bf16;
// the product widens.
// CHECK-LABEL: func @scaled
// CHECK: %[[X:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %arg2 : tensor<4x16xbf16>, tensor<4x1xf32>, tensor<16xbf16>) outs(%{{.*}} : tensor<4x16xbf16>)
// CHECK: arith.extf
// CHECK: arith.mulf {{.*}} f32
// CHECK: arith.truncf
// CHECK: arith.mulf {{.*}} bf16
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %arg3 : tensor<4x16xbf16>, tensor<16x8xbf16>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[C:.*]]: f32):
// CHECK-NEXT: %[[A32:.*]] = arith.extf %[[A]]
// CHECK-NEXT: %[[B32:.*]] = arith.extf %[[B]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A32]], %[[B32]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[C]], %[[P]]
// CHECK-NEXT: linalg.yield %[[S]]
func.func @scaled(%x: tensor<4x16xbf16>, %r: tensor<4x1xf32>, %g: tensor<16xbf16>, %w: tensor<16x8xbf16>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.generic {indexing_maps = [#mk, #m, #k, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %r, %g, %w : tensor<4x16xbf16>, tensor<4x1xf32>, tensor<16xbf16>, tensor<16x8xbf16>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %s: f32, %h: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %s : f32
    %2 = arith.truncf %1 : f32 to bf16
    %3 = arith.mulf %2, %h : bf16
    %4 = arith.extf %3 : bf16 to f32
    %5 = arith.extf %b : bf16 to f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.addf %c, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}

// Both inputs; the sum's operands the other way round.
// CHECK-LABEL: func @both
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x16xf32>)
// CHECK: math.exp
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1, %arg2 : tensor<8x16xf32>, tensor<16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<?x16xf32>, tensor<8x16xf32>)
func.func @both(%x: tensor<?x16xf32>, %w: tensor<8x16xf32>, %g: tensor<16xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %p = linalg.generic {indexing_maps = [#mk, #nk, #k, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %g : tensor<?x16xf32>, tensor<8x16xf32>, tensor<16xf32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %c: f32):
    %0 = math.exp %a : f32
    %1 = arith.mulf %b, %s : f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %2, %c : f32
    linalg.yield %3 : f32
  } -> tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}

// An input that is a function of every loop is no matrix.
// CHECK-LABEL: func @everything
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @everything(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x16xf32>, tensor<16x8xf32>) outs(%init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}
