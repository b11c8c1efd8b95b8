// PTX needs no CUDA toolkit, and says nothing of one that is not there.
// RUN: env CUDA_ROOT=%t/nowhere coda-compile %s -o %t.ptx 2>&1 | count 0
// RUN: FileCheck %s < %t.ptx
// RUN: env CUDA_ROOT=%t/nowhere coda-opt %s --coda-fusion --coda-to-ptx -o %t.mlir 2>&1 | count 0

// CHECK: .entry

func.func @product(%x: tensor<?x64xbf16>, %w: tensor<64x32xbf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>)
                     outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
