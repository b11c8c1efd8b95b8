// RUN: sed 's/FUNCTION/math.erf/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.tanh/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.exp/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.exp2/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.log/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.rsqrt/' %s | coda-compile - -o %t.ptx && FileCheck %s < %t.ptx
// RUN: sed 's/FUNCTION/math.sin/' %s | not coda-compile - -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SIN

// Functions of an f32 result: instruction selection knows none of them, and
// what cannot be compiled is an error before it.

// CHECK: {{(ex2|lg2|rsqrt|rcp)\.approx}}
// SIN: error: 'math.sin' op cannot be compiled for the GPU: it has no lowering for this target
func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x64xbf16>) rhs(%b [k, n] : tensor<64x64xbf16>)
                 outs(%init [m, n] : tensor<64x64xf32>) {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<64x64xf32>) -> !coda.tile<64x64xf32> {
      %y = FUNCTION %x : f32
      coda.yield %y : f32
    }
    coda.yield %1 : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
