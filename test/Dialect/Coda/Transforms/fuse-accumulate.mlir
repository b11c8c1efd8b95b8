// RUN: coda-opt %s --coda-fuse --split-input-file | FileCheck %s

// An init that is not zero is added to the accumulator in f32, before the one
// rounding to the result's type.

// CHECK-LABEL: func @bf16
// CHECK-SAME: %[[C:[a-z0-9_]+]]: tensor<8x16xbf16>)
// CHECK: coda.gemm {{.*}} operands(%[[C]] [m, n] : tensor<8x16xbf16>) outs(%[[C]] [m, n] : tensor<8x16xbf16>)
// CHECK: coda.map(%[[P:.*]] = %{{.*}} : !coda.tile<8x16xf32>, %[[I:.*]] = %{{.*}} : !coda.tile<8x16xbf16>) -> !coda.tile<8x16xbf16>
// CHECK: %[[E:.*]] = arith.extf %[[I]] : bf16 to f32
// CHECK: %[[S:.*]] = arith.addf %[[E]], %[[P]] : f32
// CHECK: arith.truncf %[[S]] : f32 to bf16
func.func @bf16(%x: tensor<8x4xbf16>, %w: tensor<4x16xbf16>, %c: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xbf16>, tensor<4x16xbf16>) outs(%c : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %0 : tensor<8x16xbf16>
}

// -----

// A bias broadcast into the init is read as a row vector.

// CHECK-LABEL: func @bias_init
// CHECK: operands(%{{.*}} [n] : tensor<16xf32>)
// CHECK: arith.addf
func.func @bias_init(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %c = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<8x16xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// A fill of a constant that is not zero is a scalar.

// CHECK-LABEL: func @fill_one
// CHECK: operands(%{{.*}} [] : f32)
func.func @fill_one(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %c = linalg.fill ins(%one : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// i8 products wrap in i32 as in the source; a result of i8 keeps the low bits.

// CHECK-LABEL: func @i8
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<8x4xi8>)
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.addi
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @i8(%x: tensor<8x4xi8>, %w: tensor<4x16xi8>, %c: tensor<8x16xi8>) -> tensor<8x16xi8> {
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xi8>, tensor<4x16xi8>) outs(%c : tensor<8x16xi8>) -> tensor<8x16xi8>
  return %0 : tensor<8x16xi8>
}

// -----

// CHECK-LABEL: func @f64
// CHECK: coda.gemm
// CHECK: ^bb0(%{{.*}}: !coda.tile<8x16xf64>)
func.func @f64(%x: tensor<8x4xf64>, %w: tensor<4x16xf64>) -> tensor<8x16xf64> {
  %z = arith.constant dense<0.0> : tensor<8x16xf64>
  %0 = linalg.matmul ins(%x, %w : tensor<8x4xf64>, tensor<4x16xf64>) outs(%z : tensor<8x16xf64>) -> tensor<8x16xf64>
  return %0 : tensor<8x16xf64>
}
