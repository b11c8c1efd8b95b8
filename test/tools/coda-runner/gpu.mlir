// What the GPU backend asks of the driver. The stand-in runs no kernel, but
// keeps what is copied to it.
// RUN: %{fake_driver} coda-runner %s --backend=gpu > %t.out
// RUN: FileCheck %s --check-prefix=CALLS < %t.out
// RUN: FileCheck %s --check-prefix=RESULT < %t.out
// RUN: not %{fake_driver} coda-runner %s --backend=gpu --compare | FileCheck %s --check-prefix=COMPARE
// RUN: not %{fake_driver} coda-runner %s --backend=gpu --compare-function=same | FileCheck %s --check-prefix=COMPARE
// RUN: %{fake_driver} coda-runner %s --function=both --backend=gpu --compare --alias=0:1 --exact > %t.both
// RUN: FileCheck %s --check-prefix=BOTH < %t.both
// RUN: FileCheck %s --check-prefix=ONCE < %t.both
// RUN: %{fake_driver} coda-runner %s --backend=gpu --arg-shape=0:0x64 | FileCheck %s --check-prefix=EMPTY --implicit-check-not="launch "
// RUN: not env FAKE_FAIL=cuLaunchKernel %{fake_driver} coda-runner %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not env FAKE_FAIL=cuMemcpyDtoHAsync %{fake_driver} coda-runner %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not %{fake_driver} coda-runner %s --backend=gpu --function=scalar 2>&1 | FileCheck %s --check-prefix=SCALAR

// CALLS: allocate 2048: [[X:0x[0-9a-f]+]]
// CALLS-NEXT: copy 2048 from host to [[X]]
// CALLS-NEXT: allocate 4096: [[W:0x[0-9a-f]+]]
// CALLS-NEXT: copy 4096 from host to [[W]]
// CALLS-NEXT: allocate 2048: [[Y:0x[0-9a-f]+]]
// CALLS: launch linear_
// CALLS-NEXT: copy 2048 from [[Y]] to host
// CALLS-DAG: free [[X]]
// CALLS-DAG: free [[W]]
// CALLS-DAG: free [[Y]]
// CALLS: unload module
// CALLS-NEXT: release primary context

// RESULT: result #0: tensor<16x32xf32>

// The reference does not come from the GPU.
// COMPARE: compare result #0
// COMPARE: FAIL

// One buffer is one buffer on the device too.
// BOTH: compare result #0
// BOTH: compare result #1
// BOTH: PASS
// ONCE-COUNT-1: from host
// ONCE-NOT: from host

// EMPTY: result #0: tensor<0x32xf32>
// LAUNCH: error: cannot run on the GPU: cuLaunchKernel failed: CUDA_ERROR_OUT_OF_MEMORY
// COPY: error: cannot run on the GPU: cuMemcpyDtoHAsync failed: CUDA_ERROR_OUT_OF_MEMORY
// SCALAR: error: result 0 has type 'f32', which cannot be read back from the GPU

func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<64x32xbf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

func.func @same(%x: tensor<?x64xbf16>, %w: tensor<64x32xbf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

func.func private @both(%x: tensor<?x3xf16>, %y: tensor<?x3xf16>) -> (tensor<?x3xf16>, tensor<?x3xf16>) {
  return %y, %x : tensor<?x3xf16>, tensor<?x3xf16>
}

func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}
