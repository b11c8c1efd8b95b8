// LM head, a loss each row and the logits, in bf16, as torch-mlir exports them
// (see test/Integration/export/norms.py), run in two forms and compared.

// RUN: coda-runner %s --backend=cpu --compare --int-max=39 | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED

// CHECK: compare result #0: {{.*}} ok
// CHECK: compare result #1: {{.*}} ok
// CHECK: PASS

// The logits are a third destination.
// FUSED: coda.gemm
// FUSED-SAME: outs(%{{.*}} [m, n] : tensor<16x40xbf16>, %{{.*}} [m] : tensor<16xf32>, %{{.*}} [m] : tensor<16xf32>)
// FUSED-DAG: coda.reduce logsumexp
// FUSED-DAG: coda.select_column
// FUSED-NOT: math.exp
// FUSED-NOT: coda.gemm

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<2x8x16xbf16>, %arg1: tensor<40x16xbf16>, %arg2: tensor<2x8xi64>) -> (tensor<16xf32>, tensor<2x8x40xbf16>) {
    %c-100_i64 = arith.constant -100 : i64
    %c40 = arith.constant 40 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<16x40xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<40x16xbf16>) outs(%0 : tensor<16x40xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x8x16xbf16> into tensor<16x16xbf16>
    %1 = tensor.empty() : tensor<16x40xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<16x40xf32>) -> tensor<16x40xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xbf16>, tensor<16x40xbf16>) outs(%2 : tensor<16x40xf32>) -> tensor<16x40xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<16x40xf32>) outs(%0 : tensor<16x40xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %24 = arith.truncf %in : f32 to bf16
      linalg.yield %24 : bf16
    } -> tensor<16x40xbf16>
    %expanded = tensor.expand_shape %4 [[0, 1], [2]] output_shape [2, 8, 40] : tensor<16x40xbf16> into tensor<2x8x40xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<16x40xbf16>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %24 = arith.extf %in : bf16 to f32
      linalg.yield %24 : f32
    } -> tensor<16x40xf32>
    %collapsed_3 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<2x8xi64> into tensor<16xi64>
    %6 = tensor.empty() : tensor<16xi64>
    %7 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<16xi64>) -> tensor<16xi64>
    %8 = tensor.empty() : tensor<16xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<16xf32>) -> tensor<16xf32>
    %10:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<16x40xf32>) outs(%9, %7 : tensor<16xf32>, tensor<16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_7: i64):
      %24 = linalg.index 1 : index
      %25 = arith.index_cast %24 : index to i64
      %26 = arith.maximumf %in, %out : f32
      %27 = arith.cmpf ogt, %in, %out : f32
      %28 = arith.select %27, %25, %out_7 : i64
      linalg.yield %26, %28 : f32, i64
    } -> (tensor<16xf32>, tensor<16xi64>)
    %expanded_4 = tensor.expand_shape %10#0 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %expanded_4 : tensor<16x40xf32>, tensor<16x1xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %24 = arith.subf %in, %in_7 : f32
      linalg.yield %24 : f32
    } -> tensor<16x40xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<16x40xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = math.exp %in : f32
      linalg.yield %24 : f32
    } -> tensor<16x40xf32>
    %13 = tensor.empty() : tensor<16x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<16x1xf32>) -> tensor<16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<16x40xf32>) outs(%14 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %in, %out : f32
      linalg.yield %24 : f32
    } -> tensor<16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<16x1xf32>) outs(%13 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = math.log %in : f32
      linalg.yield %24 : f32
    } -> tensor<16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %16 : tensor<16x40xf32>, tensor<16x1xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %24 = arith.subf %in, %in_7 : f32
      linalg.yield %24 : f32
    } -> tensor<16x40xf32>
    %18 = tensor.empty() : tensor<16xi1>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_3 : tensor<16xi64>) outs(%18 : tensor<16xi1>) {
    ^bb0(%in: i64, %out: i1):
      %24 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %24 : i1
    } -> tensor<16xi1>
    %20 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%19, %collapsed_3, %cst_2 : tensor<16xi1>, tensor<16xi64>, tensor<i64>) outs(%6 : tensor<16xi64>) {
    ^bb0(%in: i1, %in_7: i64, %in_8: i64, %out: i64):
      %24 = arith.select %in, %in_7, %in_8 : i64
      linalg.yield %24 : i64
    } -> tensor<16xi64>
    %expanded_5 = tensor.expand_shape %20 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_5 : tensor<16x1xi64>) outs(%14 : tensor<16x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %24 = linalg.index 0 : index
      %25 = arith.index_cast %in : i64 to index
      %26 = arith.cmpi slt, %25, %c40 : index
      cf.assert %26, "index must be smaller than dim size"
      %27 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %27, "index must be larger or equal to 0"
      %extracted = tensor.extract %17[%24, %25] : tensor<16x40xf32>
      linalg.yield %extracted : f32
    } -> tensor<16x1xf32>
    %collapsed_6 = tensor.collapse_shape %21 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_6 : tensor<16xf32>) outs(%8 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.negf %in : f32
      linalg.yield %24 : f32
    } -> tensor<16xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%19, %22, %cst_1 : tensor<16xi1>, tensor<16xf32>, tensor<f32>) outs(%8 : tensor<16xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %24 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %24 : f32
    } -> tensor<16xf32>
    return %23, %expanded : tensor<16xf32>, tensor<2x8x40xbf16>
  }
}
