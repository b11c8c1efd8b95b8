// RUN: coda-opt %s --split-input-file --coda-fuse --canonicalize | FileCheck %s
// RUN: coda-opt %s --split-input-file --coda-fuse --remarks-filter=coda --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: not-fused {{.*}}Reason="it reads a reduction that is complete only after the product"
// REMARK: not-fused {{.*}}Reason="it accumulates in bf16, which rounds after every element; expected f32 or f64"
// REMARK: not-fused {{.*}}Reason="it combines elements by arith.maxnumf, which skips NaN where coda.reduce keeps it"

#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A sum of squares of a row; the product itself is read by others too.
// CHECK-LABEL: @sum_of_squares
// CHECK: coda.gemm
// CHECK-SAME: outs(%{{.*}} [m, n] : tensor<?x24xf32>, %{{.*}} [m] : tensor<?xf32>)
// CHECK: %[[ACC:.*]]: !coda.tile<?x24xf32>):
// CHECK: %[[SQUARE:.*]] = coda.map
// CHECK: %[[SUM:.*]] = coda.reduce add %[[SQUARE]] along columns : !coda.tile<?x24xf32> -> !coda.tile<?x1xf32>
// CHECK: coda.yield %[[ACC]], %[[SUM]]
func.func @sum_of_squares(%a: tensor<?x16xf32>, %w: tensor<16x24xf32>,
                          %e: tensor<?x24xf32>, %s: tensor<?xf32>)
    -> (tensor<?x24xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<?x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<?x24xf32>) -> tensor<?x24xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<?x24xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %1, %3 : tensor<?x24xf32>, tensor<?xf32>
}

// -----

// By columns, where M = N: which loop is reduced says which.
// CHECK-LABEL: @columns
// CHECK: outs(%{{.*}} [n] : tensor<16xf32>)
// CHECK: coda.reduce max %{{.*}} along rows : !coda.tile<16x16xf32> -> !coda.tile<1x16xf32>
func.func @columns(%a: tensor<16x16xf32>, %w: tensor<16x16xf32>,
                   %e: tensor<16x16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = linalg.fill ins(%least : f32) outs(%s : tensor<16xf32>) -> tensor<16xf32>
  %3 = linalg.reduce ins(%1 : tensor<16x16xf32>) outs(%2 : tensor<16xf32>) dimensions = [0]
      (%x: f32, %acc: f32) {
        %t = arith.maximumf %x, %acc : f32
        linalg.yield %t : f32
      }
  return %3 : tensor<16xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// The greatest absolute value starts from 0; a sum from something else is
// completed afterwards.
// CHECK-LABEL: @inits
// CHECK: %[[R:.*]]:2 = coda.gemm
// CHECK: coda.reduce absmax
// CHECK: coda.reduce add
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: ins(%[[R]]#1 : tensor<8xf32>)
// CHECK: arith.addf
// CHECK: return %[[R]]#0, %[[SUM]]
func.func @inits(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>,
                 %e: tensor<8x24xf32>, %s: tensor<8xf32>, %u: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%2 : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %q = math.absf %x : f32
    %t = arith.maximumf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %4 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%u : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.addf %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// The logit of a target.
// CHECK-LABEL: @select
// CHECK: operands(%{{.*}} [m] : tensor<8xi64>)
// CHECK: coda.select_column %{{.*}}[%{{.*}}]
// CHECK-NOT: linalg.generic
func.func @select(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>,
                  %e: tensor<8x24xf32>, %s: tensor<8xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1, %i : tensor<8x24xf32>, tensor<8xi64>) outs(%2 : tensor<8xf32>) {
  ^bb0(%x: f32, %target: i64, %acc: f32):
    %here = linalg.index 1 : index
    %there = arith.index_cast %target : i64 to index
    %is = arith.cmpi eq, %here, %there : index
    %t = arith.select %is, %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// What reads a whole reduction of the same product waits for it.
// CHECK-LABEL: @not_fused
// CHECK: coda.gemm
// CHECK: coda.reduce add
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @not_fused(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>,
                     %e: tensor<8x24xf32>, %s: tensor<8xf32>, %sb: tensor<8xbf16>)
    -> (tensor<8x24xf32>, tensor<8xbf16>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %zerob = arith.constant 0.0 : bf16
  %least = arith.constant 0xFF800000 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%2 : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.addf %acc, %x : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %4 = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%1, %3 : tensor<8x24xf32>, tensor<8xf32>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %t = arith.mulf %x, %r : f32
    linalg.yield %t : f32
  } -> tensor<8x24xf32>
  %5 = linalg.fill ins(%zerob : bf16) outs(%sb : tensor<8xbf16>) -> tensor<8xbf16>
  %6 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%5 : tensor<8xbf16>) {
  ^bb0(%x: f32, %acc: bf16):
    %b = arith.truncf %x : f32 to bf16
    %t = arith.addf %acc, %b : bf16
    linalg.yield %t : bf16
  } -> tensor<8xbf16>
  %7 = linalg.fill ins(%least : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %8 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%7 : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.maxnumf %acc, %x : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %4, %6, %8 : tensor<8x24xf32>, tensor<8xbf16>, tensor<8xf32>
}
