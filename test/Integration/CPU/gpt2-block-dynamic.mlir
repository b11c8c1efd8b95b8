// A GPT-2 block in bf16, with attention as a call, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/gpt2.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=7 | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: q, k and v; output; up; down.
// q, k and v are one launch.
// FUSED-COUNT-3: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED-COUNT-3: coda.gemm

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<()[s0] -> (s0 * 2)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @block(%arg0: tensor<2x?x128xbf16>, %arg1: tensor<128xbf16>, %arg2: tensor<128xbf16>, %arg3: tensor<128x384xbf16>, %arg4: tensor<384xbf16>, %arg5: tensor<128x128xbf16>, %arg6: tensor<128xbf16>, %arg7: tensor<128xbf16>, %arg8: tensor<128xbf16>, %arg9: tensor<128x256xbf16>, %arg10: tensor<256xbf16>, %arg11: tensor<256x128xbf16>, %arg12: tensor<128xbf16>) -> tensor<2x?x128xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c3_i64 = arith.constant 3 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 4.467770e-02 : bf16
    %cst_2 = arith.constant 7.968750e-01 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.280000e+02 : f64
    %cst_7 = arith.constant 1.280000e+02 : f32
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x128xbf16>
    %0 = arith.index_cast %dim : index to i64
    %1 = tensor.empty(%dim) : tensor<2x?x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x?x128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %3 = tensor.empty(%dim) : tensor<2x?x128xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x?x128xf32>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %115 = arith.extf %in : f32 to f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %5 = tensor.empty(%dim) : tensor<2x?x1xf64>
    %6 = linalg.fill ins(%cst : f64) outs(%5 : tensor<2x?x1xf64>) -> tensor<2x?x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<2x?x128xf64>) outs(%6 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.addf %in, %out : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x?x1xf64>) outs(%5 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.divf %in, %cst_6 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<2x?x128xf64>, tensor<2x?x1xf64>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %115 = arith.subf %in, %in_20 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<2x?x128xf64>, tensor<2x?x128xf64>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %115 = arith.mulf %in, %in_20 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x?x128xf64>) outs(%6 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.addf %in, %out : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x?x1xf64>) outs(%5 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.divf %in, %cst_6 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %13 = tensor.empty(%dim) : tensor<2x?x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x?x1xf64>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %115 = arith.truncf %in : f64 to f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x?x128xf32>) outs(%15 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %in, %out : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.divf %in, %cst_7 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.truncf %cst_5 : f64 to f32
      %116 = arith.addf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = math.rsqrt %in : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %17 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.subf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %19 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.mulf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %arg1 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %115 = arith.extf %in_20 : bf16 to f32
      %116 = arith.mulf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %arg2 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %115 = arith.extf %in_20 : bf16 to f32
      %116 = arith.addf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %24 = tensor.empty(%dim) : tensor<2x?x128xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<2x?x128xf32>) outs(%24 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<2x?x128xbf16>
    %collapsed = tensor.collapse_shape %25 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %26 = tensor.empty() : tensor<384xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg4 : tensor<384xbf16>) outs(%26 : tensor<384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<384xf32>
    %28 = affine.apply #map4()[%dim]
    %29 = tensor.empty(%28) : tensor<?x128xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<?x128xbf16>) outs(%29 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<?x128xf32>
    %31 = tensor.empty() : tensor<128x384xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<128x384xbf16>) outs(%31 : tensor<128x384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<128x384xf32>
    %33 = tensor.empty(%28) : tensor<?x384xf32>
    %34 = linalg.fill ins(%cst_0 : f32) outs(%33 : tensor<?x384xf32>) -> tensor<?x384xf32>
    %35 = linalg.matmul ins(%30, %32 : tensor<?x128xf32>, tensor<128x384xf32>) outs(%34 : tensor<?x384xf32>) -> tensor<?x384xf32>
    %36 = arith.muli %0, %c2_i64 : i64
    %37 = arith.cmpi sge, %36, %c0_i64 : i64
    cf.assert %37, "negative values not allowed in new dimensions"
    %38 = arith.index_cast %36 : i64 to index
    %39 = tensor.empty(%38) : tensor<?x384xf32>
    %40 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<384xf32>) outs(%39 : tensor<?x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x384xf32>
    %41 = arith.cmpi eq, %28, %38 : index
    cf.assert %41, "mismatched size for broadcast"
    %42 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%35, %40 : tensor<?x384xf32>, tensor<?x384xf32>) outs(%33 : tensor<?x384xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.addf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<?x384xf32>
    %43 = tensor.empty(%28) : tensor<?x384xbf16>
    %44 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%42 : tensor<?x384xf32>) outs(%43 : tensor<?x384xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<?x384xbf16>
    %45 = arith.divsi %28, %c2 : index
    %expanded = tensor.expand_shape %44 [[0, 1], [2]] output_shape [2, %45, 384] : tensor<?x384xbf16> into tensor<2x?x384xbf16>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, %45, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %extracted_slice_8 = tensor.extract_slice %expanded[0, 0, 128] [2, %45, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 256] [2, %45, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %expanded_10 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, %45, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    %expanded_11 = tensor.expand_shape %extracted_slice_8 [[0], [1], [2, 3]] output_shape [2, %45, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    %expanded_12 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [2, %45, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    %46 = call @attention(%expanded_10, %expanded_11, %expanded_12) : (tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>) -> tensor<2x?x4x32xbf16>
    %collapsed_13 = tensor.collapse_shape %46 [[0, 1], [2, 3]] : tensor<2x?x4x32xbf16> into tensor<?x128xbf16>
    %47 = tensor.empty() : tensor<128xf32>
    %48 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg6 : tensor<128xbf16>) outs(%47 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<128xf32>
    %dim_14 = tensor.dim %46, %c1 : tensor<2x?x4x32xbf16>
    %49 = affine.apply #map4()[%dim_14]
    %50 = tensor.empty(%49) : tensor<?x128xf32>
    %51 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_13 : tensor<?x128xbf16>) outs(%50 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<?x128xf32>
    %52 = tensor.empty() : tensor<128x128xf32>
    %53 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<128x128xbf16>) outs(%52 : tensor<128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<128x128xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %55 = linalg.matmul ins(%51, %53 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%54 : tensor<?x128xf32>) -> tensor<?x128xf32>
    cf.assert %37, "negative values not allowed in new dimensions"
    %56 = tensor.empty(%38) : tensor<?x128xf32>
    %57 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<128xf32>) outs(%56 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x128xf32>
    %58 = arith.cmpi eq, %49, %38 : index
    cf.assert %58, "mismatched size for broadcast"
    %59 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%55, %57 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%50 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.addf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<?x128xf32>
    %60 = tensor.empty(%49) : tensor<?x128xbf16>
    %61 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%59 : tensor<?x128xf32>) outs(%60 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<?x128xbf16>
    %62 = arith.divsi %49, %c2 : index
    %expanded_15 = tensor.expand_shape %61 [[0, 1], [2]] output_shape [2, %62, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %63 = arith.cmpi eq, %dim, %62 : index
    cf.assert %63, "mismatched size for broadcast"
    %64 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_15 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%24 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_20: bf16, %out: bf16):
      %115 = arith.addf %in, %in_20 : bf16
      linalg.yield %115 : bf16
    } -> tensor<2x?x128xbf16>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x?x128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x?x128xf32>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %115 = arith.extf %in : f32 to f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %67 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<2x?x128xf64>) outs(%6 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.addf %in, %out : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x?x1xf64>) outs(%5 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.divf %in, %cst_6 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %69 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %68 : tensor<2x?x128xf64>, tensor<2x?x1xf64>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %115 = arith.subf %in, %in_20 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %70 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %69 : tensor<2x?x128xf64>, tensor<2x?x128xf64>) outs(%3 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %115 = arith.mulf %in, %in_20 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x128xf64>
    %71 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%70 : tensor<2x?x128xf64>) outs(%6 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.addf %in, %out : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %72 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<2x?x1xf64>) outs(%5 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %115 = arith.divf %in, %cst_6 : f64
      linalg.yield %115 : f64
    } -> tensor<2x?x1xf64>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<2x?x1xf64>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %115 = arith.truncf %in : f64 to f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%65 : tensor<2x?x128xf32>) outs(%15 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %in, %out : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.divf %in, %cst_7 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.truncf %cst_5 : f64 to f32
      %116 = arith.addf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<2x?x1xf32>) outs(%13 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = math.rsqrt %in : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %78 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %75 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.subf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %77 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.mulf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %arg7 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %115 = arith.extf %in_20 : bf16 to f32
      %116 = arith.mulf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %arg8 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %115 = arith.extf %in_20 : bf16 to f32
      %116 = arith.addf %in, %115 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<2x?x128xf32>) outs(%24 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<2x?x128xbf16>
    %collapsed_16 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %83 = tensor.empty() : tensor<256xf32>
    %84 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<256xbf16>) outs(%83 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<256xf32>
    %85 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_16 : tensor<?x128xbf16>) outs(%29 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<?x128xf32>
    %86 = tensor.empty() : tensor<128x256xf32>
    %87 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg9 : tensor<128x256xbf16>) outs(%86 : tensor<128x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<128x256xf32>
    %88 = tensor.empty(%28) : tensor<?x256xf32>
    %89 = linalg.fill ins(%cst_0 : f32) outs(%88 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %90 = linalg.matmul ins(%85, %87 : tensor<?x128xf32>, tensor<128x256xf32>) outs(%89 : tensor<?x256xf32>) -> tensor<?x256xf32>
    cf.assert %37, "negative values not allowed in new dimensions"
    %91 = tensor.empty(%38) : tensor<?x256xf32>
    %92 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%84 : tensor<256xf32>) outs(%91 : tensor<?x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x256xf32>
    cf.assert %41, "mismatched size for broadcast"
    %93 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%90, %92 : tensor<?x256xf32>, tensor<?x256xf32>) outs(%88 : tensor<?x256xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.addf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<?x256xf32>
    %94 = tensor.empty(%28) : tensor<?x256xbf16>
    %95 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%93 : tensor<?x256xf32>) outs(%94 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<?x256xbf16>
    %expanded_17 = tensor.expand_shape %95 [[0, 1], [2]] output_shape [2, %45, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %96 = tensor.empty(%45) : tensor<2x?x256xbf16>
    %97 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<2x?x256xbf16>) outs(%96 : tensor<2x?x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %115 = math.fpowi %in, %c3_i64 : bf16, i64
      %116 = arith.mulf %115, %cst_1 : bf16
      %117 = arith.addf %in, %116 : bf16
      %118 = arith.mulf %117, %cst_2 : bf16
      %119 = math.tanh %118 : bf16
      %120 = arith.addf %119, %cst_3 : bf16
      %121 = arith.mulf %120, %cst_4 : bf16
      %122 = arith.mulf %in, %121 : bf16
      linalg.yield %122 : bf16
    } -> tensor<2x?x256xbf16>
    %collapsed_18 = tensor.collapse_shape %97 [[0, 1], [2]] : tensor<2x?x256xbf16> into tensor<?x256xbf16>
    %98 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg12 : tensor<128xbf16>) outs(%47 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<128xf32>
    %99 = affine.apply #map4()[%45]
    %100 = tensor.empty(%99) : tensor<?x256xf32>
    %101 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_18 : tensor<?x256xbf16>) outs(%100 : tensor<?x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<?x256xf32>
    %102 = tensor.empty() : tensor<256x128xf32>
    %103 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<256x128xbf16>) outs(%102 : tensor<256x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %115 = arith.extf %in : bf16 to f32
      linalg.yield %115 : f32
    } -> tensor<256x128xf32>
    %104 = tensor.empty(%99) : tensor<?x128xf32>
    %105 = linalg.fill ins(%cst_0 : f32) outs(%104 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %106 = linalg.matmul ins(%101, %103 : tensor<?x256xf32>, tensor<256x128xf32>) outs(%105 : tensor<?x128xf32>) -> tensor<?x128xf32>
    cf.assert %37, "negative values not allowed in new dimensions"
    %107 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%98 : tensor<128xf32>) outs(%56 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x128xf32>
    %108 = arith.cmpi eq, %99, %38 : index
    cf.assert %108, "mismatched size for broadcast"
    %109 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%106, %107 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%104 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %115 = arith.addf %in, %in_20 : f32
      linalg.yield %115 : f32
    } -> tensor<?x128xf32>
    %110 = tensor.empty(%99) : tensor<?x128xbf16>
    %111 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%109 : tensor<?x128xf32>) outs(%110 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %115 = arith.truncf %in : f32 to bf16
      linalg.yield %115 : bf16
    } -> tensor<?x128xbf16>
    %112 = arith.divsi %99, %c2 : index
    %expanded_19 = tensor.expand_shape %111 [[0, 1], [2]] output_shape [2, %112, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %113 = arith.cmpi eq, %dim, %112 : index
    cf.assert %113, "mismatched size for broadcast"
    %114 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %expanded_19 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%24 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_20: bf16, %out: bf16):
      %115 = arith.addf %in, %in_20 : bf16
      linalg.yield %115 : bf16
    } -> tensor<2x?x128xbf16>
    return %114 : tensor<2x?x128xbf16>
  }

  // Stands in for attention: any function of q, k and v that uses every element.
  func.func private @attention(%q: tensor<2x?x4x32xbf16>, %k: tensor<2x?x4x32xbf16>, %v: tensor<2x?x4x32xbf16>) -> tensor<2x?x4x32xbf16> {
    %0 = linalg.generic {indexing_maps = [affine_map<(b, s, g, h) -> (b, s, g, h)>, affine_map<(b, s, g, h) -> (b, s, g, h)>, affine_map<(b, s, g, h) -> (b, s, g, h)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k, %v : tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>) outs(%q : tensor<2x?x4x32xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %1 = arith.mulf %in, %out : bf16
      %2 = arith.addf %1, %in_0 : bf16
      linalg.yield %2 : bf16
    } -> tensor<2x?x4x32xbf16>
    return %0 : tensor<2x?x4x32xbf16>
  }
}
