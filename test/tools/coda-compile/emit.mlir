// RUN: coda-compile %s --emit=input | FileCheck %s --check-prefix=INPUT
// RUN: coda-compile %s --emit=fused | FileCheck %s --check-prefix=FUSED
// RUN: coda-compile %s --emit=scheduled | FileCheck %s --check-prefix=SCHEDULED
// RUN: coda-compile %s --emit=bufferized | FileCheck %s --check-prefix=BUFFERIZED
// RUN: coda-compile %s --emit=gpu | FileCheck %s --check-prefix=GPU
// RUN: coda-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: coda-compile %s | FileCheck %s --check-prefix=PTX

// Every level can be printed, and read again as input.
// RUN: coda-compile %s --emit=gpu -o %t.mlir
// RUN: coda-compile %t.mlir -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// RUN: coda-compile %s --emit=manifest | diff - %t.json

// RUN: coda-compile %s -o %t.ptx --manifest=%t.other --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: diff %t.json %t.other

// INPUT: linalg.matmul
// FUSED: coda.gemm
// SCHEDULED: coda.gemm
// SCHEDULED-SAME: schedule<
// BUFFERIZED: coda.gemm
// BUFFERIZED-SAME: memref
// GPU: gpu.module
// GPU: gpu.launch_func
// LLVM: llvm.func
// PTX: .target sm_90a
// PTX: .entry
// MANIFEST: "name": "linear"
// MANIFEST-COUNT-2: "written":false
// TIMING: Fusion
// TIMING: PTX
// TIMING: CodaKernelsToPtx
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<64x32xbf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>)
                     outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
