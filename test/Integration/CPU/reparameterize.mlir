// Norms between products in f32, where the algebra shows nothing but rounding.
// M = N = K in one of them: the maps alone tell rows from columns.

// RUN: coda-runner %s --backend=cpu --compare --function=rms_dynamic --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rms_dynamic --dynamic-size=1 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rms_square | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rms_decode | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=scaled_weight | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

#mn = affine_map<(m, n) -> (m, n)>
#m1 = affine_map<(m, n) -> (m, 0)>
#n = affine_map<(m, n) -> (n)>

// FUSED-LABEL: @rms_dynamic
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
func.func @rms_dynamic(%a: tensor<?x16xf32>, %x: tensor<?x16xf32>, %w0: tensor<16x16xf32>, %g: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 16.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %es = tensor.empty(%m) : tensor<?x1xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %1 = linalg.matmul ins(%a, %w0 : tensor<?x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %h = linalg.add ins(%x, %1 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m1], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x16xf32>) outs(%2 : tensor<?x1xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = math.powf %p, %two : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x1xf32>) outs(%es : tensor<?x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = arith.divf %p, %width : f32
    %t = arith.addf %q, %eps : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  } -> tensor<?x1xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m1, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %r, %g : tensor<?x16xf32>, tensor<?x1xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%p: f32, %f: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %f : f32
    %u = arith.mulf %t, %c : f32
    linalg.yield %u : f32
  } -> tensor<?x16xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// FUSED-LABEL: @rms_square
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
func.func @rms_square(%a: tensor<16x16xf32>, %x: tensor<16x16xf32>, %w0: tensor<16x16xf32>, %g: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 16.0 : f32
  %c0 = arith.constant 0 : index
  
  %e = tensor.empty() : tensor<16x16xf32>
  %es = tensor.empty() : tensor<16x1xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = linalg.matmul ins(%a, %w0 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %h = linalg.add ins(%x, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%es : tensor<16x1xf32>) -> tensor<16x1xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m1], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<16x16xf32>) outs(%2 : tensor<16x1xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = math.powf %p, %two : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<16x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<16x1xf32>) outs(%es : tensor<16x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = arith.divf %p, %width : f32
    %t = arith.addf %q, %eps : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  } -> tensor<16x1xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m1, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %r, %g : tensor<16x16xf32>, tensor<16x1xf32>, tensor<16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%p: f32, %f: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %f : f32
    %u = arith.mulf %t, %c : f32
    linalg.yield %u : f32
  } -> tensor<16x16xf32>
  %y = linalg.matmul ins(%n, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// FUSED-LABEL: @rms_decode
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: math.rsqrt
// FUSED-NOT: linalg.generic
func.func @rms_decode(%a: tensor<1x16xf32>, %x: tensor<1x16xf32>, %w0: tensor<16x16xf32>, %g: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 16.0 : f32
  %c0 = arith.constant 0 : index
  
  %e = tensor.empty() : tensor<1x16xf32>
  %es = tensor.empty() : tensor<1x1xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %1 = linalg.matmul ins(%a, %w0 : tensor<1x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %h = linalg.add ins(%x, %1 : tensor<1x16xf32>, tensor<1x16xf32>) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x1xf32>) -> tensor<1x1xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m1], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<1x16xf32>) outs(%2 : tensor<1x1xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = math.powf %p, %two : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<1x1xf32>) outs(%es : tensor<1x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = arith.divf %p, %width : f32
    %t = arith.addf %q, %eps : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  } -> tensor<1x1xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m1, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %r, %g : tensor<1x16xf32>, tensor<1x1xf32>, tensor<16xf32>) outs(%e : tensor<1x16xf32>) {
  ^bb0(%p: f32, %f: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %f : f32
    %u = arith.mulf %t, %c : f32
    linalg.yield %u : f32
  } -> tensor<1x16xf32>
  %y = linalg.matmul ins(%n, %w : tensor<1x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}

// FUSED-LABEL: @scaled_weight
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm {{.*}} operands(%{{.*}} [n] : tensor<24xf32>)
func.func @scaled_weight(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>, %c: tensor<24xf32>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %ew = tensor.empty() : tensor<16x24xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %c : tensor<16x24xf32>, tensor<24xf32>) outs(%ew : tensor<16x24xf32>) {
  ^bb0(%x: f32, %f: f32, %out: f32):
    %t = arith.mulf %x, %f : f32
    linalg.yield %t : f32
  } -> tensor<16x24xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %y = linalg.matmul ins(%a, %0 : tensor<8x16xf32>, tensor<16x24xf32>) outs(%1 : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %y : tensor<8x24xf32>
}
