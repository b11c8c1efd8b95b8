// RUN: coda-compile %s --emit=gpu -o - | FileCheck %s

// The sum of a row that fits a tile is complete once all columns of the matrix
// operand have been there. Its buffers hold one half of them: asked for earlier,
// the kernel would wait for itself.

// CHECK-LABEL: llvm.func @rows_gemm(
func.func @rows(%a: tensor<16x64xbf16>, %b: tensor<16x64xbf16>,
                %c: tensor<16x16xbf16>, %d: tensor<16x16xbf16>,
                %s: tensor<16xf32>) -> (tensor<16x16xbf16>, tensor<16xf32>) {
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<16x64xbf16>) rhs(%b [n, k] : tensor<16x64xbf16>)
      operands(%c [m, n] : tensor<16x16xbf16>)
      outs(%d [m, n] : tensor<16x16xbf16>, %s [m] : tensor<16xf32>) {
  ^bb0(%acc: !coda.tile<16x16xf32>, %ct: !coda.tile<16x16xbf16>):
    %sum = coda.map(%x = %acc : !coda.tile<16x16xf32>, %y = %ct : !coda.tile<16x16xbf16>)
        -> !coda.tile<16x16xf32> {
      %e = arith.extf %y : bf16 to f32
      %z = arith.addf %x, %e : f32
      coda.yield %z : f32
    }
    %rounded = coda.map(%x = %sum : !coda.tile<16x16xf32>) -> !coda.tile<16x16xbf16> {
      %z = arith.truncf %x : f32 to bf16
      coda.yield %z : bf16
    }
    %total = coda.reduce add %sum along columns : !coda.tile<16x16xf32> -> !coda.tile<16x1xf32>
    coda.yield %rounded, %total : !coda.tile<16x16xbf16>, !coda.tile<16x1xf32>
  } -> (tensor<16x16xbf16>, tensor<16xf32>)
  return %0#0, %0#1 : tensor<16x16xbf16>, tensor<16xf32>
}
