// RUN: coda-compile %s --emit=manifest | FileCheck %s

// Kernels in a row: partial sums of row blocks in a workspace, a tiny kernel
// that finishes them, and one that reads a view of the result.

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.func @gemm(%x: i64, %partial: i64, %count: i64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
    llvm.func @finish(%partial: i64, %sums: i64, %blocks: i32) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
    llvm.func @use(%sums: i64, %stride: i64, %index: i64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }

  // CHECK: "name": "sums",
  // CHECK: "values": [
  // CHECK-DAG: {"op":"ceildivui","operands":[{{[0-9, ]+}}],"type":"i64"}
  // CHECK-DAG: {"op":"ceildivsi","operands":[{{[0-9, ]+}}],"type":"i64"}
  // CHECK-DAG: {"op":"minsi","operands":[{{[0-9, ]+}}],"type":"i64"}
  // CHECK-DAG: {"op":"maxsi","operands":[{{[0-9, ]+}}],"type":"i64"}
  // CHECK-DAG: {"op":"minui","operands":[{{[0-9, ]+}}],"type":"i32"}
  // CHECK-DAG: {"op":"select","operands":[{{[0-9, ]+}}],"type":"i64"}
  // CHECK: "buffers": [
  // CHECK-NEXT: {"alignment":64,"bytes":[[PARTIAL:[0-9]+]],"when":null}
  // CHECK-NEXT: {"alignment":256,"bytes":[[#]],"when":null}
  // CHECK-NEXT: {"alignment":256,"bytes":[[#]],"when":[[[#]]]}
  // CHECK-NEXT: ]
  // CHECK: "results": [
  // CHECK-NEXT: {"buffer":1,"element_type":"f32","shape":[[[#]]],"strides":[[[#]]]}
  // CHECK: "steps": [
  // CHECK-NEXT: "kernel":"gemm","kind":"launch","when":null}
  // CHECK-NEXT: "kernel":"finish","kind":"launch","when":null}
  // CHECK-NEXT: "kernel":"use","kind":"launch","when":[[[#]]]}
  // CHECK-NEXT: "kernel":"use","kind":"launch","when":null}
  func.func @sums(%x: memref<?x64xbf16, strided<[?, 1], offset: ?>>, %flag: i1) -> memref<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : i32
    %c128 = arith.constant 128 : index
    %m = memref.dim %x, %c0 : memref<?x64xbf16, strided<[?, 1], offset: ?>>
    %blocks = arith.ceildivui %m, %c128 : index
    %signed = arith.ceildivsi %m, %c128 : index
    %least = arith.maxsi %signed, %c1 : index
    %most = arith.minsi %least, %c128 : index
    %partial = memref.alloc(%blocks, %m) {alignment = 64} : memref<?x?x2xf32>
    %sums = memref.alloc(%m) : memref<?xf32>

    // Views: half of the partial sums, flattened; rows in pairs.
    %half = memref.subview %partial[0, 0, 1] [%blocks, %m, 1] [1, 1, 1]
        : memref<?x?x2xf32> to memref<?x?xf32, strided<[?, 2], offset: 1>>
    %flat = memref.collapse_shape %partial [[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
    %pairs = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%m)
    %wide = memref.expand_shape %sums [[0, 1]] output_shape [%pairs, 2] : memref<?xf32> into memref<?x2xf32>

    %px = memref.extract_aligned_pointer_as_index %x : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> index
    %ax = arith.index_cast %px : index to i64
    %pp = memref.extract_aligned_pointer_as_index %partial : memref<?x?x2xf32> -> index
    %ap = arith.index_cast %pp : index to i64
    %count = memref.dim %flat, %c0 : memref<?x2xf32>
    %count64 = arith.index_cast %count : index to i64
    gpu.launch_func @kernels::@gemm blocks in (%most, %c1, %c1) threads in (%c128, %c1, %c1) args(%ax : i64, %ap : i64, %count64 : i64)

    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %half
        : memref<?x?xf32, strided<[?, 2], offset: 1>> -> memref<f32>, index, index, index, index, index
    %c4 = arith.constant 4 : index
    %bytes = arith.muli %offset, %c4 : index
    %ph = memref.extract_aligned_pointer_as_index %half : memref<?x?xf32, strided<[?, 2], offset: 1>> -> index
    %here = arith.addi %ph, %bytes : index
    %ah = arith.index_cast %here : index to i64
    %ps = memref.extract_aligned_pointer_as_index %sums : memref<?xf32> -> index
    %as = arith.index_cast %ps : index to i64
    %b32 = arith.index_cast %blocks : index to i32
    %few = arith.minui %b32, %c3 : i32
    gpu.launch_func @kernels::@finish blocks in (%blocks, %c1, %c1) threads in (%c128, %c1, %c1) args(%ah : i64, %as : i64, %few : i32)

    // A buffer that only one way needs, and a choice between two numbers.
    %chosen = scf.if %flag -> (index) {
      %room = memref.alloc(%m) : memref<?xi32>
      %pr = memref.extract_aligned_pointer_as_index %room : memref<?xi32> -> index
      %ar = arith.index_cast %pr : index to i64
      gpu.launch_func @kernels::@use blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%ar : i64, %ar : i64, %as : i64)
      scf.yield %m : index
    } else {
      scf.yield %blocks : index
    }
    %rows = memref.dim %wide, %c0 : memref<?x2xf32>
    %either = arith.select %flag, %rows, %chosen : index
    %either64 = arith.index_cast %either : index to i64
    gpu.launch_func @kernels::@use blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%as : i64, %either64 : i64, %count64 : i64)
    memref.dealloc %partial : memref<?x?x2xf32>
    return %sums : memref<?xf32>
  }

  // What a cast promises is checked.
  // CHECK: "name": "cast",
  // CHECK: "checks": [
  // CHECK-NEXT: {"message":"a memref.cast must find the size that it casts to","value":[[#]],"when":null}
  // CHECK-NEXT: {"message":"a memref.cast must find the stride that it casts to","value":[[#]],"when":null}
  // CHECK-NEXT: ],
  func.func @cast(%x: memref<?x4xf32, strided<[?, 1]>>, %y: memref<8x4xf32>) {
    %cast = memref.cast %x : memref<?x4xf32, strided<[?, 1]>> to memref<8x4xf32>
    memref.copy %cast, %y : memref<8x4xf32> to memref<8x4xf32>
    return
  }
}
