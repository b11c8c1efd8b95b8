// The q, k and v projections of a Qwen3 block, in bf16: QK-norm, then RoPE, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/qwen3.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=7 | FileCheck %s

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

#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x?x128xbf16>, %arg1: tensor<2x?x32xbf16>, %arg2: tensor<2x?x32xbf16>, %arg3: tensor<128x128xbf16>, %arg4: tensor<64x128xbf16>, %arg5: tensor<64x128xbf16>, %arg6: tensor<32xbf16>, %arg7: tensor<32xbf16>) -> (tensor<2x?x4x32xbf16>, tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>) {
    %c32_i64 = arith.constant 32 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %c256_i64 = arith.constant 256 : i64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %c128_i64 = arith.constant 128 : i64
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x128xbf16>
    %0 = arith.index_cast %dim : index to i64
    %1 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg3 : tensor<128x128xbf16>) outs(%1 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %2 = affine.apply #map()[%dim]
    %3 = tensor.empty(%2) : tensor<?x128xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %5 = linalg.matmul ins(%collapsed, %transposed : tensor<?x128xbf16>, tensor<128x128xbf16>) outs(%4 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %6 = tensor.empty(%2) : tensor<?x128xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x128xf32>) outs(%6 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<?x128xbf16>
    %8 = arith.divsi %2, %c2 : index
    %expanded = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, %8, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %9 = arith.muli %0, %c2_i64 : i64
    %10 = arith.cmpi slt, %0, %c0_i64 : i64
    %11 = arith.select %10, %c2_i64, %9 : i64
    %12 = arith.extui %10 : i1 to i64
    %13 = arith.addi %12, %c1_i64 : i64
    %14 = arith.muli %11, %c32_i64 : i64
    %15 = arith.cmpi sle, %13, %c1_i64 : i64
    cf.assert %15, "must have at most one inferred (negative) dimension"
    %16 = arith.index_cast %8 : index to i64
    %17 = arith.muli %16, %c256_i64 : i64
    %18 = arith.divsi %17, %14 : i64
    %19 = arith.select %10, %18, %0 : i64
    %from_elements = tensor.from_elements %c2_i64, %19, %18, %c32_i64 : tensor<4xi64>
    %reshape = tensor.reshape %expanded(%from_elements) : (tensor<2x?x128xbf16>, tensor<4xi64>) -> tensor<2x?x4x32xbf16>
    %20 = arith.index_cast %19 : i64 to index
    %21 = tensor.empty(%20) : tensor<2x?x4x32xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape : tensor<2x?x4x32xbf16>) outs(%21 : tensor<2x?x4x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %79 = arith.extf %in : bf16 to f32
      linalg.yield %79 : f32
    } -> tensor<2x?x4x32xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x?x4x32xf32>) outs(%21 : tensor<2x?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %79 : f32
    } -> tensor<2x?x4x32xf32>
    %24 = tensor.empty(%20) : tensor<2x?x4x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<2x?x4x1xf32>) -> tensor<2x?x4x1xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x?x4x32xf32>) outs(%25 : tensor<2x?x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.addf %in, %out : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x4x1xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x?x4x1xf32>) outs(%24 : tensor<2x?x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.divf %in, %cst_1 : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x4x1xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x?x4x1xf32>) outs(%24 : tensor<2x?x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.truncf %cst_0 : f64 to f32
      %80 = arith.addf %in, %79 : f32
      linalg.yield %80 : f32
    } -> tensor<2x?x4x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x?x4x1xf32>) outs(%24 : tensor<2x?x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.rsqrt %in : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x4x1xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %29 : tensor<2x?x4x32xf32>, tensor<2x?x4x1xf32>) outs(%21 : tensor<2x?x4x32xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %79 = arith.mulf %in, %in_23 : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x4x32xf32>
    %31 = tensor.empty(%20) : tensor<2x?x4x32xbf16>
    %32 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x?x4x32xf32>) outs(%31 : tensor<2x?x4x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<2x?x4x32xbf16>
    %33 = linalg.generic {indexing_maps = [#map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg6, %32 : tensor<32xbf16>, tensor<2x?x4x32xbf16>) outs(%31 : tensor<2x?x4x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x?x4x32xbf16>
    %34 = tensor.empty(%20) : tensor<2x4x?x32xbf16>
    %transposed_2 = linalg.transpose ins(%33 : tensor<2x?x4x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) permutation = [0, 2, 1, 3]
    %35 = tensor.empty() : tensor<128x64xbf16>
    %transposed_3 = linalg.transpose ins(%arg4 : tensor<64x128xbf16>) outs(%35 : tensor<128x64xbf16>) permutation = [1, 0]
    %36 = tensor.empty(%2) : tensor<?x64xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %38 = linalg.matmul ins(%collapsed, %transposed_3 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%37 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %39 = tensor.empty(%2) : tensor<?x64xbf16>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<?x64xf32>) outs(%39 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<?x64xbf16>
    %expanded_4 = tensor.expand_shape %40 [[0, 1], [2]] output_shape [2, %8, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %15, "must have at most one inferred (negative) dimension"
    %41 = arith.muli %16, %c128_i64 : i64
    %42 = arith.divsi %41, %14 : i64
    %43 = arith.select %10, %42, %0 : i64
    %from_elements_5 = tensor.from_elements %c2_i64, %43, %42, %c32_i64 : tensor<4xi64>
    %reshape_6 = tensor.reshape %expanded_4(%from_elements_5) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %44 = arith.index_cast %43 : i64 to index
    %45 = tensor.empty(%44) : tensor<2x?x2x32xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_6 : tensor<2x?x2x32xbf16>) outs(%45 : tensor<2x?x2x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %79 = arith.extf %in : bf16 to f32
      linalg.yield %79 : f32
    } -> tensor<2x?x2x32xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x?x2x32xf32>) outs(%45 : tensor<2x?x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %79 : f32
    } -> tensor<2x?x2x32xf32>
    %48 = tensor.empty(%44) : tensor<2x?x2x1xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<2x?x2x1xf32>) -> tensor<2x?x2x1xf32>
    %50 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<2x?x2x32xf32>) outs(%49 : tensor<2x?x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.addf %in, %out : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x2x1xf32>
    %51 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x?x2x1xf32>) outs(%48 : tensor<2x?x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.divf %in, %cst_1 : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x2x1xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x?x2x1xf32>) outs(%48 : tensor<2x?x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = arith.truncf %cst_0 : f64 to f32
      %80 = arith.addf %in, %79 : f32
      linalg.yield %80 : f32
    } -> tensor<2x?x2x1xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<2x?x2x1xf32>) outs(%48 : tensor<2x?x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.rsqrt %in : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x2x1xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %53 : tensor<2x?x2x32xf32>, tensor<2x?x2x1xf32>) outs(%45 : tensor<2x?x2x32xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %79 = arith.mulf %in, %in_23 : f32
      linalg.yield %79 : f32
    } -> tensor<2x?x2x32xf32>
    %55 = tensor.empty(%44) : tensor<2x?x2x32xbf16>
    %56 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<2x?x2x32xf32>) outs(%55 : tensor<2x?x2x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<2x?x2x32xbf16>
    %57 = linalg.generic {indexing_maps = [#map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg7, %56 : tensor<32xbf16>, tensor<2x?x2x32xbf16>) outs(%55 : tensor<2x?x2x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x?x2x32xbf16>
    %58 = tensor.empty(%44) : tensor<2x2x?x32xbf16>
    %transposed_7 = linalg.transpose ins(%57 : tensor<2x?x2x32xbf16>) outs(%58 : tensor<2x2x?x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_8 = linalg.transpose ins(%arg5 : tensor<64x128xbf16>) outs(%35 : tensor<128x64xbf16>) permutation = [1, 0]
    %59 = linalg.matmul ins(%collapsed, %transposed_8 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%37 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%59 : tensor<?x64xf32>) outs(%39 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<?x64xbf16>
    %expanded_9 = tensor.expand_shape %60 [[0, 1], [2]] output_shape [2, %8, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %15, "must have at most one inferred (negative) dimension"
    %reshape_10 = tensor.reshape %expanded_9(%from_elements_5) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %dim_11 = tensor.dim %arg1, %c1 : tensor<2x?x32xbf16>
    %expanded_12 = tensor.expand_shape %arg1 [[0], [1, 2], [3]] output_shape [2, 1, %dim_11, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %dim_13 = tensor.dim %arg2, %c1 : tensor<2x?x32xbf16>
    %expanded_14 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, %dim_13, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %61 = arith.cmpi eq, %20, %dim_11 : index
    cf.assert %61, "mismatched size for broadcast"
    %62 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_2, %expanded_12 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x4x?x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_2[0, 0, 0, 0] [2, 4, %20, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %extracted_slice_15 = tensor.extract_slice %transposed_2[0, 0, 0, 16] [2, 4, %20, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %63 = tensor.empty(%20) : tensor<2x4x?x16xbf16>
    %64 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<2x4x?x16xbf16>) outs(%63 : tensor<2x4x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %79 = arith.negf %in : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x4x?x16xbf16>
    %concat = tensor.concat dim(3) %64, %extracted_slice : (tensor<2x4x?x16xbf16>, tensor<2x4x?x16xbf16>) -> tensor<2x4x?x32xbf16>
    %dim_16 = tensor.dim %64, %c2 : tensor<2x4x?x16xbf16>
    %65 = arith.cmpi eq, %dim_16, %dim_13 : index
    cf.assert %65, "mismatched size for broadcast"
    %66 = tensor.empty(%dim_16) : tensor<2x4x?x32xbf16>
    %67 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_14 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%66 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x4x?x32xbf16>
    %68 = arith.cmpi eq, %20, %dim_16 : index
    cf.assert %68, "mismatched size for broadcast"
    %69 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %67 : tensor<2x4x?x32xbf16>, tensor<2x4x?x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.addf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x4x?x32xbf16>
    %70 = arith.cmpi eq, %44, %dim_11 : index
    cf.assert %70, "mismatched size for broadcast"
    %71 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_7, %expanded_12 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%58 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x2x?x32xbf16>
    %extracted_slice_17 = tensor.extract_slice %transposed_7[0, 0, 0, 0] [2, 2, %44, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %extracted_slice_18 = tensor.extract_slice %transposed_7[0, 0, 0, 16] [2, 2, %44, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %72 = tensor.empty(%44) : tensor<2x2x?x16xbf16>
    %73 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_18 : tensor<2x2x?x16xbf16>) outs(%72 : tensor<2x2x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %79 = arith.negf %in : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x2x?x16xbf16>
    %concat_19 = tensor.concat dim(3) %73, %extracted_slice_17 : (tensor<2x2x?x16xbf16>, tensor<2x2x?x16xbf16>) -> tensor<2x2x?x32xbf16>
    %dim_20 = tensor.dim %73, %c2 : tensor<2x2x?x16xbf16>
    %74 = arith.cmpi eq, %dim_20, %dim_13 : index
    cf.assert %74, "mismatched size for broadcast"
    %75 = tensor.empty(%dim_20) : tensor<2x2x?x32xbf16>
    %76 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_19, %expanded_14 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%75 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x2x?x32xbf16>
    %77 = arith.cmpi eq, %44, %dim_20 : index
    cf.assert %77, "mismatched size for broadcast"
    %78 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %76 : tensor<2x2x?x32xbf16>, tensor<2x2x?x32xbf16>) outs(%58 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %79 = arith.addf %in, %in_23 : bf16
      linalg.yield %79 : bf16
    } -> tensor<2x2x?x32xbf16>
    %transposed_21 = linalg.transpose ins(%69 : tensor<2x4x?x32xbf16>) outs(%31 : tensor<2x?x4x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_22 = linalg.transpose ins(%78 : tensor<2x2x?x32xbf16>) outs(%55 : tensor<2x?x2x32xbf16>) permutation = [0, 2, 1, 3]
    return %transposed_21, %transposed_22, %reshape_10 : tensor<2x?x4x32xbf16>, tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>
  }
}

