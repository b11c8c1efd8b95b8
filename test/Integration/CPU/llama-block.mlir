// A Llama block in bf16, with attention as a call, as
// torch-mlir exports it (see test/Integration/export/llama.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: q, k and v; output; gate and up; down.
// Three products of one left-hand side are one launch: q and k with rotary
// embedding, v as it is.
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.unpair {{.*}} stride 16
// FUSED: coda.pair {{.*}} stride 16
// FUSED: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}
// FUSED: coda.gemm
// FUSED: coda.gemm {{.*}} rhs(%{{[a-z0-9]*}} [n, k] : {{[^,]*}}, %
// FUSED: coda.gemm

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x16x128xbf16>, %arg1: tensor<2x16x32xbf16>, %arg2: tensor<2x16x32xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<128x128xbf16>, %arg5: tensor<64x128xbf16>, %arg6: tensor<64x128xbf16>, %arg7: tensor<128x128xbf16>, %arg8: tensor<128xbf16>, %arg9: tensor<256x128xbf16>, %arg10: tensor<256x128xbf16>, %arg11: tensor<128x256xbf16>) -> tensor<2x16x128xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.280000e+02 : f32
    %0 = tensor.empty() : tensor<2x16x128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x16x128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %73 = arith.extf %in : bf16 to f32
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x16x128xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %3 = tensor.empty() : tensor<2x16x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x16x128xf32>) outs(%4 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.addf %in, %out : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.divf %in, %cst_2 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.truncf %cst_1 : f64 to f32
      %74 = arith.addf %in, %73 : f32
      linalg.yield %74 : f32
    } -> tensor<2x16x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = math.rsqrt %in : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %73 = arith.mulf %in, %in_28 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %10 = tensor.empty() : tensor<2x16x128xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x16x128xf32>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %11 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    %13 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<128x128xbf16>) outs(%13 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %14 = tensor.empty() : tensor<32x128xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %16 = linalg.matmul ins(%collapsed, %transposed : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%15 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %17 = tensor.empty() : tensor<32x128xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<32x128xf32>) outs(%17 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x128xbf16>
    %expanded = tensor.expand_shape %18 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
    %19 = tensor.empty() : tensor<2x4x16x32xbf16>
    %transposed_3 = linalg.transpose ins(%expanded : tensor<2x16x4x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) permutation = [0, 2, 1, 3]
    %20 = tensor.empty() : tensor<128x64xbf16>
    %transposed_4 = linalg.transpose ins(%arg5 : tensor<64x128xbf16>) outs(%20 : tensor<128x64xbf16>) permutation = [1, 0]
    %21 = tensor.empty() : tensor<32x64xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %23 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%22 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %24 = tensor.empty() : tensor<32x64xbf16>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<32x64xf32>) outs(%24 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x64xbf16>
    %expanded_5 = tensor.expand_shape %25 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %26 = tensor.empty() : tensor<2x2x16x32xbf16>
    %transposed_6 = linalg.transpose ins(%expanded_5 : tensor<2x16x2x32xbf16>) outs(%26 : tensor<2x2x16x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_7 = linalg.transpose ins(%arg6 : tensor<64x128xbf16>) outs(%20 : tensor<128x64xbf16>) permutation = [1, 0]
    %27 = linalg.matmul ins(%collapsed, %transposed_7 : tensor<32x128xbf16>, tensor<128x64xbf16>) outs(%22 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<32x64xf32>) outs(%24 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x64xbf16>
    %expanded_8 = tensor.expand_shape %28 [[0, 1], [2, 3]] output_shape [2, 16, 2, 32] : tensor<32x64xbf16> into tensor<2x16x2x32xbf16>
    %expanded_9 = tensor.expand_shape %arg1 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %expanded_10 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, 16, 32] : tensor<2x16x32xbf16> into tensor<2x1x16x32xbf16>
    %29 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_3, %expanded_9 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x4x16x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_3[0, 0, 0, 0] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %extracted_slice_11 = tensor.extract_slice %transposed_3[0, 0, 0, 16] [2, 4, 16, 16] [1, 1, 1, 1] : tensor<2x4x16x32xbf16> to tensor<2x4x16x16xbf16>
    %30 = tensor.empty() : tensor<2x4x16x16xbf16>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_11 : tensor<2x4x16x16xbf16>) outs(%30 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %73 = arith.negf %in : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x4x16x16xbf16>
    %concat = tensor.concat dim(3) %31, %extracted_slice : (tensor<2x4x16x16xbf16>, tensor<2x4x16x16xbf16>) -> tensor<2x4x16x32xbf16>
    %32 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_10 : tensor<2x4x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x4x16x32xbf16>
    %33 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %32 : tensor<2x4x16x32xbf16>, tensor<2x4x16x32xbf16>) outs(%19 : tensor<2x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.addf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x4x16x32xbf16>
    %34 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_6, %expanded_9 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%26 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x2x16x32xbf16>
    %extracted_slice_12 = tensor.extract_slice %transposed_6[0, 0, 0, 0] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %extracted_slice_13 = tensor.extract_slice %transposed_6[0, 0, 0, 16] [2, 2, 16, 16] [1, 1, 1, 1] : tensor<2x2x16x32xbf16> to tensor<2x2x16x16xbf16>
    %35 = tensor.empty() : tensor<2x2x16x16xbf16>
    %36 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_13 : tensor<2x2x16x16xbf16>) outs(%35 : tensor<2x2x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %73 = arith.negf %in : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x2x16x16xbf16>
    %concat_14 = tensor.concat dim(3) %36, %extracted_slice_12 : (tensor<2x2x16x16xbf16>, tensor<2x2x16x16xbf16>) -> tensor<2x2x16x32xbf16>
    %37 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_14, %expanded_10 : tensor<2x2x16x32xbf16>, tensor<2x1x16x32xbf16>) outs(%26 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x2x16x32xbf16>
    %38 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %37 : tensor<2x2x16x32xbf16>, tensor<2x2x16x32xbf16>) outs(%26 : tensor<2x2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.addf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x2x16x32xbf16>
    %39 = tensor.empty() : tensor<2x16x4x32xbf16>
    %transposed_15 = linalg.transpose ins(%33 : tensor<2x4x16x32xbf16>) outs(%39 : tensor<2x16x4x32xbf16>) permutation = [0, 2, 1, 3]
    %40 = tensor.empty() : tensor<2x16x2x32xbf16>
    %transposed_16 = linalg.transpose ins(%38 : tensor<2x2x16x32xbf16>) outs(%40 : tensor<2x16x2x32xbf16>) permutation = [0, 2, 1, 3]
    %41 = call @attention(%transposed_15, %transposed_16, %expanded_8) : (tensor<2x16x4x32xbf16>, tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>) -> tensor<2x16x4x32xbf16>
    %transposed_17 = linalg.transpose ins(%arg7 : tensor<128x128xbf16>) outs(%13 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed_18 = tensor.collapse_shape %41 [[0, 1], [2, 3]] : tensor<2x16x4x32xbf16> into tensor<32x128xbf16>
    %42 = linalg.matmul ins(%collapsed_18, %transposed_17 : tensor<32x128xbf16>, tensor<128x128xbf16>) outs(%15 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %43 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%42 : tensor<32x128xf32>) outs(%17 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x128xbf16>
    %expanded_19 = tensor.expand_shape %43 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %44 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_19 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.addf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<2x16x128xbf16>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %73 = arith.extf %in : bf16 to f32
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x16x128xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%46 : tensor<2x16x128xf32>) outs(%4 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.addf %in, %out : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.divf %in, %cst_2 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.truncf %cst_1 : f64 to f32
      %74 = arith.addf %in, %73 : f32
      linalg.yield %74 : f32
    } -> tensor<2x16x1xf32>
    %50 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49 : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = math.rsqrt %in : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x1xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45, %50 : tensor<2x16x128xf32>, tensor<2x16x1xf32>) outs(%0 : tensor<2x16x128xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %73 = arith.mulf %in, %in_28 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x128xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51 : tensor<2x16x128xf32>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    %53 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %52 : tensor<128xbf16>, tensor<2x16x128xbf16>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    %54 = tensor.empty() : tensor<128x256xbf16>
    %transposed_20 = linalg.transpose ins(%arg9 : tensor<256x128xbf16>) outs(%54 : tensor<128x256xbf16>) permutation = [1, 0]
    %collapsed_21 = tensor.collapse_shape %53 [[0, 1], [2]] : tensor<2x16x128xbf16> into tensor<32x128xbf16>
    %55 = tensor.empty() : tensor<32x256xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %57 = linalg.matmul ins(%collapsed_21, %transposed_20 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%56 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %58 = tensor.empty() : tensor<32x256xbf16>
    %59 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%57 : tensor<32x256xf32>) outs(%58 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x256xbf16>
    %expanded_22 = tensor.expand_shape %59 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %60 = tensor.empty() : tensor<2x16x256xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_22 : tensor<2x16x256xbf16>) outs(%60 : tensor<2x16x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %73 = arith.extf %in : bf16 to f32
      linalg.yield %73 : f32
    } -> tensor<2x16x256xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<2x16x256xf32>) outs(%60 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %73 = arith.negf %in : f32
      %74 = math.exp %73 : f32
      %75 = arith.addf %74, %cst_0 : f32
      %76 = arith.divf %cst_0, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<2x16x256xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %62 : tensor<2x16x256xf32>, tensor<2x16x256xf32>) outs(%60 : tensor<2x16x256xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %73 = arith.mulf %in, %in_28 : f32
      linalg.yield %73 : f32
    } -> tensor<2x16x256xf32>
    %64 = tensor.empty() : tensor<2x16x256xbf16>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x16x256xf32>) outs(%64 : tensor<2x16x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x256xbf16>
    %transposed_23 = linalg.transpose ins(%arg10 : tensor<256x128xbf16>) outs(%54 : tensor<128x256xbf16>) permutation = [1, 0]
    %66 = linalg.matmul ins(%collapsed_21, %transposed_23 : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%56 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %67 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%66 : tensor<32x256xf32>) outs(%58 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x256xbf16>
    %expanded_24 = tensor.expand_shape %67 [[0, 1], [2]] output_shape [2, 16, 256] : tensor<32x256xbf16> into tensor<2x16x256xbf16>
    %68 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %expanded_24 : tensor<2x16x256xbf16>, tensor<2x16x256xbf16>) outs(%64 : tensor<2x16x256xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.mulf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x256xbf16>
    %69 = tensor.empty() : tensor<256x128xbf16>
    %transposed_25 = linalg.transpose ins(%arg11 : tensor<128x256xbf16>) outs(%69 : tensor<256x128xbf16>) permutation = [1, 0]
    %collapsed_26 = tensor.collapse_shape %68 [[0, 1], [2]] : tensor<2x16x256xbf16> into tensor<32x256xbf16>
    %70 = linalg.matmul ins(%collapsed_26, %transposed_25 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%15 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%70 : tensor<32x128xf32>) outs(%17 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %73 = arith.truncf %in : f32 to bf16
      linalg.yield %73 : bf16
    } -> tensor<32x128xbf16>
    %expanded_27 = tensor.expand_shape %71 [[0, 1], [2]] output_shape [2, 16, 128] : tensor<32x128xbf16> into tensor<2x16x128xbf16>
    %72 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %expanded_27 : tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) outs(%10 : tensor<2x16x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %73 = arith.addf %in, %in_28 : bf16
      linalg.yield %73 : bf16
    } -> tensor<2x16x128xbf16>
    return %72 : tensor<2x16x128xbf16>
  }

  // Stands in for attention: any function of q, k and v that uses every element.
  func.func private @attention(%q: tensor<2x16x4x32xbf16>, %k: tensor<2x16x2x32xbf16>, %v: tensor<2x16x2x32xbf16>) -> tensor<2x16x4x32xbf16> {
    %grouped = tensor.expand_shape %q [[0], [1], [2, 3], [4]] output_shape [2, 16, 2, 2, 32] : tensor<2x16x4x32xbf16> into tensor<2x16x2x2x32xbf16>
    %0 = linalg.generic {indexing_maps = [affine_map<(b, s, g, i, h) -> (b, s, g, h)>, affine_map<(b, s, g, i, h) -> (b, s, g, h)>, affine_map<(b, s, g, i, h) -> (b, s, g, i, h)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k, %v : tensor<2x16x2x32xbf16>, tensor<2x16x2x32xbf16>) outs(%grouped : tensor<2x16x2x2x32xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %1 = arith.mulf %in, %out : bf16
      %2 = arith.addf %1, %in_0 : bf16
      linalg.yield %2 : bf16
    } -> tensor<2x16x2x2x32xbf16>
    %collapsed = tensor.collapse_shape %0 [[0], [1], [2, 3], [4]] : tensor<2x16x2x2x32xbf16> into tensor<2x16x4x32xbf16>
    return %collapsed : tensor<2x16x4x32xbf16>
  }
}
