// Which backend is taken, and why.
// RUN: %{no_driver} coda-runner %s | FileCheck %s --check-prefix=NODRIVER --implicit-check-not=backend
// RUN: env FAKE_DEVICES=0 %{fake_driver} coda-runner %s --backend=auto | FileCheck %s --check-prefix=NODEVICE
// RUN: env FAKE_CC=80 %{fake_driver} coda-runner %s | FileCheck %s --check-prefix=OTHER
// RUN: %{fake_driver} coda-runner %s | FileCheck %s --check-prefix=TAKEN
// RUN: env FAKE_CC=100 %{fake_driver} coda-runner %s --chip=sm_90a | FileCheck %s --check-prefix=NEWER

// NODRIVER: backend: CPU (no CUDA driver: /nonexistent/libcuda.so.1 could not be opened
// NODRIVER-NEXT: result #0: tensor<2x3xf32>
// NODEVICE: backend: CPU (no GPU: the CUDA driver {{.*}} finds no device)
// OTHER: backend: CPU (the GPU is of compute capability 8.0, but this was compiled for sm_90a)
// NEWER: backend: CPU (the GPU is of compute capability 10.0, but this was compiled for sm_90a)
// TAKEN: backend: GPU (it runs sm_90a)
// TAKEN: result #0: tensor<2x3xf32>

// Where the GPU was asked for there is no other way; what was asked for says so.
// RUN: %{no_driver} coda-runner %s --backend=cpu | FileCheck %s --check-prefix=CPU --implicit-check-not=backend
// RUN: not %{no_driver} coda-runner %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=result
// RUN: not env FAKE_CC=80 %{fake_driver} coda-runner %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=REFUSED-CHIP

// CPU: result #0: tensor<2x3xf32>
// REFUSED: coda-runner: error: --backend=gpu: no CUDA driver: /nonexistent/libcuda.so.1 could not be opened
// REFUSED-CHIP: coda-runner: error: --backend=gpu: the GPU is of compute capability 8.0
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
