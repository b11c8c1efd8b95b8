// The end of a language model from its last down projection on, in bf16, as
// torch-mlir exports it (see test/Integration/export/lm_head.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.001 --function=head | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// The residual's sums of squares come with the first product.
// FUSED-COUNT-2: coda.gemm

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0) -> ()>
#map8 = affine_map<() -> ()>
module {
  func.func @head(%arg0: tensor<2x16x256xbf16>, %arg1: tensor<128x256xbf16>, %arg2: tensor<2x16x128xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<512x128xbf16>, %arg5: tensor<2x16xi64>) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c512 = arith.constant 512 : index
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 1.280000e+02 : f32
    %cst_4 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<256x128xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<128x256xbf16>) outs(%0 : tensor<256x128xbf16>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %1 = tensor.empty() : tensor<32x128xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %4 = tensor.empty() : tensor<32x128xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %54 = arith.truncf %in : f32 to bf16
      linalg.yield %54 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %6 = tensor.empty() : tensor<2x16x128xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2, %expanded : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_13: bf16, %out: bf16):
      %54 = arith.addf %in, %in_13 : bf16
      linalg.yield %54 : bf16
    } -> tensor<2x16x128xbf16>
    %8 = tensor.empty() : tensor<2x16x128xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x128xbf16>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %54 = arith.extf %in : bf16 to f32
      linalg.yield %54 : f32
    } -> tensor<2x16x128xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x16x128xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %54 : f32
    } -> tensor<2x16x128xf32>
    %11 = tensor.empty() : tensor<2x16x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<2x16x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.divf %in, %cst_3 : f32
      linalg.yield %54 : f32
    } -> tensor<2x16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.truncf %cst_2 : f64 to f32
      %55 = arith.addf %in, %54 : f32
      linalg.yield %55 : f32
    } -> tensor<2x16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.rsqrt %in : f32
      linalg.yield %54 : f32
    } -> tensor<2x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %16 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %54 = arith.mulf %in, %in_13 : f32
      linalg.yield %54 : f32
    } -> tensor<2x16x128xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x128xf32>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %54 = arith.truncf %in : f32 to bf16
      linalg.yield %54 : bf16
    } -> tensor<2x16x128xbf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %18 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_13: bf16, %out: bf16):
      %54 = arith.mulf %in, %in_13 : bf16
      linalg.yield %54 : bf16
    } -> tensor<2x16x128xbf16>
    %20 = tensor.empty() : tensor<128x512xbf16>
    %transposed_5 = linalg.transpose ins(%arg4 : tensor<512x128xbf16>) outs(%20 : tensor<128x512xbf16>) permutation = [1, 0] 
    %collapsed_6 = tensor.collapse_shape %19 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %21 = tensor.empty() : tensor<32x512xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %23 = linalg.matmul ins(%collapsed_6, %transposed_5 : tensor<32x128xbf16>, tensor<128x512xbf16>) outs(%22 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %24 = tensor.empty() : tensor<32x512xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<32x512xf32>) outs(%24 : tensor<32x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %54 = arith.truncf %in : f32 to bf16
      linalg.yield %54 : bf16
    } -> tensor<32x512xbf16>
    %expanded_7 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 16, 512] : tensor<32x512xbf16> into tensor<2x16x512xbf16>
    %26 = tensor.empty() : tensor<2x16x512xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_7 : tensor<2x16x512xbf16>) outs(%26 : tensor<2x16x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %54 = arith.extf %in : bf16 to f32
      linalg.yield %54 : f32
    } -> tensor<2x16x512xf32>
    %collapsed_8 = tensor.collapse_shape %27 [[0, 1], [2]] : tensor<2x16x512xf32> into tensor<32x512xf32>
    %collapsed_9 = tensor.collapse_shape %arg5 [[0, 1]] : tensor<2x16xi64> into tensor<32xi64>
    %28 = tensor.empty() : tensor<32xi64>
    %29 = linalg.fill ins(%c0_i64 : i64) outs(%28 : tensor<32xi64>) -> tensor<32xi64>
    %30 = tensor.empty() : tensor<32xf32>
    %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<32xf32>) -> tensor<32xf32>
    %32:2 = linalg.generic {indexing_maps = [#map, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%collapsed_8 : tensor<32x512xf32>) outs(%31, %29 : tensor<32xf32>, tensor<32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_13: i64):
      %54 = linalg.index 1 : index
      %55 = arith.index_cast %54 : index to i64
      %56 = arith.maximumf %in, %out : f32
      %57 = arith.cmpf ogt, %in, %out : f32
      %58 = arith.select %57, %55, %out_13 : i64
      linalg.yield %56, %58 : f32, i64
    } -> (tensor<32xf32>, tensor<32xi64>)
    %expanded_10 = tensor.expand_shape %32#0 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_8, %expanded_10 : tensor<32x512xf32>, tensor<32x1xf32>) outs(%21 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %54 = arith.subf %in, %in_13 : f32
      linalg.yield %54 : f32
    } -> tensor<32x512xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<32x512xf32>) outs(%21 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.exp %in : f32
      linalg.yield %54 : f32
    } -> tensor<32x512xf32>
    %35 = tensor.empty() : tensor<32x1xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<32x1xf32>) -> tensor<32x1xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["parallel", "reduction"]} ins(%34 : tensor<32x512xf32>) outs(%36 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<32x1xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<32x1xf32>) outs(%35 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.log %in : f32
      linalg.yield %54 : f32
    } -> tensor<32x1xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel"]} ins(%33, %38 : tensor<32x512xf32>, tensor<32x1xf32>) outs(%21 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %54 = arith.subf %in, %in_13 : f32
      linalg.yield %54 : f32
    } -> tensor<32x512xf32>
    %40 = tensor.empty() : tensor<32xi1>
    %41 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%collapsed_9 : tensor<32xi64>) outs(%40 : tensor<32xi1>) {
    ^bb0(%in: i64, %out: i1):
      %54 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %54 : i1
    } -> tensor<32xi1>
    %42 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%41, %collapsed_9, %cst_4 : tensor<32xi1>, tensor<32xi64>, tensor<i64>) outs(%28 : tensor<32xi64>) {
    ^bb0(%in: i1, %in_13: i64, %in_14: i64, %out: i64):
      %54 = arith.select %in, %in_13, %in_14 : i64
      linalg.yield %54 : i64
    } -> tensor<32xi64>
    %expanded_11 = tensor.expand_shape %42 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %43 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_11 : tensor<32x1xi64>) outs(%36 : tensor<32x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = linalg.index 0 : index
      %55 = arith.index_cast %in : i64 to index
      %56 = arith.cmpi slt, %55, %c512 : index
      cf.assert %56, "index must be smaller than dim size"
      %57 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %57, "index must be larger or equal to 0"
      %extracted = tensor.extract %39[%54, %55] : tensor<32x512xf32>
      linalg.yield %extracted : f32
    } -> tensor<32x1xf32>
    %collapsed_12 = tensor.collapse_shape %43 [[0, 1]] : tensor<32x1xf32> into tensor<32xf32>
    %44 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%collapsed_12 : tensor<32xf32>) outs(%30 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.negf %in : f32
      linalg.yield %54 : f32
    } -> tensor<32xf32>
    %45 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%41, %44, %cst_1 : tensor<32xi1>, tensor<32xf32>, tensor<f32>) outs(%30 : tensor<32xf32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %54 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %54 : f32
    } -> tensor<32xf32>
    %46 = tensor.empty() : tensor<i64>
    %47 = linalg.fill ins(%c0_i64 : i64) outs(%46 : tensor<i64>) -> tensor<i64>
    %48 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%41 : tensor<32xi1>) outs(%47 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %54 = arith.extui %in : i1 to i64
      %55 = arith.addi %54, %out : i64
      linalg.yield %55 : i64
    } -> tensor<i64>
    %49 = tensor.empty() : tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%48 : tensor<i64>) outs(%49 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = arith.sitofp %in : i64 to f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    %51 = linalg.fill ins(%cst : f32) outs(%49 : tensor<f32>) -> tensor<f32>
    %52 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%45 : tensor<32xf32>) outs(%51 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    %53 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = []} ins(%52, %50 : tensor<f32>, tensor<f32>) outs(%49 : tensor<f32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %54 = arith.divf %in, %in_13 : f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    return %53 : tensor<f32>
  }
}

