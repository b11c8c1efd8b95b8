// LM head and mean loss, in bf16, as torch-mlir exports them (see
// test/Integration/export/norms.py), run in two forms and compared.

// RUN: coda-runner %s --backend=cpu --compare --int-max=39 | FileCheck %s
// The target to ignore is one that occurs here.
// RUN: sed 's/constant -100 : i64/constant 7 : i64/' %s > %t.mlir
// RUN: coda-runner %t.mlir --backend=cpu --compare --int-max=9 | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED
// RUN: coda-opt %s --coda-fusion=log-softmax=false | FileCheck %s --check-prefix=OFF

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

// One product, which stores two numbers a row and no logits.
// FUSED: coda.gemm
// FUSED-SAME: outs(%{{.*}} [m] : tensor<16xf32>, %{{.*}} [m] : tensor<16xf32>)
// FUSED-DAG: coda.reduce logsumexp
// FUSED-DAG: coda.select_column
// FUSED-NOT: math.exp
// FUSED-NOT: coda.gemm

// OFF-NOT: logsumexp
// OFF: tensor.extract

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<2x8x16xbf16>, %arg1: tensor<40x16xbf16>, %arg2: tensor<2x8xi64>) -> tensor<f32> {
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
      %32 = arith.truncf %in : f32 to bf16
      linalg.yield %32 : bf16
    } -> tensor<16x40xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<16x40xbf16>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %32 = arith.extf %in : bf16 to f32
      linalg.yield %32 : f32
    } -> tensor<16x40xf32>
    %collapsed_3 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<2x8xi64> into tensor<16xi64>
    %6 = tensor.empty() : tensor<16xi64>
    %7 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<16xi64>) -> tensor<16xi64>
    %8 = tensor.empty() : tensor<16xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<16xf32>) -> tensor<16xf32>
    %10:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<16x40xf32>) outs(%9, %7 : tensor<16xf32>, tensor<16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_6: i64):
      %32 = linalg.index 1 : index
      %33 = arith.index_cast %32 : index to i64
      %34 = arith.maximumf %in, %out : f32
      %35 = arith.cmpf ogt, %in, %out : f32
      %36 = arith.select %35, %33, %out_6 : i64
      linalg.yield %34, %36 : f32, i64
    } -> (tensor<16xf32>, tensor<16xi64>)
    %expanded = tensor.expand_shape %10#0 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %expanded : tensor<16x40xf32>, tensor<16x1xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %32 = arith.subf %in, %in_6 : f32
      linalg.yield %32 : f32
    } -> tensor<16x40xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<16x40xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.exp %in : f32
      linalg.yield %32 : f32
    } -> tensor<16x40xf32>
    %13 = tensor.empty() : tensor<16x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<16x1xf32>) -> tensor<16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<16x40xf32>) outs(%14 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<16x1xf32>) outs(%13 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.log %in : f32
      linalg.yield %32 : f32
    } -> tensor<16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %16 : tensor<16x40xf32>, tensor<16x1xf32>) outs(%1 : tensor<16x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %32 = arith.subf %in, %in_6 : f32
      linalg.yield %32 : f32
    } -> tensor<16x40xf32>
    %18 = tensor.empty() : tensor<16xi1>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_3 : tensor<16xi64>) outs(%18 : tensor<16xi1>) {
    ^bb0(%in: i64, %out: i1):
      %32 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %32 : i1
    } -> tensor<16xi1>
    %20 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%19, %collapsed_3, %cst_2 : tensor<16xi1>, tensor<16xi64>, tensor<i64>) outs(%6 : tensor<16xi64>) {
    ^bb0(%in: i1, %in_6: i64, %in_7: i64, %out: i64):
      %32 = arith.select %in, %in_6, %in_7 : i64
      linalg.yield %32 : i64
    } -> tensor<16xi64>
    %expanded_4 = tensor.expand_shape %20 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_4 : tensor<16x1xi64>) outs(%14 : tensor<16x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %32 = linalg.index 0 : index
      %33 = arith.index_cast %in : i64 to index
      %34 = arith.cmpi slt, %33, %c40 : index
      cf.assert %34, "index must be smaller than dim size"
      %35 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %35, "index must be larger or equal to 0"
      %extracted = tensor.extract %17[%32, %33] : tensor<16x40xf32>
      linalg.yield %extracted : f32
    } -> tensor<16x1xf32>
    %collapsed_5 = tensor.collapse_shape %21 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_5 : tensor<16xf32>) outs(%8 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.negf %in : f32
      linalg.yield %32 : f32
    } -> tensor<16xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%19, %22, %cst_1 : tensor<16xi1>, tensor<16xf32>, tensor<f32>) outs(%8 : tensor<16xf32>) {
    ^bb0(%in: i1, %in_6: f32, %in_7: f32, %out: f32):
      %32 = arith.select %in, %in_6, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<16xf32>
    %24 = tensor.empty() : tensor<i64>
    %25 = linalg.fill ins(%c0_i64 : i64) outs(%24 : tensor<i64>) -> tensor<i64>
    %26 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%19 : tensor<16xi1>) outs(%25 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %32 = arith.extui %in : i1 to i64
      %33 = arith.addi %32, %out : i64
      linalg.yield %33 : i64
    } -> tensor<i64>
    %27 = tensor.empty() : tensor<f32>
    %28 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%26 : tensor<i64>) outs(%27 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %32 = arith.sitofp %in : i64 to f32
      linalg.yield %32 : f32
    } -> tensor<f32>
    %29 = linalg.fill ins(%cst : f32) outs(%27 : tensor<f32>) -> tensor<f32>
    %30 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%23 : tensor<16xf32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<f32>
    %31 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%30, %28 : tensor<f32>, tensor<f32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %32 = arith.divf %in, %in_6 : f32
      linalg.yield %32 : f32
    } -> tensor<f32>
    return %31 : tensor<f32>
  }
}
