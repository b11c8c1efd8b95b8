// RUN: coda-compile %s --emit=manifest | FileCheck %s

// Host code at kernel level, as the lowering leaves it: each op becomes an
// entry, and values are numbered.

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.func @gemm(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, llvm.align = 64 : i64, nvvm.grid_constant, llvm.readonly}, %m: i32, %out: i64, %alpha: f32, %beta: f32)
        attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
      llvm.return
    }
    llvm.func @scale(%in: !llvm.ptr<1> {llvm.readonly}, %out: i64) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
    llvm.func @simple(%out: i64) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }

  // CHECK: "target": {
  // CHECK-NEXT: "chip": "sm_90a",
  // CHECK-NEXT: "features": "+ptx80"
  // CHECK: "name": "linear",
  func.func @linear(%x: memref<?x64xbf16, strided<[?, 1], offset: ?>> {coda.name = "x"},
                    %alpha: f32, %flag: i1) -> memref<?x32xbf16> {
    // CHECK: "arguments": [
    // CHECK-NEXT: {"element_type":"bf16","kind":"tensor","name":"x","shape":[null,64],"strides":[null,1],"written":false}
    // CHECK-NEXT: {"kind":"scalar","type":"f32"}
    // CHECK-NEXT: {"kind":"scalar","type":"i1"}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c384 = arith.constant 384 : index
    %c64_i64 = arith.constant 64 : i64
    %c2_i64 = arith.constant 2 : i64
    %bytes = arith.constant 4096 : i32
    %beta = arith.constant 2.0 : f32
    // CHECK: "values": [
    // CHECK: {"argument":0,"dimension":0,"op":"size","type":"i64"}
    // CHECK: {"argument":0,"dimension":0,"op":"stride","type":"i64"}
    // CHECK: {"op":"trunci","operands":[{{[0-9]+}}],"type":"i32"}
    // CHECK: {"op":"cmpi","operands":[{{[0-9, ]+}}],"predicate":"ult","type":"i1"}
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %x
        : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> memref<bf16>, index, index, index, index, index
    %m = arith.index_cast %sizes#0 : index to i64
    %m32 = arith.trunci %m : i64 to i32
    %small = arith.cmpi ult, %m, %c64_i64 : i64
    cf.assert %small, "x is too large"
    %out = memref.alloc(%sizes#0) : memref<?x32xbf16>
    %p = memref.extract_aligned_pointer_as_index %x : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> index
    %p64 = arith.index_cast %p : index to i64
    %o = memref.extract_aligned_pointer_as_index %out : memref<?x32xbf16> -> index
    %o64 = arith.index_cast %o : index to i64
    %ld = arith.index_cast %strides#0 : index to i64
    %ldb = arith.muli %ld, %c2_i64 : i64
    %map = coda.tensor_map %p64 sizes [%c64_i64, %m] strides [%ldb] {box = array<i64: 64, 128>, element_type = bf16}
    scf.if %flag {
      gpu.launch_func @kernels::@gemm blocks in (%c2, %c1, %c1) threads in (%c384, %c1, %c1)
          dynamic_shared_memory_size %bytes
          args(%map : !coda.tensor_map, %m32 : i32, %o64 : i64, %alpha : f32, %beta : f32)
    } else {
      gpu.launch_func @kernels::@simple blocks in (%sizes#0, %c1, %c1) threads in (%c1, %c1, %c1) args(%o64 : i64)
    }
    // CHECK: "buffers": [
    // CHECK-NEXT: {"alignment":256,"bytes":{{[0-9]+}},"when":null}
    // CHECK: "results": [
    // CHECK-NEXT: {"buffer":0,"element_type":"bf16","shape":[{{[0-9]+}},{{[0-9]+}}],"strides":[{{[0-9]+}},{{[0-9]+}}]}
    // CHECK: "checks": [
    // CHECK-NEXT: {"message":"x is too large","value":{{[0-9]+}},"when":null}
    // CHECK: "steps": [
    // CHECK-NEXT: {"arguments":[{"box":[64,128],"element_type":"bf16","kind":"tensor_map","pointer":[[#]],"sizes":[
    // CHECK-SAME: {"kind":"integer","type":"i32","value":[[#]]},{"kind":"integer","type":"i64","value":[[#]]},{"argument":1,"kind":"float","type":"f32"},{"bits":"0x40000000","kind":"float","type":"f32"}]
    // CHECK-SAME: "block":[384,1,1],"cluster":[2,1,1],"grid":[{{[0-9,]+}}],"kernel":"gemm","kind":"launch","shared_memory":[[#]],"when":[[[#FLAG:]]]}
    // CHECK-NEXT: "kernel":"simple","kind":"launch","when":[[[#]]]}
    return %out : memref<?x32xbf16>
  }

  // A copy goes between addresses; where the type does not say that the memref
  // has no gaps, a check does. What is written to is marked.
  // CHECK: "name": "copy",
  // CHECK: "arguments": [
  // CHECK-NEXT: "written":false}
  // CHECK-NEXT: "written":true}
  // CHECK: "checks": [
  // CHECK-NEXT: {"message":"the source of a copy must be contiguous"
  // CHECK-NEXT: {"message":"source and destination of a copy must be of one size"
  // CHECK: "steps": [
  // CHECK-NEXT: "kind":"copy"
  func.func @copy(%a: memref<?xf32, strided<[?], offset: ?>>, %b: memref<?xf32>) {
    memref.copy %a, %b : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32>
    return
  }

  // What a kernel does not promise only to read may be written; an address is
  // followed through arithmetic.
  // CHECK: "name": "written",
  // CHECK: "arguments": [
  // CHECK-NEXT: "written":false}
  // CHECK-NEXT: "written":true}
  // CHECK-NEXT: ]
  func.func @written(%a: memref<4xf32>, %b: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %pa = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
    %pb = memref.extract_aligned_pointer_as_index %b : memref<4xf32> -> index
    %next = arith.addi %pb, %c1 : index
    %a64 = arith.index_cast %pa : index to i64
    %b64 = arith.index_cast %next : index to i64
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a64 : i64, %b64 : i64)
    return
  }

  // Private functions cannot be called from outside.
  // CHECK-NOT: hidden
  func.func private @hidden(%a: memref<?xf32>) {
    return
  }
}
