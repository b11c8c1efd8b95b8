// A Llama block in bf16, with attention as a call, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/llama.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=7 | FileCheck %s

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
#map3 = affine_map<()[s0] -> (s0 * 2)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x?x128xbf16>, %arg1: tensor<2x?x32xbf16>, %arg2: tensor<2x?x32xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<128x128xbf16>, %arg5: tensor<64x128xbf16>, %arg6: tensor<64x128xbf16>, %arg7: tensor<128x128xbf16>, %arg8: tensor<128xbf16>, %arg9: tensor<256x128xbf16>, %arg10: tensor<256x128xbf16>, %arg11: tensor<128x256xbf16>) -> tensor<2x?x128xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c32_i64 = arith.constant 32 : i64
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.280000e+02 : f32
    %c256_i64 = arith.constant 256 : i64
    %c128_i64 = arith.constant 128 : i64
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x128xbf16>
    %0 = arith.index_cast %dim : index to i64
    %1 = tensor.empty(%dim) : tensor<2x?x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x?x128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x?x128xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %4 = tensor.empty(%dim) : tensor<2x?x1xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<2x?x128xf32>) outs(%5 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.addf %in, %out : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.divf %in, %cst_2 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.truncf %cst_1 : f64 to f32
      %118 = arith.addf %in, %117 : f32
      linalg.yield %118 : f32
    } -> tensor<2x?x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.rsqrt %in : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %9 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %117 = arith.mulf %in, %in_38 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %11 = tensor.empty(%dim) : tensor<2x?x128xbf16>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x?x128xf32>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    %13 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %12 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    %14 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<128x128xbf16>) outs(%14 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %15 = affine.apply #map3()[%dim]
    %16 = tensor.empty(%15) : tensor<?x128xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %18 = linalg.matmul ins(%collapsed, %transposed : tensor<?x128xbf16>, tensor<128x128xbf16>) outs(%17 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %19 = tensor.empty(%15) : tensor<?x128xbf16>
    %20 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<?x128xf32>) outs(%19 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x128xbf16>
    %21 = arith.divsi %15, %c2 : index
    %expanded = tensor.expand_shape %20 [[0, 1], [2]] output_shape [2, %21, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %22 = arith.muli %0, %c2_i64 : i64
    %23 = arith.cmpi slt, %0, %c0_i64 : i64
    %24 = arith.select %23, %c2_i64, %22 : i64
    %25 = arith.extui %23 : i1 to i64
    %26 = arith.addi %25, %c1_i64 : i64
    %27 = arith.muli %24, %c32_i64 : i64
    %28 = arith.cmpi sle, %26, %c1_i64 : i64
    cf.assert %28, "must have at most one inferred (negative) dimension"
    %29 = arith.index_cast %21 : index to i64
    %30 = arith.muli %29, %c256_i64 : i64
    %31 = arith.divsi %30, %27 : i64
    %32 = arith.select %23, %31, %0 : i64
    %from_elements = tensor.from_elements %c2_i64, %32, %31, %c32_i64 : tensor<4xi64>
    %reshape = tensor.reshape %expanded(%from_elements) : (tensor<2x?x128xbf16>, tensor<4xi64>) -> tensor<2x?x4x32xbf16>
    %33 = arith.index_cast %32 : i64 to index
    %34 = tensor.empty(%33) : tensor<2x4x?x32xbf16>
    %transposed_3 = linalg.transpose ins(%reshape : tensor<2x?x4x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) permutation = [0, 2, 1, 3]
    %35 = tensor.empty() : tensor<128x64xbf16>
    %transposed_4 = linalg.transpose ins(%arg5 : tensor<64x128xbf16>) outs(%35 : tensor<128x64xbf16>) permutation = [1, 0]
    %36 = tensor.empty(%15) : tensor<?x64xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %38 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%37 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %39 = tensor.empty(%15) : tensor<?x64xbf16>
    %40 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<?x64xf32>) outs(%39 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x64xbf16>
    %expanded_5 = tensor.expand_shape %40 [[0, 1], [2]] output_shape [2, %21, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %28, "must have at most one inferred (negative) dimension"
    %41 = arith.muli %29, %c128_i64 : i64
    %42 = arith.divsi %41, %27 : i64
    %43 = arith.select %23, %42, %0 : i64
    %from_elements_6 = tensor.from_elements %c2_i64, %43, %42, %c32_i64 : tensor<4xi64>
    %reshape_7 = tensor.reshape %expanded_5(%from_elements_6) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %44 = arith.index_cast %43 : i64 to index
    %45 = tensor.empty(%44) : tensor<2x2x?x32xbf16>
    %transposed_8 = linalg.transpose ins(%reshape_7 : tensor<2x?x2x32xbf16>) outs(%45 : tensor<2x2x?x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_9 = linalg.transpose ins(%arg6 : tensor<64x128xbf16>) outs(%35 : tensor<128x64xbf16>) permutation = [1, 0]
    %46 = linalg.matmul ins(%collapsed, %transposed_9 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%37 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %47 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%46 : tensor<?x64xf32>) outs(%39 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x64xbf16>
    %expanded_10 = tensor.expand_shape %47 [[0, 1], [2]] output_shape [2, %21, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %28, "must have at most one inferred (negative) dimension"
    %reshape_11 = tensor.reshape %expanded_10(%from_elements_6) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %dim_12 = tensor.dim %arg1, %c1 : tensor<2x?x32xbf16>
    %expanded_13 = tensor.expand_shape %arg1 [[0], [1, 2], [3]] output_shape [2, 1, %dim_12, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %dim_14 = tensor.dim %arg2, %c1 : tensor<2x?x32xbf16>
    %expanded_15 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, %dim_14, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %48 = arith.cmpi eq, %33, %dim_12 : index
    cf.assert %48, "mismatched size for broadcast"
    %49 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_3, %expanded_13 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x?x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_3[0, 0, 0, 0] [2, 4, %33, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %extracted_slice_16 = tensor.extract_slice %transposed_3[0, 0, 0, 16] [2, 4, %33, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %50 = tensor.empty(%33) : tensor<2x4x?x16xbf16>
    %51 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_16 : tensor<2x4x?x16xbf16>) outs(%50 : tensor<2x4x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %117 = arith.negf %in : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x?x16xbf16>
    %concat = tensor.concat dim(3) %51, %extracted_slice : (tensor<2x4x?x16xbf16>, tensor<2x4x?x16xbf16>) -> tensor<2x4x?x32xbf16>
    %dim_17 = tensor.dim %51, %c2 : tensor<2x4x?x16xbf16>
    %52 = arith.cmpi eq, %dim_17, %dim_14 : index
    cf.assert %52, "mismatched size for broadcast"
    %53 = tensor.empty(%dim_17) : tensor<2x4x?x32xbf16>
    %54 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_15 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%53 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x?x32xbf16>
    %55 = arith.cmpi eq, %33, %dim_17 : index
    cf.assert %55, "mismatched size for broadcast"
    %56 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %54 : tensor<2x4x?x32xbf16>, tensor<2x4x?x32xbf16>) outs(%34 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.addf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x?x32xbf16>
    %57 = arith.cmpi eq, %44, %dim_12 : index
    cf.assert %57, "mismatched size for broadcast"
    %58 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8, %expanded_13 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%45 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x?x32xbf16>
    %extracted_slice_18 = tensor.extract_slice %transposed_8[0, 0, 0, 0] [2, 2, %44, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %extracted_slice_19 = tensor.extract_slice %transposed_8[0, 0, 0, 16] [2, 2, %44, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %59 = tensor.empty(%44) : tensor<2x2x?x16xbf16>
    %60 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_19 : tensor<2x2x?x16xbf16>) outs(%59 : tensor<2x2x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %117 = arith.negf %in : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x?x16xbf16>
    %concat_20 = tensor.concat dim(3) %60, %extracted_slice_18 : (tensor<2x2x?x16xbf16>, tensor<2x2x?x16xbf16>) -> tensor<2x2x?x32xbf16>
    %dim_21 = tensor.dim %60, %c2 : tensor<2x2x?x16xbf16>
    %61 = arith.cmpi eq, %dim_21, %dim_14 : index
    cf.assert %61, "mismatched size for broadcast"
    %62 = tensor.empty(%dim_21) : tensor<2x2x?x32xbf16>
    %63 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_20, %expanded_15 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%62 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x?x32xbf16>
    %64 = arith.cmpi eq, %44, %dim_21 : index
    cf.assert %64, "mismatched size for broadcast"
    %65 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %63 : tensor<2x2x?x32xbf16>, tensor<2x2x?x32xbf16>) outs(%45 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.addf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x?x32xbf16>
    %66 = tensor.empty(%33) : tensor<2x?x4x32xbf16>
    %transposed_22 = linalg.transpose ins(%56 : tensor<2x4x?x32xbf16>) outs(%66 : tensor<2x?x4x32xbf16>) permutation = [0, 2, 1, 3]
    %67 = tensor.empty(%44) : tensor<2x?x2x32xbf16>
    %transposed_23 = linalg.transpose ins(%65 : tensor<2x2x?x32xbf16>) outs(%67 : tensor<2x?x2x32xbf16>) permutation = [0, 2, 1, 3]
    %68 = call @attention(%transposed_22, %transposed_23, %reshape_11) : (tensor<2x?x4x32xbf16>, tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>) -> tensor<2x?x4x32xbf16>
    cf.assert %28, "must have at most one inferred (negative) dimension"
    %dim_24 = tensor.dim %68, %c1 : tensor<2x?x4x32xbf16>
    %69 = arith.index_cast %dim_24 : index to i64
    %70 = arith.muli %69, %c256_i64 : i64
    %71 = arith.divsi %70, %24 : i64
    %72 = arith.select %23, %71, %0 : i64
    %from_elements_25 = tensor.from_elements %c2_i64, %72, %71 : tensor<3xi64>
    %reshape_26 = tensor.reshape %68(%from_elements_25) : (tensor<2x?x4x32xbf16>, tensor<3xi64>) -> tensor<2x?x128xbf16>
    %transposed_27 = linalg.transpose ins(%arg7 : tensor<128x128xbf16>) outs(%14 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed_28 = tensor.collapse_shape %reshape_26 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %73 = arith.index_cast %72 : i64 to index
    %74 = affine.apply #map3()[%73]
    %75 = tensor.empty(%74) : tensor<?x128xf32>
    %76 = linalg.fill ins(%cst : f32) outs(%75 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %77 = linalg.matmul ins(%collapsed_28, %transposed_27 : tensor<?x128xbf16>, tensor<128x128xbf16>) outs(%76 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %78 = tensor.empty(%74) : tensor<?x128xbf16>
    %79 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%77 : tensor<?x128xf32>) outs(%78 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x128xbf16>
    %80 = arith.divsi %74, %c2 : index
    %expanded_29 = tensor.expand_shape %79 [[0, 1], [2]] output_shape [2, %80, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %81 = arith.cmpi eq, %dim, %80 : index
    cf.assert %81, "mismatched size for broadcast"
    %82 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_29 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.addf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<2x?x128xbf16>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<2x?x128xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%84 : tensor<2x?x128xf32>) outs(%5 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.addf %in, %out : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %86 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.divf %in, %cst_2 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %87 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.truncf %cst_1 : f64 to f32
      %118 = arith.addf %in, %117 : f32
      linalg.yield %118 : f32
    } -> tensor<2x?x1xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<2x?x1xf32>) outs(%4 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.rsqrt %in : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %89 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %88 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%1 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %117 = arith.mulf %in, %in_38 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x128xf32>
    %90 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<2x?x128xf32>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    %91 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %90 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    %92 = tensor.empty() : tensor<128x256xbf16>
    %transposed_30 = linalg.transpose ins(%arg9 : tensor<256x128xbf16>) outs(%92 : tensor<128x256xbf16>) permutation = [1, 0]
    %collapsed_31 = tensor.collapse_shape %91 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %93 = tensor.empty(%15) : tensor<?x256xf32>
    %94 = linalg.fill ins(%cst : f32) outs(%93 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %95 = linalg.matmul ins(%collapsed_31, %transposed_30 : tensor<?x128xbf16>, tensor<128x256xbf16>) outs(%94 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %96 = tensor.empty(%15) : tensor<?x256xbf16>
    %97 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%95 : tensor<?x256xf32>) outs(%96 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x256xbf16>
    %expanded_32 = tensor.expand_shape %97 [[0, 1], [2]] output_shape [2, %21, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %98 = tensor.empty(%21) : tensor<2x?x256xf32>
    %99 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x?x256xbf16>) outs(%98 : tensor<2x?x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x?x256xf32>
    %100 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<2x?x256xf32>) outs(%98 : tensor<2x?x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<2x?x256xf32>
    %101 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %100 : tensor<2x?x256xf32>, tensor<2x?x256xf32>) outs(%98 : tensor<2x?x256xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %117 = arith.mulf %in, %in_38 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x256xf32>
    %102 = tensor.empty(%21) : tensor<2x?x256xbf16>
    %103 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<2x?x256xf32>) outs(%102 : tensor<2x?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x256xbf16>
    %transposed_33 = linalg.transpose ins(%arg10 : tensor<256x128xbf16>) outs(%92 : tensor<128x256xbf16>) permutation = [1, 0]
    %104 = linalg.matmul ins(%collapsed_31, %transposed_33 : tensor<?x128xbf16>, tensor<128x256xbf16>) outs(%94 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %105 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%104 : tensor<?x256xf32>) outs(%96 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x256xbf16>
    %expanded_34 = tensor.expand_shape %105 [[0, 1], [2]] output_shape [2, %21, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %106 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %expanded_34 : tensor<2x?x256xbf16>, tensor<2x?x256xbf16>) outs(%102 : tensor<2x?x256xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x256xbf16>
    %107 = tensor.empty() : tensor<256x128xbf16>
    %transposed_35 = linalg.transpose ins(%arg11 : tensor<128x256xbf16>) outs(%107 : tensor<256x128xbf16>) permutation = [1, 0]
    %collapsed_36 = tensor.collapse_shape %106 [[0, 1], [2]] : tensor<2x?x256xbf16> into tensor<?x256xbf16>
    %108 = affine.apply #map3()[%21]
    %109 = tensor.empty(%108) : tensor<?x128xf32>
    %110 = linalg.fill ins(%cst : f32) outs(%109 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %111 = linalg.matmul ins(%collapsed_36, %transposed_35 : tensor<?x256xbf16>, tensor<256x128xbf16>) outs(%110 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %112 = tensor.empty(%108) : tensor<?x128xbf16>
    %113 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%111 : tensor<?x128xf32>) outs(%112 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<?x128xbf16>
    %114 = arith.divsi %108, %c2 : index
    %expanded_37 = tensor.expand_shape %113 [[0, 1], [2]] output_shape [2, %114, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %115 = arith.cmpi eq, %dim, %114 : index
    cf.assert %115, "mismatched size for broadcast"
    %116 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %expanded_37 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%11 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %117 = arith.addf %in, %in_38 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x?x128xbf16>
    return %116 : tensor<2x?x128xbf16>
  }

  // Stands in for attention: any function of q, k and v that uses every element.
  func.func private @attention(%q: tensor<2x?x4x32xbf16>, %k: tensor<2x?x2x32xbf16>, %v: tensor<2x?x2x32xbf16>) -> tensor<2x?x4x32xbf16> {
    %c1 = arith.constant 1 : index
    %s = tensor.dim %q, %c1 : tensor<2x?x4x32xbf16>
    %grouped = tensor.expand_shape %q [[0], [1], [2, 3], [4]] output_shape [2, %s, 2, 2, 32] : tensor<2x?x4x32xbf16> into tensor<2x?x2x2x32xbf16>
    %0 = linalg.generic {indexing_maps = [affine_map<(b, s, g, i, h) -> (b, s, g, h)>, affine_map<(b, s, g, i, h) -> (b, s, g, h)>, affine_map<(b, s, g, i, h) -> (b, s, g, i, h)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k, %v : tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>) outs(%grouped : tensor<2x?x2x2x32xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %1 = arith.mulf %in, %out : bf16
      %2 = arith.addf %1, %in_0 : bf16
      linalg.yield %2 : bf16
    } -> tensor<2x?x2x2x32xbf16>
    %collapsed = tensor.collapse_shape %0 [[0], [1], [2, 3], [4]] : tensor<2x?x2x2x32xbf16> into tensor<2x?x4x32xbf16>
    return %collapsed : tensor<2x?x4x32xbf16>
  }
}
