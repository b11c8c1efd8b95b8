// RUN: coda-opt %s --canonicalize --split-input-file | FileCheck %s

// A map that gives its input is its input.
// CHECK-LABEL: func @identity_map
func.func @identity_map(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: ^bb0(%[[ACC:.*]]: !coda.tile<4x2xf32>):
  // CHECK-NEXT: coda.yield %[[ACC]]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      coda.yield %x : f32
    }
    coda.yield %1 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A broadcast is no identity.
// CHECK-LABEL: func @broadcast_map
func.func @broadcast_map(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %v: tensor<2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.map
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%v [n] : tensor<2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %row: !coda.tile<1x2xf32>):
    %1 = coda.map(%x = %row : !coda.tile<1x2xf32>) -> !coda.tile<4x2xf32> {
      coda.yield %x : f32
    }
    coda.yield %1 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// Maps compose; an input that occurs twice is passed once.
// CHECK-LABEL: func @compose
func.func @compose(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.map(%[[X:.*]] = %{{.*}} : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
  // CHECK-NEXT: %[[S:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.subf %[[S]], %[[X]]
  // CHECK-NEXT: coda.yield %[[R]]
  // CHECK-NOT: coda.map
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>, %y = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.mulf %x, %y : f32
      coda.yield %s : f32
    }
    %2 = coda.map(%x = %1 : !coda.tile<4x2xf32>, %y = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.subf %x, %y : f32
      coda.yield %s : f32
    }
    coda.yield %2 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A map with another user, or evaluated on a row only, stays apart.
// CHECK-LABEL: func @compose_not
func.func @compose_not(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %v: tensor<2xf32>, %d: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK-COUNT-3: coda.map
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%v [n] : tensor<2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>, %d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %row: !coda.tile<1x2xf32>):
    %1 = coda.map(%x = %row : !coda.tile<1x2xf32>) -> !coda.tile<1x2xf32> {
      %s = math.exp %x : f32
      coda.yield %s : f32
    }
    %2 = coda.map(%x = %acc : !coda.tile<4x2xf32>, %y = %1 : !coda.tile<1x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.mulf %x, %y : f32
      coda.yield %s : f32
    }
    %3 = coda.map(%x = %2 : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      %s = math.exp %x : f32
      coda.yield %s : f32
    }
    coda.yield %2, %3 : !coda.tile<4x2xf32>, !coda.tile<4x2xf32>
  } -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Constant operands, scalar or splat, go into the bodies and fold there.
// CHECK-LABEL: func @constants
func.func @constants(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %two = arith.constant 2.0 : f32
  %three = arith.constant dense<3.0> : tensor<2xf32>
  // CHECK: coda.gemm
  // CHECK-NOT: operands
  // CHECK: %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
  // CHECK-NEXT: arith.mulf %{{.*}}, %[[SIX]]
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%two [] : f32, %three [n] : tensor<2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %p: !coda.tile<1x1xf32>, %q: !coda.tile<1x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>, %y = %p : !coda.tile<1x1xf32>,
                  %z = %q : !coda.tile<1x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.mulf %y, %z : f32
      %t = arith.mulf %x, %s : f32
      coda.yield %t : f32
    }
    coda.yield %1 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A constant that is not the same everywhere stays an operand.
// CHECK-LABEL: func @no_splat
func.func @no_splat(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  // CHECK: operands(%{{.*}} [n] : tensor<2xf32>)
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%c [n] : tensor<2xf32>) outs(%e [n] : tensor<2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %q: !coda.tile<1x2xf32>):
    coda.yield %q : !coda.tile<1x2xf32>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Unused destinations, operands and right-hand sides go.
// CHECK-LABEL: func @dead
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x2xf32>, %[[C:.*]]: tensor<8x2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<4x2xf32>, %[[E:.*]]: tensor<4x2xf32>)
func.func @dead(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<8x2xf32>,
                %v: tensor<2xf32>, %d: tensor<4x2xf32>, %e: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.gemm lhs(%[[A]] [m, k] : {{.*}}) rhs(%[[C]] [k, n] : tensor<8x2xf32>) outs(%[[E]] [m, n]
  // CHECK-SAME: attributes {tag}
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: !coda.tile<4x2xf32>):
  // CHECK-NEXT: coda.yield %[[ACC]] :
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>)
      rhs(%b [k, n] : tensor<8x2xf32>, %c [k, n] : tensor<8x2xf32>)
      operands(%v [n] : tensor<2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>, %e [m, n] : tensor<4x2xf32>) attributes {tag} {
  ^bb0(%x: !coda.tile<4x2xf32>, %y: !coda.tile<4x2xf32>, %q: !coda.tile<1x2xf32>):
    %1 = coda.map(%p = %x : !coda.tile<4x2xf32>, %r = %q : !coda.tile<1x2xf32>) -> !coda.tile<4x2xf32> {
      %s = arith.addf %p, %r : f32
      coda.yield %s : f32
    }
    coda.yield %1, %y : !coda.tile<4x2xf32>, !coda.tile<4x2xf32>
  } -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %0#1 : tensor<4x2xf32>
}

// -----

// What occurs twice is kept once.
// CHECK-LABEL: func @twice
func.func @twice(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>,
                 %v: tensor<2xf32>, %d: tensor<4x2xf32>, %e: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: %[[R:.*]] = coda.gemm lhs({{.*}}) rhs(%{{[^,]*}} [k, n] : tensor<8x2xf32>) operands(%{{[^,]*}} [n] : tensor<2xf32>) outs(%{{[^,]*}} [m, n] : tensor<4x2xf32>) {
  // CHECK: return %[[R]], %[[R]]
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>)
      rhs(%b [k, n] : tensor<8x2xf32>, %b [k, n] : tensor<8x2xf32>)
      operands(%v [n] : tensor<2xf32>, %v [n] : tensor<2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>, %e [m, n] : tensor<4x2xf32>) {
  ^bb0(%x: !coda.tile<4x2xf32>, %y: !coda.tile<4x2xf32>, %q: !coda.tile<1x2xf32>, %r: !coda.tile<1x2xf32>):
    %1 = coda.map(%s0 = %x : !coda.tile<4x2xf32>, %s1 = %y : !coda.tile<4x2xf32>,
                  %s2 = %q : !coda.tile<1x2xf32>, %s3 = %r : !coda.tile<1x2xf32>) -> !coda.tile<4x2xf32> {
      %4 = arith.addf %s0, %s1 : f32
      %5 = arith.mulf %s2, %s3 : f32
      %6 = arith.addf %4, %5 : f32
      coda.yield %6 : f32
    }
    coda.yield %1, %1 : !coda.tile<4x2xf32>, !coda.tile<4x2xf32>
  } -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Two memref destinations are two stores.
// CHECK-LABEL: func @two_stores
func.func @two_stores(%a: memref<4x8xf32>, %b: memref<8x2xf32>, %d: memref<4x2xf32>, %e: memref<4x2xf32>) {
  // CHECK: outs(%{{.*}} [m, n] : memref<4x2xf32>, %{{.*}} [m, n] : memref<4x2xf32>)
  coda.gemm lhs(%a [m, k] : memref<4x8xf32>) rhs(%b [k, n] : memref<8x2xf32>)
      outs(%d [m, n] : memref<4x2xf32>, %e [m, n] : memref<4x2xf32>) {
  ^bb0(%x: !coda.tile<4x2xf32>):
    coda.yield %x, %x : !coda.tile<4x2xf32>, !coda.tile<4x2xf32>
  }
  return
}

// -----

// A dead operand that alone says the columns is kept; of two, one.
// CHECK-LABEL: func @sizes_kept
func.func @sizes_kept(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %v: tensor<2xf32>, %w: tensor<2xf32>,
                      %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: operands(%{{[^,]*}} [n] : tensor<2xf32>) outs
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x?xf32>)
      operands(%v [n] : tensor<2xf32>, %w [n] : tensor<2xf32>) outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%x: !coda.tile<?x2xf32>, %p: !coda.tile<1x2xf32>, %q: !coda.tile<1x2xf32>):
    coda.yield %x : !coda.tile<?x2xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An op whose results nobody uses is gone.
// CHECK-LABEL: func @unused
func.func @unused(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // CHECK-NOT: coda
  // CHECK: return
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// A destination is not read, so it need not be filled.
// CHECK-LABEL: func @filled
func.func @filled(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %s: f32) -> tensor<4x2xf32> {
  // CHECK-NOT: linalg.fill
  %e = tensor.empty() : tensor<4x2xf32>
  %d = linalg.fill ins(%s : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A cast of an operand gives its sizes to the product and its tiles.
// CHECK-LABEL: func @cast_operand
func.func @cast_operand(%a: tensor<4x8xf32>, %b: tensor<?x2xf32>, %d: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // CHECK: %[[R:.*]] = coda.gemm lhs(%{{.*}} [m, k] : tensor<4x8xf32>)
  // CHECK: ^bb0(%{{.*}}: !coda.tile<4x2xf32>):
  // CHECK: coda.map({{.*}}) -> !coda.tile<4x2xf32>
  // CHECK: } -> tensor<?x2xf32>
  // CHECK: return %[[R]]
  %0 = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %1 = coda.gemm lhs(%0 [m, k] : tensor<?x?xf32>) rhs(%b [k, n] : tensor<?x2xf32>)
      outs(%d [m, n] : tensor<?x2xf32>) {
  ^bb0(%acc: !coda.tile<?x2xf32>):
    %2 = coda.map(%x = %acc : !coda.tile<?x2xf32>) -> !coda.tile<?x2xf32> {
      %s = math.exp %x : f32
      coda.yield %s : f32
    }
    coda.yield %2 : !coda.tile<?x2xf32>
  } -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// -----

// The other right-hand side is cast to the same type.
// CHECK-LABEL: func @cast_rhs
// CHECK-SAME: (%{{.*}}: tensor<4x8xf32>, %[[B:.*]]: tensor<8x2xf32>, %[[C:.*]]: tensor<8x?xf32>
func.func @cast_rhs(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<8x?xf32>, %d: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  // CHECK: %[[CAST:.*]] = tensor.cast %[[C]] : tensor<8x?xf32> to tensor<8x2xf32>
  // CHECK: coda.gemm {{.*}} rhs(%[[B]] [k, n] : tensor<8x2xf32>, %[[CAST]] [k, n] : tensor<8x2xf32>)
  %0 = tensor.cast %b : tensor<8x2xf32> to tensor<8x?xf32>
  %1:2 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>)
      rhs(%0 [k, n] : tensor<8x?xf32>, %c [k, n] : tensor<8x?xf32>)
      outs(%d [m, n] : tensor<4x?xf32>, %d [m, n] : tensor<4x?xf32>) {
  ^bb0(%x: !coda.tile<4x?xf32>, %y: !coda.tile<4x?xf32>):
    coda.yield %x, %y : !coda.tile<4x?xf32>, !coda.tile<4x?xf32>
  } -> (tensor<4x?xf32>, tensor<4x?xf32>)
  return %1#0, %1#1 : tensor<4x?xf32>, tensor<4x?xf32>
}

// -----

// A cast of a result, and of a destination.
// CHECK-LABEL: func @cast_result
func.func @cast_result(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %d: tensor<?x2xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[R:.*]] = coda.gemm
  // CHECK-SAME: outs(%{{.*}} [m, n] : tensor<4x2xf32>)
  // CHECK-NEXT: ^bb0(%{{.*}}: !coda.tile<4x2xf32>):
  // CHECK: return %[[R]] : tensor<4x2xf32>
  %0 = tensor.cast %d : tensor<?x2xf32> to tensor<?x?xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x?xf32>)
      outs(%0 [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  %2 = tensor.cast %1 : tensor<?x?xf32> to tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// Parts are read by reductions alone, even one part or a constant.
// CHECK-LABEL: func @parts
func.func @parts(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<1x4xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.reduce add %{{.*}} along columns : !coda.tile<4x1xf32> -> !coda.tile<4x1xf32>
  // CHECK: coda.reduce add %{{.*}} along columns : !coda.tile<4x3xf32> -> !coda.tile<4x1xf32>
  %c = arith.constant dense<2.0> : tensor<3x4xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<1x4xf32>, %c [parts, m] : tensor<3x4xf32>)
      outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x1xf32>, %y: !coda.tile<4x3xf32>):
    %1 = coda.reduce add %x along columns : !coda.tile<4x1xf32> -> !coda.tile<4x1xf32>
    %2 = coda.reduce add %y along columns : !coda.tile<4x3xf32> -> !coda.tile<4x1xf32>
    %3 = coda.map(%s = %acc : !coda.tile<4x2xf32>, %t = %1 : !coda.tile<4x1xf32>, %u = %2 : !coda.tile<4x1xf32>) -> !coda.tile<4x2xf32> {
      %v = arith.mulf %s, %t : f32
      %w = arith.addf %v, %u : f32
      coda.yield %w : f32
    }
    coda.yield %3 : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A size that a cast forgets comes back.
// CHECK-LABEL: func @cast_parts
func.func @cast_parts(%a: tensor<?x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x4xf32>, %d: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // CHECK: operands(%{{.*}} [parts, m] : tensor<3x4xf32>)
  // CHECK: coda.reduce max %{{.*}} along columns : !coda.tile<4x3xf32> -> !coda.tile<4x1xf32>
  %c = tensor.cast %p : tensor<3x4xf32> to tensor<3x?xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%c [parts, m] : tensor<3x?xf32>) outs(%d [m, n] : tensor<?x2xf32>) {
  ^bb0(%acc: !coda.tile<?x2xf32>, %x: !coda.tile<?x3xf32>):
    %1 = coda.reduce max %x along columns : !coda.tile<?x3xf32> -> !coda.tile<?x1xf32>
    %3 = coda.map(%s = %acc : !coda.tile<?x2xf32>, %t = %1 : !coda.tile<?x1xf32>) -> !coda.tile<?x2xf32> {
      %v = arith.mulf %s, %t : f32
      coda.yield %v : f32
    }
    coda.yield %3 : !coda.tile<?x2xf32>
  } -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
