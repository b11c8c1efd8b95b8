// What lies between two attentions of a Llama model, in bf16, as
// torch-mlir exports it (see test/Integration/export/llama.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: output; gate and up; down; the next q, k and v.
// Three products of one left-hand side are one launch: q and k with rotary
// embedding, v as it is.
// FUSED: coda.gemm
// FUSED: coda.gemm {{.*}} rhs(%{{[a-z0-9]*}} [n, k] : {{[^,]*}}, %
// FUSED: coda.gemm
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x16x4x32xbf16>, %arg1: tensor<2x16x128xbf16>, %arg2: tensor<2x16x32xbf16>, %arg3: tensor<2x16x32xbf16>, %arg4: tensor<128x128xbf16>, %arg5: tensor<128xbf16>, %arg6: tensor<256x128xbf16>, %arg7: tensor<256x128xbf16>, %arg8: tensor<128x256xbf16>, %arg9: tensor<128xbf16>, %arg10: tensor<128x128xbf16>, %arg11: tensor<64x128xbf16>, %arg12: tensor<64x128xbf16>) -> (tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.280000e+02 : f32
    %0 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<128x128xbf16>) outs(%0 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<2x16x4x32xbf16> into tensor<32x128xbf16>
    %1 = tensor.empty() : tensor<32x128xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %4 = tensor.empty() : tensor<32x128xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %6 = tensor.empty() : tensor<2x16x128xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.addf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %8 = tensor.empty() : tensor<2x16x128xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x128xbf16>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %72 = arith.extf %in : bf16 to f32
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x16x128xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %11 = tensor.empty() : tensor<2x16x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.addf %in, %out : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.divf %in, %cst_2 : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.truncf %cst_1 : f64 to f32
      %73 = arith.addf %in, %72 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.rsqrt %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %16 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %72 = arith.mulf %in, %in_28 : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x128xf32>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %18 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %20 = tensor.empty() : tensor<128x256xbf16>
    %transposed_3 = linalg.transpose ins(%arg6 : tensor<256x128xbf16>) outs(%20 : tensor<128x256xbf16>) permutation = [1, 0]
    %collapsed_4 = tensor.collapse_shape %19 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %21 = tensor.empty() : tensor<32x256xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %23 = linalg.matmul ins(%collapsed_4, %transposed_3 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%22 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %24 = tensor.empty() : tensor<32x256xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<32x256xf32>) outs(%24 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x256xbf16>
    %expanded_5 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %26 = tensor.empty() : tensor<2x16x256xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<2x16x256xbf16>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %72 = arith.extf %in : bf16 to f32
      linalg.yield %72 : f32
    } -> tensor<2x16x256xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x16x256xf32>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.negf %in : f32
      %73 = math.exp %72 : f32
      %74 = arith.addf %73, %cst_0 : f32
      %75 = arith.divf %cst_0, %74 : f32
      linalg.yield %75 : f32
    } -> tensor<2x16x256xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %28 : tensor<2x16x256xf32>, tensor<2x16x256xf32>) outs(%26 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %72 = arith.mulf %in, %in_28 : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x256xf32>
    %30 = tensor.empty() : tensor<2x16x256xbf16>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x16x256xf32>) outs(%30 : tensor<2x16x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x256xbf16>
    %transposed_6 = linalg.transpose ins(%arg7 : tensor<256x128xbf16>) outs(%20 : tensor<128x256xbf16>) permutation = [1, 0]
    %32 = linalg.matmul ins(%collapsed_4, %transposed_6 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%22 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<32x256xf32>) outs(%24 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x256xbf16>
    %expanded_7 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %expanded_7 : tensor<2x16x256xbf16>, tensor<2x16x256xbf16>) outs(%30 : tensor<2x16x256xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x256xbf16>
    %35 = tensor.empty() : tensor<256x128xbf16>
    %transposed_8 = linalg.transpose ins(%arg8 : tensor<128x256xbf16>) outs(%35 : tensor<256x128xbf16>) permutation = [1, 0]
    %collapsed_9 = tensor.collapse_shape %34 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %36 = linalg.matmul ins(%collapsed_9, %transposed_8 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x128xbf16>
    %expanded_10 = tensor.expand_shape %37 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %expanded_10 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.addf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x16x128xbf16>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %72 = arith.extf %in : bf16 to f32
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<2x16x128xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%40 : tensor<2x16x128xf32>) outs(%12 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.addf %in, %out : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.divf %in, %cst_2 : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.truncf %cst_1 : f64 to f32
      %73 = arith.addf %in, %72 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<2x16x1xf32>) outs(%11 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.rsqrt %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %44 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%8 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %72 = arith.mulf %in, %in_28 : f32
      linalg.yield %72 : f32
    } -> tensor<2x16x128xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x16x128xf32>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %47 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %46 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%6 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x16x128xbf16>
    %transposed_11 = linalg.transpose ins(%arg10 : tensor<128x128xbf16>) outs(%0 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed_12 = tensor.collapse_shape %47 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %48 = linalg.matmul ins(%collapsed_12, %transposed_11 : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x128xbf16>
    %expanded_13 = tensor.expand_shape %49 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
    %50 = tensor.empty() : tensor<2x4x16x32xbf16>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x16x4x32xbf16>) outs(%50 : tensor<2x4x16x32xbf16>) permutation = [0, 2, 1, 3]
    %51 = tensor.empty() : tensor<128x64xbf16>
    %transposed_15 = linalg.transpose ins(%arg11 : tensor<64x128xbf16>) outs(%51 : tensor<128x64xbf16>) permutation = [1, 0]
    %52 = tensor.empty() : tensor<32x64xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %54 = linalg.matmul ins(%collapsed_12, %transposed_15 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%53 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %55 = tensor.empty() : tensor<32x64xbf16>
    %56 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<32x64xf32>) outs(%55 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x64xbf16>
    %expanded_16 = tensor.expand_shape %56 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %57 = tensor.empty() : tensor<2x2x16x32xbf16>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<2x16x2x32xbf16>) outs(%57 : tensor<2x2x16x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_18 = linalg.transpose ins(%arg12 : tensor<64x128xbf16>) outs(%51 : tensor<128x64xbf16>) permutation = [1, 0]
    %58 = linalg.matmul ins(%collapsed_12, %transposed_18 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%53 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<32x64xf32>) outs(%55 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %72 = arith.truncf %in : f32 to bf16
      linalg.yield %72 : bf16
    } -> tensor<32x64xbf16>
    %expanded_19 = tensor.expand_shape %59 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %expanded_20 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %expanded_21 = tensor.expand_shape %arg3 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %60 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_14, %expanded_20 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%50 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x4x16x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_14[0, 0, 0, 0] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %extracted_slice_22 = tensor.extract_slice %transposed_14[0, 0, 0, 16] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %61 = tensor.empty() : tensor<2x4x16x16xbf16>
    %62 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_22 : tensor<2x4x16x16xbf16>) outs(%61 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %72 = arith.negf %in : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x4x16x16xbf16>
    %concat = tensor.concat dim(3) %62, %extracted_slice : (tensor<2x4x16x16xbf16>, tensor<2x4x16x16xbf16>) -> tensor<2x4x16x32xbf16>
    %63 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_21 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%50 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x4x16x32xbf16>
    %64 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %63 : tensor<2x4x16x32xbf16>, tensor<2x4x16x32xbf16>) outs(%50 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.addf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x4x16x32xbf16>
    %65 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17, %expanded_20 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%57 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x2x16x32xbf16>
    %extracted_slice_23 = tensor.extract_slice %transposed_17[0, 0, 0, 0] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %extracted_slice_24 = tensor.extract_slice %transposed_17[0, 0, 0, 16] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %66 = tensor.empty() : tensor<2x2x16x16xbf16>
    %67 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_24 : tensor<2x2x16x16xbf16>) outs(%66 : tensor<2x2x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %72 = arith.negf %in : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x2x16x16xbf16>
    %concat_25 = tensor.concat dim(3) %67, %extracted_slice_23 : (tensor<2x2x16x16xbf16>, tensor<2x2x16x16xbf16>) -> tensor<2x2x16x32xbf16>
    %68 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_25, %expanded_21 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%57 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.mulf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x2x16x32xbf16>
    %69 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %68 : tensor<2x2x16x32xbf16>, tensor<2x2x16x32xbf16>) outs(%57 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %72 = arith.addf %in, %in_28 : bf16
      linalg.yield %72 : bf16
    } -> tensor<2x2x16x32xbf16>
    %70 = tensor.empty() : tensor<2x16x4x32xbf16>
    %transposed_26 = linalg.transpose ins(%64 : tensor<2x4x16x32xbf16>) outs(%70 : tensor<2x16x4x32xbf16>) permutation = [0, 2, 1, 3]
    %71 = tensor.empty() : tensor<2x16x2x32xbf16>
    %transposed_27 = linalg.transpose ins(%69 : tensor<2x2x16x32xbf16>) outs(%71 : tensor<2x16x2x32xbf16>) permutation = [0, 2, 1, 3]
    return %38, %transposed_26, %transposed_27, %expanded_19 : tensor<2x16x128xbf16>, tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>
  }
}

