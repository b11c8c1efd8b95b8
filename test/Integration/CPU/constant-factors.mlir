// Scales that are constants go into weights that are, which is computed by the
// compiler: what runs then, against the source.

// RUN: coda-runner %s --backend=cpu --compare --function=rms_f32_kn --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=rms_f32_nk_resource --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=layer_norm --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=argument --dynamic-size=37 | FileCheck %s
// A rounding of another value in bf16.
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.02 --function=rms_bf16_kn --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --tolerance=0.02 --function=rms_bf16_nk_resource --dynamic-size=37 | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED
// RUN: coda-opt %s --coda-fusion=fold-constant-factors=false | FileCheck %s --check-prefix=OFF

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// FUSED-LABEL: @rms_f32_kn
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: arith.mulf
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: return
// OFF-LABEL: @rms_f32_kn
func.func @rms_f32_kn(%a: tensor<?x8xf32>, %w0: tensor<8x8xf32>) -> tensor<?x6xf32> {
  %w = arith.constant dense<[[-0.524071, 0.088458, -0.260090, 0.207840, 0.251441, -0.868942], [-0.973664, 0.674938, -0.481292, -0.531338, 0.991290, -0.059473], [0.672923, -0.047294, 0.278136, -0.698767, 0.269721, 0.736091], [0.046362, 0.482504, 0.342823, -0.871937, 0.516460, 0.182199], [-0.397465, -0.937976, 0.731054, -0.054502, 0.437648, 0.757626], [0.428259, 0.842197, -0.210073, 0.601818, -0.110758, 0.871173], [0.757733, -0.805091, -0.728062, -0.566026, 0.930960, -0.127676], [0.253297, -0.397948, 0.014486, -0.228267, -0.298179, 0.170148]]> : tensor<8x6xf32>
  %g = arith.constant dense<[1.396660, 0.877789, 0.960410, 1.020073, 1.143889, 1.095650, 1.059261, 1.120126]> : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %ef = tensor.empty(%m) : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %es = tensor.empty(%m) : tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h0 = linalg.matmul ins(%a, %w0 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h0 : tensor<?x8xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h0, %s, %g : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %f: f32, %c: f32, %out: f32):
    %d = arith.divf %f, %width : f32
    %v = arith.addf %d, %eps : f32
    %r = math.rsqrt %v : f32
    %y = arith.mulf %p, %r : f32
    %z = arith.mulf %y, %c : f32
    linalg.yield %z : f32
  } -> tensor<?x8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// FUSED-LABEL: @rms_f32_nk_resource
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: arith.mulf
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: return
// OFF-LABEL: @rms_f32_nk_resource
func.func @rms_f32_nk_resource(%a: tensor<?x8xf32>, %w0: tensor<8x8xf32>) -> tensor<?x6xf32> {
  %w = arith.constant dense_resource<w_f32> : tensor<6x8xf32>
  %g = arith.constant dense_resource<g_f32> : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %ef = tensor.empty(%m) : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %es = tensor.empty(%m) : tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h0 = linalg.matmul ins(%a, %w0 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h0 : tensor<?x8xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h0, %s, %g : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %f: f32, %c: f32, %out: f32):
    %d = arith.divf %f, %width : f32
    %v = arith.addf %d, %eps : f32
    %r = math.rsqrt %v : f32
    %y = arith.mulf %p, %r : f32
    %z = arith.mulf %y, %c : f32
    linalg.yield %z : f32
  } -> tensor<?x8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %et = tensor.empty() : tensor<8x6xf32>
  %wt = linalg.transpose ins(%w : tensor<6x8xf32>) outs(%et : tensor<8x6xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%n, %wt : tensor<?x8xf32>, tensor<8x6xf32>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// FUSED-LABEL: @rms_bf16_kn
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: arith.mulf
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: return
// OFF-LABEL: @rms_bf16_kn
func.func @rms_bf16_kn(%a: tensor<?x8xbf16>, %w0: tensor<8x8xbf16>) -> tensor<?x6xf32> {
  %w = arith.constant dense<[[-0.524071, 0.088458, -0.260090, 0.207840, 0.251441, -0.868942], [-0.973664, 0.674938, -0.481292, -0.531338, 0.991290, -0.059473], [0.672923, -0.047294, 0.278136, -0.698767, 0.269721, 0.736091], [0.046362, 0.482504, 0.342823, -0.871937, 0.516460, 0.182199], [-0.397465, -0.937976, 0.731054, -0.054502, 0.437648, 0.757626], [0.428259, 0.842197, -0.210073, 0.601818, -0.110758, 0.871173], [0.757733, -0.805091, -0.728062, -0.566026, 0.930960, -0.127676], [0.253297, -0.397948, 0.014486, -0.228267, -0.298179, 0.170148]]> : tensor<8x6xbf16>
  %g = arith.constant dense<1.5> : tensor<8xbf16>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xbf16>
  %ef = tensor.empty(%m) : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xbf16>
  %es = tensor.empty(%m) : tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h0 = linalg.matmul ins(%a, %w0 : tensor<?x8xbf16>, tensor<8x8xbf16>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h0 : tensor<?x8xf32>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%p: f32, %o: bf16):
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x8xbf16>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x8xbf16>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: bf16, %acc: f32):
    %x = arith.extf %p : bf16 to f32
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %s, %g : tensor<?x8xbf16>, tensor<?xf32>, tensor<8xbf16>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%p: bf16, %f: f32, %c: bf16, %out: bf16):
    %d = arith.divf %f, %width : f32
    %v = arith.addf %d, %eps : f32
    %r = math.rsqrt %v : f32
    %x = arith.extf %p : bf16 to f32
    %y = arith.mulf %x, %r : f32
    %k = arith.truncf %y : f32 to bf16
    %z = arith.mulf %k, %c : bf16
    linalg.yield %z : bf16
  } -> tensor<?x8xbf16>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x8xbf16>, tensor<8x6xbf16>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// FUSED-LABEL: @rms_bf16_nk_resource
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: coda.reduce add
// FUSED-NOT: arith.mulf
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: return
// OFF-LABEL: @rms_bf16_nk_resource
func.func @rms_bf16_nk_resource(%a: tensor<?x8xbf16>, %w0: tensor<8x8xbf16>) -> tensor<?x6xf32> {
  %w = arith.constant dense_resource<w_bf16> : tensor<6x8xbf16>
  %g = arith.constant dense_resource<g_bf16> : tensor<8xbf16>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xbf16>
  %ef = tensor.empty(%m) : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xbf16>
  %es = tensor.empty(%m) : tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h0 = linalg.matmul ins(%a, %w0 : tensor<?x8xbf16>, tensor<8x8xbf16>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h0 : tensor<?x8xf32>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%p: f32, %o: bf16):
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x8xbf16>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x8xbf16>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: bf16, %acc: f32):
    %x = arith.extf %p : bf16 to f32
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %s, %g : tensor<?x8xbf16>, tensor<?xf32>, tensor<8xbf16>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%p: bf16, %f: f32, %c: bf16, %out: bf16):
    %d = arith.divf %f, %width : f32
    %v = arith.addf %d, %eps : f32
    %r = math.rsqrt %v : f32
    %x = arith.extf %p : bf16 to f32
    %y = arith.mulf %x, %r : f32
    %k = arith.truncf %y : f32 to bf16
    %z = arith.mulf %k, %c : bf16
    linalg.yield %z : bf16
  } -> tensor<?x8xbf16>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %et = tensor.empty() : tensor<8x6xbf16>
  %wt = linalg.transpose ins(%w : tensor<6x8xbf16>) outs(%et : tensor<8x6xbf16>) permutation = [1, 0]
  %y = linalg.matmul ins(%n, %wt : tensor<?x8xbf16>, tensor<8x6xbf16>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// The scale of an argument, which nothing has to store then.
// FUSED-LABEL: @argument
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED-NOT: coda.map
// FUSED: return
// OFF-LABEL: @argument
// OFF: linalg.generic
// OFF: coda.gemm
func.func @argument(%x: tensor<?x8xf32>) -> tensor<?x6xf32> {
  %w = arith.constant dense<[[-0.524071, 0.088458, -0.260090, 0.207840, 0.251441, -0.868942], [-0.973664, 0.674938, -0.481292, -0.531338, 0.991290, -0.059473], [0.672923, -0.047294, 0.278136, -0.698767, 0.269721, 0.736091], [0.046362, 0.482504, 0.342823, -0.871937, 0.516460, 0.182199], [-0.397465, -0.937976, 0.731054, -0.054502, 0.437648, 0.757626], [0.428259, 0.842197, -0.210073, 0.601818, -0.110758, 0.871173], [0.757733, -0.805091, -0.728062, -0.566026, 0.930960, -0.127676], [0.253297, -0.397948, 0.014486, -0.228267, -0.298179, 0.170148]]> : tensor<8x6xf32>
  %g = arith.constant dense<[1.396660, 0.877789, 0.960410, 1.020073, 1.143889, 1.095650, 1.059261, 1.120126]> : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %n = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %c: f32, %out: f32):
    %d = arith.addf %c, %one : f32
    %t = arith.mulf %p, %d : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// LayerNorm leaves a mean and a variance; g @ W and b @ W are constants.
// FUSED-LABEL: @layer_norm
// FUSED-NOT: linalg.generic
// FUSED: coda.gemm
// FUSED: coda.gemm
// FUSED-NOT: linalg.generic
// FUSED: return
// OFF-LABEL: @layer_norm
// OFF: math.fma
func.func @layer_norm(%a: tensor<?x8xf32>, %w0: tensor<8x8xf32>) -> tensor<?x6xf32> {
  %w = arith.constant dense<[[0.168504, 0.808404, 0.363964, 0.857891, 0.712801, 0.981979, 0.342547, -0.673801], [0.721275, 0.929266, 0.809392, 0.138215, 0.427634, -0.577750, 0.663216, 0.147065], [-0.430085, -0.873079, 0.707885, 0.979612, -0.822964, 0.601191, -0.179076, -0.698469], [-0.412218, 0.537584, 0.745534, -0.911620, 0.229065, -0.910120, 0.436881, -0.338092], [0.761811, 0.961272, 0.010841, 0.997018, -0.380660, -0.846059, 0.199526, -0.937244], [-0.605230, -0.184128, 0.220934, -0.687602, -0.915128, 0.735558, -0.372339, 0.917319]]> : tensor<6x8xf32>
  %g = arith.constant dense<[1.396660, 0.877789, 0.960410, 1.020073, 1.143889, 1.095650, 1.059261, 1.120126]> : tensor<8xf32>
  %b = arith.constant dense<[0.881243, 0.014054, -0.137617, 0.440623, -0.524729, -0.397826, 0.955595, 0.042255]> : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %width = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %es = tensor.empty(%m) : tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.matmul ins(%a, %w0 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x8xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %t = arith.addf %p, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%es : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.divf %p, %width : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %v = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h, %mean : tensor<?x8xf32>, tensor<?xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %d = arith.subf %p, %q : f32
    %t = arith.mulf %d, %d : f32
    %u = arith.addf %t, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #m, #n, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %mean, %v, %g, %b : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %q: f32, %f: f32, %c: f32, %k: f32, %out: f32):
    %d = arith.divf %f, %width : f32
    %t = arith.addf %d, %eps : f32
    %r = math.rsqrt %t : f32
    %x = arith.subf %p, %q : f32
    %y = arith.mulf %x, %r : f32
    %z = arith.mulf %y, %c : f32
    %u = arith.addf %z, %k : f32
    linalg.yield %u : f32
  } -> tensor<?x8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x6xf32>) -> tensor<?x6xf32>
  %et = tensor.empty() : tensor<8x6xf32>
  %wt = linalg.transpose ins(%w : tensor<6x8xf32>) outs(%et : tensor<8x6xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%n, %wt : tensor<?x8xf32>, tensor<8x6xf32>) outs(%2 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w_f32: "0x04000000348C2C3E89F34E3F8659BA3EC29E5B3F237A363FFF627B3F5562AF3E357E2CBF7CA5383F5FE46D3F50344F3F3C880D3ED9F2DA3E6DE713BF84C8293F2198163E1C34DCBE18825FBFF337353FDBC77A3FC2AD52BFA1E7193FCA5F37BEE1CE32BF2C0ED3BE179F093F52DB3E3FEC5F69BF08906A3E98FD68BFDCAEDF3E5B1AADBE0506433FE415763F649D313C913C7F3FDAE5C2BE4C9758BF72504C3E41EF6FBF5FF01ABFFB8B3CBE963C623EB00630BFDA456ABF894D3C3F36A3BEBE69D56A3F",
      g_f32: "0x04000000BEC5B23FCCB6603F68DD753FC091823FF26A923F443E8C3FDE95873F4B608F3F",
      w_bf16: "0x040000002D3E4F3FBA3E5C3F363F7B3FAF3E2CBF393F6E3F4F3F0E3EDB3E14BF2A3F173EDCBE60BF353F7B3F53BF1A3F37BE33BFD3BE0A3F3F3F69BF6B3E69BFE03EADBE433F763F323C7F3FC3BE59BF4C3E70BF1BBF3DBE623E30BF6ABF3C3FBFBE6B3F",
      g_bf16: "0x04000000B33F613F763F833F923F8C3F883F8F3F"
    }
  }
#-}
