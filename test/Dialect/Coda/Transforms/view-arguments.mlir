// RUN: coda-opt %s --coda-view-arguments --split-input-file | FileCheck %s

// The argument is read where it is; a check says that it can be.
// CHECK-LABEL: func @known
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:3, %[[S:.*]]:3 = memref.extract_strided_metadata %arg0
// CHECK: %[[E:.*]] = arith.muli %[[S]]#1, %{{.*}}
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[S]]#0, %[[E]]
// CHECK: cf.assert %[[FITS]], "argument 0 is reshaped: the stride of dimension 0 must be that of the next times its size"
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [32, 64], strides: [%[[S]]#1, %[[S]]#2]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.copy ins(%[[V]]
func.func @known(%x: memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>>, %y: memref<32x64xf32>) {
  %a = memref.alloc() : memref<2x16x64xf32>
  memref.copy %x, %a : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>> to memref<2x16x64xf32>
  %c = memref.collapse_shape %a [[0, 1], [2]] : memref<2x16x64xf32> into memref<32x64xf32>
  linalg.copy ins(%c : memref<32x64xf32>) outs(%y : memref<32x64xf32>)
  return
}

// -----

// Of sizes known at run time: one with at most one element has any stride.
// CHECK-LABEL: func @unknown
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi sle
// CHECK: arith.ori
// CHECK: cf.assert
// CHECK: arith.select
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.copy
func.func @unknown(%x: memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.dim %x, %c0 : memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>>
  %s = memref.dim %x, %c1 : memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>>
  %a = memref.alloc(%b, %s) : memref<?x?x64xf32>
  memref.copy %x, %a : memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>> to memref<?x?x64xf32>
  %c = memref.collapse_shape %a [[0, 1], [2]] : memref<?x?x64xf32> into memref<?x64xf32>
  linalg.copy ins(%c : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  return
}

// -----

// Dimensions of one element need no check.
// CHECK-LABEL: func @unit
// CHECK-NOT: cf.assert
// CHECK: memref.reinterpret_cast {{.*}} sizes: [16, 64]
func.func @unit(%x: memref<1x16x1x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %y: memref<16x64xf32>) {
  %a = memref.alloc() : memref<1x16x1x64xf32>
  memref.copy %x, %a : memref<1x16x1x64xf32, strided<[?, ?, ?, ?], offset: ?>> to memref<1x16x1x64xf32>
  %c = memref.collapse_shape %a [[0, 1, 2], [3]] : memref<1x16x1x64xf32> into memref<16x64xf32>
  linalg.copy ins(%c : memref<16x64xf32>) outs(%y : memref<16x64xf32>)
  return
}

// -----

// What is written needs memory of its own.
// CHECK-LABEL: func @written
// CHECK: memref.copy
func.func @written(%x: memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>>, %y: memref<32x64xf32>) {
  %a = memref.alloc() : memref<2x16x64xf32>
  memref.copy %x, %a : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>> to memref<2x16x64xf32>
  %c = memref.collapse_shape %a [[0, 1], [2]] : memref<2x16x64xf32> into memref<32x64xf32>
  linalg.copy ins(%y : memref<32x64xf32>) outs(%c : memref<32x64xf32>)
  return
}

// -----

// So does what is returned.
// CHECK-LABEL: func @returned
// CHECK: memref.copy
func.func @returned(%x: memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>>) -> memref<32x64xf32> {
  %a = memref.alloc() : memref<2x16x64xf32>
  memref.copy %x, %a : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>> to memref<2x16x64xf32>
  %c = memref.collapse_shape %a [[0, 1], [2]] : memref<2x16x64xf32> into memref<32x64xf32>
  return %c : memref<32x64xf32>
}

// -----

// The argument changes before the copy is read.
// CHECK-LABEL: func @changed
// CHECK: memref.copy
func.func @changed(%x: memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>>, %y: memref<32x64xf32>, %z: f32) {
  %a = memref.alloc() : memref<2x16x64xf32>
  memref.copy %x, %a : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>> to memref<2x16x64xf32>
  %c = memref.collapse_shape %a [[0, 1], [2]] : memref<2x16x64xf32> into memref<32x64xf32>
  linalg.fill ins(%z : f32) outs(%x : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>>)
  linalg.copy ins(%c : memref<32x64xf32>) outs(%y : memref<32x64xf32>)
  return
}
