// An input that fails becomes the part of it that does.
// RUN: env PATH=%coda_tools_dir:$PATH coda-reduce %s \
// RUN:   --reduction-tree='traversal-mode=0 test=%S/Inputs/interesting.sh' | FileCheck %s

// Passes can be tried on the way too.
// RUN: env PATH=%coda_tools_dir:$PATH coda-reduce %s \
// RUN:   --pass-pipeline='builtin.module(opt-reduction-pass{opt-pass=symbol-dce test=%S/Inputs/interesting.sh})' | FileCheck %s --check-prefix=PASS

// CHECK: func.func @fails
// CHECK-NEXT: math.exp
// CHECK-NOT: func.func @works

// PASS-NOT: @unused
// PASS: func.func @fails
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

func.func @works(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x32xbf16>, tensor<32x64xbf16>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

func.func @fails(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
