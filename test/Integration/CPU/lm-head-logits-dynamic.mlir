// The end of a language model, in bf16: logits and loss, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/lm_head.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --function=head --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=head --dynamic-size=7 | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// One product.
// FUSED: coda.gemm

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<()[s0] -> (s0 * 2)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0) -> ()>
#map9 = affine_map<() -> ()>
module {
  func.func @head(%arg0: tensor<2x?x128xbf16>, %arg1: tensor<128xbf16>, %arg2: tensor<512x128xbf16>, %arg3: tensor<2x?xi64>) -> (tensor<2x?x512xbf16>, tensor<f32>) {
    %c-100_i64 = arith.constant -100 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c512 = arith.constant 512 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 1.280000e+02 : f32
    %cst_4 = arith.constant dense<0> : tensor<i64>
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x128xbf16>
    %0 = tensor.empty(%dim) : tensor<2x?x128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x?x128xbf16>) outs(%0 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %56 = arith.extf %in : bf16 to f32
      linalg.yield %56 : f32
    } -> tensor<2x?x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x?x128xf32>) outs(%0 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %56 : f32
    } -> tensor<2x?x128xf32>
    %3 = tensor.empty(%dim) : tensor<2x?x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x?x128xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<2x?x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x?x1xf32>) outs(%3 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.divf %in, %cst_3 : f32
      linalg.yield %56 : f32
    } -> tensor<2x?x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x?x1xf32>) outs(%3 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.truncf %cst_2 : f64 to f32
      %57 = arith.addf %in, %56 : f32
      linalg.yield %57 : f32
    } -> tensor<2x?x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x?x1xf32>) outs(%3 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.rsqrt %in : f32
      linalg.yield %56 : f32
    } -> tensor<2x?x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%0 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %56 = arith.mulf %in, %in_11 : f32
      linalg.yield %56 : f32
    } -> tensor<2x?x128xf32>
    %10 = tensor.empty(%dim) : tensor<2x?x128xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x?x128xf32>) outs(%10 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %56 = arith.truncf %in : f32 to bf16
      linalg.yield %56 : bf16
    } -> tensor<2x?x128xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %11 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%10 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_11: bf16, %out: bf16):
      %56 = arith.mulf %in, %in_11 : bf16
      linalg.yield %56 : bf16
    } -> tensor<2x?x128xbf16>
    %13 = tensor.empty() : tensor<128x512xbf16>
    %transposed = linalg.transpose ins(%arg2 : tensor<512x128xbf16>) outs(%13 : tensor<128x512xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %14 = affine.apply #map3()[%dim]
    %15 = tensor.empty(%14) : tensor<?x512xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<?x512xf32>) -> tensor<?x512xf32>
    %17 = linalg.matmul ins(%collapsed, %transposed : tensor<?x128xbf16>, tensor<128x512xbf16>) outs(%16 : tensor<?x512xf32>) -> tensor<?x512xf32>
    %18 = tensor.empty(%14) : tensor<?x512xbf16>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<?x512xf32>) outs(%18 : tensor<?x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %56 = arith.truncf %in : f32 to bf16
      linalg.yield %56 : bf16
    } -> tensor<?x512xbf16>
    %20 = arith.divsi %14, %c2 : index
    %expanded = tensor.expand_shape %19 [[0, 1], [2]] output_shape [2, %20, 512] : tensor<?x512xbf16> into tensor<2x?x512xbf16>
    %21 = tensor.empty(%20) : tensor<2x?x512xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x?x512xbf16>) outs(%21 : tensor<2x?x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %56 = arith.extf %in : bf16 to f32
      linalg.yield %56 : f32
    } -> tensor<2x?x512xf32>
    %collapsed_5 = tensor.collapse_shape %22 [[0, 1], [2]] : tensor<2x?x512xf32> into tensor<?x512xf32>
    %collapsed_6 = tensor.collapse_shape %arg3 [[0, 1]] : tensor<2x?xi64> into tensor<?xi64>
    %23 = affine.apply #map3()[%20]
    %24 = tensor.empty(%23) : tensor<?xi64>
    %25 = linalg.fill ins(%c0_i64 : i64) outs(%24 : tensor<?xi64>) -> tensor<?xi64>
    %26 = tensor.empty(%23) : tensor<?xf32>
    %27 = linalg.fill ins(%cst_0 : f32) outs(%26 : tensor<?xf32>) -> tensor<?xf32>
    %28:2 = linalg.generic {indexing_maps = [#map4, #map5, #map5], iterator_types = ["parallel", "reduction"]} ins(%collapsed_5 : tensor<?x512xf32>) outs(%27, %25 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_11: i64):
      %56 = linalg.index 1 : index
      %57 = arith.index_cast %56 : index to i64
      %58 = arith.maximumf %in, %out : f32
      %59 = arith.cmpf ogt, %in, %out : f32
      %60 = arith.select %59, %57, %out_11 : i64
      linalg.yield %58, %60 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded_7 = tensor.expand_shape %28#0 [[0, 1]] output_shape [%23, 1] : tensor<?xf32> into tensor<?x1xf32>
    %29 = tensor.empty(%23) : tensor<?x512xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_5, %expanded_7 : tensor<?x512xf32>, tensor<?x1xf32>) outs(%29 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %56 = arith.subf %in, %in_11 : f32
      linalg.yield %56 : f32
    } -> tensor<?x512xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<?x512xf32>) outs(%29 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.exp %in : f32
      linalg.yield %56 : f32
    } -> tensor<?x512xf32>
    %32 = tensor.empty(%23) : tensor<?x1xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map6], iterator_types = ["parallel", "reduction"]} ins(%31 : tensor<?x512xf32>) outs(%33 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<?x1xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<?x1xf32>) outs(%32 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.log %in : f32
      linalg.yield %56 : f32
    } -> tensor<?x1xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%30, %35 : tensor<?x512xf32>, tensor<?x1xf32>) outs(%29 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %56 = arith.subf %in, %in_11 : f32
      linalg.yield %56 : f32
    } -> tensor<?x512xf32>
    %dim_8 = tensor.dim %arg3, %c1 : tensor<2x?xi64>
    %37 = affine.apply #map3()[%dim_8]
    %38 = tensor.empty(%37) : tensor<?xi1>
    %39 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%collapsed_6 : tensor<?xi64>) outs(%38 : tensor<?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %56 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %56 : i1
    } -> tensor<?xi1>
    %40 = tensor.empty(%37) : tensor<?xi64>
    %41 = linalg.generic {indexing_maps = [#map7, #map7, #map8, #map7], iterator_types = ["parallel"]} ins(%39, %collapsed_6, %cst_4 : tensor<?xi1>, tensor<?xi64>, tensor<i64>) outs(%40 : tensor<?xi64>) {
    ^bb0(%in: i1, %in_11: i64, %in_12: i64, %out: i64):
      %56 = arith.select %in, %in_11, %in_12 : i64
      linalg.yield %56 : i64
    } -> tensor<?xi64>
    %expanded_9 = tensor.expand_shape %41 [[0, 1]] output_shape [%37, 1] : tensor<?xi64> into tensor<?x1xi64>
    %42 = tensor.empty(%37) : tensor<?x1xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %44 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_9 : tensor<?x1xi64>) outs(%43 : tensor<?x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %56 = linalg.index 0 : index
      %57 = arith.index_cast %in : i64 to index
      %58 = arith.cmpi slt, %57, %c512 : index
      cf.assert %58, "index must be smaller than dim size"
      %59 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %59, "index must be larger or equal to 0"
      %extracted = tensor.extract %36[%56, %57] : tensor<?x512xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x1xf32>
    %collapsed_10 = tensor.collapse_shape %44 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
    %45 = tensor.empty(%37) : tensor<?xf32>
    %46 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%collapsed_10 : tensor<?xf32>) outs(%45 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.negf %in : f32
      linalg.yield %56 : f32
    } -> tensor<?xf32>
    %47 = linalg.generic {indexing_maps = [#map7, #map7, #map8, #map7], iterator_types = ["parallel"]} ins(%39, %46, %cst_1 : tensor<?xi1>, tensor<?xf32>, tensor<f32>) outs(%45 : tensor<?xf32>) {
    ^bb0(%in: i1, %in_11: f32, %in_12: f32, %out: f32):
      %56 = arith.select %in, %in_11, %in_12 : f32
      linalg.yield %56 : f32
    } -> tensor<?xf32>
    %48 = tensor.empty() : tensor<i64>
    %49 = linalg.fill ins(%c0_i64 : i64) outs(%48 : tensor<i64>) -> tensor<i64>
    %50 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["reduction"]} ins(%39 : tensor<?xi1>) outs(%49 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %56 = arith.extui %in : i1 to i64
      %57 = arith.addi %56, %out : i64
      linalg.yield %57 : i64
    } -> tensor<i64>
    %51 = tensor.empty() : tensor<f32>
    %52 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%50 : tensor<i64>) outs(%51 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %56 = arith.sitofp %in : i64 to f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    %53 = linalg.fill ins(%cst : f32) outs(%51 : tensor<f32>) -> tensor<f32>
    %54 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["reduction"]} ins(%47 : tensor<?xf32>) outs(%53 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    %55 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = []} ins(%54, %52 : tensor<f32>, tensor<f32>) outs(%51 : tensor<f32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %56 = arith.divf %in, %in_11 : f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    return %expanded, %55 : tensor<2x?x512xbf16>, tensor<f32>
  }
}

