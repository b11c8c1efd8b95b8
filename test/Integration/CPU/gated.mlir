// Gated MLPs in bf16, up to the down projection, as torch-mlir exports them (see
// test/Integration/export/activations.py): from two projections of one input, and
// from the halves of one. Run in two forms and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=geglu | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=geglu_halves | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=geglu_tanh | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=geglu_tanh_halves | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=reglu | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=reglu_halves | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=swiglu_clamped | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.01 --function=swiglu_clamped_halves | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.
// RUN: coda-compile %s --emit=manifest -o %t.json
// RUN: %python %coda_src_root/test/launches.py %t.json | FileCheck %s --check-prefix=LAUNCHES

// CHECK: PASS

// One product with two right-hand sides each, and its own activation.
// FUSED-LABEL: func.func @geglu(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: math.erf
// FUSED-LABEL: func.func @geglu_halves(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: math.erf
// FUSED-LABEL: func.func @geglu_tanh(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: math.tanh
// FUSED-LABEL: func.func @geglu_tanh_halves(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: math.tanh
// A comparison that keeps NaN.
// FUSED-LABEL: func.func @reglu(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: arith.cmpf ugt
// FUSED-LABEL: func.func @reglu_halves(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED: arith.cmpf ugt
// All bounds, the factor of the sigmoid and the 1 that is added stay.
// FUSED-LABEL: func.func @swiglu_clamped(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED-DAG: arith.constant -7.000000e+00
// FUSED-DAG: arith.constant 7.000000e+00
// FUSED-DAG: arith.constant 1.702000e+00
// FUSED-DAG: arith.constant 1.000000e+00
// FUSED: arith.cmpf ugt
// FUSED: math.exp
// FUSED: arith.cmpf ult
// FUSED: arith.cmpf ugt
// FUSED-LABEL: func.func @swiglu_clamped_halves(
// FUSED: coda.gemm {{.*}} rhs(%{{.*}} [n, k] : tensor<96x64xbf16>, %{{.*}} [n, k] : tensor<96x64xbf16>)
// FUSED-DAG: arith.constant -7.000000e+00
// FUSED-DAG: arith.constant 7.000000e+00
// FUSED-DAG: arith.constant 1.702000e+00
// FUSED-DAG: arith.constant 1.000000e+00
// FUSED: arith.cmpf ugt
// FUSED: math.exp
// FUSED: arith.cmpf ult
// FUSED: arith.cmpf ugt

// LAUNCHES-COUNT-8: 1 products, 0 others, 0 copies

func.func @geglu(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<96x64xbf16>, %arg2: tensor<96x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : bf16
  %cst_1 = arith.constant 2.000000e+00 : bf16
  %cst_2 = arith.constant 5.000000e-01 : bf16
  %0 = tensor.empty() : tensor<64x96xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x96xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %4 = tensor.empty() : tensor<32x96xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %transposed_3 = linalg.transpose ins(%arg2 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %6 = linalg.matmul ins(%collapsed, %transposed_3 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded_4 = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %8 = tensor.empty() : tensor<2x16x96xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %11 = math.sqrt %cst_1 : bf16
    %12 = arith.divf %in, %11 : bf16
    %13 = math.erf %12 : bf16
    %14 = arith.addf %13, %cst_0 : bf16
    %15 = arith.mulf %14, %cst_2 : bf16
    %16 = arith.mulf %in, %15 : bf16
    linalg.yield %16 : bf16
  } -> tensor<2x16x96xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %expanded_4 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: bf16):
    %11 = arith.mulf %in, %in_5 : bf16
    linalg.yield %11 : bf16
  } -> tensor<2x16x96xbf16>
  return %10 : tensor<2x16x96xbf16>
} 

func.func @geglu_halves(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<192x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : bf16
  %cst_1 = arith.constant 2.000000e+00 : bf16
  %cst_2 = arith.constant 5.000000e-01 : bf16
  %0 = tensor.empty() : tensor<64x192xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<192x64xbf16>) outs(%0 : tensor<64x192xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x192xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x192xbf16>) outs(%2 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %4 = tensor.empty() : tensor<32x192xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x192xf32>) outs(%4 : tensor<32x192xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %9 = arith.truncf %in : f32 to bf16
    linalg.yield %9 : bf16
  } -> tensor<32x192xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 192] : tensor<32x192xbf16> into tensor<2x16x192xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %extracted_slice_3 = tensor.extract_slice %expanded[0, 0, 96] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %6 = tensor.empty() : tensor<2x16x96xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %9 = math.sqrt %cst_1 : bf16
    %10 = arith.divf %in, %9 : bf16
    %11 = math.erf %10 : bf16
    %12 = arith.addf %11, %cst_0 : bf16
    %13 = arith.mulf %12, %cst_2 : bf16
    %14 = arith.mulf %in, %13 : bf16
    linalg.yield %14 : bf16
  } -> tensor<2x16x96xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %extracted_slice_3 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
    %9 = arith.mulf %in, %in_4 : bf16
    linalg.yield %9 : bf16
  } -> tensor<2x16x96xbf16>
  return %8 : tensor<2x16x96xbf16>
} 

func.func @geglu_tanh(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<96x64xbf16>, %arg2: tensor<96x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %c3_i64 = arith.constant 3 : i64
  %cst_0 = arith.constant 4.467770e-02 : bf16
  %cst_1 = arith.constant 7.968750e-01 : bf16
  %cst_2 = arith.constant 1.000000e+00 : bf16
  %cst_3 = arith.constant 5.000000e-01 : bf16
  %0 = tensor.empty() : tensor<64x96xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x96xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %4 = tensor.empty() : tensor<32x96xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %transposed_4 = linalg.transpose ins(%arg2 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %6 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded_5 = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %8 = tensor.empty() : tensor<2x16x96xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %11 = math.fpowi %in, %c3_i64 : bf16, i64
    %12 = arith.mulf %11, %cst_0 : bf16
    %13 = arith.addf %in, %12 : bf16
    %14 = arith.mulf %13, %cst_1 : bf16
    %15 = math.tanh %14 : bf16
    %16 = arith.addf %15, %cst_2 : bf16
    %17 = arith.mulf %16, %cst_3 : bf16
    %18 = arith.mulf %in, %17 : bf16
    linalg.yield %18 : bf16
  } -> tensor<2x16x96xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %expanded_5 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %11 = arith.mulf %in, %in_6 : bf16
    linalg.yield %11 : bf16
  } -> tensor<2x16x96xbf16>
  return %10 : tensor<2x16x96xbf16>
} 

func.func @geglu_tanh_halves(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<192x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %c3_i64 = arith.constant 3 : i64
  %cst_0 = arith.constant 4.467770e-02 : bf16
  %cst_1 = arith.constant 7.968750e-01 : bf16
  %cst_2 = arith.constant 1.000000e+00 : bf16
  %cst_3 = arith.constant 5.000000e-01 : bf16
  %0 = tensor.empty() : tensor<64x192xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<192x64xbf16>) outs(%0 : tensor<64x192xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x192xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x192xbf16>) outs(%2 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %4 = tensor.empty() : tensor<32x192xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x192xf32>) outs(%4 : tensor<32x192xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %9 = arith.truncf %in : f32 to bf16
    linalg.yield %9 : bf16
  } -> tensor<32x192xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 192] : tensor<32x192xbf16> into tensor<2x16x192xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %extracted_slice_4 = tensor.extract_slice %expanded[0, 0, 96] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %6 = tensor.empty() : tensor<2x16x96xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %9 = math.fpowi %in, %c3_i64 : bf16, i64
    %10 = arith.mulf %9, %cst_0 : bf16
    %11 = arith.addf %in, %10 : bf16
    %12 = arith.mulf %11, %cst_1 : bf16
    %13 = math.tanh %12 : bf16
    %14 = arith.addf %13, %cst_2 : bf16
    %15 = arith.mulf %14, %cst_3 : bf16
    %16 = arith.mulf %in, %15 : bf16
    linalg.yield %16 : bf16
  } -> tensor<2x16x96xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %extracted_slice_4 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: bf16):
    %9 = arith.mulf %in, %in_5 : bf16
    linalg.yield %9 : bf16
  } -> tensor<2x16x96xbf16>
  return %8 : tensor<2x16x96xbf16>
} 

func.func @reglu(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<96x64xbf16>, %arg2: tensor<96x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0.000000e+00 : bf16
  %0 = tensor.empty() : tensor<64x96xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x96xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %4 = tensor.empty() : tensor<32x96xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %transposed_1 = linalg.transpose ins(%arg2 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %6 = linalg.matmul ins(%collapsed, %transposed_1 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %11 = arith.truncf %in : f32 to bf16
    linalg.yield %11 : bf16
  } -> tensor<32x96xbf16>
  %expanded_2 = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %8 = tensor.empty() : tensor<2x16x96xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %11 = arith.cmpf ugt, %in, %cst_0 : bf16
    %12 = arith.select %11, %in, %cst_0 : bf16
    linalg.yield %12 : bf16
  } -> tensor<2x16x96xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %expanded_2 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
    %11 = arith.mulf %in, %in_3 : bf16
    linalg.yield %11 : bf16
  } -> tensor<2x16x96xbf16>
  return %10 : tensor<2x16x96xbf16>
} 

func.func @reglu_halves(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<192x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0.000000e+00 : bf16
  %0 = tensor.empty() : tensor<64x192xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<192x64xbf16>) outs(%0 : tensor<64x192xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x192xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x192xbf16>) outs(%2 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %4 = tensor.empty() : tensor<32x192xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x192xf32>) outs(%4 : tensor<32x192xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %9 = arith.truncf %in : f32 to bf16
    linalg.yield %9 : bf16
  } -> tensor<32x192xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 192] : tensor<32x192xbf16> into tensor<2x16x192xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %extracted_slice_1 = tensor.extract_slice %expanded[0, 0, 96] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %6 = tensor.empty() : tensor<2x16x96xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %9 = arith.cmpf ugt, %in, %cst_0 : bf16
    %10 = arith.select %9, %in, %cst_0 : bf16
    linalg.yield %10 : bf16
  } -> tensor<2x16x96xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %extracted_slice_1 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: bf16):
    %9 = arith.mulf %in, %in_2 : bf16
    linalg.yield %9 : bf16
  } -> tensor<2x16x96xbf16>
  return %8 : tensor<2x16x96xbf16>
} 

func.func @swiglu_clamped(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<96x64xbf16>, %arg2: tensor<96x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : bf16
  %cst_1 = arith.constant 1.702000e+00 : f64
  %cst_2 = arith.constant 7.000000e+00 : bf16
  %cst_3 = arith.constant -7.000000e+00 : bf16
  %0 = tensor.empty() : tensor<64x96xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x96xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %4 = tensor.empty() : tensor<32x96xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %16 = arith.truncf %in : f32 to bf16
    linalg.yield %16 : bf16
  } -> tensor<32x96xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %transposed_4 = linalg.transpose ins(%arg2 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0] 
  %6 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x96xf32>) outs(%4 : tensor<32x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %16 = arith.truncf %in : f32 to bf16
    linalg.yield %16 : bf16
  } -> tensor<32x96xbf16>
  %expanded_5 = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, 16, 96] : tensor<32x96xbf16> into tensor<2x16x96xbf16>
  %8 = tensor.empty() : tensor<2x16x96xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %16 = arith.cmpf ugt, %in, %cst_2 : bf16
    %17 = arith.select %16, %cst_2, %in : bf16
    linalg.yield %17 : bf16
  } -> tensor<2x16x96xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %16 = arith.cmpf ult, %in, %cst_3 : bf16
    %17 = arith.select %16, %cst_3, %in : bf16
    %18 = arith.cmpf ugt, %17, %cst_2 : bf16
    %19 = arith.select %18, %cst_2, %17 : bf16
    linalg.yield %19 : bf16
  } -> tensor<2x16x96xbf16>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %16 = arith.addf %in, %cst_0 : bf16
    linalg.yield %16 : bf16
  } -> tensor<2x16x96xbf16>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %16 = arith.truncf %cst_1 : f64 to bf16
    %17 = arith.mulf %in, %16 : bf16
    linalg.yield %17 : bf16
  } -> tensor<2x16x96xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %16 = arith.negf %in : bf16
    %17 = math.exp %16 : bf16
    %18 = arith.addf %17, %cst_0 : bf16
    %19 = arith.divf %cst_0, %18 : bf16
    linalg.yield %19 : bf16
  } -> tensor<2x16x96xbf16>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %13 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %16 = arith.mulf %in, %in_6 : bf16
    linalg.yield %16 : bf16
  } -> tensor<2x16x96xbf16>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %14 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%8 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
    %16 = arith.mulf %in, %in_6 : bf16
    linalg.yield %16 : bf16
  } -> tensor<2x16x96xbf16>
  return %15 : tensor<2x16x96xbf16>
} 

func.func @swiglu_clamped_halves(%arg0: tensor<2x16x64xbf16>, %arg1: tensor<192x64xbf16>) -> tensor<2x16x96xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : bf16
  %cst_1 = arith.constant 1.702000e+00 : f64
  %cst_2 = arith.constant 7.000000e+00 : bf16
  %cst_3 = arith.constant -7.000000e+00 : bf16
  %0 = tensor.empty() : tensor<64x192xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<192x64xbf16>) outs(%0 : tensor<64x192xbf16>) permutation = [1, 0] 
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
  %1 = tensor.empty() : tensor<32x192xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<32x64xbf16>, tensor<64x192xbf16>) outs(%2 : tensor<32x192xf32>) -> tensor<32x192xf32>
  %4 = tensor.empty() : tensor<32x192xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x192xf32>) outs(%4 : tensor<32x192xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %14 = arith.truncf %in : f32 to bf16
    linalg.yield %14 : bf16
  } -> tensor<32x192xbf16>
  %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 16, 192] : tensor<32x192xbf16> into tensor<2x16x192xbf16>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %extracted_slice_4 = tensor.extract_slice %expanded[0, 0, 96] [2, 16, 96] [1, 1, 1] : tensor<2x16x192xbf16> to tensor<2x16x96xbf16>
  %6 = tensor.empty() : tensor<2x16x96xbf16>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %14 = arith.cmpf ugt, %in, %cst_2 : bf16
    %15 = arith.select %14, %cst_2, %in : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x96xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_4 : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %14 = arith.cmpf ult, %in, %cst_3 : bf16
    %15 = arith.select %14, %cst_3, %in : bf16
    %16 = arith.cmpf ugt, %15, %cst_2 : bf16
    %17 = arith.select %16, %cst_2, %15 : bf16
    linalg.yield %17 : bf16
  } -> tensor<2x16x96xbf16>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %14 = arith.addf %in, %cst_0 : bf16
    linalg.yield %14 : bf16
  } -> tensor<2x16x96xbf16>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %14 = arith.truncf %cst_1 : f64 to bf16
    %15 = arith.mulf %in, %14 : bf16
    linalg.yield %15 : bf16
  } -> tensor<2x16x96xbf16>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %14 = arith.negf %in : bf16
    %15 = math.exp %14 : bf16
    %16 = arith.addf %15, %cst_0 : bf16
    %17 = arith.divf %cst_0, %16 : bf16
    linalg.yield %17 : bf16
  } -> tensor<2x16x96xbf16>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: bf16):
    %14 = arith.mulf %in, %in_5 : bf16
    linalg.yield %14 : bf16
  } -> tensor<2x16x96xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %12 : tensor<2x16x96xbf16>, tensor<2x16x96xbf16>) outs(%6 : tensor<2x16x96xbf16>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: bf16):
    %14 = arith.mulf %in, %in_5 : bf16
    linalg.yield %14 : bf16
  } -> tensor<2x16x96xbf16>
  return %13 : tensor<2x16x96xbf16>
} 

