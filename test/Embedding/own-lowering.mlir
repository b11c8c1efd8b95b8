// Level-1 IR in another compiler: its own bufferization, with plain layouts at
// function boundaries, then its own lowering of the rest (convert-coda-to-gpu
// would make kernels of linalg ops too), then Coda's kernels.
// RUN: coda-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --coda-schedule --convert-linalg-to-loops --convert-coda-to-gpu --canonicalize | FileCheck %s

// The same IR without a GPU: back to linalg on memrefs, and upstream's loops.
// RUN: coda-opt %s --one-shot-bufferize="bufferize-function-boundaries" \
// RUN:   --convert-coda-to-linalg --convert-linalg-to-loops | FileCheck %s --check-prefix=LOOPS

// Passes of others leave coda.gemm alone, and what it uses alive.
// RUN: coda-opt %s --inline --loop-invariant-code-motion --canonicalize --cse --symbol-dce | FileCheck %s --check-prefix=KEPT

// CHECK: gpu.module @coda_kernels
// CHECK-LABEL: func.func @f(%{{.*}}: memref<128x64xbf16>, %{{.*}}: memref<64x256xbf16>
// CHECK: gpu.launch_func @coda_kernels::@f_gemm
// CHECK: scf.for
// CHECK: math.log
// CHECK-NOT: coda.gemm

// LOOPS-LABEL: func.func @f
// LOOPS-NOT: coda.gemm
// LOOPS: scf.for
// LOOPS: arith.addf
// LOOPS: math.log

// KEPT-LABEL: func.func @f
// KEPT: coda.gemm
// KEPT: linalg.log
func.func @f(%x: tensor<128x64xbf16>, %w: tensor<64x256xbf16>, %l: tensor<4x4xf32>)
    -> (tensor<128x256xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<128x256xf32>
  %y = coda.gemm lhs(%x [m, k] : tensor<128x64xbf16>) rhs(%w [k, n] : tensor<64x256xbf16>)
                 outs(%e [m, n] : tensor<128x256xf32>) {
  ^bb0(%acc: !coda.tile<128x256xf32>):
    coda.yield %acc : !coda.tile<128x256xf32>
  } -> tensor<128x256xf32>
  %d = tensor.empty() : tensor<4x4xf32>
  %log = linalg.log ins(%l : tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %log : tensor<128x256xf32>, tensor<4x4xf32>
}
