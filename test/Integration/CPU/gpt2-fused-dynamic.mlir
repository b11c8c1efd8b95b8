// What lies between two attentions of a GPT-2 model, in bf16, for any sequence length, as
// torch-mlir exports it (see test/Integration/export/gpt2.py), run in two forms
// and compared.

// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=16 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.05 --function=block --dynamic-size=7 | FileCheck %s

// RUN: coda-opt %s --coda-fusion \
// RUN:   | FileCheck %s --check-prefix=FUSED --implicit-check-not='coda.gemm ' \
// RUN:       --implicit-check-not=linalg.transpose

// CHECK: PASS

// Four launches of products: output; up; down; the next q, k and v.
// q, k and v are one launch.
// FUSED-COUNT-3: coda.gemm
// FUSED-COUNT-3: coda.gemm {{.*}} attributes {coda.launch_group = 0 : i64}

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<()[s0] -> (s0 * 2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @block(%arg0: tensor<2x?x4x32xbf16>, %arg1: tensor<2x?x128xbf16>, %arg2: tensor<128x128xbf16>, %arg3: tensor<128xbf16>, %arg4: tensor<128xbf16>, %arg5: tensor<128xbf16>, %arg6: tensor<128x256xbf16>, %arg7: tensor<256xbf16>, %arg8: tensor<256x128xbf16>, %arg9: tensor<128xbf16>, %arg10: tensor<128xbf16>, %arg11: tensor<128xbf16>, %arg12: tensor<128x384xbf16>, %arg13: tensor<384xbf16>) -> (tensor<2x?x128xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>) {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c3_i64 = arith.constant 3 : i64
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 4.467770e-02 : bf16
    %cst_2 = arith.constant 7.968750e-01 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.280000e+02 : f64
    %cst_7 = arith.constant 1.280000e+02 : f32
    %dim = tensor.dim %arg1, %c1 : tensor<2x?x128xbf16>
    %0 = arith.index_cast %dim : index to i64
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2, 3]] : tensor<2x?x4x32xbf16> into tensor<?x128xbf16>
    %1 = tensor.empty() : tensor<128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<128xbf16>) outs(%1 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<128xf32>
    %dim_8 = tensor.dim %arg0, %c1 : tensor<2x?x4x32xbf16>
    %3 = affine.apply #map1()[%dim_8]
    %4 = tensor.empty(%3) : tensor<?x128xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<?x128xbf16>) outs(%4 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<?x128xf32>
    %6 = tensor.empty() : tensor<128x128xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<128x128xbf16>) outs(%6 : tensor<128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<128x128xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %9 = linalg.matmul ins(%5, %7 : tensor<?x128xf32>, tensor<128x128xf32>) outs(%8 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %10 = arith.muli %0, %c2_i64 : i64
    %11 = arith.cmpi sge, %10, %c0_i64 : i64
    cf.assert %11, "negative values not allowed in new dimensions"
    %12 = arith.index_cast %10 : i64 to index
    %13 = tensor.empty(%12) : tensor<?x128xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<128xf32>) outs(%13 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x128xf32>
    %15 = arith.cmpi eq, %3, %12 : index
    cf.assert %15, "mismatched size for broadcast"
    %16 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%9, %14 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%4 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.addf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<?x128xf32>
    %17 = tensor.empty(%3) : tensor<?x128xbf16>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<?x128xf32>) outs(%17 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<?x128xbf16>
    %19 = arith.divsi %3, %c2 : index
    %expanded = tensor.expand_shape %18 [[0, 1], [2]] output_shape [2, %19, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %20 = arith.cmpi eq, %dim, %19 : index
    cf.assert %20, "mismatched size for broadcast"
    %21 = tensor.empty(%dim) : tensor<2x?x128xbf16>
    %22 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_20: bf16, %out: bf16):
      %114 = arith.addf %in, %in_20 : bf16
      linalg.yield %114 : bf16
    } -> tensor<2x?x128xbf16>
    %23 = tensor.empty(%dim) : tensor<2x?x128xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x?x128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %25 = tensor.empty(%dim) : tensor<2x?x128xf64>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x?x128xf32>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %114 = arith.extf %in : f32 to f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %27 = tensor.empty(%dim) : tensor<2x?x1xf64>
    %28 = linalg.fill ins(%cst_0 : f64) outs(%27 : tensor<2x?x1xf64>) -> tensor<2x?x1xf64>
    %29 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%26 : tensor<2x?x128xf64>) outs(%28 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.addf %in, %out : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x?x1xf64>) outs(%27 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.divf %in, %cst_6 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %31 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %30 : tensor<2x?x128xf64>, tensor<2x?x1xf64>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %114 = arith.subf %in, %in_20 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %32 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %31 : tensor<2x?x128xf64>, tensor<2x?x128xf64>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %114 = arith.mulf %in, %in_20 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %33 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%32 : tensor<2x?x128xf64>) outs(%28 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.addf %in, %out : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %34 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<2x?x1xf64>) outs(%27 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.divf %in, %cst_6 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %35 = tensor.empty(%dim) : tensor<2x?x1xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<2x?x1xf64>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %114 = arith.truncf %in : f64 to f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%35 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24 : tensor<2x?x128xf32>) outs(%37 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %out : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %in, %cst_7 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.truncf %cst_5 : f64 to f32
      %115 = arith.addf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.rsqrt %in : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %42 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %39 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.subf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %43 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %41 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.mulf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %44 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %arg4 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %114 = arith.extf %in_20 : bf16 to f32
      %115 = arith.mulf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %45 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %arg5 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %114 = arith.extf %in_20 : bf16 to f32
      %115 = arith.addf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %46 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x?x128xf32>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<2x?x128xbf16>
    %collapsed_9 = tensor.collapse_shape %46 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %47 = tensor.empty() : tensor<256xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg7 : tensor<256xbf16>) outs(%47 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<256xf32>
    %49 = affine.apply #map1()[%dim]
    %50 = tensor.empty(%49) : tensor<?x128xf32>
    %51 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_9 : tensor<?x128xbf16>) outs(%50 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<?x128xf32>
    %52 = tensor.empty() : tensor<128x256xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<128x256xbf16>) outs(%52 : tensor<128x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<128x256xf32>
    %54 = tensor.empty(%49) : tensor<?x256xf32>
    %55 = linalg.fill ins(%cst : f32) outs(%54 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %56 = linalg.matmul ins(%51, %53 : tensor<?x128xf32>, tensor<128x256xf32>) outs(%55 : tensor<?x256xf32>) -> tensor<?x256xf32>
    cf.assert %11, "negative values not allowed in new dimensions"
    %57 = tensor.empty(%12) : tensor<?x256xf32>
    %58 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<256xf32>) outs(%57 : tensor<?x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x256xf32>
    %59 = arith.cmpi eq, %49, %12 : index
    cf.assert %59, "mismatched size for broadcast"
    %60 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%56, %58 : tensor<?x256xf32>, tensor<?x256xf32>) outs(%54 : tensor<?x256xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.addf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<?x256xf32>
    %61 = tensor.empty(%49) : tensor<?x256xbf16>
    %62 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<?x256xf32>) outs(%61 : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<?x256xbf16>
    %63 = arith.divsi %49, %c2 : index
    %expanded_10 = tensor.expand_shape %62 [[0, 1], [2]] output_shape [2, %63, 256] : tensor<?x256xbf16> into tensor<2x?x256xbf16>
    %64 = tensor.empty(%63) : tensor<2x?x256xbf16>
    %65 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x?x256xbf16>) outs(%64 : tensor<2x?x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %114 = math.fpowi %in, %c3_i64 : bf16, i64
      %115 = arith.mulf %114, %cst_1 : bf16
      %116 = arith.addf %in, %115 : bf16
      %117 = arith.mulf %116, %cst_2 : bf16
      %118 = math.tanh %117 : bf16
      %119 = arith.addf %118, %cst_3 : bf16
      %120 = arith.mulf %119, %cst_4 : bf16
      %121 = arith.mulf %in, %120 : bf16
      linalg.yield %121 : bf16
    } -> tensor<2x?x256xbf16>
    %collapsed_11 = tensor.collapse_shape %65 [[0, 1], [2]] : tensor<2x?x256xbf16> into tensor<?x256xbf16>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg9 : tensor<128xbf16>) outs(%1 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<128xf32>
    %67 = affine.apply #map1()[%63]
    %68 = tensor.empty(%67) : tensor<?x256xf32>
    %69 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_11 : tensor<?x256xbf16>) outs(%68 : tensor<?x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<?x256xf32>
    %70 = tensor.empty() : tensor<256x128xf32>
    %71 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<256x128xbf16>) outs(%70 : tensor<256x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<256x128xf32>
    %72 = tensor.empty(%67) : tensor<?x128xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %74 = linalg.matmul ins(%69, %71 : tensor<?x256xf32>, tensor<256x128xf32>) outs(%73 : tensor<?x128xf32>) -> tensor<?x128xf32>
    cf.assert %11, "negative values not allowed in new dimensions"
    %75 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%66 : tensor<128xf32>) outs(%13 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x128xf32>
    %76 = arith.cmpi eq, %67, %12 : index
    cf.assert %76, "mismatched size for broadcast"
    %77 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%74, %75 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%72 : tensor<?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.addf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<?x128xf32>
    %78 = tensor.empty(%67) : tensor<?x128xbf16>
    %79 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%77 : tensor<?x128xf32>) outs(%78 : tensor<?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<?x128xbf16>
    %80 = arith.divsi %67, %c2 : index
    %expanded_12 = tensor.expand_shape %79 [[0, 1], [2]] output_shape [2, %80, 128] : tensor<?x128xbf16> into tensor<2x?x128xbf16>
    %81 = arith.cmpi eq, %dim, %80 : index
    cf.assert %81, "mismatched size for broadcast"
    %82 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %expanded_12 : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: bf16, %in_20: bf16, %out: bf16):
      %114 = arith.addf %in, %in_20 : bf16
      linalg.yield %114 : bf16
    } -> tensor<2x?x128xbf16>
    %83 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<2x?x128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %84 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<2x?x128xf32>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f32, %out: f64):
      %114 = arith.extf %in : f32 to f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %85 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%84 : tensor<2x?x128xf64>) outs(%28 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.addf %in, %out : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %86 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<2x?x1xf64>) outs(%27 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.divf %in, %cst_6 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %87 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %86 : tensor<2x?x128xf64>, tensor<2x?x1xf64>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %114 = arith.subf %in, %in_20 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %88 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %87 : tensor<2x?x128xf64>, tensor<2x?x128xf64>) outs(%25 : tensor<2x?x128xf64>) {
    ^bb0(%in: f64, %in_20: f64, %out: f64):
      %114 = arith.mulf %in, %in_20 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x128xf64>
    %89 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<2x?x128xf64>) outs(%28 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.addf %in, %out : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %90 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<2x?x1xf64>) outs(%27 : tensor<2x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %114 = arith.divf %in, %cst_6 : f64
      linalg.yield %114 : f64
    } -> tensor<2x?x1xf64>
    %91 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x?x1xf64>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %114 = arith.truncf %in : f64 to f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %92 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%83 : tensor<2x?x128xf32>) outs(%37 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %out : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %93 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %in, %cst_7 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %94 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.truncf %cst_5 : f64 to f32
      %115 = arith.addf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x1xf32>
    %95 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<2x?x1xf32>) outs(%35 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.rsqrt %in : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x1xf32>
    %96 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %93 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.subf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %97 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %95 : tensor<2x?x128xf32>, tensor<2x?x1xf32>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.mulf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<2x?x128xf32>
    %98 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %arg10 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %114 = arith.extf %in_20 : bf16 to f32
      %115 = arith.mulf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %99 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %arg11 : tensor<2x?x128xf32>, tensor<128xbf16>) outs(%23 : tensor<2x?x128xf32>) {
    ^bb0(%in: f32, %in_20: bf16, %out: f32):
      %114 = arith.extf %in_20 : bf16 to f32
      %115 = arith.addf %in, %114 : f32
      linalg.yield %115 : f32
    } -> tensor<2x?x128xf32>
    %100 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<2x?x128xf32>) outs(%21 : tensor<2x?x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<2x?x128xbf16>
    %collapsed_13 = tensor.collapse_shape %100 [[0, 1], [2]] : tensor<2x?x128xbf16> into tensor<?x128xbf16>
    %101 = tensor.empty() : tensor<384xf32>
    %102 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg13 : tensor<384xbf16>) outs(%101 : tensor<384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<384xf32>
    %103 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_13 : tensor<?x128xbf16>) outs(%50 : tensor<?x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<?x128xf32>
    %104 = tensor.empty() : tensor<128x384xf32>
    %105 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg12 : tensor<128x384xbf16>) outs(%104 : tensor<128x384xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %114 = arith.extf %in : bf16 to f32
      linalg.yield %114 : f32
    } -> tensor<128x384xf32>
    %106 = tensor.empty(%49) : tensor<?x384xf32>
    %107 = linalg.fill ins(%cst : f32) outs(%106 : tensor<?x384xf32>) -> tensor<?x384xf32>
    %108 = linalg.matmul ins(%103, %105 : tensor<?x128xf32>, tensor<128x384xf32>) outs(%107 : tensor<?x384xf32>) -> tensor<?x384xf32>
    cf.assert %11, "negative values not allowed in new dimensions"
    %109 = tensor.empty(%12) : tensor<?x384xf32>
    %110 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%102 : tensor<384xf32>) outs(%109 : tensor<?x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x384xf32>
    cf.assert %59, "mismatched size for broadcast"
    %111 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%108, %110 : tensor<?x384xf32>, tensor<?x384xf32>) outs(%106 : tensor<?x384xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %114 = arith.addf %in, %in_20 : f32
      linalg.yield %114 : f32
    } -> tensor<?x384xf32>
    %112 = tensor.empty(%49) : tensor<?x384xbf16>
    %113 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%111 : tensor<?x384xf32>) outs(%112 : tensor<?x384xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %114 = arith.truncf %in : f32 to bf16
      linalg.yield %114 : bf16
    } -> tensor<?x384xbf16>
    %expanded_14 = tensor.expand_shape %113 [[0, 1], [2]] output_shape [2, %63, 384] : tensor<?x384xbf16> into tensor<2x?x384xbf16>
    %extracted_slice = tensor.extract_slice %expanded_14[0, 0, 0] [2, %63, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %extracted_slice_15 = tensor.extract_slice %expanded_14[0, 0, 128] [2, %63, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %extracted_slice_16 = tensor.extract_slice %expanded_14[0, 0, 256] [2, %63, 128] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x128xbf16>
    %expanded_17 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, %63, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    %expanded_18 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [2, %63, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    %expanded_19 = tensor.expand_shape %extracted_slice_16 [[0], [1], [2, 3]] output_shape [2, %63, 4, 32] : tensor<2x?x128xbf16> into tensor<2x?x4x32xbf16>
    return %82, %expanded_17, %expanded_18, %expanded_19 : tensor<2x?x128xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>, tensor<2x?x4x32xbf16>
  }
}

