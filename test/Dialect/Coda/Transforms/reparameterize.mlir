// RUN: coda-opt %s --split-input-file --coda-reparameterize=allow-reassoc=true | FileCheck %s
// RUN: coda-opt %s --split-input-file --coda-reparameterize | FileCheck %s --check-prefix=SAME
// RUN: coda-opt %s --split-input-file --coda-reparameterize="allow-reassoc=true row-factor=false column-factor=false layer-norm=false" | FileCheck %s --check-prefix=SAME

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// R1: the row factor scales the accumulator; the conversions between are gone.
// CHECK-LABEL: @row_factor
// CHECK: %[[H:.*]] = linalg.matmul
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: math.rsqrt
// CHECK: %[[HG:.*]] = linalg.generic {{.*}} ins(%[[H]], %{{.*}} : tensor<?x8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.truncf
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[HG]], %{{.*}} : tensor<?x8xbf16>, tensor<8x12xbf16>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[R]] : tensor<?x12xf32>, tensor<?xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf

// SAME-LABEL: @row_factor
// SAME: linalg.matmul
// SAME: linalg.generic
// SAME: arith.truncf
// SAME: linalg.matmul ins(%{{.*}} : tensor<?x8xbf16>
// SAME-NEXT: return
func.func @row_factor(%a: tensor<?x8xf32>, %w0: tensor<8x8xf32>, %h0: tensor<?x8xf32>, %s0: tensor<?xf32>,
                      %g: tensor<8xf32>, %n0: tensor<?x8xbf16>, %w: tensor<8x12xbf16>, %y0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%h0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.matmul ins(%a, %w0 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x8xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%s0 : tensor<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %t = math.rsqrt %x : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %n = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %r, %g : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>) outs(%n0 : tensor<?x8xbf16>) {
  ^bb0(%x: f32, %f: f32, %c: f32, %out: bf16):
    %t = arith.mulf %x, %f : f32
    %b = arith.truncf %t : f32 to bf16
    %e = arith.extf %b : bf16 to f32
    %u = arith.mulf %e, %c : f32
    %v = arith.truncf %u : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<?x8xbf16>
  %2 = linalg.fill ins(%zero : f32) outs(%y0 : tensor<?x12xf32>) -> tensor<?x12xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x8xbf16>, tensor<8x12xbf16>) outs(%2 : tensor<?x12xf32>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A sum over rows gives a factor of each k: it does not move, also where M = K.
// The product with exp in between neither.
// CHECK-LABEL: @not_a_row_factor
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: return
// SAME-LABEL: @not_a_row_factor
func.func @not_a_row_factor(%a: tensor<8x8xf32>, %w0: tensor<8x8xf32>, %h0: tensor<8x8xf32>, %s0: tensor<8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%h0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.matmul ins(%a, %w0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%h : tensor<8x8xf32>) outs(%1 : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.addf %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%h0 : tensor<8x8xf32>) {
  ^bb0(%x: f32, %f: f32, %out: f32):
    %t = arith.mulf %x, %f : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%n, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<8x8xf32>) outs(%1 : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.addf %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%h, %2 : tensor<8x8xf32>, tensor<8xf32>) outs(%h0 : tensor<8x8xf32>) {
  ^bb0(%x: f32, %f: f32, %out: f32):
    %t = arith.mulf %x, %f : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  %z = linalg.matmul ins(%e, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

// R2: a scaled weight is read unscaled.
// CHECK-LABEL: @column_factor
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x12xf32>, %[[C:[a-z0-9]+]]: tensor<12xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<?x8xf32>, tensor<8x12xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[C]] : tensor<?x12xf32>, tensor<12xf32>)
// SAME-LABEL: @column_factor
// SAME: linalg.generic
// SAME: linalg.matmul
// SAME-NEXT: return
func.func @column_factor(%a: tensor<?x8xf32>, %w: tensor<8x12xf32>, %c: tensor<12xf32>, %w0: tensor<8x12xf32>, %y0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %c : tensor<8x12xf32>, tensor<12xf32>) outs(%w0 : tensor<8x12xf32>) {
  ^bb0(%x: f32, %f: f32, %out: f32):
    %t = arith.mulf %x, %f : f32
    linalg.yield %t : f32
  } -> tensor<8x12xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%y0 : tensor<?x12xf32>) -> tensor<?x12xf32>
  %y = linalg.matmul ins(%a, %0 : tensor<?x8xf32>, tensor<8x12xf32>) outs(%1 : tensor<?x12xf32>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// -----

#k = affine_map<(k) -> (k)>
#zero = affine_map<(k) -> ()>
#none = affine_map<() -> ()>

// R1 for one row without a dimension for it: the factor is a number.
// CHECK-LABEL: @one_row
// CHECK: %[[H:.*]] = linalg.vecmat
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK: math.rsqrt
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[H]], %{{.*}} : tensor<8xf32>, tensor<8x12xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[R]] : tensor<12xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// SAME-LABEL: @one_row
// SAME: linalg.vecmat
// SAME: linalg.vecmat
// SAME-NEXT: return
func.func @one_row(%a: tensor<8xf32>, %w0: tensor<8x8xf32>, %h0: tensor<8xf32>, %s0: tensor<f32>,
                   %w: tensor<8x12xf32>, %y0: tensor<12xf32>) -> tensor<12xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%h0 : tensor<8xf32>) -> tensor<8xf32>
  %h = linalg.vecmat ins(%a, %w0 : tensor<8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#k, #zero], iterator_types = ["reduction"]}
      ins(%h : tensor<8xf32>) outs(%1 : tensor<f32>) {
  ^bb0(%x: f32, %acc: f32):
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%s : tensor<f32>) outs(%s0 : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %t = math.rsqrt %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %n = linalg.generic {indexing_maps = [#k, #zero, #k], iterator_types = ["parallel"]}
      ins(%h, %r : tensor<8xf32>, tensor<f32>) outs(%h0 : tensor<8xf32>) {
  ^bb0(%x: f32, %f: f32, %out: f32):
    %t = arith.mulf %x, %f : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%y0 : tensor<12xf32>) -> tensor<12xf32>
  %y = linalg.vecmat ins(%n, %w : tensor<8xf32>, tensor<8x12xf32>) outs(%2 : tensor<12xf32>) -> tensor<12xf32>
  return %y : tensor<12xf32>
}
