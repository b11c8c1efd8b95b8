// RUN: coda-opt %s --coda-fuse --split-input-file | FileCheck %s

// Bodies are taken over op by op, roundings included.

#id = affine_map<(d0, d1) -> (d0, d1)>

// ReLU by compare and select keeps NaN.

// CHECK-LABEL: func @relu
// CHECK: coda.map(%[[P:.*]] = %{{.*}} : !coda.tile<8x32xf32>) -> !coda.tile<8x32xf32>
// CHECK: %[[C:.*]] = arith.cmpf ugt, %[[P]], %[[Z:.*]] : f32
// CHECK: arith.select %[[C]], %[[P]], %[[Z]] : f32
// CHECK-NOT: linalg.generic
func.func @relu(%p: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%p, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.cmpf ugt, %in, %z : f32
    %s = arith.select %c, %in, %z : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A bf16 graph rounds after every step; SiLU's product reads the rounded
// pre-activation twice. The bf16 product is rounded once.

// CHECK-LABEL: func @silu_bf16
// CHECK: coda.map({{.*}}) -> !coda.tile<8x32xbf16>
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: coda.map
// CHECK: arith.negf %{{.*}} : bf16
// CHECK: math.exp %{{.*}} : bf16
// CHECK: arith.addf %{{.*}}, %{{.*}} : bf16
// CHECK: arith.divf %{{.*}}, %{{.*}} : bf16
// CHECK: coda.map
// CHECK: arith.mulf %{{.*}}, %{{.*}} : bf16
// CHECK-NOT: linalg.generic
func.func @silu_bf16(%p: tensor<8x16xbf16>, %w: tensor<16x32xbf16>) -> tensor<8x32xbf16> {
  %z = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<8x32xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<8x32xbf16>) -> tensor<8x32xbf16>
  %0 = linalg.matmul ins(%p, %w : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%f : tensor<8x32xbf16>) -> tensor<8x32xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x32xbf16>) outs(%e : tensor<8x32xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %n = arith.negf %in : bf16
    %x = math.exp %n : bf16
    %a = arith.addf %x, %one : bf16
    %d = arith.divf %one, %a : bf16
    linalg.yield %d : bf16
  } -> tensor<8x32xbf16>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %0 : tensor<8x32xbf16>, tensor<8x32xbf16>) outs(%e : tensor<8x32xbf16>) {
  ^bb0(%in: bf16, %x: bf16, %out: bf16):
    %m = arith.mulf %in, %x : bf16
    linalg.yield %m : bf16
  } -> tensor<8x32xbf16>
  return %2 : tensor<8x32xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Named elementwise ops, a scalar captured in f64, and casts between them: the
// rounding in the middle stays.

// CHECK-LABEL: func @named_and_casts
// CHECK: math.tanh
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.mulf
// CHECK-NOT: linalg
// CHECK: return
func.func @named_and_casts(%p: tensor<8x16xf16>, %w: tensor<16x32xf16>) -> tensor<8x32xf32> {
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.125 : f64
  %e = tensor.empty() : tensor<8x32xf32>
  %h = tensor.empty() : tensor<8x32xf16>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%p, %w : tensor<8x16xf16>, tensor<16x32xf16>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = linalg.tanh ins(%0 : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<8x32xf32>) outs(%h : tensor<8x32xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x32xf16>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<8x32xf16>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%in: f16, %out: f32):
    %x = arith.extf %in : f16 to f32
    %t = arith.truncf %s : f64 to f32
    %m = arith.mulf %x, %t : f32
    linalg.yield %m : f32
  } -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// An op of two results, a causal mask by linalg.index, a scalar argument.

// CHECK-LABEL: func @mask
// CHECK: coda.gemm {{.*}} operands(%{{.*}} [] : f32) outs(%{{.*}} [m, n] : tensor<8x32xf32>, %{{.*}} [m, n] : tensor<8x32xi1>)
// CHECK-DAG: coda.index rows : !coda.tile<8x1xindex>
// CHECK-DAG: coda.index columns : !coda.tile<1x32xindex>
// CHECK: arith.cmpi sge
func.func @mask(%p: tensor<8x16xf32>, %w: tensor<16x32xf32>, %low: f32) -> (tensor<8x32xf32>, tensor<8x32xi1>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %e1 = tensor.empty() : tensor<8x32xi1>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%p, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x32xf32>) outs(%e, %e1 : tensor<8x32xf32>, tensor<8x32xi1>) {
  ^bb0(%in: f32, %out: f32, %out1: i1):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %k = arith.cmpi sge, %r, %c : index
    %s = arith.select %k, %in, %low : f32
    linalg.yield %s, %k : f32, i1
  } -> (tensor<8x32xf32>, tensor<8x32xi1>)
  return %1#0, %1#1 : tensor<8x32xf32>, tensor<8x32xi1>
}
