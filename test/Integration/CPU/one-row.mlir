// Norms of one row, as a decoder has for batch 1: with the unit dimension kept
// (RMSNorm's is in reparameterize.mlir), dropped by upstream's patterns around
// products that keep it, and dropped everywhere.

// RUN: coda-runner %s --backend=cpu --compare --function=rms_dropped | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rms_vectors | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=layer_norm_kept | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=layer_norm_dropped | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=layer_norm_vectors | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.02 --function=rms_dropped_bf16 | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

#mn = affine_map<(m, n) -> (m, n)>
#m1 = affine_map<(m, n) -> (m, 0)>
#n = affine_map<(m, n) -> (n)>
#k = affine_map<(k) -> (k)>
#zero = affine_map<(k) -> ()>
#none = affine_map<() -> ()>

// FUSED-LABEL: @rms_dropped
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @rms_dropped(%arg0: tensor<1x16xf32>, %arg1: tensor<1x16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 2.000000e+00 : f32
  %cst_1 = arith.constant 9.99999974E-6 : f32
  %cst_2 = arith.constant 1.600000e+01 : f32
  %0 = tensor.empty() : tensor<1x16xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %2 = linalg.matmul ins(%arg0, %arg2 : tensor<1x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %3 = linalg.add ins(%arg1, %2 : tensor<1x16xf32>, tensor<1x16xf32>) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %collapsed = tensor.collapse_shape %3 [[0, 1]] : tensor<1x16xf32> into tensor<16xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]} ins(%collapsed : tensor<16xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = math.powf %in, %cst_0 : f32
    %12 = arith.addf %11, %out : f32
    linalg.yield %12 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%6 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.divf %in, %cst_2 : f32
    %12 = arith.addf %11, %cst_1 : f32
    %13 = math.rsqrt %12 : f32
    linalg.yield %13 : f32
  } -> tensor<f32>
  %8 = tensor.empty() : tensor<16xf32>
  %9 = linalg.generic {indexing_maps = [#k, #zero, #k, #k], iterator_types = ["parallel"]} ins(%collapsed, %7, %arg3 : tensor<16xf32>, tensor<f32>, tensor<16xf32>) outs(%8 : tensor<16xf32>) {
  ^bb0(%in: f32, %in_3: f32, %in_4: f32, %out: f32):
    %11 = arith.mulf %in, %in_3 : f32
    %12 = arith.mulf %11, %in_4 : f32
    linalg.yield %12 : f32
  } -> tensor<16xf32>
  %expanded = tensor.expand_shape %9 [[0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
  %10 = linalg.matmul ins(%expanded, %arg4 : tensor<1x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<1x16xf32>) -> tensor<1x16xf32>
  return %10 : tensor<1x16xf32>
}

// FUSED-LABEL: @rms_vectors
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @rms_vectors(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x16xf32>) -> tensor<16xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 2.000000e+00 : f32
  %cst_1 = arith.constant 9.99999974E-6 : f32
  %cst_2 = arith.constant 1.600000e+01 : f32
  %0 = tensor.empty() : tensor<16xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
  %2 = linalg.vecmat ins(%arg0, %arg2 : tensor<16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16xf32>) -> tensor<16xf32>
  %3 = linalg.add ins(%arg1, %2 : tensor<16xf32>, tensor<16xf32>) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]} ins(%3 : tensor<16xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = math.powf %in, %cst_0 : f32
    %12 = arith.addf %11, %out : f32
    linalg.yield %12 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%6 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.divf %in, %cst_2 : f32
    %12 = arith.addf %11, %cst_1 : f32
    %13 = math.rsqrt %12 : f32
    linalg.yield %13 : f32
  } -> tensor<f32>
  %8 = tensor.empty() : tensor<16xf32>
  %9 = linalg.generic {indexing_maps = [#k, #zero, #k, #k], iterator_types = ["parallel"]} ins(%3, %7, %arg3 : tensor<16xf32>, tensor<f32>, tensor<16xf32>) outs(%8 : tensor<16xf32>) {
  ^bb0(%in: f32, %in_3: f32, %in_4: f32, %out: f32):
    %11 = arith.mulf %in, %in_3 : f32
    %12 = arith.mulf %11, %in_4 : f32
    linalg.yield %12 : f32
  } -> tensor<16xf32>
  %10 = linalg.vecmat ins(%9, %arg4 : tensor<16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16xf32>) -> tensor<16xf32>
  return %10 : tensor<16xf32>
}

// FUSED-LABEL: @layer_norm_kept
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.reduce add
// FUSED: linalg.generic
// FUSED: math.fma
// FUSED: math.fma
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @layer_norm_kept(%a: tensor<1x16xf32>, %w0: tensor<16x16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %w: tensor<16x24xf32>) -> tensor<1x24xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 16.0 : f32
  %e = tensor.empty() : tensor<1x16xf32>
  %es = tensor.empty() : tensor<1x1xf32>
  %ey = tensor.empty() : tensor<1x24xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %h = linalg.matmul ins(%a, %w0 : tensor<1x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x1xf32>) -> tensor<1x1xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m1], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<1x16xf32>) outs(%1 : tensor<1x1xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %t = arith.addf %p, %acc : f32
    linalg.yield %t : f32
  } -> tensor<1x1xf32>
  %mean = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<1x1xf32>) outs(%es : tensor<1x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.divf %p, %width : f32
    linalg.yield %t : f32
  } -> tensor<1x1xf32>
  %v = linalg.generic {indexing_maps = [#mn, #m1, #m1], iterator_types = ["parallel", "reduction"]}
      ins(%h, %mean : tensor<1x16xf32>, tensor<1x1xf32>) outs(%1 : tensor<1x1xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %d = arith.subf %p, %q : f32
    %t = arith.mulf %d, %d : f32
    %u = arith.addf %t, %acc : f32
    linalg.yield %u : f32
  } -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<1x1xf32>) outs(%es : tensor<1x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %d = arith.divf %p, %width : f32
    %t = arith.addf %d, %eps : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  } -> tensor<1x1xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m1, #m1, #n, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %mean, %r, %g, %b : tensor<1x16xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<1x16xf32>) {
  ^bb0(%p: f32, %q: f32, %f: f32, %c: f32, %k: f32, %out: f32):
    %x = arith.subf %p, %q : f32
    %y = arith.mulf %x, %f : f32
    %z = arith.mulf %y, %c : f32
    %u = arith.addf %z, %k : f32
    linalg.yield %u : f32
  } -> tensor<1x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x24xf32>) -> tensor<1x24xf32>
  %y = linalg.matmul ins(%n, %w : tensor<1x16xf32>, tensor<16x24xf32>) outs(%2 : tensor<1x24xf32>) -> tensor<1x24xf32>
  return %y : tensor<1x24xf32>
}

// FUSED-LABEL: @layer_norm_dropped
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.reduce add
// FUSED: linalg.generic
// FUSED: math.fma
// FUSED: math.fma
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @layer_norm_dropped(%arg0: tensor<1x16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x24xf32>) -> tensor<1x24xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 9.99999974E-6 : f32
  %cst_1 = arith.constant 1.600000e+01 : f32
  %0 = tensor.empty() : tensor<1x16xf32>
  %1 = tensor.empty() : tensor<1x24xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %3 = linalg.matmul ins(%arg0, %arg1 : tensor<1x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %collapsed = tensor.collapse_shape %3 [[0, 1]] : tensor<1x16xf32> into tensor<16xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]} ins(%collapsed : tensor<16xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %in, %out : f32
    linalg.yield %14 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%6 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_1 : f32
    linalg.yield %14 : f32
  } -> tensor<f32>
  %8 = linalg.generic {indexing_maps = [#k, #zero, #zero], iterator_types = ["reduction"]} ins(%collapsed, %7 : tensor<16xf32>, tensor<f32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %14 = arith.subf %in, %in_2 : f32
    %15 = arith.mulf %14, %14 : f32
    %16 = arith.addf %15, %out : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  %9 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%8 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_1 : f32
    %15 = arith.addf %14, %cst_0 : f32
    %16 = math.rsqrt %15 : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  %10 = tensor.empty() : tensor<16xf32>
  %11 = linalg.generic {indexing_maps = [#k, #zero, #zero, #k, #k, #k], iterator_types = ["parallel"]} ins(%collapsed, %7, %9, %arg2, %arg3 : tensor<16xf32>, tensor<f32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>) outs(%10 : tensor<16xf32>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32):
    %14 = arith.subf %in, %in_2 : f32
    %15 = arith.mulf %14, %in_3 : f32
    %16 = arith.mulf %15, %in_4 : f32
    %17 = arith.addf %16, %in_5 : f32
    linalg.yield %17 : f32
  } -> tensor<16xf32>
  %expanded = tensor.expand_shape %11 [[0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
  %12 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x24xf32>) -> tensor<1x24xf32>
  %13 = linalg.matmul ins(%expanded, %arg4 : tensor<1x16xf32>, tensor<16x24xf32>) outs(%12 : tensor<1x24xf32>) -> tensor<1x24xf32>
  return %13 : tensor<1x24xf32>
}

// FUSED-LABEL: @layer_norm_vectors
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.reduce add
// FUSED: linalg.generic
// FUSED: math.fma
// FUSED: math.fma
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @layer_norm_vectors(%arg0: tensor<16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16x24xf32>) -> tensor<24xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 9.99999974E-6 : f32
  %cst_1 = arith.constant 1.600000e+01 : f32
  %0 = tensor.empty() : tensor<16xf32>
  %1 = tensor.empty() : tensor<24xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
  %3 = linalg.vecmat ins(%arg0, %arg1 : tensor<16xf32>, tensor<16x16xf32>) outs(%2 : tensor<16xf32>) -> tensor<16xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]} ins(%3 : tensor<16xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %in, %out : f32
    linalg.yield %14 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%6 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_1 : f32
    linalg.yield %14 : f32
  } -> tensor<f32>
  %8 = linalg.generic {indexing_maps = [#k, #zero, #zero], iterator_types = ["reduction"]} ins(%3, %7 : tensor<16xf32>, tensor<f32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %14 = arith.subf %in, %in_2 : f32
    %15 = arith.mulf %14, %14 : f32
    %16 = arith.addf %15, %out : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  %9 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%8 : tensor<f32>) outs(%4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_1 : f32
    %15 = arith.addf %14, %cst_0 : f32
    %16 = math.rsqrt %15 : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  %10 = tensor.empty() : tensor<16xf32>
  %11 = linalg.generic {indexing_maps = [#k, #zero, #zero, #k, #k, #k], iterator_types = ["parallel"]} ins(%3, %7, %9, %arg2, %arg3 : tensor<16xf32>, tensor<f32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>) outs(%10 : tensor<16xf32>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32):
    %14 = arith.subf %in, %in_2 : f32
    %15 = arith.mulf %14, %in_3 : f32
    %16 = arith.mulf %15, %in_4 : f32
    %17 = arith.addf %16, %in_5 : f32
    linalg.yield %17 : f32
  } -> tensor<16xf32>
  %12 = linalg.fill ins(%cst : f32) outs(%1 : tensor<24xf32>) -> tensor<24xf32>
  %13 = linalg.vecmat ins(%11, %arg4 : tensor<16xf32>, tensor<16x24xf32>) outs(%12 : tensor<24xf32>) -> tensor<24xf32>
  return %13 : tensor<24xf32>
}

// What is rounded has one dimension.
// FUSED-LABEL: @rms_dropped_bf16
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @rms_dropped_bf16(%arg0: tensor<1x16xbf16>, %arg1: tensor<16x16xbf16>, %arg2: tensor<16xbf16>, %arg3: tensor<16x24xbf16>) -> tensor<1x24xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 9.99999974E-6 : f32
  %cst_1 = arith.constant 1.600000e+01 : f32
  %0 = tensor.empty() : tensor<1x16xf32>
  %1 = tensor.empty() : tensor<1x24xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %3 = linalg.matmul ins(%arg0, %arg1 : tensor<1x16xbf16>, tensor<16x16xbf16>) outs(%2 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %collapsed = tensor.collapse_shape %3 [[0, 1]] : tensor<1x16xf32> into tensor<16xf32>
  %4 = tensor.empty() : tensor<16xbf16>
  %5 = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]} ins(%collapsed : tensor<16xf32>) outs(%4 : tensor<16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %12 = arith.truncf %in : f32 to bf16
    linalg.yield %12 : bf16
  } -> tensor<16xbf16>
  %6 = tensor.empty() : tensor<f32>
  %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<f32>) -> tensor<f32>
  %8 = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]} ins(%5 : tensor<16xbf16>) outs(%7 : tensor<f32>) {
  ^bb0(%in: bf16, %out: f32):
    %12 = arith.extf %in : bf16 to f32
    %13 = arith.mulf %12, %12 : f32
    %14 = arith.addf %13, %out : f32
    linalg.yield %14 : f32
  } -> tensor<f32>
  %9 = linalg.generic {indexing_maps = [#k, #zero, #k, #k], iterator_types = ["parallel"]} ins(%5, %8, %arg2 : tensor<16xbf16>, tensor<f32>, tensor<16xbf16>) outs(%4 : tensor<16xbf16>) {
  ^bb0(%in: bf16, %in_2: f32, %in_3: bf16, %out: bf16):
    %12 = arith.divf %in_2, %cst_1 : f32
    %13 = arith.addf %12, %cst_0 : f32
    %14 = math.rsqrt %13 : f32
    %15 = arith.extf %in : bf16 to f32
    %16 = arith.mulf %15, %14 : f32
    %17 = arith.truncf %16 : f32 to bf16
    %18 = arith.mulf %17, %in_3 : bf16
    linalg.yield %18 : bf16
  } -> tensor<16xbf16>
  %expanded = tensor.expand_shape %9 [[0, 1]] output_shape [1, 16] : tensor<16xbf16> into tensor<1x16xbf16>
  %10 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x24xf32>) -> tensor<1x24xf32>
  %11 = linalg.matmul ins(%expanded, %arg3 : tensor<1x16xbf16>, tensor<16x24xbf16>) outs(%10 : tensor<1x24xf32>) -> tensor<1x24xf32>
  return %11 : tensor<1x24xf32>
}
