// A projection quantised in groups of 128 columns, in bf16, as torch-mlir exports
// it (see test/Integration/export/quantize.py): the greatest absolute value of each
// group, and what is divided by it. Run in two forms and compared.

// RUN: coda-runner %s --backend=cpu --compare --function=q_int8 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=q_scales | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.
// RUN: coda-compile %s --emit=manifest -o %t.json
// RUN: %python %coda_src_root/test/launches.py %t.json | FileCheck %s --check-prefix=LAUNCHES

// CHECK: PASS

// FUSED-LABEL: func.func @q_int8(
// FUSED: coda.gemm
// FUSED: math.absf
// FUSED: coda.reduce max {{.*}} along columns in groups of 128
// FUSED: coda.repeat
// FUSED: math.roundeven
// FUSED-LABEL: func.func @q_scales(
// FUSED: coda.gemm
// FUSED: math.absf
// FUSED: coda.reduce max {{.*}} along columns in groups of 128

// LAUNCHES-COUNT-2: 1 products, 0 others, 0 copies

func.func @q_int8(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<384x64xbf16>) -> (tensor<2x16x384xi8>, tensor<2x16x3xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0_i64 = arith.constant 0 : i64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.000000e-04 : f64
  %cst_2 = arith.constant 1.270000e+02 : f32
  %0 = tensor.empty() : tensor<64x384xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<384x64xbf16>) outs(%0 : tensor<64x384xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x384xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x384xf32>) -> tensor<32x384xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x384xbf16>) outs(%2 : tensor<32x384xf32>) -> tensor<32x384xf32>
  %4 = tensor.empty() : tensor<32x384xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x384xf32>) outs(%4 : tensor<32x384xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %21 = arith.truncf %in : f32 to bf16
    linalg.yield %21 : bf16
  } -> tensor<32x384xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 16, 3, 128] : tensor<32x384xbf16> into tensor<2x16x3x128xbf16>
  %6 = tensor.empty() : tensor<2x16x3x128xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x3x128xbf16>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %21 = arith.extf %in : bf16 to f32
    linalg.yield %21 : f32
  } -> tensor<2x16x3x128xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x3x128xf32>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = math.absf %in : f32
    linalg.yield %21 : f32
  } -> tensor<2x16x3x128xf32>
  %9 = tensor.empty() : tensor<2x16x3xi64>
  %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x16x3xi64>) -> tensor<2x16x3xi64>
  %11 = tensor.empty() : tensor<2x16x3xf32>
  %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x16x3xf32>) -> tensor<2x16x3xf32>
  %13:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x16x3x128xf32>) outs(%12, %10 : tensor<2x16x3xf32>, tensor<2x16x3xi64>) {
  ^bb0(%in: f32, %out: f32, %out_6: i64):
    %21 = linalg.index 3 : index
    %22 = arith.index_cast %21 : index to i64
    %23 = arith.maximumf %in, %out : f32
    %24 = arith.cmpf ogt, %in, %out : f32
    %25 = arith.select %24, %22, %out_6 : i64
    linalg.yield %23, %25 : f32, i64
  } -> (tensor<2x16x3xf32>, tensor<2x16x3xi64>)
  %expanded_3 = tensor.expand_shape %13#0 [[0], [1], [2, 3]] output_shape [2, 16, 3, 1] : tensor<2x16x3xf32> into tensor<2x16x3x1xf32>
  %14 = tensor.empty() : tensor<2x16x3x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<2x16x3x1xf32>) outs(%14 : tensor<2x16x3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.truncf %cst_1 : f64 to f32
    %22 = arith.cmpf ult, %in, %21 : f32
    %23 = arith.select %22, %21, %in : f32
    linalg.yield %23 : f32
  } -> tensor<2x16x3x1xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x3x1xf32>) outs(%14 : tensor<2x16x3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.divf %in, %cst_2 : f32
    linalg.yield %21 : f32
  } -> tensor<2x16x3x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %16 : tensor<2x16x3x128xf32>, tensor<2x16x3x1xf32>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: f32, %in_6: f32, %out: f32):
    %21 = arith.divf %in, %in_6 : f32
    linalg.yield %21 : f32
  } -> tensor<2x16x3x128xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x3x128xf32>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = math.roundeven %in : f32
    linalg.yield %21 : f32
  } -> tensor<2x16x3x128xf32>
  %19 = tensor.empty() : tensor<2x16x3x128xi8>
  %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x16x3x128xf32>) outs(%19 : tensor<2x16x3x128xi8>) {
  ^bb0(%in: f32, %out: i8):
    %21 = arith.fptosi %in : f32 to i8
    linalg.yield %21 : i8
  } -> tensor<2x16x3x128xi8>
  %collapsed_4 = tensor.collapse_shape %20 [[0], [1], [2, 3]] : tensor<2x16x3x128xi8> into tensor<2x16x384xi8>
  %collapsed_5 = tensor.collapse_shape %16 [[0], [1], [2, 3]] : tensor<2x16x3x1xf32> into tensor<2x16x3xf32>
  return %collapsed_4, %collapsed_5 : tensor<2x16x384xi8>, tensor<2x16x3xf32>
} 

func.func @q_scales(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<384x64xbf16>) -> (tensor<2x16x384xbf16>, tensor<2x16x3xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0_i64 = arith.constant 0 : i64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.000000e-04 : f64
  %cst_2 = arith.constant 1.270000e+02 : f32
  %0 = tensor.empty() : tensor<64x384xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<384x64xbf16>) outs(%0 : tensor<64x384xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x384xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x384xf32>) -> tensor<32x384xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x384xbf16>) outs(%2 : tensor<32x384xf32>) -> tensor<32x384xf32>
  %4 = tensor.empty() : tensor<32x384xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x384xf32>) outs(%4 : tensor<32x384xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %17 = arith.truncf %in : f32 to bf16
    linalg.yield %17 : bf16
  } -> tensor<32x384xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 384] : tensor<32x384xbf16> into tensor<2x16x384xbf16>
  %expanded_3 = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 16, 3, 128] : tensor<32x384xbf16> into tensor<2x16x3x128xbf16>
  %6 = tensor.empty() : tensor<2x16x3x128xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<2x16x3x128xbf16>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %17 = arith.extf %in : bf16 to f32
    linalg.yield %17 : f32
  } -> tensor<2x16x3x128xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x3x128xf32>) outs(%6 : tensor<2x16x3x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %17 = math.absf %in : f32
    linalg.yield %17 : f32
  } -> tensor<2x16x3x128xf32>
  %9 = tensor.empty() : tensor<2x16x3xi64>
  %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x16x3xi64>) -> tensor<2x16x3xi64>
  %11 = tensor.empty() : tensor<2x16x3xf32>
  %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x16x3xf32>) -> tensor<2x16x3xf32>
  %13:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x16x3x128xf32>) outs(%12, %10 : tensor<2x16x3xf32>, tensor<2x16x3xi64>) {
  ^bb0(%in: f32, %out: f32, %out_6: i64):
    %17 = linalg.index 3 : index
    %18 = arith.index_cast %17 : index to i64
    %19 = arith.maximumf %in, %out : f32
    %20 = arith.cmpf ogt, %in, %out : f32
    %21 = arith.select %20, %18, %out_6 : i64
    linalg.yield %19, %21 : f32, i64
  } -> (tensor<2x16x3xf32>, tensor<2x16x3xi64>)
  %expanded_4 = tensor.expand_shape %13#0 [[0], [1], [2, 3]] output_shape [2, 16, 3, 1] : tensor<2x16x3xf32> into tensor<2x16x3x1xf32>
  %14 = tensor.empty() : tensor<2x16x3x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4 : tensor<2x16x3x1xf32>) outs(%14 : tensor<2x16x3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %17 = arith.truncf %cst_1 : f64 to f32
    %18 = arith.cmpf ult, %in, %17 : f32
    %19 = arith.select %18, %17, %in : f32
    linalg.yield %19 : f32
  } -> tensor<2x16x3x1xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x3x1xf32>) outs(%14 : tensor<2x16x3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %17 = arith.divf %in, %cst_2 : f32
    linalg.yield %17 : f32
  } -> tensor<2x16x3x1xf32>
  %collapsed_5 = tensor.collapse_shape %16 [[0], [1], [2, 3]] : tensor<2x16x3x1xf32> into tensor<2x16x3xf32>
  return %expanded, %collapsed_5 : tensor<2x16x384xbf16>, tensor<2x16x3xf32>
} 

