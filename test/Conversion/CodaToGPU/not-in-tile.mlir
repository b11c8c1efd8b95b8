// RUN: coda-opt %s --coda-schedule --remarks-filter=coda --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: [Missed] not-in-tile | Category:coda
// CHECK-SAME: it uses a reduction of whole rows or columns together with other tiles
// CHECK-SAME: this epilogue is computed after the product
func.func @outside(%a: tensor<?x64xbf16>, %b: tensor<4096x64xbf16>, %d: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<4096x64xbf16>) outs(%d [m, n] : tensor<?x4096xbf16>) {
  ^bb0(%acc: !coda.tile<?x4096xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x4096xf32> -> !coda.tile<?x1xf32>
    %t = coda.map(%x = %acc : !coda.tile<?x4096xf32>, %y = %s : !coda.tile<?x1xf32>) -> !coda.tile<?x4096xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x4096xbf16>
  } -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// CHECK: remark: [Missed] not-in-tile | Category:coda
// CHECK-SAME: Reason="it takes a logsumexp of rows"
func.func @partial(%a: tensor<?x64xbf16>, %b: tensor<4096x64xbf16>, %d: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<4096x64xbf16>) outs(%d [n] : tensor<4096xf32>) {
  ^bb0(%acc: !coda.tile<?x4096xf32>):
    %s = coda.reduce logsumexp %acc along rows : !coda.tile<?x4096xf32> -> !coda.tile<1x4096xf32>
    coda.yield %s : !coda.tile<1x4096xf32>
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK: remark: [Missed] not-in-tile | Category:coda
// CHECK-SAME: Reason="it reduces elements of type i64; expected f32 or i32"
func.func @wide(%a: tensor<?x64xi8>, %b: tensor<4096x64xi8>, %d: tensor<?xi64>) -> tensor<?xi64> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xi8>) rhs(%b [n, k] : tensor<4096x64xi8>) outs(%d [m] : tensor<?xi64>) {
  ^bb0(%acc: !coda.tile<?x4096xi32>):
    %w = coda.map(%x = %acc : !coda.tile<?x4096xi32>) -> !coda.tile<?x4096xi64> {
      %y = arith.extsi %x : i32 to i64
      coda.yield %y : i64
    }
    %s = coda.reduce add %w along columns : !coda.tile<?x4096xi64> -> !coda.tile<?x1xi64>
    coda.yield %s : !coda.tile<?x1xi64>
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
