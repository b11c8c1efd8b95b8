// A transformer MLP with SwiGLU, in bf16, as torch-mlir exports it (see
// test/Integration/export/mlp.py), run in two forms and compared.

// RUN: coda-runner %s --compare --backend=cpu | FileCheck %s
// RUN: coda-runner --backend=cpu %s \
// RUN:   --compare-pipeline='builtin.module(linalg-generalize-named-ops,linalg-fuse-elementwise-ops)' \
// RUN:   | FileCheck %s

// Two launches: gate and up in one product with two right-hand sides, and down.
// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.
// FUSED: coda.gemm {{.*}} rhs(%arg1 [n, k] : {{.*}}, %arg2 [n, k]
// FUSED: coda.gemm

// CHECK: compare result #0: tensor<2x32x256xbf16> {{.*}} ok
// CHECK-NEXT: PASS

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @mlp(%arg0: tensor<2x32x256xbf16>, %arg1: tensor<512x256xbf16>, %arg2: tensor<512x256xbf16>, %arg3: tensor<256x512xbf16>) -> tensor<2x32x256xbf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<256x512xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<512x256xbf16>) outs(%0 : tensor<256x512xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x32x256xbf16> into tensor<64x256xbf16>
    %1 = tensor.empty() : tensor<64x512xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<64x512xf32>) -> tensor<64x512xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<64x256xbf16>, tensor<256x512xbf16>) outs(%2 : tensor<64x512xf32>) -> tensor<64x512xf32>
    %4 = tensor.empty() : tensor<64x512xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<64x512xf32>) outs(%4 : tensor<64x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %23 = arith.truncf %in : f32 to bf16
      linalg.yield %23 : bf16
    } -> tensor<64x512xbf16>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 32, 512] : tensor<64x512xbf16> into tensor<2x32x512xbf16>
    %6 = tensor.empty() : tensor<2x32x512xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x32x512xbf16>) outs(%6 : tensor<2x32x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %23 = arith.extf %in : bf16 to f32
      linalg.yield %23 : f32
    } -> tensor<2x32x512xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x32x512xf32>) outs(%6 : tensor<2x32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.negf %in : f32
      %24 = math.exp %23 : f32
      %25 = arith.addf %24, %cst_0 : f32
      %26 = arith.divf %cst_0, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<2x32x512xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<2x32x512xf32>, tensor<2x32x512xf32>) outs(%6 : tensor<2x32x512xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %23 = arith.mulf %in, %in_6 : f32
      linalg.yield %23 : f32
    } -> tensor<2x32x512xf32>
    %10 = tensor.empty() : tensor<2x32x512xbf16>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x32x512xf32>) outs(%10 : tensor<2x32x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %23 = arith.truncf %in : f32 to bf16
      linalg.yield %23 : bf16
    } -> tensor<2x32x512xbf16>
    %transposed_1 = linalg.transpose ins(%arg2 : tensor<512x256xbf16>) outs(%0 : tensor<256x512xbf16>) permutation = [1, 0]
    %12 = linalg.matmul ins(%collapsed, %transposed_1 : tensor<64x256xbf16>, tensor<256x512xbf16>) outs(%2 : tensor<64x512xf32>) -> tensor<64x512xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<64x512xf32>) outs(%4 : tensor<64x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %23 = arith.truncf %in : f32 to bf16
      linalg.yield %23 : bf16
    } -> tensor<64x512xbf16>
    %expanded_2 = tensor.expand_shape %13 [[0, 1], [2]] output_shape [2, 32, 512] : tensor<64x512xbf16> into tensor<2x32x512xbf16>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %expanded_2 : tensor<2x32x512xbf16>, tensor<2x32x512xbf16>) outs(%10 : tensor<2x32x512xbf16>) {
    ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
      %23 = arith.mulf %in, %in_6 : bf16
      linalg.yield %23 : bf16
    } -> tensor<2x32x512xbf16>
    %15 = tensor.empty() : tensor<512x256xbf16>
    %transposed_3 = linalg.transpose ins(%arg3 : tensor<256x512xbf16>) outs(%15 : tensor<512x256xbf16>) permutation = [1, 0]
    %collapsed_4 = tensor.collapse_shape %14 [[0, 1], [2]] : tensor<2x32x512xbf16> into tensor<64x512xbf16>
    %16 = tensor.empty() : tensor<64x256xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %18 = linalg.matmul ins(%collapsed_4, %transposed_3 : tensor<64x512xbf16>, tensor<512x256xbf16>) outs(%17 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %19 = tensor.empty() : tensor<64x256xbf16>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<64x256xf32>) outs(%19 : tensor<64x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %23 = arith.truncf %in : f32 to bf16
      linalg.yield %23 : bf16
    } -> tensor<64x256xbf16>
    %expanded_5 = tensor.expand_shape %20 [[0, 1], [2]] output_shape [2, 32, 256] : tensor<64x256xbf16> into tensor<2x32x256xbf16>
    %21 = tensor.empty() : tensor<2x32x256xbf16>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_5 : tensor<2x32x256xbf16>, tensor<2x32x256xbf16>) outs(%21 : tensor<2x32x256xbf16>) {
    ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
      %23 = arith.addf %in, %in_6 : bf16
      linalg.yield %23 : bf16
    } -> tensor<2x32x256xbf16>
    return %22 : tensor<2x32x256xbf16>
  }
}
