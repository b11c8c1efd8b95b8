// What lies between two attentions of a Llama model, in bf16, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/llama.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=7 | FileCheck %s

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

#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @block(%arg0: tensor<2x?x4x32xbf16>, %arg1: tensor<2x?x128xbf16>, %arg2: tensor<2x?x32xbf16>, %arg3: tensor<2x?x32xbf16>, %arg4: tensor<128x128xbf16>, %arg5: tensor<128xbf16>, %arg6: tensor<256x128xbf16>, %arg7: tensor<256x128xbf16>, %arg8: tensor<128x256xbf16>, %arg9: tensor<128xbf16>, %arg10: tensor<128x128xbf16>, %arg11: tensor<64x128xbf16>, %arg12: tensor<64x128xbf16>) -> (tensor<2x?x128xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>) {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %c32_i64 = arith.constant 32 : i64
    %cst_1 = arith.constant 1.000000e-05 : f64
    %c256_i64 = arith.constant 256 : i64
    %cst_2 = arith.constant 1.280000e+02 : f32
    %c128_i64 = arith.constant 128 : i64
    %dim = tensor.dim %arg1, %c1 : tensor<2x?x128xbf16>
    %0 = arith.index_cast %dim : index to i64
    %1 = arith.muli %0, %c2_i64 : i64
    %2 = arith.cmpi slt, %0, %c0_i64 : i64
    %3 = arith.select %2, %c2_i64, %1 : i64
    %4 = arith.extui %2 : i1 to i64
    %5 = arith.addi %4, %c1_i64 : i64
    %6 = arith.cmpi sle, %5, %c1_i64 : i64
    cf.assert %6, "must have at most one inferred (negative) dimension"
    %dim_3 = tensor.dim %arg0, %c1 : tensor<2x?x4x32xbf16>
    %7 = arith.index_cast %dim_3 : index to i64
    %8 = arith.muli %7, %c256_i64 : i64
    %9 = arith.divsi %8, %3 : i64
    %10 = arith.select %2, %9, %0 : i64
    %from_elements = tensor.from_elements %c2_i64, %10, %9 : tensor<3xi64>
    %reshape = tensor.reshape %arg0(%from_elements) : (tensor<2x?x4x32xbf16>, tensor<3xi64>) -> tensor<2x?x128xbf16>
    %11 = tensor.empty() : tensor<128x128xbf16>
    %transposed = linalg.transpose ins(%arg4 : tensor<128x128xbf16>) outs(%11 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %reshape [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %12 = arith.index_cast %10 : i64 to index
    %13 = affine.apply #map()[%12]
    %14 = tensor.empty(%13) : tensor<?x128xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %16 = linalg.matmul ins(%collapsed, %transposed : tensor<?x128xbf16>, tensor<128x128xbf16>) outs(%15 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %17 = tensor.empty(%13) : tensor<?x128xbf16>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<?x128xf32>) outs(%17 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x128xbf16>
    %19 = arith.divsi %13, %c2 : index
    %expanded = tensor.expand_shape %18 [[0, 1], [2]] output_shape [2, %19, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %20 = arith.cmpi eq, %dim, %19 : index
    cf.assert %20, "mismatched size for broadcast"
    %21 = tensor.empty(%dim) : tensor<2x?x128xbf16>
    %22 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.addf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %23 = tensor.empty(%dim) : tensor<2x?x128xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x?x128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %116 = arith.extf %in : bf16 to f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x?x128xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %26 = tensor.empty(%dim) : tensor<2x?x1xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%25 : tensor<2x?x128xf32>) outs(%27 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %in, %out : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.divf %in, %cst_2 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.truncf %cst_1 : f64 to f32
      %117 = arith.addf %in, %116 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %31 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.rsqrt %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %31 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %116 = arith.mulf %in, %in_38 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<2x?x128xf32>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %34 = linalg.generic {indexing_maps = [#map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %33 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %35 = tensor.empty() : tensor<128x256xbf16>
    %transposed_4 = linalg.transpose ins(%arg6 : tensor<256x128xbf16>) outs(%35 : tensor<128x256xbf16>) permutation = [1, 0]
    %collapsed_5 = tensor.collapse_shape %34 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %36 = affine.apply #map()[%dim]
    %37 = tensor.empty(%36) : tensor<?x256xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %39 = linalg.matmul ins(%collapsed_5, %transposed_4 : tensor<?x128xbf16>, tensor<128x256xbf16>) outs(%38 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %40 = tensor.empty(%36) : tensor<?x256xbf16>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<?x256xf32>) outs(%40 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x256xbf16>
    %42 = arith.divsi %36, %c2 : index
    %expanded_6 = tensor.expand_shape %41 [[0, 1], [2]] output_shape [2, %42, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %43 = tensor.empty(%42) : tensor<2x?x256xf32>
    %44 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x?x256xbf16>) outs(%43 : tensor<2x?x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %116 = arith.extf %in : bf16 to f32
      linalg.yield %116 : f32
    } -> tensor<2x?x256xf32>
    %45 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<2x?x256xf32>) outs(%43 : tensor<2x?x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.negf %in : f32
      %117 = math.exp %116 : f32
      %118 = arith.addf %117, %cst_0 : f32
      %119 = arith.divf %cst_0, %118 : f32
      linalg.yield %119 : f32
    } -> tensor<2x?x256xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %45 : tensor<2x?x256xf32>, tensor<2x?x256xf32>) outs(%43 : tensor<2x?x256xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %116 = arith.mulf %in, %in_38 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x256xf32>
    %47 = tensor.empty(%42) : tensor<2x?x256xbf16>
    %48 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<2x?x256xf32>) outs(%47 : tensor<2x?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x256xbf16>
    %transposed_7 = linalg.transpose ins(%arg7 : tensor<256x128xbf16>) outs(%35 : tensor<128x256xbf16>) permutation = [1, 0]
    %49 = linalg.matmul ins(%collapsed_5, %transposed_7 : tensor<?x128xbf16>, tensor<128x256xbf16>) outs(%38 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<?x256xf32>) outs(%40 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x256xbf16>
    %expanded_8 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [2, %42, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %51 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %expanded_8 : tensor<2x?x256xbf16>, tensor<2x?x256xbf16>) outs(%47 : tensor<2x?x256xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x256xbf16>
    %52 = tensor.empty() : tensor<256x128xbf16>
    %transposed_9 = linalg.transpose ins(%arg8 : tensor<128x256xbf16>) outs(%52 : tensor<256x128xbf16>) permutation = [1, 0]
    %collapsed_10 = tensor.collapse_shape %51 [[0, 1], [2]] : tensor<2x?x256xbf16> into tensor<?x256xbf16>
    %53 = affine.apply #map()[%42]
    %54 = tensor.empty(%53) : tensor<?x128xf32>
    %55 = linalg.fill ins(%cst : f32) outs(%54 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %56 = linalg.matmul ins(%collapsed_10, %transposed_9 : tensor<?x256xbf16>, tensor<256x128xbf16>) outs(%55 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %57 = tensor.empty(%53) : tensor<?x128xbf16>
    %58 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56 : tensor<?x128xf32>) outs(%57 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x128xbf16>
    %59 = arith.divsi %53, %c2 : index
    %expanded_11 = tensor.expand_shape %58 [[0, 1], [2]] output_shape [2, %59, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %60 = arith.cmpi eq, %dim, %59 : index
    cf.assert %60, "mismatched size for broadcast"
    %61 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %expanded_11 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.addf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %62 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<2x?x128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %116 = arith.extf %in : bf16 to f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %63 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x?x128xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %64 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<2x?x128xf32>) outs(%27 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %in, %out : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %65 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.divf %in, %cst_2 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %66 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.truncf %cst_1 : f64 to f32
      %117 = arith.addf %in, %116 : f32
      linalg.yield %117 : f32
    } -> tensor<2x?x1xf32>
    %67 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x?x1xf32>) outs(%26 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.rsqrt %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x1xf32>
    %68 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %67 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %116 = arith.mulf %in, %in_38 : f32
      linalg.yield %116 : f32
    } -> tensor<2x?x128xf32>
    %69 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x?x128xf32>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %70 = linalg.generic {indexing_maps = [#map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %69 : tensor<128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x?x128xbf16>
    %transposed_12 = linalg.transpose ins(%arg10 : tensor<128x128xbf16>) outs(%11 : tensor<128x128xbf16>) permutation = [1, 0]
    %collapsed_13 = tensor.collapse_shape %70 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %71 = tensor.empty(%36) : tensor<?x128xf32>
    %72 = linalg.fill ins(%cst : f32) outs(%71 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %73 = linalg.matmul ins(%collapsed_13, %transposed_12 : tensor<?x128xbf16>, tensor<128x128xbf16>) outs(%72 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %74 = tensor.empty(%36) : tensor<?x128xbf16>
    %75 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73 : tensor<?x128xf32>) outs(%74 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x128xbf16>
    %expanded_14 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [2, %42, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %76 = arith.muli %3, %c32_i64 : i64
    cf.assert %6, "must have at most one inferred (negative) dimension"
    %77 = arith.index_cast %42 : index to i64
    %78 = arith.muli %77, %c256_i64 : i64
    %79 = arith.divsi %78, %76 : i64
    %80 = arith.select %2, %79, %0 : i64
    %from_elements_15 = tensor.from_elements %c2_i64, %80, %79, %c32_i64 : tensor<4xi64>
    %reshape_16 = tensor.reshape %expanded_14(%from_elements_15) : (tensor<2x?x128xbf16>, tensor<4xi64>) -> tensor<2x?x4x32xbf16>
    %81 = arith.index_cast %80 : i64 to index
    %82 = tensor.empty(%81) : tensor<2x4x?x32xbf16>
    %transposed_17 = linalg.transpose ins(%reshape_16 : tensor<2x?x4x32xbf16>) outs(%82 : tensor<2x4x?x32xbf16>) permutation = [0, 2, 1, 3]
    %83 = tensor.empty() : tensor<128x64xbf16>
    %transposed_18 = linalg.transpose ins(%arg11 : tensor<64x128xbf16>) outs(%83 : tensor<128x64xbf16>) permutation = [1, 0]
    %84 = tensor.empty(%36) : tensor<?x64xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %86 = linalg.matmul ins(%collapsed_13, %transposed_18 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%85 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %87 = tensor.empty(%36) : tensor<?x64xbf16>
    %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%86 : tensor<?x64xf32>) outs(%87 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x64xbf16>
    %expanded_19 = tensor.expand_shape %88 [[0, 1], [2]] output_shape [2, %42, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %6, "must have at most one inferred (negative) dimension"
    %89 = arith.muli %77, %c128_i64 : i64
    %90 = arith.divsi %89, %76 : i64
    %91 = arith.select %2, %90, %0 : i64
    %from_elements_20 = tensor.from_elements %c2_i64, %91, %90, %c32_i64 : tensor<4xi64>
    %reshape_21 = tensor.reshape %expanded_19(%from_elements_20) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %92 = arith.index_cast %91 : i64 to index
    %93 = tensor.empty(%92) : tensor<2x2x?x32xbf16>
    %transposed_22 = linalg.transpose ins(%reshape_21 : tensor<2x?x2x32xbf16>) outs(%93 : tensor<2x2x?x32xbf16>) permutation = [0, 2, 1, 3]
    %transposed_23 = linalg.transpose ins(%arg12 : tensor<64x128xbf16>) outs(%83 : tensor<128x64xbf16>) permutation = [1, 0]
    %94 = linalg.matmul ins(%collapsed_13, %transposed_23 : tensor<?x128xbf16>, tensor<128x64xbf16>) outs(%85 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%94 : tensor<?x64xf32>) outs(%87 : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<?x64xbf16>
    %expanded_24 = tensor.expand_shape %95 [[0, 1], [2]] output_shape [2, %42, 64] : tensor<?x64xbf16> into tensor<2x?x64xbf16>
    cf.assert %6, "must have at most one inferred (negative) dimension"
    %reshape_25 = tensor.reshape %expanded_24(%from_elements_20) : (tensor<2x?x64xbf16>, tensor<4xi64>) -> tensor<2x?x2x32xbf16>
    %dim_26 = tensor.dim %arg2, %c1 : tensor<2x?x32xbf16>
    %expanded_27 = tensor.expand_shape %arg2 [[0], [1, 2], [3]] output_shape [2, 1, %dim_26, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %dim_28 = tensor.dim %arg3, %c1 : tensor<2x?x32xbf16>
    %expanded_29 = tensor.expand_shape %arg3 [[0], [1, 2], [3]] output_shape [2, 1, %dim_28, 32] : tensor<2x?x32xbf16> into tensor<2x1x?x32xbf16>
    %96 = arith.cmpi eq, %81, %dim_26 : index
    cf.assert %96, "mismatched size for broadcast"
    %97 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17, %expanded_27 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%82 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x4x?x32xbf16>
    %extracted_slice = tensor.extract_slice %transposed_17[0, 0, 0, 0] [2, 4, %81, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %extracted_slice_30 = tensor.extract_slice %transposed_17[0, 0, 0, 16] [2, 4, %81, 16] [1, 1, 1, 1] : tensor<2x4x?x32xbf16> to tensor<2x4x?x16xbf16>
    %98 = tensor.empty(%81) : tensor<2x4x?x16xbf16>
    %99 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_30 : tensor<2x4x?x16xbf16>) outs(%98 : tensor<2x4x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.negf %in : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x4x?x16xbf16>
    %concat = tensor.concat dim(3) %99, %extracted_slice : (tensor<2x4x?x16xbf16>, tensor<2x4x?x16xbf16>) -> tensor<2x4x?x32xbf16>
    %dim_31 = tensor.dim %99, %c2 : tensor<2x4x?x16xbf16>
    %100 = arith.cmpi eq, %dim_31, %dim_28 : index
    cf.assert %100, "mismatched size for broadcast"
    %101 = tensor.empty(%dim_31) : tensor<2x4x?x32xbf16>
    %102 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_29 : tensor<2x4x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%101 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x4x?x32xbf16>
    %103 = arith.cmpi eq, %81, %dim_31 : index
    cf.assert %103, "mismatched size for broadcast"
    %104 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%97, %102 : tensor<2x4x?x32xbf16>, tensor<2x4x?x32xbf16>) outs(%82 : tensor<2x4x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.addf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x4x?x32xbf16>
    %105 = arith.cmpi eq, %92, %dim_26 : index
    cf.assert %105, "mismatched size for broadcast"
    %106 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_22, %expanded_27 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%93 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x2x?x32xbf16>
    %extracted_slice_32 = tensor.extract_slice %transposed_22[0, 0, 0, 0] [2, 2, %92, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %extracted_slice_33 = tensor.extract_slice %transposed_22[0, 0, 0, 16] [2, 2, %92, 16] [1, 1, 1, 1] : tensor<2x2x?x32xbf16> to tensor<2x2x?x16xbf16>
    %107 = tensor.empty(%92) : tensor<2x2x?x16xbf16>
    %108 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_33 : tensor<2x2x?x16xbf16>) outs(%107 : tensor<2x2x?x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.negf %in : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x2x?x16xbf16>
    %concat_34 = tensor.concat dim(3) %108, %extracted_slice_32 : (tensor<2x2x?x16xbf16>, tensor<2x2x?x16xbf16>) -> tensor<2x2x?x32xbf16>
    %dim_35 = tensor.dim %108, %c2 : tensor<2x2x?x16xbf16>
    %109 = arith.cmpi eq, %dim_35, %dim_28 : index
    cf.assert %109, "mismatched size for broadcast"
    %110 = tensor.empty(%dim_35) : tensor<2x2x?x32xbf16>
    %111 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_34, %expanded_29 : tensor<2x2x?x32xbf16>, tensor<2x1x?x32xbf16>) outs(%110 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x2x?x32xbf16>
    %112 = arith.cmpi eq, %92, %dim_35 : index
    cf.assert %112, "mismatched size for broadcast"
    %113 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%106, %111 : tensor<2x2x?x32xbf16>, tensor<2x2x?x32xbf16>) outs(%93 : tensor<2x2x?x32xbf16>) {
    ^bb0(%in: bf16, %in_38: bf16, %out: bf16):
      %116 = arith.addf %in, %in_38 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x2x?x32xbf16>
    %114 = tensor.empty(%81) : tensor<2x?x4x32xbf16>
    %transposed_36 = linalg.transpose ins(%104 : tensor<2x4x?x32xbf16>) outs(%114 : tensor<2x?x4x32xbf16>) permutation = [0, 2, 1, 3]
    %115 = tensor.empty(%92) : tensor<2x?x2x32xbf16>
    %transposed_37 = linalg.transpose ins(%113 : tensor<2x2x?x32xbf16>) outs(%115 : tensor<2x?x2x32xbf16>) permutation = [0, 2, 1, 3]
    return %61, %transposed_36, %transposed_37, %reshape_25 : tensor<2x?x128xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x2x32xbf16>, tensor<2x?x2x32xbf16>
  }
}

