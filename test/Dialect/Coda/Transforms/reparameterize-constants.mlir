// RUN: coda-opt %s --split-input-file --coda-reparameterize=allow-reassoc=true --remarks-filter=coda --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: coda-opt %s --split-input-file --coda-reparameterize="allow-reassoc=true fold-constant-factors=false" | FileCheck %s --check-prefix=OFF
// RUN: coda-opt %s --split-input-file --coda-reparameterize | FileCheck %s --check-prefix=OFF

// The product reads the matrix itself.
// CHECK-LABEL: @scaled_rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[}}[2.000000e+00, 4.000000e+00], [1.500000e+00, 2.000000e+00]]> : tensor<2x2xf32>
// CHECK: linalg.matmul ins(%[[X]], %[[W]] :
// CHECK-NEXT: return
// OFF-LABEL: @scaled_rows
// OFF: dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// OFF: linalg.generic
// OFF: linalg.matmul
// REMARK: remark: [Passed] constant-factors | Category:coda | Remark="constant factors of an input went into the weight"
func.func @scaled_rows(%x: tensor<?x2xf32>, %e: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %g = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%n, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// A weight of [n, k], a divisor, and a vector that is computed: 1 / (1 + g).
// CHECK-LABEL: @scaled_columns
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2xbf16>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[}}[5.000000e-01, 1.000000e+00], [1.500000e+00, 2.000000e+00]]> : tensor<2x2xbf16>
// CHECK: linalg.matmul {{.*}} ins(%[[X]], %[[W]] :
// CHECK-NEXT: return
// OFF-LABEL: @scaled_columns
// OFF: linalg.generic
// OFF: linalg.matmul
func.func @scaled_columns(%x: tensor<?x2xbf16>, %e: tensor<?x2xbf16>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %g = arith.constant dense<1.0> : tensor<2xf32>
  %one = arith.constant 1.0 : f32
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xbf16>, tensor<2xf32>) outs(%e : tensor<?x2xbf16>) {
  ^bb0(%p: bf16, %c: f32, %out: bf16):
    %f = arith.extf %p : bf16 to f32
    %d = arith.addf %c, %one : f32
    %t = arith.divf %f, %d : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<?x2xbf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%n, %w : tensor<?x2xbf16>, tensor<2x2xbf16>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// Resources stay resources; in f16 1 + 2^-10 times itself is rounded.
// CHECK-LABEL: @resources
// CHECK: arith.constant dense_resource<scaled_weight> : tensor<2x1xf16>
// CHECK: scaled_weight: "0x{{[0-9A-F]*}}023C0040"
// OFF-LABEL: @resources
// OFF: dense_resource<w>
func.func @resources(%x: tensor<?x2xf16>, %e: tensor<?x2xf16>, %y: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense_resource<w> : tensor<2x1xf16>
  %g = arith.constant dense_resource<g> : tensor<2xf16>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xf16>, tensor<2xf16>) outs(%e : tensor<?x2xf16>) {
  ^bb0(%p: f16, %c: f16, %out: f16):
    %t = arith.mulf %p, %c : f16
    linalg.yield %t : f16
  } -> tensor<?x2xf16>
  %0 = linalg.matmul ins(%n, %w : tensor<?x2xf16>, tensor<2x1xf16>) outs(%y : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x02000000013C0040",
      g: "0x02000000013C003C"
    }
  }
#-}

// -----

// What would become infinite, or too small, stays.
// CHECK-LABEL: @range
// CHECK-COUNT-2: linalg.generic
// REMARK: [Missed] constant-factors {{.*}} Reason="a scaled element of the weight is not finite"
// REMARK: [Missed] constant-factors {{.*}} Reason="scaled elements of the weight are too small for f16"
func.func @range(%x: tensor<?x2xf16>, %e: tensor<?x2xf16>, %y: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %w0 = arith.constant dense<6.0e4> : tensor<2x1xf16>
  %w1 = arith.constant dense<3.0e-7> : tensor<2x1xf16>
  %g0 = arith.constant dense<2.0> : tensor<2xf16>
  %g1 = arith.constant dense<0.7> : tensor<2xf16>
  %n0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%x, %g0 : tensor<?x2xf16>, tensor<2xf16>) outs(%e : tensor<?x2xf16>) {
  ^bb0(%p: f16, %c: f16, %out: f16):
    %t = arith.mulf %p, %c : f16
    linalg.yield %t : f16
  } -> tensor<?x2xf16>
  %0 = linalg.matmul ins(%n0, %w0 : tensor<?x2xf16>, tensor<2x1xf16>) outs(%y : tensor<?x1xf32>) -> tensor<?x1xf32>
  %n1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%x, %g1 : tensor<?x2xf16>, tensor<2xf16>) outs(%e : tensor<?x2xf16>) {
  ^bb0(%p: f16, %c: f16, %out: f16):
    %t = arith.mulf %p, %c : f16
    linalg.yield %t : f16
  } -> tensor<?x2xf16>
  %1 = linalg.matmul ins(%n1, %w1 : tensor<?x2xf16>, tensor<2x1xf16>) outs(%y : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0, %1 : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// Nothing is gained where the scaled matrix is read otherwise, or the weight; and
// one that is an argument is not known.
// CHECK-LABEL: @readers
// CHECK: linalg.generic
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} :
// REMARK: [Missed] constant-factors {{.*}} Reason="another op reads the scaled input"
// REMARK: [Missed] constant-factors {{.*}} Reason="the other input is no constant matrix of floats"
func.func @readers(%x: tensor<?x2xf32>, %e: tensor<?x2xf32>, %y: tensor<?x2xf32>, %v: tensor<2x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %g = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%n, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = linalg.matmul ins(%n, %v : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @shared_weight
// CHECK: linalg.generic
// CHECK: linalg.matmul
// REMARK: [Missed] constant-factors {{.*}} Reason="another op reads the weight"
func.func @shared_weight(%x: tensor<?x2xf32>, %e: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<2x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %g = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%n, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %w : tensor<?x2xf32>, tensor<2x2xf32>
}

// -----

// A plain copy that transposes, as an exporter leaves it, is looked through; two
// products of one scaled matrix both read the matrix.
// CHECK-LABEL: @two_products
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK: linalg.matmul ins(%[[X]],
// CHECK: linalg.matmul ins(%[[X]],
func.func @two_products(%x: tensor<?x2xf32>, %e: tensor<?x2xf32>, %y: tensor<?x2xf32>, %f: tensor<2x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %g = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %c: f32, %out: f32):
    %t = arith.mulf %p, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x2xf32>
  %vt = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) {
  ^bb0(%p: f32, %out: f32):
    linalg.yield %p : f32
  } -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%n, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = linalg.matmul ins(%n, %vt : tensor<?x2xf32>, tensor<2x2xf32>) outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}
