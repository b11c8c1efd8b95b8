// RUN: coda-opt %s --coda-to-cpu | FileCheck %s
// RUN: coda-opt %s --coda-to-cpu=emit-c-interface=false | FileCheck %s --check-prefix=PLAIN

// Everything ends in the LLVM dialect, and what was allocated is freed.

// CHECK-NOT: {{(coda|linalg|tensor|memref|arith|math|scf|builtin)\.}}
// CHECK: llvm.func @linear(
// CHECK: llvm.call @aligned_alloc
// CHECK: llvm.intr.exp
// CHECK: llvm.call @free
// CHECK: llvm.func @_mlir_ciface_linear(
// CHECK-NOT: {{(coda|linalg|tensor|memref|arith|math|scf|builtin)\.}}
// PLAIN: llvm.func @linear(
// PLAIN-NOT: _mlir_ciface
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>,
                  %init: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                 rhs(%w [n, k] : tensor<32x64xbf16>)
                 outs(%init [m, n] : tensor<?x32xbf16>) {
  ^bb0(%acc: !coda.tile<?x32xf32>):
    %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>) -> !coda.tile<?x32xbf16> {
      %t = arith.truncf %p : f32 to bf16
      %v = math.exp %t : bf16
      coda.yield %v : bf16
    }
    coda.yield %0 : !coda.tile<?x32xbf16>
  } -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}
