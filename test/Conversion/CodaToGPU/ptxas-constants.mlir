// Constants of the source are variables in PTX. ptxas takes it, and the
// manifest says where a product reads its weight.

// RUN: coda-compile %s -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// REQUIRES: ptxas
// RUN: ptxas -arch=sm_90a %t.ptx -o %t.cubin

// PTX-DAG: .global .align 128 .b8 constant_4xf32[16] = {0, 0, 128, 63,
// PTX-DAG: .global .align 128 .b8 constant_64x32xbf16[4096] = {192, 63,
// PTX-NOT: constant_4xf32_

// MANIFEST: "name": "product",
// MANIFEST: "values": [
// MANIFEST: {"bytes":4096,"op":"module_constant","symbol":"constant_64x32xbf16","type":"i64"}
// MANIFEST: "steps": [
func.func @product(%x: tensor<?x64xbf16>) -> tensor<?x32xf32> {
  %w = arith.constant dense<1.5> : tensor<64x32xbf16>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) outs(%i : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// What is returned is the caller's, a copy.
// MANIFEST: "name": "returned",
// MANIFEST: [[CONSTANT:{"bytes":16,"op":"module_constant","symbol":"constant_4xf32","type":"i64"}]]
// MANIFEST: "results": [
// MANIFEST-NEXT: {"buffer":0,
// MANIFEST-NEXT: {"buffer":1,
func.func @returned() -> (tensor<4xf32>, tensor<0x4xf32>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = arith.constant dense<> : tensor<0x4xf32>
  return %c, %e : tensor<4xf32>, tensor<0x4xf32>
}

// So is what is written.
// MANIFEST: "name": "inserted",
// MANIFEST: {{"bytes":16,"op":"module_constant","symbol":"constant_4xf32","type":"i64"}}
func.func @inserted(%x: tensor<1xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = tensor.insert_slice %x into %c[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}
