// A destination that shares its buffer with an operand is read before it is
// written, also where the operand goes to another destination.

// RUN: coda-runner --backend=cpu %s --alias=2:3 --compare-function=apart --exact | FileCheck %s

// CHECK: compare memref argument #2: memref<5x3xf32> {{.*}} ok
// CHECK: compare memref argument #4: memref<5x3xf32> {{.*}} ok
// CHECK: PASS

func.func @shared(%a: memref<5x4xf32>, %b: memref<4x3xf32>, %x: memref<5x3xf32>,
                  %y: memref<5x3xf32>, %z: memref<5x3xf32>) {
  coda.gemm lhs(%a [m, k] : memref<5x4xf32>) rhs(%b [k, n] : memref<4x3xf32>)
      operands(%x [m, n] : memref<5x3xf32>)
      outs(%y [m, n] : memref<5x3xf32>, %z [m, n] : memref<5x3xf32>) {
  ^bb0(%acc: !coda.tile<5x3xf32>, %c: !coda.tile<5x3xf32>):
    %0 = coda.map(%p = %acc : !coda.tile<5x3xf32>, %q = %c : !coda.tile<5x3xf32>)
        -> !coda.tile<5x3xf32> {
      %s = arith.addf %p, %q : f32
      coda.yield %s : f32
    }
    coda.yield %0, %c : !coda.tile<5x3xf32>, !coda.tile<5x3xf32>
  }
  return
}

func.func @apart(%a: memref<5x4xf32>, %b: memref<4x3xf32>, %x: memref<5x3xf32>,
                 %y: memref<5x3xf32>, %z: memref<5x3xf32>) {
  %zero = arith.constant 0.0 : f32
  memref.copy %x, %z : memref<5x3xf32> to memref<5x3xf32>
  %acc = memref.alloc() : memref<5x3xf32>
  linalg.fill ins(%zero : f32) outs(%acc : memref<5x3xf32>)
  linalg.matmul ins(%a, %b : memref<5x4xf32>, memref<4x3xf32>) outs(%acc : memref<5x3xf32>)
  linalg.add ins(%acc, %z : memref<5x3xf32>, memref<5x3xf32>) outs(%y : memref<5x3xf32>)
  return
}
