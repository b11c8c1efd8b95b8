// A pass that fails leaves a file that fails alone.
// RUN: not coda-opt %s --coda-fusion --coda-to-ptx --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: not coda-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s
// RUN: not coda-compile %s -o %t.ptx --mlir-pass-pipeline-crash-reproducer=%t.2.mlir 2>&1 | FileCheck %s
// RUN: not coda-opt %t.2.mlir --run-reproducer 2>&1 | FileCheck %s

// CHECK: error: op was not bufferized
func.func @fails(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
