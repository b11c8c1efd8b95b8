// RUN: coda-opt %s --convert-coda-to-linalg | FileCheck %s

// On memrefs everything is computed before anything is stored, since operand %x
// may be the buffer of destination %y.

// CHECK-LABEL: func @accumulate(
// CHECK-SAME: %[[A:[^:]*]]: memref<?x4xf32>, %[[B:[^:]*]]: memref<4x3xf32>, %[[X:[^:]*]]: memref<?x3xf32>, %[[Y:[^:]*]]: memref<?x3xf32>, %[[Z:[^:]*]]: memref<?x3xf32>)
func.func @accumulate(%a: memref<?x4xf32>, %b: memref<4x3xf32>,
                      %x: memref<?x3xf32>, %y: memref<?x3xf32>,
                      %z: memref<?x3xf32>) {
  // CHECK: %[[SIZE:.*]] = memref.dim %[[A]]
  // CHECK: %[[ACC:.*]] = memref.alloc(%[[SIZE]]) {bufferization.manual_deallocation} : memref<?x3xf32>
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[ACC]]
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ACC]]
  // CHECK: %[[SUM:.*]] = memref.alloc
  // CHECK: linalg.generic {{.*}} ins(%[[ACC]], %[[X]] : {{.*}}) outs(%[[SUM]]
  // CHECK: %[[OLD:.*]] = memref.alloc
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[OLD]]
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]] : {{.*}}) outs(%[[Y]]
  // CHECK: linalg.generic {{.*}} ins(%[[OLD]] : {{.*}}) outs(%[[Z]]
  // CHECK-COUNT-3: memref.dealloc
  coda.gemm lhs(%a [m, k] : memref<?x4xf32>) rhs(%b [k, n] : memref<4x3xf32>)
      operands(%x [m, n] : memref<?x3xf32>)
      outs(%y [m, n] : memref<?x3xf32>, %z [m, n] : memref<?x3xf32>) {
  ^bb0(%acc: !coda.tile<?x3xf32>, %c: !coda.tile<?x3xf32>):
    %0 = coda.map(%p = %acc : !coda.tile<?x3xf32>, %q = %c : !coda.tile<?x3xf32>)
        -> !coda.tile<?x3xf32> {
      %s = arith.addf %p, %q : f32
      coda.yield %s : f32
    }
    coda.yield %0, %c : !coda.tile<?x3xf32>, !coda.tile<?x3xf32>
  }
  return
}
