// The end of a language model from its last down projection on, in bf16, for any
// sequence length, as torch-mlir exports it (see test/Integration/export/lm_head.py),
// run in two forms and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.001 --function=head --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.001 --function=head --dynamic-size=7 | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// The residual's sums of squares come with the first product.
// FUSED-COUNT-2: coda.gemm

#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0) -> ()>
#map9 = affine_map<() -> ()>
module {
  func.func @head(%arg0: tensor<2x?x256xbf16>, %arg1: tensor<128x256xbf16>, %arg2: tensor<2x?x128xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<512x128xbf16>, %arg5: tensor<2x?xi64>) -> tensor<f32> {
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
    %0 = tensor.empty() : tensor<256x128xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<128x256xbf16>) outs(%0 : tensor<256x128xbf16>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x?x256xbf16> into tensor<?x256xbf16>
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x256xbf16>
    %1 = affine.apply #map()[%dim]
    %2 = tensor.empty(%1) : tensor<?x128xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %4 = linalg.matmul ins(%collapsed, %transposed : tensor<?x256xbf16>, tensor<256x128xbf16>) outs(%3 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %5 = tensor.empty(%1) : tensor<?x128xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x128xf32>) outs(%5 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %66 = arith.truncf %in : f32 to bf16
      linalg.yield %66 : bf16
    } -> tensor<?x128xbf16>
    %7 = arith.divsi %1, %c2 : index
    %expanded = tensor.expand_shape %6 [[0, 1], [2]] output_shape [2, %7, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %dim_5 = tensor.dim %arg2, %c1 : tensor<2x?x128xbf16>
    %8 = arith.cmpi eq, %dim_5, %7 : index
    cf.assert %8, "mismatched size for broadcast"
    %9 = tensor.empty(%dim_5) : tensor<2x?x128xbf16>
    %10 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2, %expanded : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%9 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_15: bf16, %out: bf16):
      %66 = arith.addf %in, %in_15 : bf16
      linalg.yield %66 : bf16
    } -> tensor<2x?x128xbf16>
    %11 = tensor.empty(%dim_5) : tensor<2x?x128xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x?x128xbf16>) outs(%11 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %66 = arith.extf %in : bf16 to f32
      linalg.yield %66 : f32
    } -> tensor<2x?x128xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x?x128xf32>) outs(%11 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %66 : f32
    } -> tensor<2x?x128xf32>
    %14 = tensor.empty(%dim_5) : tensor<2x?x1xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<2x?x128xf32>) outs(%15 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %in, %out : f32
      linalg.yield %66 : f32
    } -> tensor<2x?x1xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x?x1xf32>) outs(%14 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.divf %in, %cst_3 : f32
      linalg.yield %66 : f32
    } -> tensor<2x?x1xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x?x1xf32>) outs(%14 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.truncf %cst_2 : f64 to f32
      %67 = arith.addf %in, %66 : f32
      linalg.yield %67 : f32
    } -> tensor<2x?x1xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x?x1xf32>) outs(%14 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = math.rsqrt %in : f32
      linalg.yield %66 : f32
    } -> tensor<2x?x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %19 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%11 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %66 = arith.mulf %in, %in_15 : f32
      linalg.yield %66 : f32
    } -> tensor<2x?x128xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x?x128xf32>) outs(%9 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %66 = arith.truncf %in : f32 to bf16
      linalg.yield %66 : bf16
    } -> tensor<2x?x128xbf16>
    %22 = linalg.generic {indexing_maps = [#map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %21 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%9 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_15: bf16, %out: bf16):
      %66 = arith.mulf %in, %in_15 : bf16
      linalg.yield %66 : bf16
    } -> tensor<2x?x128xbf16>
    %23 = tensor.empty() : tensor<128x512xbf16>
    %transposed_6 = linalg.transpose ins(%arg4 : tensor<512x128xbf16>) outs(%23 : tensor<128x512xbf16>) permutation = [1, 0] 
    %collapsed_7 = tensor.collapse_shape %22 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %24 = affine.apply #map()[%dim_5]
    %25 = tensor.empty(%24) : tensor<?x512xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<?x512xf32>) -> tensor<?x512xf32>
    %27 = linalg.matmul ins(%collapsed_7, %transposed_6 : tensor<?x128xbf16>, tensor<128x512xbf16>) outs(%26 : tensor<?x512xf32>) -> tensor<?x512xf32>
    %28 = tensor.empty(%24) : tensor<?x512xbf16>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<?x512xf32>) outs(%28 : tensor<?x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %66 = arith.truncf %in : f32 to bf16
      linalg.yield %66 : bf16
    } -> tensor<?x512xbf16>
    %30 = arith.divsi %24, %c2 : index
    %expanded_8 = tensor.expand_shape %29 [[0, 1], [2]] output_shape [2, %30, 512] : tensor<?x512xbf16> into tensor<2x?x512xbf16>
    %31 = tensor.empty(%30) : tensor<2x?x512xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<2x?x512xbf16>) outs(%31 : tensor<2x?x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %66 = arith.extf %in : bf16 to f32
      linalg.yield %66 : f32
    } -> tensor<2x?x512xf32>
    %collapsed_9 = tensor.collapse_shape %32 [[0, 1], [2]] : tensor<2x?x512xf32> into tensor<?x512xf32>
    %collapsed_10 = tensor.collapse_shape %arg5 [[0, 1]] : tensor<2x?xi64> into tensor<?xi64>
    %33 = affine.apply #map()[%30]
    %34 = tensor.empty(%33) : tensor<?xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<?xi64>) -> tensor<?xi64>
    %36 = tensor.empty(%33) : tensor<?xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<?xf32>) -> tensor<?xf32>
    %38:2 = linalg.generic {indexing_maps = [#map1, #map5, #map5], iterator_types = ["parallel", "reduction"]} ins(%collapsed_9 : tensor<?x512xf32>) outs(%37, %35 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %66 = linalg.index 1 : index
      %67 = arith.index_cast %66 : index to i64
      %68 = arith.maximumf %in, %out : f32
      %69 = arith.cmpf ogt, %in, %out : f32
      %70 = arith.select %69, %67, %out_15 : i64
      linalg.yield %68, %70 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded_11 = tensor.expand_shape %38#0 [[0, 1]] output_shape [%33, 1] : tensor<?xf32> into tensor<?x1xf32>
    %39 = tensor.empty(%33) : tensor<?x512xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_9, %expanded_11 : tensor<?x512xf32>, tensor<?x1xf32>) outs(%39 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %66 = arith.subf %in, %in_15 : f32
      linalg.yield %66 : f32
    } -> tensor<?x512xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<?x512xf32>) outs(%39 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = math.exp %in : f32
      linalg.yield %66 : f32
    } -> tensor<?x512xf32>
    %42 = tensor.empty(%33) : tensor<?x1xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "reduction"]} ins(%41 : tensor<?x512xf32>) outs(%43 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %in, %out : f32
      linalg.yield %66 : f32
    } -> tensor<?x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44 : tensor<?x1xf32>) outs(%42 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = math.log %in : f32
      linalg.yield %66 : f32
    } -> tensor<?x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%40, %45 : tensor<?x512xf32>, tensor<?x1xf32>) outs(%39 : tensor<?x512xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %66 = arith.subf %in, %in_15 : f32
      linalg.yield %66 : f32
    } -> tensor<?x512xf32>
    %dim_12 = tensor.dim %arg5, %c1 : tensor<2x?xi64>
    %47 = affine.apply #map()[%dim_12]
    %48 = tensor.empty(%47) : tensor<?xi1>
    %49 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%collapsed_10 : tensor<?xi64>) outs(%48 : tensor<?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %66 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %66 : i1
    } -> tensor<?xi1>
    %50 = tensor.empty(%47) : tensor<?xi64>
    %51 = linalg.generic {indexing_maps = [#map7, #map7, #map8, #map7], iterator_types = ["parallel"]} ins(%49, %collapsed_10, %cst_4 : tensor<?xi1>, tensor<?xi64>, tensor<i64>) outs(%50 : tensor<?xi64>) {
    ^bb0(%in: i1, %in_15: i64, %in_16: i64, %out: i64):
      %66 = arith.select %in, %in_15, %in_16 : i64
      linalg.yield %66 : i64
    } -> tensor<?xi64>
    %expanded_13 = tensor.expand_shape %51 [[0, 1]] output_shape [%47, 1] : tensor<?xi64> into tensor<?x1xi64>
    %52 = tensor.empty(%47) : tensor<?x1xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_13 : tensor<?x1xi64>) outs(%53 : tensor<?x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %66 = linalg.index 0 : index
      %67 = arith.index_cast %in : i64 to index
      %68 = arith.cmpi slt, %67, %c512 : index
      cf.assert %68, "index must be smaller than dim size"
      %69 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %69, "index must be larger or equal to 0"
      %extracted = tensor.extract %46[%66, %67] : tensor<?x512xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x1xf32>
    %collapsed_14 = tensor.collapse_shape %54 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
    %55 = tensor.empty(%47) : tensor<?xf32>
    %56 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%collapsed_14 : tensor<?xf32>) outs(%55 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.negf %in : f32
      linalg.yield %66 : f32
    } -> tensor<?xf32>
    %57 = linalg.generic {indexing_maps = [#map7, #map7, #map8, #map7], iterator_types = ["parallel"]} ins(%49, %56, %cst_1 : tensor<?xi1>, tensor<?xf32>, tensor<f32>) outs(%55 : tensor<?xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %66 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %66 : f32
    } -> tensor<?xf32>
    %58 = tensor.empty() : tensor<i64>
    %59 = linalg.fill ins(%c0_i64 : i64) outs(%58 : tensor<i64>) -> tensor<i64>
    %60 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["reduction"]} ins(%49 : tensor<?xi1>) outs(%59 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %66 = arith.extui %in : i1 to i64
      %67 = arith.addi %66, %out : i64
      linalg.yield %67 : i64
    } -> tensor<i64>
    %61 = tensor.empty() : tensor<f32>
    %62 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%60 : tensor<i64>) outs(%61 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %66 = arith.sitofp %in : i64 to f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %63 = linalg.fill ins(%cst : f32) outs(%61 : tensor<f32>) -> tensor<f32>
    %64 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["reduction"]} ins(%57 : tensor<?xf32>) outs(%63 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %in, %out : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %65 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = []} ins(%64, %62 : tensor<f32>, tensor<f32>) outs(%61 : tensor<f32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %66 = arith.divf %in, %in_15 : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    return %65 : tensor<f32>
  }
}

