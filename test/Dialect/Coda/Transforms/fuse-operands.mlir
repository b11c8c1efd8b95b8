// RUN: coda-opt %s --coda-fuse --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>

// M = N: only the maps tell rows from columns.

// CHECK-LABEL: func @axes
// CHECK-SAME: (%{{.*}}, %{{.*}}, %[[ROW:[a-z0-9_]+]]: tensor<16xf32>, %[[COL:[a-z0-9_]+]]: tensor<16xf32>, %[[T:[a-z0-9_]+]]: tensor<16x16xf32>, %[[S:[a-z0-9_]+]]: tensor<f32>)
// CHECK: operands(%[[ROW]] [n] : tensor<16xf32>, %[[COL]] [m] : tensor<16xf32>, %[[T]] [n, m] : tensor<16x16xf32>, %[[S]] [] : tensor<f32>)
// CHECK: ^bb0(%{{.*}}: !coda.tile<16x16xf32>, %{{.*}}: !coda.tile<1x16xf32>, %{{.*}}: !coda.tile<16x1xf32>, %{{.*}}: !coda.tile<16x16xf32>, %{{.*}}: !coda.tile<1x1xf32>)
// The scale comes after the row vector and before the column vector.
// CHECK: coda.map(%[[TT:[a-z0-9_]+]] = %{{.*}}, %[[P:[a-z0-9_]+]] = %{{.*}}, %[[R:[a-z0-9_]+]] = %{{.*}}, %[[SC:[a-z0-9_]+]] = %{{.*}}, %[[C:[a-z0-9_]+]] = %{{.*}})
// CHECK: %[[A0:.*]] = arith.addf %[[P]], %[[R]]
// CHECK: %[[A1:.*]] = arith.mulf %[[A0]], %[[SC]]
// CHECK: %[[A2:.*]] = arith.addf %[[A1]], %[[C]]
// CHECK: arith.subf %[[TT]], %[[A2]]
func.func @axes(%x: tensor<16x8xf32>, %w: tensor<8x16xf32>, %row: tensor<16xf32>, %col: tensor<16xf32>, %t: tensor<16x16xf32>, %s: tensor<f32>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #col, #t, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %row, %col, %t, %s : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<f32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%in: f32, %r: f32, %c: f32, %tt: f32, %sc: f32, %out: f32):
    %a0 = arith.addf %in, %r : f32
    %a1 = arith.mulf %a0, %sc : f32
    %a2 = arith.addf %a1, %c : f32
    %a3 = arith.subf %tt, %a2 : f32
    linalg.yield %a3 : f32
  } -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The residual is A itself, read twice; the destination is also read.

// CHECK-LABEL: func @aliased
// CHECK-SAME: (%[[A:[a-z0-9_]+]]: tensor<8x8xf32>, %[[W:[a-z0-9_]+]]: tensor<8x8xf32>, %[[O:[a-z0-9_]+]]: tensor<8x8xf32>)
// CHECK: coda.gemm lhs(%[[A]] [m, k] : tensor<8x8xf32>) rhs(%[[W]] [k, n] : tensor<8x8xf32>) operands(%[[A]] [m, n] : tensor<8x8xf32>, %[[O]] [m, n] : tensor<8x8xf32>) outs(%[[O]] [m, n] : tensor<8x8xf32>)
func.func @aliased(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %a, %a : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%in: f32, %r: f32, %q: f32, %out: f32):
    %s = arith.addf %in, %r : f32
    %m = arith.mulf %s, %q : f32
    %t = arith.addf %m, %out : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The operand is computed between product and sum: it moves up. A transposed
// result is the product of the swapped inputs.

// CHECK-LABEL: func @moved
// CHECK-SAME: (%[[X:[a-z0-9_]+]]: tensor<8x4xf32>, %[[W:[a-z0-9_]+]]: tensor<4x16xf32>, %[[R:[a-z0-9_]+]]: tensor<16x8xf32>)
// CHECK: %[[E:.*]] = linalg.exp ins(%[[R]]
// CHECK: coda.gemm lhs(%[[W]] [k, m] : tensor<4x16xf32>) rhs(%[[X]] [n, k] : tensor<8x4xf32>) operands(%[[E]] [m, n] : tensor<16x8xf32>)
func.func @moved(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %q = linalg.exp ins(%r : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = linalg.sub ins(%0, %q : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// The operand comes from a call after the product: the product moves down.

// CHECK-LABEL: func @sunk
// CHECK: %[[R:.*]] = call @residual
// CHECK: coda.gemm {{.*}} operands(%[[R]] [m, n] : tensor<8x16xf32>)
func.func private @residual() -> tensor<8x16xf32>
func.func @sunk(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = call @residual() : () -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.add ins(%0, %r : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
