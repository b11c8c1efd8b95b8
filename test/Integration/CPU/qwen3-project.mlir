// The q, k and v projections of a Qwen3 block, in bf16: QK-norm, then RoPE, as
// torch-mlir exports it (see test/Integration/export/qwen3.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Three products of one left-hand side are one launch: q and k with their norms and
// rotary embedding, v as it is.
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
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x16x128xbf16>, %arg1: tensor<2x16x32xbf16>, %arg2: tensor<2x16x32xbf16>, %arg3: tensor<128x128xbf16>, %arg4: tensor<64x128xbf16>, %arg5: tensor<64x128xbf16>, %arg6: tensor<32xbf16>, %arg7: tensor<32xbf16>) -> (tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg3 : tensor<128x128xbf16>) outs(%0 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %1 = tensor.empty() : tensor<32x128xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %4 = tensor.empty() : tensor<32x128xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
    %6 = tensor.empty() : tensor<2x16x4x32xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x4x32xbf16>) outs(%6 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %52 = arith.extf %in : bf16 to f32
      linalg.yield %52 : f32
    } -> tensor<2x16x4x32xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x4x32xf32>) outs(%6 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %52 : f32
    } -> tensor<2x16x4x32xf32>
    %9 = tensor.empty() : tensor<2x16x4x1xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x16x4x1xf32>) -> tensor<2x16x4x1xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x16x4x32xf32>) outs(%10 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x4x1xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x16x4x1xf32>) outs(%9 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.divf %in, %cst_1 : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x4x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x16x4x1xf32>) outs(%9 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.truncf %cst_0 : f64 to f32
      %53 = arith.addf %in, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<2x16x4x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x16x4x1xf32>) outs(%9 : tensor<2x16x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.rsqrt %in : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x4x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %14 : tensor<2x16x4x32xf32>, tensor<2x16x4x1xf32>) outs(%6 : tensor<2x16x4x32xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %52 = arith.mulf %in, %in_16 : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x4x32xf32>
    %16 = tensor.empty() : tensor<2x16x4x32xbf16>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x4x32xf32>) outs(%16 : tensor<2x16x4x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<2x16x4x32xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg6, %17 : tensor<32xbf16>, tensor<2x16x4x32xbf16>) outs(%16 : tensor<2x16x4x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x16x4x32xbf16>
    %19 = tensor.empty() : tensor<2x4x16x32xbf16>
    %transposed_2 = linalg.transpose ins(%18 : tensor<2x16x4x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) permutation = [0, 2, 1, 3]
    %20 = tensor.empty() : tensor<128x64xbf16>
    %transposed_3 = linalg.transpose ins(%arg4 : tensor<64x128xbf16>) outs(%20 : tensor<128x64xbf16>) permutation = [1, 0]
    %21 = tensor.empty() : tensor<32x64xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %23 = linalg.matmul ins(%collapsed, %transposed_3 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%22 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %24 = tensor.empty() : tensor<32x64xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<32x64xf32>) outs(%24 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<32x64xbf16>
    %expanded_4 = tensor.expand_shape %25 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %26 = tensor.empty() : tensor<2x16x2x32xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4 : tensor<2x16x2x32xbf16>) outs(%26 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %52 = arith.extf %in : bf16 to f32
      linalg.yield %52 : f32
    } -> tensor<2x16x2x32xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x16x2x32xf32>) outs(%26 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %52 : f32
    } -> tensor<2x16x2x32xf32>
    %29 = tensor.empty() : tensor<2x16x2x1xf32>
    %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<2x16x2x1xf32>) -> tensor<2x16x2x1xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<2x16x2x32xf32>) outs(%30 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x2x1xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x16x2x1xf32>) outs(%29 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.divf %in, %cst_1 : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x2x1xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x16x2x1xf32>) outs(%29 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.truncf %cst_0 : f64 to f32
      %53 = arith.addf %in, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<2x16x2x1xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x16x2x1xf32>) outs(%29 : tensor<2x16x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.rsqrt %in : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x2x1xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %34 : tensor<2x16x2x32xf32>, tensor<2x16x2x1xf32>) outs(%26 : tensor<2x16x2x32xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %52 = arith.mulf %in, %in_16 : f32
      linalg.yield %52 : f32
    } -> tensor<2x16x2x32xf32>
    %36 = tensor.empty() : tensor<2x16x2x32xbf16>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x16x2x32xf32>) outs(%36 : tensor<2x16x2x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<2x16x2x32xbf16>
    %38 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg7, %37 : tensor<32xbf16>, tensor<2x16x2x32xbf16>) outs(%36 : tensor<2x16x2x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x16x2x32xbf16>
    %39 = tensor.empty() : tensor<2x2x16x32xbf16>
    %transposed_5 = linalg.transpose ins(%38 : tensor<2x16x2x32xbf16>) outs(%39 : tensor<2x2x16x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_6 = linalg.transpose ins(%arg5 : tensor<64x128xbf16>) outs(%20 : tensor<128x64xbf16>) permutation = [1, 0]
    %40 = linalg.matmul ins(%collapsed, %transposed_6 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%22 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<32x64xf32>) outs(%24 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<32x64xbf16>
    %expanded_7 = tensor.expand_shape %41 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %expanded_8 = tensor.expand_shape %arg1 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %expanded_9 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %42 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_2, %expanded_8 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x4x16x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_2[0, 0, 0, 0] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %extracted_slice_10 = tensor.extract_slice %transposed_2[0, 0, 0, 16] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %43 = tensor.empty() : tensor<2x4x16x16xbf16>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_10 : tensor<2x4x16x16xbf16>) outs(%43 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %52 = arith.negf %in : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x4x16x16xbf16>
    %concat = tensor.concat dim(3) %44, %extracted_slice : (tensor<2x4x16x16xbf16>, tensor<2x4x16x16xbf16>) -> tensor<2x4x16x32xbf16>
    %45 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_9 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x4x16x32xbf16>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %45 : tensor<2x4x16x32xbf16>, tensor<2x4x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.addf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x4x16x32xbf16>
    %47 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_5, %expanded_8 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%39 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x2x16x32xbf16>
    %extracted_slice_11 = tensor.extract_slice %transposed_5[0, 0, 0, 0] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %extracted_slice_12 = tensor.extract_slice %transposed_5[0, 0, 0, 16] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %48 = tensor.empty() : tensor<2x2x16x16xbf16>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_12 : tensor<2x2x16x16xbf16>) outs(%48 : tensor<2x2x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %52 = arith.negf %in : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x2x16x16xbf16>
    %concat_13 = tensor.concat dim(3) %49, %extracted_slice_11 : (tensor<2x2x16x16xbf16>, tensor<2x2x16x16xbf16>) -> tensor<2x2x16x32xbf16>
    %50 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_13, %expanded_9 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%39 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.mulf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x2x16x32xbf16>
    %51 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %50 : tensor<2x2x16x32xbf16>, tensor<2x2x16x32xbf16>) outs(%39 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_16: bf16, %out: bf16):
      %52 = arith.addf %in, %in_16 : bf16
      linalg.yield %52 : bf16
    } -> tensor<2x2x16x32xbf16>
    %transposed_14 = linalg.transpose ins(%46 : tensor<2x4x16x32xbf16>) outs(%16 : tensor<2x16x4x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_15 = linalg.transpose ins(%51 : tensor<2x2x16x32xbf16>) outs(%36 : tensor<2x16x2x32xbf16>) permutation = [0, 2, 1, 3]
    return %transposed_14, %transposed_15, %expanded_7 : tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>
  }
}

