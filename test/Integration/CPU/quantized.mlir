// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED
// RUN: coda-runner %s --backend=cpu --compare --function=scaled_mm | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=scaled_mm --data=special | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=mixed | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=mixed --data=special | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=requantise --int-max=20 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rescale --int-max=20 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=zero_points --int-max=20 | FileCheck %s
// CHECK: PASS

// Products of quantised inputs and what exporters put around them: each is one
// coda.gemm, and means on a CPU what the linalg ops do.

// torch._scaled_mm as it decomposes: both inputs widened first, two scales of one
// element each, a bias, bf16. Only the product of the scales is an op of its own.
// FUSED-LABEL: func.func @scaled_mm(
// FUSED: linalg.generic {{.*}}outs(%{{.*}} : tensor<1xf32>)
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm lhs({{.*}} : tensor<24x48xf8E4M3FN>) rhs({{.*}}[n, k] : tensor<20x48xf8E5M2>)
// FUSED-NOT: linalg
func.func @scaled_mm(%a: tensor<24x48xf8E4M3FN>, %w: tensor<20x48xf8E5M2>, %sa: tensor<f32>, %sb: tensor<1xf32>, %bias: tensor<20xbf16>) -> tensor<24x20xbf16> {
  %zero = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<24x48xf32>
  %af = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<24x48xf8E4M3FN>) outs(%ea : tensor<24x48xf32>) {
  ^bb0(%x: f8E4M3FN, %o: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    linalg.yield %y : f32
  } -> tensor<24x48xf32>
  %et = tensor.empty() : tensor<48x20xf8E5M2>
  %wt = linalg.transpose ins(%w : tensor<20x48xf8E5M2>) outs(%et : tensor<48x20xf8E5M2>) permutation = [1, 0]
  %eb = tensor.empty() : tensor<48x20xf32>
  %bf = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%wt : tensor<48x20xf8E5M2>) outs(%eb : tensor<48x20xf32>) {
  ^bb0(%x: f8E5M2, %o: f32):
    %y = arith.extf %x : f8E5M2 to f32
    linalg.yield %y : f32
  } -> tensor<48x20xf32>
  %e = tensor.empty() : tensor<24x20xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<24x20xf32>) -> tensor<24x20xf32>
  %p = linalg.matmul ins(%af, %bf : tensor<24x48xf32>, tensor<48x20xf32>) outs(%init : tensor<24x20xf32>) -> tensor<24x20xf32>
  %es = tensor.empty() : tensor<1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sa, %sb : tensor<f32>, tensor<1xf32>) outs(%es : tensor<1xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<1xf32>
  %ps = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<24x20xf32>, tensor<1xf32>) outs(%e : tensor<24x20xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<24x20xf32>
  %eo = tensor.empty() : tensor<24x20xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ps, %bias : tensor<24x20xf32>, tensor<20xbf16>) outs(%eo : tensor<24x20xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o: bf16):
    %yf = arith.extf %y : bf16 to f32
    %z = arith.addf %x, %yf : f32
    %t = arith.truncf %z : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<24x20xbf16>
  return %r : tensor<24x20xbf16>
}

// The inputs mixed in the product itself; the scale a scalar; the result
// quantised again.
// FUSED-LABEL: func.func @mixed(
// FUSED-NOT: linalg
// FUSED: coda.gemm lhs({{.*}} : tensor<24x48xf8E5M2>) rhs({{.*}} : tensor<48x20xf8E4M3FN>)
// FUSED-NOT: linalg
func.func @mixed(%a: tensor<24x48xf8E5M2>, %b: tensor<48x20xf8E4M3FN>, %scale: f32) -> tensor<24x20xf8E4M3FN> {
  %zero = arith.constant 0.0 : f32
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  %e = tensor.empty() : tensor<24x20xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<24x20xf32>) -> tensor<24x20xf32>
  %p = linalg.matmul ins(%a, %b : tensor<24x48xf8E5M2>, tensor<48x20xf8E4M3FN>) outs(%init : tensor<24x20xf32>) -> tensor<24x20xf32>
  %eo = tensor.empty() : tensor<24x20xf8E4M3FN>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<24x20xf32>) outs(%eo : tensor<24x20xf8E4M3FN>) {
  ^bb0(%x: f32, %o: f8E4M3FN):
    %y = arith.mulf %x, %scale : f32
    %c = arith.minimumf %y, %high : f32
    %d = arith.maximumf %c, %low : f32
    %t = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  } -> tensor<24x20xf8E4M3FN>
  return %r : tensor<24x20xf8E4M3FN>
}

// int8, requantised by a scale of each column.
// FUSED-LABEL: func.func @requantise(
// FUSED-NOT: linalg
// FUSED: coda.gemm lhs({{.*}} : tensor<24x48xi8>) rhs({{.*}} : tensor<48x20xi8>)
// FUSED-NOT: linalg
func.func @requantise(%a: tensor<24x48xi8>, %b: tensor<48x20xi8>, %scale: tensor<20xf32>, %bias: tensor<20xf32>) -> tensor<24x20xi8> {
  %zero = arith.constant 0 : i32
  %high = arith.constant 127.0 : f32
  %low = arith.constant -128.0 : f32
  %e = tensor.empty() : tensor<24x20xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<24x20xi32>) -> tensor<24x20xi32>
  %p = linalg.matmul ins(%a, %b : tensor<24x48xi8>, tensor<48x20xi8>) outs(%init : tensor<24x20xi32>) -> tensor<24x20xi32>
  %ef = tensor.empty() : tensor<24x20xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<24x20xi32>) outs(%ef : tensor<24x20xf32>) {
  ^bb0(%x: i32, %o: f32):
    %y = arith.sitofp %x : i32 to f32
    linalg.yield %y : f32
  } -> tensor<24x20xf32>
  %eo = tensor.empty() : tensor<24x20xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%f, %scale, %bias : tensor<24x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%eo : tensor<24x20xi8>) {
  ^bb0(%x: f32, %s: f32, %q: f32, %o: i8):
    %y = arith.mulf %x, %s : f32
    %z = arith.addf %y, %q : f32
    %n = math.roundeven %z : f32
    %c = arith.minimumf %n, %high : f32
    %d = arith.maximumf %c, %low : f32
    %t = arith.fptosi %d : f32 to i8
    linalg.yield %t : i8
  } -> tensor<24x20xi8>
  return %r : tensor<24x20xi8>
}

// The same by a multiplication in fixed point (tosa.rescale's way).
// FUSED-LABEL: func.func @rescale(
// FUSED-NOT: linalg
// FUSED: coda.gemm lhs({{.*}} : tensor<24x48xi8>) rhs({{.*}} : tensor<20x48xi8>)
// FUSED-NOT: linalg
func.func @rescale(%a: tensor<24x48xi8>, %b: tensor<20x48xi8>, %multiplier: tensor<20xi32>) -> tensor<24x20xi8> {
  %zero = arith.constant 0 : i32
  %high = arith.constant 127 : i64
  %low = arith.constant -128 : i64
  %half = arith.constant 512 : i64
  %bits = arith.constant 10 : i64
  %e = tensor.empty() : tensor<24x20xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<24x20xi32>) -> tensor<24x20xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<24x48xi8>, tensor<20x48xi8>) outs(%init : tensor<24x20xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %m = arith.muli %xw, %yw : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  } -> tensor<24x20xi32>
  %eo = tensor.empty() : tensor<24x20xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %multiplier : tensor<24x20xi32>, tensor<20xi32>) outs(%eo : tensor<24x20xi8>) {
  ^bb0(%x: i32, %q: i32, %o: i8):
    %xw = arith.extsi %x : i32 to i64
    %qw = arith.extsi %q : i32 to i64
    %y = arith.muli %xw, %qw : i64
    %z = arith.addi %y, %half : i64
    %n = arith.shrsi %z, %bits : i64
    %c = arith.minsi %n, %high : i64
    %d = arith.maxsi %c, %low : i64
    %t = arith.trunci %d : i64 to i8
    linalg.yield %t : i8
  } -> tensor<24x20xi8>
  return %r : tensor<24x20xi8>
}

// Zero points, which the product expands into sums over k.
// FUSED-LABEL: func.func @zero_points(
// FUSED: coda.gemm lhs({{.*}} : tensor<24x48xi8>)
func.func @zero_points(%a: tensor<24x48xi8>, %b: tensor<48x20xi8>, %za: i32, %zb: i32) -> tensor<24x20xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<24x20xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<24x20xi32>) -> tensor<24x20xi32>
  %p = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<24x48xi8>, tensor<48x20xi8>, i32, i32) outs(%init : tensor<24x20xi32>) -> tensor<24x20xi32>
  return %p : tensor<24x20xi32>
}
