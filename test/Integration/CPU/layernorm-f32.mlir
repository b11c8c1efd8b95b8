// Linear, residual, LayerNorm and the next linear layer, in f32, as torch-mlir
// exports them (see test/Integration/export/norms.py), run in two forms and
// compared.

// RUN: coda-runner %s --backend=cpu --compare | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED
// RUN: coda-opt %s --coda-fusion=layer-norm=false | FileCheck %s --check-prefix=OFF

// CHECK: compare result #0: {{.*}} ok
// CHECK: compare result #1: {{.*}} ok
// CHECK: PASS

// Beside the products only one op on weights is left: g @ W and b @ W.
// FUSED: coda.gemm
// FUSED-DAG: coda.reduce add
// FUSED-DAG: coda.reduce add
// FUSED: linalg.generic
// FUSED: math.fma
// FUSED: math.fma
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic

// OFF: arith.subf
// OFF: math.rsqrt

#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<32x16xf32>, %arg7: tensor<32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x16xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.600000e+01 : f64
    %cst_3 = arith.constant 1.600000e+01 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %0 = tensor.empty() : tensor<16x16xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %2 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x16xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.addf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<16x16xf32>
    %expanded = tensor.expand_shape %4 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32>
    %5 = tensor.empty() : tensor<2x8x16xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%5 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.addf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x16xf32>
    %7 = tensor.empty() : tensor<2x8x16xf64>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x8x16xf32>) outs(%7 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %33 = arith.extf %in : f32 to f64
      linalg.yield %33 : f64
    } -> tensor<2x8x16xf64>
    %9 = tensor.empty() : tensor<2x8x1xf64>
    %10 = linalg.fill ins(%cst_0 : f64) outs(%9 : tensor<2x8x1xf64>) -> tensor<2x8x1xf64>
    %11 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x8x16xf64>) outs(%10 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %33 = arith.addf %in, %out : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x1xf64>
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x8x1xf64>) outs(%9 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %33 = arith.divf %in, %cst_2 : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x1xf64>
    %13 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %12 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%7 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_7: f64, %out: f64):
      %33 = arith.subf %in, %in_7 : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x16xf64>
    %14 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %13 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%7 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_7: f64, %out: f64):
      %33 = arith.mulf %in, %in_7 : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x16xf64>
    %15 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<2x8x16xf64>) outs(%10 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %33 = arith.addf %in, %out : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x1xf64>
    %16 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x8x1xf64>) outs(%9 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %33 = arith.divf %in, %cst_2 : f64
      linalg.yield %33 : f64
    } -> tensor<2x8x1xf64>
    %17 = tensor.empty() : tensor<2x8x1xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x8x1xf64>) outs(%17 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %33 = arith.truncf %in : f64 to f32
      linalg.yield %33 : f32
    } -> tensor<2x8x1xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%17 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<2x8x16xf32>) outs(%19 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %in, %out : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x1xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x8x1xf32>) outs(%17 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.divf %in, %cst_3 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x8x1xf32>) outs(%17 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.truncf %cst_1 : f64 to f32
      %34 = arith.addf %in, %33 : f32
      linalg.yield %34 : f32
    } -> tensor<2x8x1xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x8x1xf32>) outs(%17 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = math.rsqrt %in : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %21 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%5 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.subf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x16xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %23 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%5 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.mulf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x16xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %arg4 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%5 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.mulf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x16xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %arg5 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%5 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.addf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<2x8x16xf32>
    %collapsed_4 = tensor.collapse_shape %27 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %28 = tensor.empty() : tensor<16x32xf32>
    %transposed_5 = linalg.transpose ins(%arg6 : tensor<32x16xf32>) outs(%28 : tensor<16x32xf32>) permutation = [1, 0]
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %30 = linalg.matmul ins(%collapsed_4, %transposed_5 : tensor<16x16xf32>, tensor<16x32xf32>) outs(%29 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<32xf32>) outs(%28 : tensor<16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x32xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%28 : tensor<16x32xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %33 = arith.addf %in, %in_7 : f32
      linalg.yield %33 : f32
    } -> tensor<16x32xf32>
    %expanded_6 = tensor.expand_shape %32 [[0, 1], [2]] output_shape [2, 8, 32] : tensor<16x32xf32> into tensor<2x8x32xf32>
    return %expanded_6, %6 : tensor<2x8x32xf32>, tensor<2x8x16xf32>
  }
}
