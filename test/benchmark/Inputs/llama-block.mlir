#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<8x2048x32x128xbf16>, %arg1: tensor<8x2048x4096xbf16>, %arg2: tensor<8x2048x128xbf16>, %arg3: tensor<8x2048x128xbf16>, %arg4: tensor<4096x4096xbf16>, %arg5: tensor<4096xbf16>, %arg6: tensor<11008x4096xbf16>, %arg7: tensor<11008x4096xbf16>, %arg8: tensor<4096x11008xbf16>, %arg9: tensor<4096xbf16>, %arg10: tensor<4096x4096xbf16>, %arg11: tensor<4096x4096xbf16>, %arg12: tensor<4096x4096xbf16>) -> (tensor<8x2048x4096xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 4.096000e+03 : f32
    %0 = tensor.empty() : tensor<4096x4096xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<4096x4096xbf16>) outs(%0 : tensor<4096x4096xbf16>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<8x2048x32x128xbf16> into tensor<16384x4096xbf16>
    %1 = tensor.empty() : tensor<16384x4096xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %4 = tensor.empty() : tensor<16384x4096xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<16384x4096xf32>) outs(%4 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [8, 2048, 4096] : tensor<16384x4096xbf16> into tensor<8x2048x4096xbf16>
    %6 = tensor.empty() : tensor<8x2048x4096xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<8x2048x4096xbf16>, tensor<8x2048x4096xbf16>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.addf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %8 = tensor.empty() : tensor<8x2048x4096xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<8x2048x4096xbf16>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %65 = arith.extf %in : bf16 to f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<8x2048x4096xf32>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %11 = tensor.empty() : tensor<8x2048x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<8x2048x1xf32>) -> tensor<8x2048x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<8x2048x4096xf32>) outs(%12 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.addf %in, %out : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.divf %in, %cst_2 : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.truncf %cst_1 : f64 to f32
      %66 = arith.addf %in, %65 : f32
      linalg.yield %66 : f32
    } -> tensor<8x2048x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = math.rsqrt %in : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %16 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %65 = arith.mulf %in, %in_28 : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<8x2048x4096xf32>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %18 : tensor<4096xbf16>, tensor<8x2048x4096xbf16>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %20 = tensor.empty() : tensor<4096x11008xbf16>
    %transposed_3 = linalg.transpose ins(%arg6 : tensor<11008x4096xbf16>) outs(%20 : tensor<4096x11008xbf16>) permutation = [1, 0] 
    %collapsed_4 = tensor.collapse_shape %19 [[0, 1], [2]] : tensor<8x2048x4096xbf16> into tensor<16384x4096xbf16>
    %21 = tensor.empty() : tensor<16384x11008xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<16384x11008xf32>) -> tensor<16384x11008xf32>
    %23 = linalg.matmul ins(%collapsed_4, %transposed_3 : tensor<16384x4096xbf16>, tensor<4096x11008xbf16>) outs(%22 : tensor<16384x11008xf32>) -> tensor<16384x11008xf32>
    %24 = tensor.empty() : tensor<16384x11008xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<16384x11008xf32>) outs(%24 : tensor<16384x11008xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x11008xbf16>
    %expanded_5 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [8, 2048, 11008] : tensor<16384x11008xbf16> into tensor<8x2048x11008xbf16>
    %26 = tensor.empty() : tensor<8x2048x11008xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<8x2048x11008xbf16>) outs(%26 : tensor<8x2048x11008xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %65 = arith.extf %in : bf16 to f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x11008xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<8x2048x11008xf32>) outs(%26 : tensor<8x2048x11008xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.negf %in : f32
      %66 = math.exp %65 : f32
      %67 = arith.addf %66, %cst_0 : f32
      %68 = arith.divf %cst_0, %67 : f32
      linalg.yield %68 : f32
    } -> tensor<8x2048x11008xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %28 : tensor<8x2048x11008xf32>, tensor<8x2048x11008xf32>) outs(%26 : tensor<8x2048x11008xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %65 = arith.mulf %in, %in_28 : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x11008xf32>
    %30 = tensor.empty() : tensor<8x2048x11008xbf16>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<8x2048x11008xf32>) outs(%30 : tensor<8x2048x11008xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x11008xbf16>
    %transposed_6 = linalg.transpose ins(%arg7 : tensor<11008x4096xbf16>) outs(%20 : tensor<4096x11008xbf16>) permutation = [1, 0] 
    %32 = linalg.matmul ins(%collapsed_4, %transposed_6 : tensor<16384x4096xbf16>, tensor<4096x11008xbf16>) outs(%22 : tensor<16384x11008xf32>) -> tensor<16384x11008xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<16384x11008xf32>) outs(%24 : tensor<16384x11008xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x11008xbf16>
    %expanded_7 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [8, 2048, 11008] : tensor<16384x11008xbf16> into tensor<8x2048x11008xbf16>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %expanded_7 : tensor<8x2048x11008xbf16>, tensor<8x2048x11008xbf16>) outs(%30 : tensor<8x2048x11008xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x11008xbf16>
    %35 = tensor.empty() : tensor<11008x4096xbf16>
    %transposed_8 = linalg.transpose ins(%arg8 : tensor<4096x11008xbf16>) outs(%35 : tensor<11008x4096xbf16>) permutation = [1, 0] 
    %collapsed_9 = tensor.collapse_shape %34 [[0, 1], [2]] : tensor<8x2048x11008xbf16> into tensor<16384x11008xbf16>
    %36 = linalg.matmul ins(%collapsed_9, %transposed_8 : tensor<16384x11008xbf16>, tensor<11008x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<16384x4096xf32>) outs(%4 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded_10 = tensor.expand_shape %37 [[0, 1], [2]] output_shape [8, 2048, 4096] : tensor<16384x4096xbf16> into tensor<8x2048x4096xbf16>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %expanded_10 : tensor<8x2048x4096xbf16>, tensor<8x2048x4096xbf16>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.addf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<8x2048x4096xbf16>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %65 = arith.extf %in : bf16 to f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<8x2048x4096xf32>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%40 : tensor<8x2048x4096xf32>) outs(%12 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.addf %in, %out : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.divf %in, %cst_2 : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = arith.truncf %cst_1 : f64 to f32
      %66 = arith.addf %in, %65 : f32
      linalg.yield %66 : f32
    } -> tensor<8x2048x1xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<8x2048x1xf32>) outs(%11 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %65 = math.rsqrt %in : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %44 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%8 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %65 = arith.mulf %in, %in_28 : f32
      linalg.yield %65 : f32
    } -> tensor<8x2048x4096xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<8x2048x4096xf32>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %47 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %46 : tensor<4096xbf16>, tensor<8x2048x4096xbf16>) outs(%6 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x2048x4096xbf16>
    %transposed_11 = linalg.transpose ins(%arg10 : tensor<4096x4096xbf16>) outs(%0 : tensor<4096x4096xbf16>) permutation = [1, 0] 
    %collapsed_12 = tensor.collapse_shape %47 [[0, 1], [2]] : tensor<8x2048x4096xbf16> into tensor<16384x4096xbf16>
    %48 = linalg.matmul ins(%collapsed_12, %transposed_11 : tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<16384x4096xf32>) outs(%4 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded_13 = tensor.expand_shape %49 [[0, 1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<16384x4096xbf16> into tensor<8x2048x32x128xbf16>
    %50 = tensor.empty() : tensor<8x32x2048x128xbf16>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<8x2048x32x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_15 = linalg.transpose ins(%arg11 : tensor<4096x4096xbf16>) outs(%0 : tensor<4096x4096xbf16>) permutation = [1, 0] 
    %51 = linalg.matmul ins(%collapsed_12, %transposed_15 : tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%51 : tensor<16384x4096xf32>) outs(%4 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded_16 = tensor.expand_shape %52 [[0, 1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<16384x4096xbf16> into tensor<8x2048x32x128xbf16>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<8x2048x32x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_18 = linalg.transpose ins(%arg12 : tensor<4096x4096xbf16>) outs(%0 : tensor<4096x4096xbf16>) permutation = [1, 0] 
    %53 = linalg.matmul ins(%collapsed_12, %transposed_18 : tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) outs(%2 : tensor<16384x4096xf32>) -> tensor<16384x4096xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<16384x4096xf32>) outs(%4 : tensor<16384x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %65 = arith.truncf %in : f32 to bf16
      linalg.yield %65 : bf16
    } -> tensor<16384x4096xbf16>
    %expanded_19 = tensor.expand_shape %54 [[0, 1], [2, 3]] output_shape [8, 2048, 32, 128] : tensor<16384x4096xbf16> into tensor<8x2048x32x128xbf16>
    %expanded_20 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [8, 1, 2048, 128] : tensor<8x2048x128xbf16> into tensor<8x1x2048x128xbf16>
    %expanded_21 = tensor.expand_shape %arg3 [[0], [1, 2], [3]] output_shape [8, 1, 2048, 128] : tensor<8x2048x128xbf16> into tensor<8x1x2048x128xbf16>
    %55 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_14, %expanded_20 : tensor<8x32x2048x128xbf16>, tensor<8x1x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %extracted_slice = tensor.extract_slice %transposed_14[0, 0, 0, 0] [8, 32, 2048, 64] [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> to tensor<8x32x2048x64xbf16>
    %extracted_slice_22 = tensor.extract_slice %transposed_14[0, 0, 0, 64] [8, 32, 2048, 64] [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> to tensor<8x32x2048x64xbf16>
    %56 = tensor.empty() : tensor<8x32x2048x64xbf16>
    %57 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_22 : tensor<8x32x2048x64xbf16>) outs(%56 : tensor<8x32x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %65 = arith.negf %in : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x64xbf16>
    %concat = tensor.concat dim(3) %57, %extracted_slice : (tensor<8x32x2048x64xbf16>, tensor<8x32x2048x64xbf16>) -> tensor<8x32x2048x128xbf16>
    %58 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_21 : tensor<8x32x2048x128xbf16>, tensor<8x1x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %59 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %58 : tensor<8x32x2048x128xbf16>, tensor<8x32x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.addf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %60 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17, %expanded_20 : tensor<8x32x2048x128xbf16>, tensor<8x1x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %extracted_slice_23 = tensor.extract_slice %transposed_17[0, 0, 0, 0] [8, 32, 2048, 64] [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> to tensor<8x32x2048x64xbf16>
    %extracted_slice_24 = tensor.extract_slice %transposed_17[0, 0, 0, 64] [8, 32, 2048, 64] [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> to tensor<8x32x2048x64xbf16>
    %61 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_24 : tensor<8x32x2048x64xbf16>) outs(%56 : tensor<8x32x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %65 = arith.negf %in : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x64xbf16>
    %concat_25 = tensor.concat dim(3) %61, %extracted_slice_23 : (tensor<8x32x2048x64xbf16>, tensor<8x32x2048x64xbf16>) -> tensor<8x32x2048x128xbf16>
    %62 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_25, %expanded_21 : tensor<8x32x2048x128xbf16>, tensor<8x1x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.mulf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %63 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %62 : tensor<8x32x2048x128xbf16>, tensor<8x32x2048x128xbf16>) outs(%50 : tensor<8x32x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %65 = arith.addf %in, %in_28 : bf16
      linalg.yield %65 : bf16
    } -> tensor<8x32x2048x128xbf16>
    %64 = tensor.empty() : tensor<8x2048x32x128xbf16>
    %transposed_26 = linalg.transpose ins(%59 : tensor<8x32x2048x128xbf16>) outs(%64 : tensor<8x2048x32x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_27 = linalg.transpose ins(%63 : tensor<8x32x2048x128xbf16>) outs(%64 : tensor<8x2048x32x128xbf16>) permutation = [0, 2, 1, 3] 
    return %38, %transposed_26, %transposed_27, %expanded_19 : tensor<8x2048x4096xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>
  }
}

