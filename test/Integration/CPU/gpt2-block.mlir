// A GPT-2 block in bf16, with attention as a call, as
// torch-mlir exports it (see test/Integration/export/gpt2.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

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
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @block(%arg0: tensor<2x16x128xbf16>, %arg1: tensor<128xbf16>, %arg2: tensor<128xbf16>, %arg3: tensor<128x384xbf16>, %arg4: tensor<384xbf16>, %arg5: tensor<128x128xbf16>, %arg6: tensor<128xbf16>, %arg7: tensor<128xbf16>, %arg8: tensor<128xbf16>, %arg9: tensor<128x256xbf16>, %arg10: tensor<256xbf16>, %arg11: tensor<256x128xbf16>, %arg12: tensor<128xbf16>) -> tensor<2x16x128xbf16> {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c3_i64 = arith.constant 3 : i64
    %cst_1 = arith.constant 4.467770e-02 : bf16
    %cst_2 = arith.constant 7.968750e-01 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.280000e+02 : f64
    %cst_7 = arith.constant 1.280000e+02 : f32
    %0 = tensor.empty() : tensor<2x16x128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x16x128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %2 = tensor.empty() : tensor<2x16x128xf64>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x16x128xf32>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %92 = arith.extf %in : f32 to f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %4 = tensor.empty() : tensor<2x16x1xf64>
    %5 = linalg.fill ins(%cst : f64) outs(%4 : tensor<2x16x1xf64>) -> tensor<2x16x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<2x16x128xf64>) outs(%5 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.addf %in, %out : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x16x1xf64>) outs(%4 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.divf %in, %cst_6 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<2x16x128xf64>, tensor<2x16x1xf64>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %92 = arith.subf %in, %in_19 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<2x16x128xf64>, tensor<2x16x128xf64>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %92 = arith.mulf %in, %in_19 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9 : tensor<2x16x128xf64>) outs(%5 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.addf %in, %out : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x16x1xf64>) outs(%4 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.divf %in, %cst_6 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %12 = tensor.empty() : tensor<2x16x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x16x1xf64>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %92 = arith.truncf %in : f64 to f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x16x128xf32>) outs(%14 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.addf %in, %out : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.divf %in, %cst_7 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.truncf %cst_5 : f64 to f32
      %93 = arith.addf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = math.rsqrt %in : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %16 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.subf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %18 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.mulf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg1 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %92 = arith.extf %in_19 : bf16 to f32
      %93 = arith.mulf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x128xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %arg2 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %92 = arith.extf %in_19 : bf16 to f32
      %93 = arith.addf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x128xf32>
    %23 = tensor.empty() : tensor<2x16x128xbf16>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x16x128xf32>) outs(%23 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<2x16x128xbf16>
    %collapsed = tensor.collapse_shape %24 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %25 = tensor.empty() : tensor<384xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg4 : tensor<384xbf16>) outs(%25 : tensor<384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<384xf32>
    %27 = tensor.empty() : tensor<32x128xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<32x128xbf16>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<32x128xf32>
    %29 = tensor.empty() : tensor<128x384xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<128x384xbf16>) outs(%29 : tensor<128x384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<128x384xf32>
    %31 = tensor.empty() : tensor<32x384xf32>
    %32 = linalg.fill ins(%cst_0 : f32) outs(%31 : tensor<32x384xf32>) -> tensor<32x384xf32>
    %33 = linalg.matmul ins(%28, %30 : tensor<32x128xf32>, tensor<128x384xf32>) outs(%32 : tensor<32x384xf32>) -> tensor<32x384xf32>
    %34 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<384xf32>) outs(%31 : tensor<32x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x384xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%33, %34 : tensor<32x384xf32>, tensor<32x384xf32>) outs(%31 : tensor<32x384xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.addf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<32x384xf32>
    %36 = tensor.empty() : tensor<32x384xbf16>
    %37 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<32x384xf32>) outs(%36 : tensor<32x384xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<32x384xbf16>
    %expanded = tensor.expand_shape %37 [[0, 1], [2]] output_shape [2, 16, 384] : tensor<32x384xbf16> into tensor<2x16x384xbf16>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %extracted_slice_8 = tensor.extract_slice %expanded[0, 0, 128] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 256] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %expanded_10 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    %expanded_11 = tensor.expand_shape %extracted_slice_8 [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    %expanded_12 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    %38 = call @attention(%expanded_10, %expanded_11, %expanded_12) : (tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>) -> tensor<2x16x4x32xbf16>
    %collapsed_13 = tensor.collapse_shape %38 [[0, 1], [2, 3]] : tensor<2x16x4x32xbf16> into tensor<32x128xbf16>
    %39 = tensor.empty() : tensor<128xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg6 : tensor<128xbf16>) outs(%39 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<128xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_13 : tensor<32x128xbf16>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<32x128xf32>
    %42 = tensor.empty() : tensor<128x128xf32>
    %43 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<128x128xbf16>) outs(%42 : tensor<128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<128x128xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %45 = linalg.matmul ins(%41, %43 : tensor<32x128xf32>, tensor<128x128xf32>) outs(%44 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<128xf32>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %47 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%45, %46 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.addf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<32x128xf32>
    %48 = tensor.empty() : tensor<32x128xbf16>
    %49 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<32x128xf32>) outs(%48 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<32x128xbf16>
    %expanded_14 = tensor.expand_shape %49 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %50 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_14 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%23 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %92 = arith.addf %in, %in_19 : bf16
      linalg.yield %92 : bf16
    } -> tensor<2x16x128xbf16>
    %51 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50 : tensor<2x16x128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51 : tensor<2x16x128xf32>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %92 = arith.extf %in : f32 to f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %53 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%52 : tensor<2x16x128xf64>) outs(%5 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.addf %in, %out : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %54 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%53 : tensor<2x16x1xf64>) outs(%4 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.divf %in, %cst_6 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %55 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %54 : tensor<2x16x128xf64>, tensor<2x16x1xf64>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %92 = arith.subf %in, %in_19 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %56 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %55 : tensor<2x16x128xf64>, tensor<2x16x128xf64>) outs(%2 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %92 = arith.mulf %in, %in_19 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x128xf64>
    %57 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%56 : tensor<2x16x128xf64>) outs(%5 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.addf %in, %out : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<2x16x1xf64>) outs(%4 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %92 = arith.divf %in, %cst_6 : f64
      linalg.yield %92 : f64
    } -> tensor<2x16x1xf64>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x16x1xf64>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %92 = arith.truncf %in : f64 to f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%51 : tensor<2x16x128xf32>) outs(%14 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.addf %in, %out : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.divf %in, %cst_7 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = arith.truncf %cst_5 : f64 to f32
      %93 = arith.addf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x1xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x16x1xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %92 = math.rsqrt %in : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %64 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %61 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.subf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %63 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.mulf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %arg7 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %92 = arith.extf %in_19 : bf16 to f32
      %93 = arith.mulf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x128xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %arg8 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %92 = arith.extf %in_19 : bf16 to f32
      %93 = arith.addf %in, %92 : f32
      linalg.yield %93 : f32
    } -> tensor<2x16x128xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x16x128xf32>) outs(%23 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<2x16x128xbf16>
    %collapsed_15 = tensor.collapse_shape %68 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %69 = tensor.empty() : tensor<256xf32>
    %70 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<256xbf16>) outs(%69 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<256xf32>
    %71 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_15 : tensor<32x128xbf16>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<32x128xf32>
    %72 = tensor.empty() : tensor<128x256xf32>
    %73 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg9 : tensor<128x256xbf16>) outs(%72 : tensor<128x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<128x256xf32>
    %74 = tensor.empty() : tensor<32x256xf32>
    %75 = linalg.fill ins(%cst_0 : f32) outs(%74 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %76 = linalg.matmul ins(%71, %73 : tensor<32x128xf32>, tensor<128x256xf32>) outs(%75 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %77 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%70 : tensor<256xf32>) outs(%74 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %78 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%76, %77 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%74 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.addf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<32x256xf32>
    %79 = tensor.empty() : tensor<32x256xbf16>
    %80 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%78 : tensor<32x256xf32>) outs(%79 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<32x256xbf16>
    %expanded_16 = tensor.expand_shape %80 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %81 = tensor.empty() : tensor<2x16x256xbf16>
    %82 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_16 : tensor<2x16x256xbf16>) outs(%81 : tensor<2x16x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %92 = math.fpowi %in, %c3_i64 : bf16, i64
      %93 = arith.mulf %92, %cst_1 : bf16
      %94 = arith.addf %in, %93 : bf16
      %95 = arith.mulf %94, %cst_2 : bf16
      %96 = math.tanh %95 : bf16
      %97 = arith.addf %96, %cst_3 : bf16
      %98 = arith.mulf %97, %cst_4 : bf16
      %99 = arith.mulf %in, %98 : bf16
      linalg.yield %99 : bf16
    } -> tensor<2x16x256xbf16>
    %collapsed_17 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %83 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg12 : tensor<128xbf16>) outs(%39 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<128xf32>
    %84 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_17 : tensor<32x256xbf16>) outs(%74 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<32x256xf32>
    %85 = tensor.empty() : tensor<256x128xf32>
    %86 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<256x128xbf16>) outs(%85 : tensor<256x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %92 = arith.extf %in : bf16 to f32
      linalg.yield %92 : f32
    } -> tensor<256x128xf32>
    %87 = linalg.matmul ins(%84, %86 : tensor<32x256xf32>, tensor<256x128xf32>) outs(%44 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %88 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%83 : tensor<128xf32>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %89 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%87, %88 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%27 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %92 = arith.addf %in, %in_19 : f32
      linalg.yield %92 : f32
    } -> tensor<32x128xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%89 : tensor<32x128xf32>) outs(%48 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %92 = arith.truncf %in : f32 to bf16
      linalg.yield %92 : bf16
    } -> tensor<32x128xbf16>
    %expanded_18 = tensor.expand_shape %90 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %91 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %expanded_18 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%23 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %92 = arith.addf %in, %in_19 : bf16
      linalg.yield %92 : bf16
    } -> tensor<2x16x128xbf16>
    return %91 : tensor<2x16x128xbf16>
  }

  // Stands in for attention: any function of q, k and v that uses every element.
  func.func private @attention(%q: tensor<2x16x4x32xbf16>, %k: tensor<2x16x4x32xbf16>, %v: tensor<2x16x4x32xbf16>) -> tensor<2x16x4x32xbf16> {
    %0 = linalg.generic {indexing_maps = [affine_map<(b, s, g, h) -> (b, s, g, h)>, affine_map<(b, s, g, h) -> (b, s, g, h)>, affine_map<(b, s, g, h) -> (b, s, g, h)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k, %v : tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>) outs(%q : tensor<2x16x4x32xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %1 = arith.mulf %in, %out : bf16
      %2 = arith.addf %1, %in_0 : bf16
      linalg.yield %2 : bf16
    } -> tensor<2x16x4x32xbf16>
    return %0 : tensor<2x16x4x32xbf16>
  }
}
