// What lies between two attentions of a GPT-2 model, in bf16, as
// torch-mlir exports it (see test/Integration/export/gpt2.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: output; up; down; the next q, k and v.
// q, k and v are one launch.
// FUSED-COUNT-3: coda.gemm
// FUSED-COUNT-3: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @block(%arg0: tensor<2x16x4x32xbf16>, %arg1: tensor<2x16x128xbf16>, %arg2: tensor<128x128xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<128xbf16>, %arg5: tensor<128xbf16>, %arg6: tensor<128x256xbf16>, %arg7: tensor<256xbf16>, %arg8: tensor<256x128xbf16>, %arg9: tensor<128xbf16>, %arg10: tensor<128xbf16>, %arg11: tensor<128xbf16>, %arg12: tensor<128x384xbf16>, %arg13: tensor<384xbf16>) -> (tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %c3_i64 = arith.constant 3 : i64
    %cst_1 = arith.constant 4.467770e-02 : bf16
    %cst_2 = arith.constant 7.968750e-01 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.280000e+02 : f64
    %cst_7 = arith.constant 1.280000e+02 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<2x16x4x32xbf16> into tensor<32x128xbf16>
    %0 = tensor.empty() : tensor<128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<128xbf16>) outs(%0 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<128xf32>
    %2 = tensor.empty() : tensor<32x128xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<32x128xbf16>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<32x128xf32>
    %4 = tensor.empty() : tensor<128x128xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<128x128xbf16>) outs(%4 : tensor<128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<128x128xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %7 = linalg.matmul ins(%3, %5 : tensor<32x128xf32>, tensor<128x128xf32>) outs(%6 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<128xf32>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<32x128xf32>
    %10 = tensor.empty() : tensor<32x128xbf16>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<32x128xf32>) outs(%10 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %11 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %12 = tensor.empty() : tensor<2x16x128xbf16>
    %13 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%12 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %91 = arith.addf %in, %in_19 : bf16
      linalg.yield %91 : bf16
    } -> tensor<2x16x128xbf16>
    %14 = tensor.empty() : tensor<2x16x128xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %16 = tensor.empty() : tensor<2x16x128xf64>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x128xf32>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %91 = arith.extf %in : f32 to f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %18 = tensor.empty() : tensor<2x16x1xf64>
    %19 = linalg.fill ins(%cst_0 : f64) outs(%18 : tensor<2x16x1xf64>) -> tensor<2x16x1xf64>
    %20 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<2x16x128xf64>) outs(%19 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x16x1xf64>) outs(%18 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %22 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %21 : tensor<2x16x128xf64>, tensor<2x16x1xf64>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.subf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %22 : tensor<2x16x128xf64>, tensor<2x16x128xf64>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.mulf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %24 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%23 : tensor<2x16x128xf64>) outs(%19 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x16x1xf64>) outs(%18 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %26 = tensor.empty() : tensor<2x16x1xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x16x1xf64>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %91 = arith.truncf %in : f64 to f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %28 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<2x16x128xf32>) outs(%28 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_7 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_5 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %30 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.subf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %32 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.mulf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %arg4 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %36 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %arg5 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<2x16x128xbf16>
    %collapsed_8 = tensor.collapse_shape %37 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %38 = tensor.empty() : tensor<256xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg7 : tensor<256xbf16>) outs(%38 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<256xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_8 : tensor<32x128xbf16>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<32x128xf32>
    %41 = tensor.empty() : tensor<128x256xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<128x256xbf16>) outs(%41 : tensor<128x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<128x256xf32>
    %43 = tensor.empty() : tensor<32x256xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %45 = linalg.matmul ins(%40, %42 : tensor<32x128xf32>, tensor<128x256xf32>) outs(%44 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<256xf32>) outs(%43 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%45, %46 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%43 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<32x256xf32>
    %48 = tensor.empty() : tensor<32x256xbf16>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<32x256xf32>) outs(%48 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<32x256xbf16>
    %expanded_9 = tensor.expand_shape %49 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %50 = tensor.empty() : tensor<2x16x256xbf16>
    %51 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<2x16x256xbf16>) outs(%50 : tensor<2x16x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %91 = math.fpowi %in, %c3_i64 : bf16, i64
      %92 = arith.mulf %91, %cst_1 : bf16
      %93 = arith.addf %in, %92 : bf16
      %94 = arith.mulf %93, %cst_2 : bf16
      %95 = math.tanh %94 : bf16
      %96 = arith.addf %95, %cst_3 : bf16
      %97 = arith.mulf %96, %cst_4 : bf16
      %98 = arith.mulf %in, %97 : bf16
      linalg.yield %98 : bf16
    } -> tensor<2x16x256xbf16>
    %collapsed_10 = tensor.collapse_shape %51 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg9 : tensor<128xbf16>) outs(%0 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<128xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_10 : tensor<32x256xbf16>) outs(%43 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<32x256xf32>
    %54 = tensor.empty() : tensor<256x128xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<256x128xbf16>) outs(%54 : tensor<256x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<256x128xf32>
    %56 = linalg.matmul ins(%53, %55 : tensor<32x256xf32>, tensor<256x128xf32>) outs(%6 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<128xf32>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %57 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<32x128xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<32x128xf32>) outs(%10 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<32x128xbf16>
    %expanded_11 = tensor.expand_shape %59 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %60 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %expanded_11 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%12 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %91 = arith.addf %in, %in_19 : bf16
      linalg.yield %91 : bf16
    } -> tensor<2x16x128xbf16>
    %61 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x16x128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %62 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<2x16x128xf32>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %91 = arith.extf %in : f32 to f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %63 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<2x16x128xf64>) outs(%19 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %64 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x16x1xf64>) outs(%18 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %65 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %64 : tensor<2x16x128xf64>, tensor<2x16x1xf64>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.subf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %66 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %65 : tensor<2x16x128xf64>, tensor<2x16x128xf64>) outs(%16 : tensor<2x16x128xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.mulf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x128xf64>
    %67 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<2x16x128xf64>) outs(%19 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %68 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x16x1xf64>) outs(%18 : tensor<2x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<2x16x1xf64>
    %69 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x16x1xf64>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %91 = arith.truncf %in : f64 to f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %70 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%61 : tensor<2x16x128xf32>) outs(%28 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_7 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %72 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_5 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x1xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<2x16x1xf32>) outs(%26 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x1xf32>
    %74 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %71 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.subf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %75 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %73 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.mulf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<2x16x128xf32>
    %76 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %arg10 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %77 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %arg11 : tensor<2x16x128xf32>, tensor<128xbf16>) outs(%14 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<2x16x128xf32>
    %78 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<2x16x128xbf16>
    %collapsed_12 = tensor.collapse_shape %78 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %79 = tensor.empty() : tensor<384xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg13 : tensor<384xbf16>) outs(%79 : tensor<384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<384xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_12 : tensor<32x128xbf16>) outs(%2 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<32x128xf32>
    %82 = tensor.empty() : tensor<128x384xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg12 : tensor<128x384xbf16>) outs(%82 : tensor<128x384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<128x384xf32>
    %84 = tensor.empty() : tensor<32x384xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<32x384xf32>) -> tensor<32x384xf32>
    %86 = linalg.matmul ins(%81, %83 : tensor<32x128xf32>, tensor<128x384xf32>) outs(%85 : tensor<32x384xf32>) -> tensor<32x384xf32>
    %87 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<384xf32>) outs(%84 : tensor<32x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x384xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%86, %87 : tensor<32x384xf32>, tensor<32x384xf32>) outs(%84 : tensor<32x384xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<32x384xf32>
    %89 = tensor.empty() : tensor<32x384xbf16>
    %90 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%88 : tensor<32x384xf32>) outs(%89 : tensor<32x384xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<32x384xbf16>
    %expanded_13 = tensor.expand_shape %90 [[0, 1], [2]] output_shape [2, 16, 384] : tensor<32x384xbf16> into tensor<2x16x384xbf16>
    %extracted_slice = tensor.extract_slice %expanded_13[0, 0, 0] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %extracted_slice_14 = tensor.extract_slice %expanded_13[0, 0, 128] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %extracted_slice_15 = tensor.extract_slice %expanded_13[0, 0, 256] [2, 16, 128] [1, 1, 1] : tensor<2x16x384xbf16> to tensor<2x16x128xbf16>
    %expanded_16 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    %expanded_17 = tensor.expand_shape %extracted_slice_14 [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    %expanded_18 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xbf16> into tensor<2x16x4x32xbf16>
    return %60, %expanded_16, %expanded_17, %expanded_18 : tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>
  }
}

