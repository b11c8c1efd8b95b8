// A projection and a rotary embedding of adjacent columns, in bf16, as torch-mlir
// exports it (see test/Integration/export/activations.py), run in two forms and
// compared: x[..., 0::2] and x[..., 1::2] rotated and stacked, and rotate_every_two
// of Hugging Face's GPT-J.

// RUN: coda-runner %s --backend=cpu --compare --function=rope | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rope_gptj | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=tensor.concat --implicit-check-not=tensor.extract_slice
// RUN: coda-compile %s --emit=manifest -o %t.json
// RUN: %python %coda_src_root/test/launches.py %t.json | FileCheck %s --check-prefix=LAUNCHES

// CHECK: PASS

// FUSED-LABEL: func.func @rope(
// FUSED: coda.gemm
// FUSED: coda.unpair {{.*}} stride 1
// FUSED: coda.pair {{.*}} stride 1
// FUSED-LABEL: func.func @rope_gptj(
// FUSED: coda.gemm
// FUSED: coda.unpair {{.*}} stride 1
// FUSED: coda.pair {{.*}} stride 1

// LAUNCHES: rope: 1 products, 0 others, 0 copies
// The tables of GPT-J are repeated first.
// LAUNCHES: rope_gptj: 1 products, 1 others, 0 copies

func.func @rope(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<128x64xbf16>, %arg2: tensor<2x16x16xbf16>, %arg3: tensor<2x16x16xbf16>) -> tensor<2x16x4x32xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<64x128xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<128x64xbf16>) outs(%0 : tensor<64x128xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x128xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %4 = tensor.empty() : tensor<32x128xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %13 = arith.truncf %in : f32 to bf16
    linalg.yield %13 : bf16
  } -> tensor<32x128xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 0] [2, 16, 4, 16] [1, 1, 1, 2] : tensor<2x16x4x32xbf16> to tensor<2x16x4x16xbf16>
  %extracted_slice_0 = tensor.extract_slice %expanded[0, 0, 0, 1] [2, 16, 4, 16] [1, 1, 1, 2] : tensor<2x16x4x32xbf16> to tensor<2x16x4x16xbf16>
  %expanded_1 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [2, 16, 1, 16] : tensor<2x16x16xbf16> into tensor<2x16x1x16xbf16>
  %expanded_2 = tensor.expand_shape %arg3 [[0], [1], [2, 3]] output_shape [2, 16, 1, 16] : tensor<2x16x16xbf16> into tensor<2x16x1x16xbf16>
  %6 = tensor.empty() : tensor<2x16x4x16xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %expanded_1 : tensor<2x16x4x16xbf16>, tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.mulf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %expanded_2 : tensor<2x16x4x16xbf16>, tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.mulf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<2x16x4x16xbf16>, tensor<2x16x4x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.subf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %expanded_1 : tensor<2x16x4x16xbf16>, tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.mulf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %expanded_2 : tensor<2x16x4x16xbf16>, tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.mulf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %11 : tensor<2x16x4x16xbf16>, tensor<2x16x4x16xbf16>) outs(%6 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %13 = arith.addf %in, %in_6 : bf16
    linalg.yield %13 : bf16
  } -> tensor<2x16x4x16xbf16>
  %expanded_3 = tensor.expand_shape %9 [[0], [1], [2], [3, 4]] output_shape [2, 16, 4, 16, 1] : tensor<2x16x4x16xbf16> into tensor<2x16x4x16x1xbf16>
  %expanded_4 = tensor.expand_shape %12 [[0], [1], [2], [3, 4]] output_shape [2, 16, 4, 16, 1] : tensor<2x16x4x16xbf16> into tensor<2x16x4x16x1xbf16>
  %concat = tensor.concat dim(4) %expanded_3, %expanded_4 : (tensor<2x16x4x16x1xbf16>, tensor<2x16x4x16x1xbf16>) -> tensor<2x16x4x16x2xbf16>
  %collapsed_5 = tensor.collapse_shape %concat [[0], [1], [2], [3, 4]] : tensor<2x16x4x16x2xbf16> into tensor<2x16x4x32xbf16>
  return %collapsed_5 : tensor<2x16x4x32xbf16>
} 

func.func @rope_gptj(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<128x64xbf16>, %arg2: tensor<2x16x16xbf16>, %arg3: tensor<2x16x16xbf16>) -> tensor<2x16x4x32xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<64x128xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<128x64xbf16>) outs(%0 : tensor<64x128xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x128xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x128xbf16>) outs(%2 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %4 = tensor.empty() : tensor<32x128xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x128xf32>) outs(%4 : tensor<32x128xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %15 = arith.truncf %in : f32 to bf16
    linalg.yield %15 : bf16
  } -> tensor<32x128xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<32x128xbf16> into tensor<2x16x4x32xbf16>
  %6 = tensor.empty() : tensor<2x16x1x16x2xbf16>
  %expanded_0 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [2, 16, 1, 16] : tensor<2x16x16xbf16> into tensor<2x16x1x16xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_0 : tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x1x16x2xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<2x16x1x16x2xbf16>
  %collapsed_1 = tensor.collapse_shape %7 [[0], [1], [2], [3, 4]] : tensor<2x16x1x16x2xbf16> into tensor<2x16x1x32xbf16>
  %expanded_2 = tensor.expand_shape %arg3 [[0], [1], [2, 3]] output_shape [2, 16, 1, 16] : tensor<2x16x16xbf16> into tensor<2x16x1x16xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_2 : tensor<2x16x1x16xbf16>) outs(%6 : tensor<2x16x1x16x2xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<2x16x1x16x2xbf16>
  %collapsed_3 = tensor.collapse_shape %8 [[0], [1], [2], [3, 4]] : tensor<2x16x1x16x2xbf16> into tensor<2x16x1x32xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 1] [2, 16, 4, 16] [1, 1, 1, 2] : tensor<2x16x4x32xbf16> to tensor<2x16x4x16xbf16>
  %9 = tensor.empty() : tensor<2x16x4x16xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x16x4x16xbf16>) outs(%9 : tensor<2x16x4x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %15 = arith.negf %in : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x4x16xbf16>
  %extracted_slice_4 = tensor.extract_slice %expanded[0, 0, 0, 0] [2, 16, 4, 16] [1, 1, 1, 2] : tensor<2x16x4x32xbf16> to tensor<2x16x4x16xbf16>
  %expanded_5 = tensor.expand_shape %10 [[0], [1], [2], [3, 4]] output_shape [2, 16, 4, 16, 1] : tensor<2x16x4x16xbf16> into tensor<2x16x4x16x1xbf16>
  %expanded_6 = tensor.expand_shape %extracted_slice_4 [[0], [1], [2], [3, 4]] output_shape [2, 16, 4, 16, 1] : tensor<2x16x4x16xbf16> into tensor<2x16x4x16x1xbf16>
  %concat = tensor.concat dim(4) %expanded_5, %expanded_6 : (tensor<2x16x4x16x1xbf16>, tensor<2x16x4x16x1xbf16>) -> tensor<2x16x4x16x2xbf16>
  %collapsed_7 = tensor.collapse_shape %concat [[0], [1], [2], [3, 4]] : tensor<2x16x4x16x2xbf16> into tensor<2x16x4x32xbf16>
  %11 = tensor.empty() : tensor<2x16x4x32xbf16>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %collapsed_1 : tensor<2x16x4x32xbf16>, tensor<2x16x1x32xbf16>) outs(%11 : tensor<2x16x4x32xbf16>) {
  ^bb0(%in: bf16, %in_8: bf16, %out: bf16):
    %15 = arith.mulf %in, %in_8 : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x4x32xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_7, %collapsed_3 : tensor<2x16x4x32xbf16>, tensor<2x16x1x32xbf16>) outs(%11 : tensor<2x16x4x32xbf16>) {
  ^bb0(%in: bf16, %in_8: bf16, %out: bf16):
    %15 = arith.mulf %in, %in_8 : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x4x32xbf16>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %13 : tensor<2x16x4x32xbf16>, tensor<2x16x4x32xbf16>) outs(%11 : tensor<2x16x4x32xbf16>) {
  ^bb0(%in: bf16, %in_8: bf16, %out: bf16):
    %15 = arith.addf %in, %in_8 : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x4x32xbf16>
  return %14 : tensor<2x16x4x32xbf16>
} 

