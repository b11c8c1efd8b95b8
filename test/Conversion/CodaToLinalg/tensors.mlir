// RUN: coda-opt %s --convert-coda-to-linalg --split-input-file | FileCheck %s

// The product of every storage; operands are converted before they are
// multiplied.

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MN3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[M:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func @linear(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>, %[[W:.*]]: tensor<32x64xbf16>, %[[B:.*]]: tensor<32xbf16>, %[[R:.*]]: tensor<?xf32>, %[[S:.*]]: f32, %[[INIT:.*]]: tensor<?x32xbf16>)
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>,
                  %b: tensor<32xbf16>, %r: tensor<?xf32>, %s: f32,
                  %init: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  // CHECK: %[[SIZE:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x64xbf16>
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x32xf32>
  // CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[EMPTY]]
  // CHECK: %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[MK]], #[[NK]], #[[MN3]]], iterator_types = ["parallel", "parallel", "reduction"]}
  // CHECK-SAME: ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZERO]] : tensor<?x32xf32>)
  // CHECK: ^bb0(%[[A0:.*]]: bf16, %[[B0:.*]]: bf16, %[[SUM:.*]]: f32):
  // CHECK: %[[A1:.*]] = arith.extf %[[A0]] : bf16 to f32
  // CHECK: %[[B1:.*]] = arith.extf %[[B0]] : bf16 to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[A1]], %[[B1]] : f32
  // CHECK: %[[Q:.*]] = arith.addf %[[SUM]], %[[P]] : f32
  // CHECK: linalg.yield %[[Q]] : f32
  // The body as it was, written to the destination at once.
  // CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[MN]], #[[N]], #[[M]], #[[NONE]], #[[MN]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[ACC]], %[[B]], %[[R]], %[[S]] : {{.*}}) outs(%[[INIT]] : tensor<?x32xbf16>)
  // CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: bf16, %[[I2:.*]]: f32, %[[I3:.*]]: f32, %{{.*}}: bf16):
  // CHECK: arith.mulf %[[I0]], %[[I2]]
  // CHECK: arith.truncf
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[Y]]
  %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                 rhs(%w [n, k] : tensor<32x64xbf16>)
                 operands(%b [n] : tensor<32xbf16>, %r [m] : tensor<?xf32>,
                          %s [] : f32)
                 outs(%init [m, n] : tensor<?x32xbf16>) {
  ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xbf16>,
       %row: !coda.tile<?x1xf32>, %scalar: !coda.tile<1x1xf32>):
    %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>,
                  %q = %bias : !coda.tile<1x32xbf16>,
                  %f = %row : !coda.tile<?x1xf32>,
                  %g = %scalar : !coda.tile<1x1xf32>)
        -> !coda.tile<?x32xbf16> {
      %e = arith.extf %q : bf16 to f32
      %1 = arith.mulf %p, %f : f32
      %2 = arith.mulf %1, %g : f32
      %3 = arith.addf %2, %e : f32
      %t = arith.truncf %3 : f32 to bf16
      coda.yield %t : bf16
    }
    coda.yield %0 : !coda.tile<?x32xbf16>
  } -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}

// -----

// Transposed storages, integers, and a transposed destination: maps only.

// CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[NM:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @transposed(
func.func @transposed(%a: tensor<4x2xi8>, %b: tensor<4x3xi8>,
                      %init: tensor<3x2xi32>) -> tensor<3x2xi32> {
  // CHECK: linalg.generic {indexing_maps = [#[[KM]], #[[KN]], #[[MN3]]]
  // CHECK: arith.extsi
  // CHECK: arith.muli
  // CHECK: arith.addi
  // CHECK: linalg.generic {indexing_maps = [#[[NM]], #[[MN]]], iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<2x3xi32>) outs(%{{.*}} : tensor<3x2xi32>)
  %0 = coda.gemm lhs(%a [k, m] : tensor<4x2xi8>) rhs(%b [k, n] : tensor<4x3xi8>)
      outs(%init [n, m] : tensor<3x2xi32>) {
  ^bb0(%acc: !coda.tile<2x3xi32>):
    coda.yield %acc : !coda.tile<2x3xi32>
  } -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// -----

// Row and column numbers are vectors; the body casts nothing it need not.

// CHECK-LABEL: func @index(
func.func @index(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>,
                 %init: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[ROW:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<2xi32>)
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: arith.index_cast %[[I]] : index to i32
  // CHECK: %[[COLUMN:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<3xindex>)
  // CHECK: %[[J:.*]] = linalg.index 0
  // CHECK-NEXT: linalg.yield %[[J]]
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[ROW]], %[[COLUMN]] :
  %0 = coda.gemm lhs(%a [m, k] : tensor<2x4xf32>) rhs(%b [k, n] : tensor<4x3xf32>)
      outs(%init [m, n] : tensor<2x3xf32>) {
  ^bb0(%acc: !coda.tile<2x3xf32>):
    %row = coda.index rows : !coda.tile<2x1xi32>
    %column = coda.index columns : !coda.tile<1x3xindex>
    %1 = coda.map(%p = %acc : !coda.tile<2x3xf32>, %i = %row : !coda.tile<2x1xi32>,
                  %j = %column : !coda.tile<1x3xindex>) -> !coda.tile<2x3xf32> {
      %jj = arith.index_cast %j : index to i32
      %zero = arith.constant 0.0 : f32
      %keep = arith.cmpi sle, %jj, %i : i32
      %s = arith.select %keep, %p, %zero : f32
      coda.yield %s : f32
    }
    coda.yield %1 : !coda.tile<2x3xf32>
  } -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Of a product with one row, destinations may leave the rows out; a value that
// goes to two destinations is copied to the second.

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func @unit(
func.func @unit(%a: tensor<1x4xf32>, %b: tensor<4x3xf32>, %x: tensor<3xf32>,
                %y: tensor<1x3xf32>) -> (tensor<3xf32>, tensor<1x3xf32>) {
  // CHECK: %[[X:.*]] = linalg.generic {{.*}}#[[ROW]]{{.*}} iterator_types = ["parallel"]} {{.*}} outs(%{{.*}} : tensor<3xf32>)
  // CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<3xf32>) outs(%{{.*}} : tensor<1x3xf32>)
  // CHECK: return %[[X]], %[[Y]]
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<1x4xf32>) rhs(%b [k, n] : tensor<4x3xf32>)
      outs(%x [n] : tensor<3xf32>, %y [m, n] : tensor<1x3xf32>) {
  ^bb0(%acc: !coda.tile<1x3xf32>):
    %1 = coda.map(%p = %acc : !coda.tile<1x3xf32>) -> !coda.tile<1x3xf32> {
      %n = arith.negf %p : f32
      coda.yield %n : f32
    }
    coda.yield %1, %1 : !coda.tile<1x3xf32>, !coda.tile<1x3xf32>
  } -> (tensor<3xf32>, tensor<1x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<1x3xf32>
}

// -----

// Parts are the columns of their tile, however they are stored.

// CHECK-DAG: #[[PM:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @parts(
func.func @parts(%a: tensor<?x4xf32>, %b: tensor<4x3xf32>, %p: tensor<5x?xf32>,
                 %init: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[S:.*]] = linalg.generic {{.*}}#[[PM]]{{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<5x?xf32>) outs(%{{.*}} : tensor<?xf32>)
  // CHECK: arith.addf
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[S]] : tensor<?x3xf32>, tensor<?xf32>)
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x4xf32>) rhs(%b [k, n] : tensor<4x3xf32>)
      operands(%p [parts, m] : tensor<5x?xf32>) outs(%init [m, n] : tensor<?x3xf32>) {
  ^bb0(%acc: !coda.tile<?x3xf32>, %x: !coda.tile<?x5xf32>):
    %1 = coda.reduce add %x along columns : !coda.tile<?x5xf32> -> !coda.tile<?x1xf32>
    %2 = coda.map(%y = %acc : !coda.tile<?x3xf32>, %z = %1 : !coda.tile<?x1xf32>) -> !coda.tile<?x3xf32> {
      %s = arith.mulf %y, %z : f32
      coda.yield %s : f32
    }
    coda.yield %2 : !coda.tile<?x3xf32>
  } -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
