// What lies between two attentions of a GPT-2 block at full size: 8 sequences of
// 2048 tokens, width 4096, MLP 8192, 32 heads of 128. As
// test/Integration/export/gpt2.py (fused) gives it. See test/benchmark/gpt2.py.

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @block(%arg0: tensor<8x2048x32x128xbf16>, %arg1: tensor<8x2048x4096xbf16>, %arg2: tensor<4096x4096xbf16>, %arg3: tensor<4096xbf16>, %arg4: tensor<4096xbf16>, %arg5: tensor<4096xbf16>, %arg6: tensor<4096x8192xbf16>, %arg7: tensor<8192xbf16>, %arg8: tensor<8192x4096xbf16>, %arg9: tensor<4096xbf16>, %arg10: tensor<4096xbf16>, %arg11: tensor<4096xbf16>, %arg12: tensor<4096x12288xbf16>, %arg13: tensor<12288xbf16>) -> (tensor<8x2048x4096xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %c3_i64 = arith.constant 3 : i64
    %cst_1 = arith.constant 4.467770e-02 : bf16
    %cst_2 = arith.constant 7.968750e-01 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 4.096000e+03 : f64
    %cst_7 = arith.constant 4.096000e+03 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<8x2048x32x128xbf16> into tensor<16384x4096xbf16>
    %0 = tensor.empty() : tensor<4096xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<4096xbf16>) outs(%0 : tensor<4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<4096xf32>
    %2 = tensor.empty() : tensor<16384x4096xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<16384x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<16384x4096xf32>
    %4 = tensor.empty() : tensor<4096x4096xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<4096x4096xbf16>) outs(%4 : tensor<4096x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<4096x4096xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %7 = linalg.matmul ins(%3, %5 : tensor<16384x4096xf32>, tensor<4096x4096xf32>) outs(%6 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4096xf32>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16384x4096xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<16384x4096xf32>, tensor<16384x4096xf32>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<16384x4096xf32>
    %10 = tensor.empty() : tensor<16384x4096xbf16>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<16384x4096xf32>) outs(%10 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded = tensor.expand_shape %11 [[0, 1], [2]] output_shape [8, 2048, 4096] : tensor<16384x4096xbf16> into tensor<8x2048x4096xbf16>
    %12 = tensor.empty() : tensor<8x2048x4096xbf16>
    %13 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<8x2048x4096xbf16>, tensor<8x2048x4096xbf16>) outs(%12 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %91 = arith.addf %in, %in_19 : bf16
      linalg.yield %91 : bf16
    } -> tensor<8x2048x4096xbf16>
    %14 = tensor.empty() : tensor<8x2048x4096xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<8x2048x4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %16 = tensor.empty() : tensor<8x2048x4096xf64>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<8x2048x4096xf32>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f32, %out: f64):
      %91 = arith.extf %in : f32 to f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %18 = tensor.empty() : tensor<8x2048x1xf64>
    %19 = linalg.fill ins(%cst_0 : f64) outs(%18 : tensor<8x2048x1xf64>) -> tensor<8x2048x1xf64>
    %20 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<8x2048x4096xf64>) outs(%19 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<8x2048x1xf64>) outs(%18 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %22 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %21 : tensor<8x2048x4096xf64>, tensor<8x2048x1xf64>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.subf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %22 : tensor<8x2048x4096xf64>, tensor<8x2048x4096xf64>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.mulf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %24 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%23 : tensor<8x2048x4096xf64>) outs(%19 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<8x2048x1xf64>) outs(%18 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %26 = tensor.empty() : tensor<8x2048x1xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<8x2048x1xf64>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %91 = arith.truncf %in : f64 to f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %28 = linalg.fill ins(%cst : f32) outs(%26 : tensor<8x2048x1xf32>) -> tensor<8x2048x1xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<8x2048x4096xf32>) outs(%28 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_7 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_5 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x1xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %30 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.subf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %32 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.mulf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %arg4 : tensor<8x2048x4096xf32>, tensor<4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x4096xf32>
    %36 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %arg5 : tensor<8x2048x4096xf32>, tensor<4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x4096xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<8x2048x4096xf32>) outs(%12 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<8x2048x4096xbf16>
    %collapsed_8 = tensor.collapse_shape %37 [[0, 1], [2]] : tensor<8x2048x4096xbf16> into tensor<16384x4096xbf16>
    %38 = tensor.empty() : tensor<8192xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg7 : tensor<8192xbf16>) outs(%38 : tensor<8192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<8192xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_8 : tensor<16384x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<16384x4096xf32>
    %41 = tensor.empty() : tensor<4096x8192xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<4096x8192xbf16>) outs(%41 : tensor<4096x8192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<4096x8192xf32>
    %43 = tensor.empty() : tensor<16384x8192xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<16384x8192xf32>) -> tensor<16384x8192xf32>
    %45 = linalg.matmul ins(%40, %42 : tensor<16384x4096xf32>, tensor<4096x8192xf32>) outs(%44 : tensor<16384x8192xf32>) -> tensor<16384x8192xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<8192xf32>) outs(%43 : tensor<16384x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16384x8192xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%45, %46 : tensor<16384x8192xf32>, tensor<16384x8192xf32>) outs(%43 : tensor<16384x8192xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<16384x8192xf32>
    %48 = tensor.empty() : tensor<16384x8192xbf16>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<16384x8192xf32>) outs(%48 : tensor<16384x8192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<16384x8192xbf16>
    %expanded_9 = tensor.expand_shape %49 [[0, 1], [2]] output_shape [8, 2048, 8192] : tensor<16384x8192xbf16> into tensor<8x2048x8192xbf16>
    %50 = tensor.empty() : tensor<8x2048x8192xbf16>
    %51 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<8x2048x8192xbf16>) outs(%50 : tensor<8x2048x8192xbf16>) {
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
    } -> tensor<8x2048x8192xbf16>
    %collapsed_10 = tensor.collapse_shape %51 [[0, 1], [2]] : tensor<8x2048x8192xbf16> into tensor<16384x8192xbf16>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg9 : tensor<4096xbf16>) outs(%0 : tensor<4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<4096xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_10 : tensor<16384x8192xbf16>) outs(%43 : tensor<16384x8192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<16384x8192xf32>
    %54 = tensor.empty() : tensor<8192x4096xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<8192x4096xbf16>) outs(%54 : tensor<8192x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<8192x4096xf32>
    %56 = linalg.matmul ins(%53, %55 : tensor<16384x8192xf32>, tensor<8192x4096xf32>) outs(%6 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<4096xf32>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16384x4096xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %57 : tensor<16384x4096xf32>, tensor<16384x4096xf32>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<16384x4096xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<16384x4096xf32>) outs(%10 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded_11 = tensor.expand_shape %59 [[0, 1], [2]] output_shape [8, 2048, 4096] : tensor<16384x4096xbf16> into tensor<8x2048x4096xbf16>
    %60 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %expanded_11 : tensor<8x2048x4096xbf16>, tensor<8x2048x4096xbf16>) outs(%12 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_19: bf16, %out: bf16):
      %91 = arith.addf %in, %in_19 : bf16
      linalg.yield %91 : bf16
    } -> tensor<8x2048x4096xbf16>
    %61 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<8x2048x4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %62 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<8x2048x4096xf32>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f32, %out: f64):
      %91 = arith.extf %in : f32 to f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %63 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<8x2048x4096xf64>) outs(%19 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %64 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<8x2048x1xf64>) outs(%18 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %65 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %64 : tensor<8x2048x4096xf64>, tensor<8x2048x1xf64>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.subf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %66 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %65 : tensor<8x2048x4096xf64>, tensor<8x2048x4096xf64>) outs(%16 : tensor<8x2048x4096xf64>) {
    ^bb0(%in: f64, %in_19: f64, %out: f64):
      %91 = arith.mulf %in, %in_19 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x4096xf64>
    %67 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<8x2048x4096xf64>) outs(%19 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.addf %in, %out : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %68 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<8x2048x1xf64>) outs(%18 : tensor<8x2048x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %91 = arith.divf %in, %cst_6 : f64
      linalg.yield %91 : f64
    } -> tensor<8x2048x1xf64>
    %69 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<8x2048x1xf64>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %91 = arith.truncf %in : f64 to f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %70 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%61 : tensor<8x2048x4096xf32>) outs(%28 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_7 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %72 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_5 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x1xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<8x2048x1xf32>) outs(%26 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x1xf32>
    %74 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %71 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.subf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %75 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %73 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.mulf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<8x2048x4096xf32>
    %76 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %arg10 : tensor<8x2048x4096xf32>, tensor<4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x4096xf32>
    %77 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %arg11 : tensor<8x2048x4096xf32>, tensor<4096xbf16>) outs(%14 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_19: bf16, %out: f32):
      %91 = arith.extf %in_19 : bf16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x2048x4096xf32>
    %78 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<8x2048x4096xf32>) outs(%12 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<8x2048x4096xbf16>
    %collapsed_12 = tensor.collapse_shape %78 [[0, 1], [2]] : tensor<8x2048x4096xbf16> into tensor<16384x4096xbf16>
    %79 = tensor.empty() : tensor<12288xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg13 : tensor<12288xbf16>) outs(%79 : tensor<12288xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<12288xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_12 : tensor<16384x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<16384x4096xf32>
    %82 = tensor.empty() : tensor<4096x12288xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg12 : tensor<4096x12288xbf16>) outs(%82 : tensor<4096x12288xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %91 = arith.extf %in : bf16 to f32
      linalg.yield %91 : f32
    } -> tensor<4096x12288xf32>
    %84 = tensor.empty() : tensor<16384x12288xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<16384x12288xf32>) -> tensor<16384x12288xf32>
    %86 = linalg.matmul ins(%81, %83 : tensor<16384x4096xf32>, tensor<4096x12288xf32>) outs(%85 : tensor<16384x12288xf32>) -> tensor<16384x12288xf32>
    %87 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<12288xf32>) outs(%84 : tensor<16384x12288xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16384x12288xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%86, %87 : tensor<16384x12288xf32>, tensor<16384x12288xf32>) outs(%84 : tensor<16384x12288xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %91 = arith.addf %in, %in_19 : f32
      linalg.yield %91 : f32
    } -> tensor<16384x12288xf32>
    %89 = tensor.empty() : tensor<16384x12288xbf16>
    %90 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%88 : tensor<16384x12288xf32>) outs(%89 : tensor<16384x12288xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %91 = arith.truncf %in : f32 to bf16
      linalg.yield %91 : bf16
    } -> tensor<16384x12288xbf16>
    %expanded_13 = tensor.expand_shape %90 [[0, 1], [2]] output_shape [8, 2048, 12288] : tensor<16384x12288xbf16> into tensor<8x2048x12288xbf16>
    %extracted_slice = tensor.extract_slice %expanded_13[0, 0, 0] [8, 2048, 4096] [1, 1, 1] : tensor<8x2048x12288xbf16> to tensor<8x2048x4096xbf16>
    %extracted_slice_14 = tensor.extract_slice %expanded_13[0, 0, 4096] [8, 2048, 4096] [1, 1, 1] : tensor<8x2048x12288xbf16> to tensor<8x2048x4096xbf16>
    %extracted_slice_15 = tensor.extract_slice %expanded_13[0, 0, 8192] [8, 2048, 4096] [1, 1, 1] : tensor<8x2048x12288xbf16> to tensor<8x2048x4096xbf16>
    %expanded_16 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<8x2048x4096xbf16> into tensor<8x2048x32x128xbf16>
    %expanded_17 = tensor.expand_shape %extracted_slice_14 [[0], [1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<8x2048x4096xbf16> into tensor<8x2048x32x128xbf16>
    %expanded_18 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<8x2048x4096xbf16> into tensor<8x2048x32x128xbf16>
    return %60, %expanded_16, %expanded_17, %expanded_18 : tensor<8x2048x4096xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>
  }
}

