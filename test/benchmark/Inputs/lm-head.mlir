// The end of a language model at full size: 8 sequences of 2048 tokens, width
// 4096, 32768 words; norm, logits in bf16, and the mean cross-entropy in f32 with
// targets of -100 left out. As test/Integration/export/lm_head.py (loss) gives it.
// See test/benchmark/lm_head.py.

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0) -> ()>
#map8 = affine_map<() -> ()>
module {
  func.func @head(%arg0: tensor<8x2048x4096xbf16>, %arg1: tensor<4096xbf16>, %arg2: tensor<32768x4096xbf16>, %arg3: tensor<8x2048xi64>) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c32768 = arith.constant 32768 : index
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 4.096000e+03 : f32
    %cst_4 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<8x2048x4096xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<8x2048x4096xbf16>) outs(%0 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %47 = arith.extf %in : bf16 to f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x4096xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<8x2048x4096xf32>) outs(%0 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %47 : f32
    } -> tensor<8x2048x4096xf32>
    %3 = tensor.empty() : tensor<8x2048x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<8x2048x1xf32>) -> tensor<8x2048x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<8x2048x4096xf32>) outs(%4 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %in, %out : f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<8x2048x1xf32>) outs(%3 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.divf %in, %cst_3 : f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x2048x1xf32>) outs(%3 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.truncf %cst_2 : f64 to f32
      %48 = arith.addf %in, %47 : f32
      linalg.yield %48 : f32
    } -> tensor<8x2048x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<8x2048x1xf32>) outs(%3 : tensor<8x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.rsqrt %in : f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<8x2048x4096xf32>, tensor<8x2048x1xf32>) outs(%0 : tensor<8x2048x4096xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %47 = arith.mulf %in, %in_10 : f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x4096xf32>
    %10 = tensor.empty() : tensor<8x2048x4096xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<8x2048x4096xf32>) outs(%10 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %47 = arith.truncf %in : f32 to bf16
      linalg.yield %47 : bf16
    } -> tensor<8x2048x4096xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %11 : tensor<4096xbf16>, tensor<8x2048x4096xbf16>) outs(%10 : tensor<8x2048x4096xbf16>) {
    ^bb0(%in: bf16, %in_10: bf16, %out: bf16):
      %47 = arith.mulf %in, %in_10 : bf16
      linalg.yield %47 : bf16
    } -> tensor<8x2048x4096xbf16>
    %13 = tensor.empty() : tensor<4096x32768xbf16>
    %transposed = linalg.transpose ins(%arg2 : tensor<32768x4096xbf16>) outs(%13 : tensor<4096x32768xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<8x2048x4096xbf16> into tensor<16384x4096xbf16>
    %14 = tensor.empty() : tensor<16384x32768xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<16384x32768xf32>) -> tensor<16384x32768xf32>
    %16 = linalg.matmul ins(%collapsed, %transposed : tensor<16384x4096xbf16>, tensor<4096x32768xbf16>) outs(%15 : tensor<16384x32768xf32>) -> tensor<16384x32768xf32>
    %17 = tensor.empty() : tensor<16384x32768xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<16384x32768xf32>) outs(%17 : tensor<16384x32768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %47 = arith.truncf %in : f32 to bf16
      linalg.yield %47 : bf16
    } -> tensor<16384x32768xbf16>
    %expanded = tensor.expand_shape %18 [[0, 1], [2]] output_shape [8, 2048, 32768] : tensor<16384x32768xbf16> into tensor<8x2048x32768xbf16>
    %19 = tensor.empty() : tensor<8x2048x32768xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<8x2048x32768xbf16>) outs(%19 : tensor<8x2048x32768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %47 = arith.extf %in : bf16 to f32
      linalg.yield %47 : f32
    } -> tensor<8x2048x32768xf32>
    %collapsed_5 = tensor.collapse_shape %20 [[0, 1], [2]] : tensor<8x2048x32768xf32> into tensor<16384x32768xf32>
    %collapsed_6 = tensor.collapse_shape %arg3 [[0, 1]] : tensor<8x2048xi64> into tensor<16384xi64>
    %21 = tensor.empty() : tensor<16384xi64>
    %22 = linalg.fill ins(%c0_i64 : i64) outs(%21 : tensor<16384xi64>) -> tensor<16384xi64>
    %23 = tensor.empty() : tensor<16384xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<16384xf32>) -> tensor<16384xf32>
    %25:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%collapsed_5 : tensor<16384x32768xf32>) outs(%24, %22 : tensor<16384xf32>, tensor<16384xi64>) {
    ^bb0(%in: f32, %out: f32, %out_10: i64):
      %47 = linalg.index 1 : index
      %48 = arith.index_cast %47 : index to i64
      %49 = arith.maximumf %in, %out : f32
      %50 = arith.cmpf ogt, %in, %out : f32
      %51 = arith.select %50, %48, %out_10 : i64
      linalg.yield %49, %51 : f32, i64
    } -> (tensor<16384xf32>, tensor<16384xi64>)
    %expanded_7 = tensor.expand_shape %25#0 [[0, 1]] output_shape [16384, 1] : tensor<16384xf32> into tensor<16384x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%collapsed_5, %expanded_7 : tensor<16384x32768xf32>, tensor<16384x1xf32>) outs(%14 : tensor<16384x32768xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %47 = arith.subf %in, %in_10 : f32
      linalg.yield %47 : f32
    } -> tensor<16384x32768xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<16384x32768xf32>) outs(%14 : tensor<16384x32768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.exp %in : f32
      linalg.yield %47 : f32
    } -> tensor<16384x32768xf32>
    %28 = tensor.empty() : tensor<16384x1xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<16384x1xf32>) -> tensor<16384x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "reduction"]} ins(%27 : tensor<16384x32768xf32>) outs(%29 : tensor<16384x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %in, %out : f32
      linalg.yield %47 : f32
    } -> tensor<16384x1xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<16384x1xf32>) outs(%28 : tensor<16384x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.log %in : f32
      linalg.yield %47 : f32
    } -> tensor<16384x1xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%26, %31 : tensor<16384x32768xf32>, tensor<16384x1xf32>) outs(%14 : tensor<16384x32768xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %47 = arith.subf %in, %in_10 : f32
      linalg.yield %47 : f32
    } -> tensor<16384x32768xf32>
    %33 = tensor.empty() : tensor<16384xi1>
    %34 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%collapsed_6 : tensor<16384xi64>) outs(%33 : tensor<16384xi1>) {
    ^bb0(%in: i64, %out: i1):
      %47 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %47 : i1
    } -> tensor<16384xi1>
    %35 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%34, %collapsed_6, %cst_4 : tensor<16384xi1>, tensor<16384xi64>, tensor<i64>) outs(%21 : tensor<16384xi64>) {
    ^bb0(%in: i1, %in_10: i64, %in_11: i64, %out: i64):
      %47 = arith.select %in, %in_10, %in_11 : i64
      linalg.yield %47 : i64
    } -> tensor<16384xi64>
    %expanded_8 = tensor.expand_shape %35 [[0, 1]] output_shape [16384, 1] : tensor<16384xi64> into tensor<16384x1xi64>
    %36 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_8 : tensor<16384x1xi64>) outs(%29 : tensor<16384x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %47 = linalg.index 0 : index
      %48 = arith.index_cast %in : i64 to index
      %49 = arith.cmpi slt, %48, %c32768 : index
      cf.assert %49, "index must be smaller than dim size"
      %50 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %50, "index must be larger or equal to 0"
      %extracted = tensor.extract %32[%47, %48] : tensor<16384x32768xf32>
      linalg.yield %extracted : f32
    } -> tensor<16384x1xf32>
    %collapsed_9 = tensor.collapse_shape %36 [[0, 1]] : tensor<16384x1xf32> into tensor<16384xf32>
    %37 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%collapsed_9 : tensor<16384xf32>) outs(%23 : tensor<16384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.negf %in : f32
      linalg.yield %47 : f32
    } -> tensor<16384xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%34, %37, %cst_1 : tensor<16384xi1>, tensor<16384xf32>, tensor<f32>) outs(%23 : tensor<16384xf32>) {
    ^bb0(%in: i1, %in_10: f32, %in_11: f32, %out: f32):
      %47 = arith.select %in, %in_10, %in_11 : f32
      linalg.yield %47 : f32
    } -> tensor<16384xf32>
    %39 = tensor.empty() : tensor<i64>
    %40 = linalg.fill ins(%c0_i64 : i64) outs(%39 : tensor<i64>) -> tensor<i64>
    %41 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%34 : tensor<16384xi1>) outs(%40 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %47 = arith.extui %in : i1 to i64
      %48 = arith.addi %47, %out : i64
      linalg.yield %48 : i64
    } -> tensor<i64>
    %42 = tensor.empty() : tensor<f32>
    %43 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%41 : tensor<i64>) outs(%42 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %47 = arith.sitofp %in : i64 to f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    %44 = linalg.fill ins(%cst : f32) outs(%42 : tensor<f32>) -> tensor<f32>
    %45 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%38 : tensor<16384xf32>) outs(%44 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %in, %out : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    %46 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = []} ins(%45, %43 : tensor<f32>, tensor<f32>) outs(%42 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %47 = arith.divf %in, %in_10 : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    return %46 : tensor<f32>
  }
}

