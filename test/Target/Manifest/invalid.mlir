// RUN: split-file %s %t
// RUN: not coda-compile %t/loop.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=LOOP --implicit-check-not=error: --implicit-check-not=coda-manifest
// RUN: not coda-compile %t/call.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=CALL --implicit-check-not=error:
// RUN: not coda-compile %t/load.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=LOAD --implicit-check-not=error:
// RUN: not coda-compile %t/offset.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=OFFSET --implicit-check-not=error:
// RUN: not coda-compile %t/type.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=TYPE --implicit-check-not=error:
// RUN: not coda-compile %t/result.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=RESULT --implicit-check-not=error:
// RUN: not coda-compile %t/float.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=FLOAT --implicit-check-not=error:
// RUN: not coda-compile %t/kernel.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=KERNEL --implicit-check-not=error:
// RUN: not coda-compile %t/block.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=BLOCK --implicit-check-not=error:
// RUN: not coda-compile %t/variable.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=VARIABLE --implicit-check-not=error:
// RUN: not coda-compile %t/store.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=STORE --implicit-check-not=error:
// RUN: not coda-compile %t/copy.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=COPY --implicit-check-not=error:
// RUN: not coda-compile %t/return.mlir --emit=manifest 2>&1 | FileCheck %s --check-prefix=RETURN --implicit-check-not=error:

// What has no place in a manifest is one error, at the op.

//--- loop.mlir
// LOOP: loop.mlir:5:3: error: 'scf.for' op cannot be put in a manifest: it is none of the host code that launches kernels
func.func @loop(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  }
  return
}

//--- call.mlir
// CALL: error: 'func.call' op cannot be put in a manifest
func.func private @g()
func.func @f() {
  call @g() : () -> ()
  return
}

//--- load.mlir
// LOAD: error: 'memref.load' op cannot be put in a manifest
func.func @g(%x: memref<4xi64>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xi64>
  %i = arith.index_cast %v : i64 to index
  %a = memref.alloc(%i) : memref<?xf32>
  return %a : memref<?xf32>
}

//--- offset.mlir
// OFFSET: error: 'func.func' op cannot be put in a manifest: argument 0 has a static offset, but a caller gives the address of the first element
func.func @f(%x: memref<4xf32, strided<[1], offset: 3>>) {
  return
}

//--- type.mlir
// TYPE: error: 'func.func' op cannot be put in a manifest: argument 1 has type 'complex<f32>', which is neither a memref nor a number
func.func @f(%a: i32, %x: complex<f32>) {
  return
}

//--- result.mlir
// RESULT: error: 'func.return' op cannot be put in a manifest: result 1 is in the same buffer as an earlier result
func.func @f() -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %a, %a : memref<4xf32>, memref<4xf32>
}

//--- float.mlir
// FLOAT: error: 'arith.addf' op cannot be put in a manifest: only integer arithmetic is evaluated at launch
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.func @k(%a: f32) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @f(%x: f32) {
    %c1 = arith.constant 1 : index
    %y = arith.addf %x, %x : f32
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : f32)
    return
  }
}

//--- kernel.mlir
// KERNEL: error: 'gpu.module' op cannot be put in a manifest: it is the second one of its module; expected all kernels in one
module attributes {gpu.container_module} {
  gpu.module @a [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {}
  gpu.module @b [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {}
}

//--- block.mlir
// BLOCK: error: 'gpu.launch_func' op cannot be put in a manifest: its block size differs from the kernel's nvvm.reqntid
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} { llvm.return }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

//--- variable.mlir
// VARIABLE: error: 'memref.get_global' op cannot be put in a manifest: it reads @counter, which is no constant
memref.global "private" @counter : memref<4xf32> = dense<0.0>
func.func @f(%x: memref<4xf32>) {
  %0 = memref.get_global @counter : memref<4xf32>
  memref.copy %x, %0 : memref<4xf32> to memref<4xf32>
  return
}

//--- store.mlir
// STORE: error: 'gpu.launch_func' op cannot be put in a manifest: it may store to a constant: a kernel's parameter that takes its address must be llvm.readonly
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.func @k(%a: i64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
    llvm.mlir.global external constant @c("\00\00\80?") {addr_space = 1 : i32} : !llvm.array<4 x i8>
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %0 = coda.module_constant @kernels::@c : memref<1xf32>
    %1 = memref.extract_aligned_pointer_as_index %0 : memref<1xf32> -> index
    %2 = arith.index_cast %1 : index to i64
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%2 : i64)
    return
  }
}

//--- copy.mlir
// COPY: error: 'memref.copy' op cannot be put in a manifest: it stores to a constant
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.mlir.global external constant @c("\00\00\80?") {addr_space = 1 : i32} : !llvm.array<4 x i8>
  }
  func.func @f(%x: memref<1xf32>) {
    %0 = coda.module_constant @kernels::@c : memref<1xf32>
    memref.copy %x, %0 : memref<1xf32> to memref<1xf32>
    return
  }
}

//--- return.mlir
// RETURN: error: 'func.return' op cannot be put in a manifest: result 0 is a constant; expected a buffer that the caller can own
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    llvm.mlir.global external constant @c("\00\00\80?") {addr_space = 1 : i32} : !llvm.array<4 x i8>
  }
  func.func @f() -> memref<1xf32> {
    %0 = coda.module_constant @kernels::@c : memref<1xf32>
    return %0 : memref<1xf32>
  }
}
