// What lies between two attentions of a Qwen3 model, in bf16, as
// torch-mlir exports it (see test/Integration/export/qwen3.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: output; gate and up; down; the next q, k and v.
// Three products of one left-hand side are one launch: q and k with their norms and
// rotary embedding, v as it is.
// FUSED: coda.gemm
// FUSED: coda.gemm {{.*}} rhs(%{{[a-z0-9]*}} [n, k] : {{[^,]*}}, %
// FUSED: coda.gemm
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.reduce add {{.*}} in groups of 32
// FUSED: coda.repeat {{.*}} by 32
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.reduce add {{.*}} in groups of 32
// FUSED: coda.repeat {{.*}} by 32
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x16x4x32xbf16>, %arg1: tensor<2x16x128xbf16>, %arg2: tensor<2x16x32xbf16>, %arg3: tensor<2x16x32xbf16>, %arg4: tensor<128x128xbf16>, %arg5: tensor<128xbf16>, %arg6: tensor<256x128xbf16>, %arg7: tensor<256x128xbf16>, %arg8: tensor<128x256xbf16>, %arg9: tensor<128xbf16>, %arg10: tensor<128x128xbf16>, %arg11: tensor<64x128xbf16>, %arg12: tensor<64x128xbf16>, %arg13: tensor<32xbf16>, %arg14: tensor<32xbf16>) -> (tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 9.9999999999999995E-7 : f64
    %cst_2 = arith.constant 1.280000e+02 : f32
    %cst_3 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<128x128xbf16>) outs(%0 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<2x16x4x32xbf16> into tensor<32x128xbf16>
    %1 = tensor.empty() : tensor<32x128xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %4 = tensor.empty() : tensor<32x128xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %6 = tensor.empty() : tensor<2x16x128xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.addf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %8 = tensor.empty() : tensor<2x16x128xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x128xbf16>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %96 = arith.extf %in : bf16 to f32
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x16x128xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %11 = tensor.empty() : tensor<2x16x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.addf %in, %out : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.divf %in, %cst_2 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.truncf %cst_1 : f64 to f32
      %97 = arith.addf %in, %96 : f32
      linalg.yield %97 : f32
    } -> tensor<2x16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.rsqrt %in : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %16 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %96 = arith.mulf %in, %in_29 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x128xf32>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %18 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %20 = tensor.empty() : tensor<128x256xbf16>
    %transposed_4 = linalg.transpose ins(%arg6 : tensor<256x128xbf16>) outs(%20 : tensor<128x256xbf16>) permutation = [1, 0]
    %collapsed_5 = tensor.collapse_shape %19 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %21 = tensor.empty() : tensor<32x256xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %23 = linalg.matmul ins(%collapsed_5, %transposed_4 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%22 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %24 = tensor.empty() : tensor<32x256xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<32x256xf32>) outs(%24 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x256xbf16>
    %expanded_6 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %26 = tensor.empty() : tensor<2x16x256xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x16x256xbf16>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %96 = arith.extf %in : bf16 to f32
      linalg.yield %96 : f32
    } -> tensor<2x16x256xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x16x256xf32>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.negf %in : f32
      %97 = math.exp %96 : f32
      %98 = arith.addf %97, %cst_0 : f32
      %99 = arith.divf %cst_0, %98 : f32
      linalg.yield %99 : f32
    } -> tensor<2x16x256xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %28 : tensor<2x16x256xf32>, tensor<2x16x256xf32>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %96 = arith.mulf %in, %in_29 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x256xf32>
    %30 = tensor.empty() : tensor<2x16x256xbf16>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x16x256xf32>) outs(%30 : tensor<2x16x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x256xbf16>
    %transposed_7 = linalg.transpose ins(%arg7 : tensor<256x128xbf16>) outs(%20 : tensor<128x256xbf16>) permutation = [1, 0]
    %32 = linalg.matmul ins(%collapsed_5, %transposed_7 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%22 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<32x256xf32>) outs(%24 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x256xbf16>
    %expanded_8 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %expanded_8 : tensor<2x16x256xbf16>, tensor<2x16x256xbf16>) outs(%30 : tensor<2x16x256xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x256xbf16>
    %35 = tensor.empty() : tensor<256x128xbf16>
    %transposed_9 = linalg.transpose ins(%arg8 : tensor<128x256xbf16>) outs(%35 : tensor<256x128xbf16>) permutation = [1, 0]
    %collapsed_10 = tensor.collapse_shape %34 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %36 = linalg.matmul ins(%collapsed_10, %transposed_9 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x128xbf16>
    %expanded_11 = tensor.expand_shape %37 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %expanded_11 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.addf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x16x128xbf16>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %96 = arith.extf %in : bf16 to f32
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<2x16x128xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%40 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.addf %in, %out : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.divf %in, %cst_2 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.truncf %cst_1 : f64 to f32
      %97 = arith.addf %in, %96 : f32
      linalg.yield %97 : f32
    } -> tensor<2x16x1xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.rsqrt %in : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %44 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %96 = arith.mulf %in, %in_29 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x128xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x16x128xf32>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %47 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %46 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x128xbf16>
    %transposed_12 = linalg.transpose ins(%arg10 : tensor<128x128xbf16>) outs(%0 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed_13 = tensor.collapse_shape %47 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %48 = linalg.matmul ins(%collapsed_13, %transposed_12 : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x128xbf16>
    %expanded_14 = tensor.expand_shape %49 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
    %50 = tensor.empty() : tensor<2x16x4x32xf32>
    %51 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x16x4x32xbf16>) outs(%50 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %96 = arith.extf %in : bf16 to f32
      linalg.yield %96 : f32
    } -> tensor<2x16x4x32xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x16x4x32xf32>) outs(%50 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %96 : f32
    } -> tensor<2x16x4x32xf32>
    %53 = tensor.empty() : tensor<2x16x4x1xf32>
    %54 = linalg.fill ins(%cst : f32) outs(%53 : tensor<2x16x4x1xf32>) -> tensor<2x16x4x1xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<2x16x4x32xf32>) outs(%54 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.addf %in, %out : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x4x1xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<2x16x4x1xf32>) outs(%53 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.divf %in, %cst_3 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x4x1xf32>
    %57 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56 : tensor<2x16x4x1xf32>) outs(%53 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.truncf %cst_1 : f64 to f32
      %97 = arith.addf %in, %96 : f32
      linalg.yield %97 : f32
    } -> tensor<2x16x4x1xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<2x16x4x1xf32>) outs(%53 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.rsqrt %in : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x4x1xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51, %58 : tensor<2x16x4x32xf32>, tensor<2x16x4x1xf32>) outs(%50 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %96 = arith.mulf %in, %in_29 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x4x32xf32>
    %60 = tensor.empty() : tensor<2x16x4x32xbf16>
    %61 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<2x16x4x32xf32>) outs(%60 : tensor<2x16x4x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x4x32xbf16>
    %62 = linalg.generic {indexing_maps = [#map6, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg13, %61 : tensor<32xbf16>, tensor<2x16x4x32xbf16>) outs(%60 : tensor<2x16x4x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x4x32xbf16>
    %63 = tensor.empty() : tensor<2x4x16x32xbf16>
    %transposed_15 = linalg.transpose ins(%62 : tensor<2x16x4x32xbf16>) outs(%63 : tensor<2x4x16x32xbf16>) permutation = [0, 2, 1, 3]
    %64 = tensor.empty() : tensor<128x64xbf16>
    %transposed_16 = linalg.transpose ins(%arg11 : tensor<64x128xbf16>) outs(%64 : tensor<128x64xbf16>) permutation = [1, 0]
    %65 = tensor.empty() : tensor<32x64xf32>
    %66 = linalg.fill ins(%cst : f32) outs(%65 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %67 = linalg.matmul ins(%collapsed_13, %transposed_16 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%66 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %68 = tensor.empty() : tensor<32x64xbf16>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<32x64xf32>) outs(%68 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x64xbf16>
    %expanded_17 = tensor.expand_shape %69 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %70 = tensor.empty() : tensor<2x16x2x32xf32>
    %71 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<2x16x2x32xbf16>) outs(%70 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %96 = arith.extf %in : bf16 to f32
      linalg.yield %96 : f32
    } -> tensor<2x16x2x32xf32>
    %72 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<2x16x2x32xf32>) outs(%70 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %96 : f32
    } -> tensor<2x16x2x32xf32>
    %73 = tensor.empty() : tensor<2x16x2x1xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<2x16x2x1xf32>) -> tensor<2x16x2x1xf32>
    %75 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%72 : tensor<2x16x2x32xf32>) outs(%74 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.addf %in, %out : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x2x1xf32>
    %76 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75 : tensor<2x16x2x1xf32>) outs(%73 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.divf %in, %cst_3 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x2x1xf32>
    %77 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<2x16x2x1xf32>) outs(%73 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = arith.truncf %cst_1 : f64 to f32
      %97 = arith.addf %in, %96 : f32
      linalg.yield %97 : f32
    } -> tensor<2x16x2x1xf32>
    %78 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77 : tensor<2x16x2x1xf32>) outs(%73 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %96 = math.rsqrt %in : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x2x1xf32>
    %79 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %78 : tensor<2x16x2x32xf32>, tensor<2x16x2x1xf32>) outs(%70 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %96 = arith.mulf %in, %in_29 : f32
      linalg.yield %96 : f32
    } -> tensor<2x16x2x32xf32>
    %80 = tensor.empty() : tensor<2x16x2x32xbf16>
    %81 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79 : tensor<2x16x2x32xf32>) outs(%80 : tensor<2x16x2x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x2x32xbf16>
    %82 = linalg.generic {indexing_maps = [#map6, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg14, %81 : tensor<32xbf16>, tensor<2x16x2x32xbf16>) outs(%80 : tensor<2x16x2x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x16x2x32xbf16>
    %83 = tensor.empty() : tensor<2x2x16x32xbf16>
    %transposed_18 = linalg.transpose ins(%82 : tensor<2x16x2x32xbf16>) outs(%83 : tensor<2x2x16x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_19 = linalg.transpose ins(%arg12 : tensor<64x128xbf16>) outs(%64 : tensor<128x64xbf16>) permutation = [1, 0]
    %84 = linalg.matmul ins(%collapsed_13, %transposed_19 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%66 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%84 : tensor<32x64xf32>) outs(%68 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %96 = arith.truncf %in : f32 to bf16
      linalg.yield %96 : bf16
    } -> tensor<32x64xbf16>
    %expanded_20 = tensor.expand_shape %85 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %expanded_21 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %expanded_22 = tensor.expand_shape %arg3 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %86 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15, %expanded_21 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%63 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x4x16x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_15[0, 0, 0, 0] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %extracted_slice_23 = tensor.extract_slice %transposed_15[0, 0, 0, 16] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %87 = tensor.empty() : tensor<2x4x16x16xbf16>
    %88 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_23 : tensor<2x4x16x16xbf16>) outs(%87 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %96 = arith.negf %in : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x4x16x16xbf16>
    %concat = tensor.concat dim(3) %88, %extracted_slice : (tensor<2x4x16x16xbf16>, tensor<2x4x16x16xbf16>) -> tensor<2x4x16x32xbf16>
    %89 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_22 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%63 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x4x16x32xbf16>
    %90 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %89 : tensor<2x4x16x32xbf16>, tensor<2x4x16x32xbf16>) outs(%63 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.addf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x4x16x32xbf16>
    %91 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_18, %expanded_21 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%83 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x2x16x32xbf16>
    %extracted_slice_24 = tensor.extract_slice %transposed_18[0, 0, 0, 0] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %extracted_slice_25 = tensor.extract_slice %transposed_18[0, 0, 0, 16] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %92 = tensor.empty() : tensor<2x2x16x16xbf16>
    %93 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_25 : tensor<2x2x16x16xbf16>) outs(%92 : tensor<2x2x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %96 = arith.negf %in : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x2x16x16xbf16>
    %concat_26 = tensor.concat dim(3) %93, %extracted_slice_24 : (tensor<2x2x16x16xbf16>, tensor<2x2x16x16xbf16>) -> tensor<2x2x16x32xbf16>
    %94 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_26, %expanded_22 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%83 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.mulf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x2x16x32xbf16>
    %95 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%91, %94 : tensor<2x2x16x32xbf16>, tensor<2x2x16x32xbf16>) outs(%83 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_29: bf16, %out: bf16):
      %96 = arith.addf %in, %in_29 : bf16
      linalg.yield %96 : bf16
    } -> tensor<2x2x16x32xbf16>
    %transposed_27 = linalg.transpose ins(%90 : tensor<2x4x16x32xbf16>) outs(%60 : tensor<2x16x4x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_28 = linalg.transpose ins(%95 : tensor<2x2x16x32xbf16>) outs(%80 : tensor<2x16x2x32xbf16>) permutation = [0, 2, 1, 3]
    return %38, %transposed_27, %transposed_28, %expanded_20 : tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>
  }
}

