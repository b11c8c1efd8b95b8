// RUN: coda-opt %s --coda-resolve-reshapes --canonicalize | FileCheck %s
// RUN: coda-opt %s --coda-resolve-reshapes --expand-strided-metadata -o /dev/null

// CHECK-LABEL: func @two_unknown
//  CHECK-SAME: (%[[M:.*]]: memref<?x64xf32>, %[[B:.*]]: index, %[[S:.*]]: index)
func.func @two_unknown(%m: memref<?x64xf32>, %b: index, %s: index) -> memref<?x?x64xf32> {
  // CHECK: %[[C64:.*]] = arith.constant 64 : index
  // CHECK: %[[STRIDE:.*]] = arith.muli %[[S]], %[[C64]]
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[B]], %[[S]], 64], strides: [%[[STRIDE]], 64, 1]
  %0 = memref.expand_shape %m [[0, 1], [2]] output_shape [%b, %s, 64] : memref<?x64xf32> into memref<?x?x64xf32>
  return %0 : memref<?x?x64xf32>
}

// Upstream's pass serves here.
// CHECK-LABEL: func @one_unknown
func.func @one_unknown(%m: memref<?x64xf32>, %b: index) -> memref<?x8x64xf32> {
  // CHECK: memref.expand_shape
  %0 = memref.expand_shape %m [[0, 1], [2]] output_shape [%b, 8, 64] : memref<?x64xf32> into memref<?x8x64xf32>
  return %0 : memref<?x8x64xf32>
}
