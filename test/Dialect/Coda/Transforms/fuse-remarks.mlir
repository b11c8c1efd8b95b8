// RUN: coda-opt %s --coda-fuse --split-input-file --remarks-filter=coda --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: coda-opt %s --coda-fuse --split-input-file | FileCheck %s --check-prefix=IR

// CHECK: remark: [Missed] not-a-gemm {{.*}}Reason="it is batched: loop 0 indexes both inputs and the result"
// CHECK: remark: [Missed] not-a-gemm {{.*}}Reason="it accumulates bf16 products in f64, but coda.gemm in f32"
// CHECK: remark: [Missed] not-a-gemm {{.*}}Reason="its inputs are of two element types, bf16 and f32"
// CHECK: remark: [Missed] not-a-gemm {{.*}}Reason="its body holds arith.extui; expected only widening casts of the inputs"
// CHECK: remark: [Missed] not-a-gemm {{.*}}Reason="its body holds arith.truncf
// IR-LABEL: func @not_gemms
// IR-NOT: coda.gemm
func.func @not_gemms(%a: tensor<2x8x8xf32>, %b: tensor<8x8xbf16>, %c: tensor<8x8xf32>, %d: tensor<8x8xf64>, %i: tensor<8x8xi8>, %j: tensor<8x8xi32>) -> (tensor<2x8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xbf16>) {
  %0 = linalg.batch_matmul ins(%a, %a : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%a : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %1 = linalg.matmul ins(%b, %b : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%d : tensor<8x8xf64>) -> tensor<8x8xf64>
  %2 = linalg.matmul ins(%b, %c : tensor<8x8xbf16>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%i, %i : tensor<8x8xi8>, tensor<8x8xi8>) outs(%j : tensor<8x8xi32>) -> tensor<8x8xi32>
  %4 = linalg.matmul ins(%c, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%b : tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %0, %1, %2, %3, %4 : tensor<2x8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// CHECK: remark: [Passed] fused {{.*}}destinations=3, fused-ops=2
// CHECK: remark: [Missed] not-fused {{.*}}Reason="it reads the product at [m, n] and at [n, m]"
// CHECK: remark: [Missed] not-fused {{.*}}Reason="it reads a reduction that is complete only after the product"
// CHECK: remark: [Missed] not-fused {{.*}}Reason="an operand is computed after the product and cannot be moved above it, nor the product below it"
// CHECK: remark: [Missed] not-fused {{.*}}Reason="its body holds tensor.extract, which is no arith or math op"
// CHECK: remark: [Missed] not-fused {{.*}}Reason="it runs over loop 2, which the product does not"
// IR-LABEL: func @not_fused
func.func @not_fused(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8x4xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x8xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %b3 = linalg.broadcast ins(%3 : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [1]
  %4 = linalg.sub ins(%1, %b3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %g = tensor.extract %x[%i, %i] : tensor<8x8xf32>
    %s = arith.addf %a, %g : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %e2 = tensor.empty() : tensor<8x8x4xf32>
  %6 = linalg.broadcast ins(%1 : tensor<8x8xf32>) outs(%e2 : tensor<8x8x4xf32>) dimensions = [2]
  return %2, %3, %4, %5, %6 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8x4xf32>
}
