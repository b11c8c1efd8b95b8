// RUN: coda-opt %s --one-shot-bufferize="bufferize-function-boundaries" --split-input-file | FileCheck %s

// The destination's buffer is written in place.
// CHECK-LABEL: func @in_place
// CHECK-SAME: (%[[A:.*]]: memref<4x8xbf16, {{.*}}>, %[[B:.*]]: memref<8x2xbf16, {{.*}}>, %[[D:.*]]: memref<4x2xf32, {{.*}}>)
func.func @in_place(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: coda.gemm lhs(%[[A]] [m, k] : {{.*}}) rhs(%[[B]] [k, n] : {{.*}}) outs(%[[D]] [m, n] : {{.*}}) schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16> attributes {tag} {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: !coda.tile<4x2xf32>):
  // CHECK-NEXT: coda.yield %[[ACC]] : !coda.tile<4x2xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[D]]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xbf16>) rhs(%b [k, n] : tensor<8x2xbf16>)
      outs(%d [m, n] : tensor<4x2xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16> attributes {tag} {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// The old contents of a destination are not read: they are not copied.
// CHECK-LABEL: func @not_read
func.func @not_read(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: memref.alloc
  // CHECK-NOT: memref.copy
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0, %d : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// A residual is read element by element before the element is written.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[R:[a-z0-9]*]]: memref<4x2xf32, {{[^>]*>}}>) -> memref
func.func @residual(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %r: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: operands(%[[R]] [m, n] : {{.*}}) outs(%[[R]] [m, n] :
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%r [m, n] : tensor<4x2xf32>) outs(%r [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %m: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>, %y = %m : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.addf %x, %y : f32
      coda.yield %s : f32
    }
    coda.yield %1 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A transposed operand is read at other places than are written.
// CHECK-LABEL: func @transposed
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %r: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[ALLOC:.*]] = memref.alloc
  // CHECK: coda.gemm {{.*}} outs(%[[ALLOC]] [m, n]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x4xf32>)
      operands(%r [n, m] : tensor<4x4xf32>) outs(%r [m, n] : tensor<4x4xf32>) {
  ^bb0(%acc: !coda.tile<4x4xf32>, %m: !coda.tile<4x4xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x4xf32>, %y = %m : !coda.tile<4x4xf32>) -> !coda.tile<4x4xf32> {
      %s = arith.addf %x, %y : f32
      coda.yield %s : f32
    }
    coda.yield %1 : !coda.tile<4x4xf32>
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A vector is read again for every tile.
// CHECK-LABEL: func @vector
func.func @vector(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %r: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: %[[ALLOC:.*]] = memref.alloc
  // CHECK: coda.gemm {{.*}} outs(%[[ALLOC]] [n]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%r [n] : tensor<2xf32>) outs(%r [n] : tensor<2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %m: !coda.tile<1x2xf32>):
    %1 = coda.map(%y = %m : !coda.tile<1x2xf32>) -> !coda.tile<1x2xf32> {
      %s = arith.addf %y, %y : f32
      coda.yield %s : f32
    }
    coda.yield %1 : !coda.tile<1x2xf32>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A is read by every tile of its row: it cannot be the destination.
// CHECK-LABEL: func @lhs
func.func @lhs(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[ALLOC:.*]] = memref.alloc
  // CHECK: coda.gemm {{.*}} outs(%[[ALLOC]] [m, n]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%b [k, n] : tensor<4x4xf32>)
      outs(%a [m, n] : tensor<4x4xf32>) {
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @rhs
func.func @rhs(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[ALLOC:.*]] = memref.alloc
  // CHECK: coda.gemm {{.*}} outs(%[[ALLOC]] [m, n]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%b [k, n] : tensor<4x4xf32>)
      outs(%b [m, n] : tensor<4x4xf32>) {
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Two destinations in one buffer.
// CHECK-LABEL: func @same_destination
func.func @same_destination(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %d: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[ALLOC:.*]] = memref.alloc
  // CHECK-NOT: outs(%[[X:.*]] [m, n] : {{.*}}, %[[X]] [m, n]
  // CHECK: coda.gemm
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%b [k, n] : tensor<4x4xf32>)
      outs(%d [m, n] : tensor<4x4xf32>, %d [m, n] : tensor<4x4xf32>) {
  ^bb0(%acc: !coda.tile<4x4xf32>):
    %1 = coda.map(%y = %acc : !coda.tile<4x4xf32>) -> !coda.tile<4x4xf32> {
      %s = arith.addf %y, %y : f32
      coda.yield %s : f32
    }
    coda.yield %acc, %1 : !coda.tile<4x4xf32>, !coda.tile<4x4xf32>
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Combining parts reads nothing of a residual in another place.
// CHECK-LABEL: func @residual_and_parts
func.func @residual_and_parts(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x4xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: coda.gemm {{.*}} operands(%[[D:.*]] [m, n] : {{.*}}, %{{.*}} [parts, m] : memref<3x4xf32, {{.*}}>) outs(%[[D]] [m, n]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%d [m, n] : tensor<4x2xf32>, %p [parts, m] : tensor<3x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %r: !coda.tile<4x2xf32>, %x: !coda.tile<4x3xf32>):
    %1 = coda.reduce add %x along columns : !coda.tile<4x3xf32> -> !coda.tile<4x1xf32>
    %2 = coda.map(%s = %acc : !coda.tile<4x2xf32>, %t = %r : !coda.tile<4x2xf32>, %u = %1 : !coda.tile<4x1xf32>) -> !coda.tile<4x2xf32> {
      %v = arith.mulf %s, %u : f32
      %w = arith.addf %v, %t : f32
      coda.yield %w : f32
    }
    coda.yield %2 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
