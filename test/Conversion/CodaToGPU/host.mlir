// The host code around a kernel: sizes are checked, an empty result launches
// nothing, and the kernel without tensor copies stands by where sizes, strides or
// addresses may not suit them.

// RUN: coda-opt %s --coda-to-ptx='chip=sm_90a stop-after=kernel' | FileCheck %s

// CHECK: gpu.module @coda_kernels
// CHECK: llvm.func @dynamic_gemm(%{{[^)]*}}llvm.readonly, {{[^)]*}}nvvm.grid_constant
// CHECK: llvm.func @dynamic_gemm_simple(
// CHECK: llvm.func @odd_gemm_simple(
// CHECK-NOT: llvm.func @{{.*}}_gemm

// CHECK-LABEL: func.func @dynamic(
// CHECK-DAG: cf.assert %{{.*}}, "size of dimension k of operand #1 of coda.gemm does not agree with its other operands"
// CHECK-DAG: cf.assert %{{.*}}, "size of dimension m of coda.gemm must be less than 2^31 - 1024"
// CHECK: scf.if
// CHECK: scf.if
// CHECK-COUNT-3: coda.tensor_map
// CHECK: coda.multiprocessor_count
// CHECK: gpu.launch_func @coda_kernels::@dynamic_gemm
// CHECK-SAME: threads in (%c384
// CHECK: } else {
// CHECK-NOT: coda.tensor_map
// CHECK: gpu.launch_func @coda_kernels::@dynamic_gemm_simple
// CHECK-SAME: threads in (%c128
func.func @dynamic(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @odd(
// CHECK-NOT: coda.tensor_map
// CHECK: gpu.launch_func @coda_kernels::@odd_gemm_simple
// CHECK-NOT: gpu.launch_func
func.func @odd(%a: tensor<64x63xbf16>, %b: tensor<64x63xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x63xbf16>) rhs(%b [n, k] : tensor<64x63xbf16>)
      outs(%d [m, n] : tensor<64x64xf32>) {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    coda.yield %acc : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
