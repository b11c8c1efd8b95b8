// RUN: coda-opt %s --coda-schedule --split-input-file | FileCheck %s
// RUN: coda-opt %s --coda-to-ptx=stop-after=kernel --split-input-file | FileCheck %s --check-prefix=KERNEL

// A sum of more columns than a tile has: one partial result for 128 of them,
// then a finish. What is computed from the sum moves there.
// CHECK-LABEL: func @rows
// CHECK: %[[P:.*]] = tensor.empty(%{{.*}}) : tensor<32x?xf32>
// CHECK: %[[G:.*]]:2 = coda.gemm {{.*}} outs(%{{.*}} [m, n] : tensor<?x4096xbf16>, %{{.*}} [n / 128, m] : tensor<32x?xf32>)
// CHECK: coda.reduce add %{{.*}} along columns in groups of 128 : !coda.tile<?x4096xf32> -> !coda.tile<?x32xf32>
// CHECK-NOT: math.rsqrt
// CHECK: }
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[G]]#1 : tensor<32x?xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: math.rsqrt
// Both are one launch after the product's.
// KERNEL-LABEL: func @rows
// KERNEL: gpu.launch_func @coda_kernels::@rows_gemm
// KERNEL: gpu.launch_func @coda_kernels::@rows_linalg
// KERNEL-NOT: gpu.launch_func
// KERNEL: return
func.func @rows(%a: tensor<?x64xbf16>, %b: tensor<4096x64xbf16>) -> (tensor<?x4096xbf16>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %d = tensor.empty(%m) : tensor<?x4096xbf16>
  %e = tensor.empty(%m) : tensor<?xf32>
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<4096x64xbf16>)
      outs(%d [m, n] : tensor<?x4096xbf16>, %e [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x4096xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x4096xf32>) -> !coda.tile<?x4096xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    %s = coda.reduce add %acc along columns : !coda.tile<?x4096xf32> -> !coda.tile<?x1xf32>
    %r = coda.map(%x = %s : !coda.tile<?x1xf32>) -> !coda.tile<?x1xf32> {
      %y = math.rsqrt %x : f32
      coda.yield %y : f32
    }
    coda.yield %t, %r : !coda.tile<?x4096xbf16>, !coda.tile<?x1xf32>
  } -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x4096xbf16>, tensor<?xf32>
}

// -----

// Sums of columns: a partial result for every 16 rows.
// CHECK-LABEL: func @columns
// CHECK: coda.gemm {{.*}} outs(%{{.*}} [m / 16, n] : tensor<?x96xf32>)
// CHECK: coda.reduce add %{{.*}} along rows in groups of 16
// CHECK: linalg.generic
func.func @columns(%a: tensor<?x64xbf16>, %b: tensor<96x64xbf16>, %d: tensor<96xf32>) -> tensor<96xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<96x64xbf16>) outs(%d [n] : tensor<96xf32>) {
  ^bb0(%acc: !coda.tile<?x96xf32>):
    %s = coda.reduce add %acc along rows : !coda.tile<?x96xf32> -> !coda.tile<1x96xf32>
    coda.yield %s : !coda.tile<1x96xf32>
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// -----

// A row that fits a tile is reduced there, and may be used again.
// CHECK-LABEL: func @local
// CHECK: coda.reduce add %{{.*}} along columns :
// CHECK-NOT: linalg
func.func @local(%a: tensor<?x64xbf16>, %b: tensor<96x64xbf16>, %d: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<96x64xbf16>) outs(%d [m, n] : tensor<?x96xbf16>) {
  ^bb0(%acc: !coda.tile<?x96xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x96xf32> -> !coda.tile<?x1xf32>
    %t = coda.map(%x = %acc : !coda.tile<?x96xf32>, %y = %s : !coda.tile<?x1xf32>) -> !coda.tile<?x96xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x96xbf16>
  } -> tensor<?x96xbf16>
  return %0 : tensor<?x96xbf16>
}

// -----

// One that does not, and is used again: the product stores its sums, and the
// rest is linalg, with a remark (not-in-tile.mlir).
// CHECK-LABEL: func @outside
// CHECK: coda.gemm {{.*}} outs(%{{.*}} [m, n] : tensor<?x4096xf32>)
// CHECK-NOT: coda.reduce
// CHECK: linalg.generic
// KERNEL-LABEL: func @outside
// KERNEL: gpu.launch_func @coda_kernels::@outside_gemm
// KERNEL: gpu.launch_func @coda_kernels::@outside_linalg
func.func @outside(%a: tensor<?x64xbf16>, %b: tensor<4096x64xbf16>, %d: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<4096x64xbf16>) outs(%d [m, n] : tensor<?x4096xbf16>) {
  ^bb0(%acc: !coda.tile<?x4096xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x4096xf32> -> !coda.tile<?x1xf32>
    %t = coda.map(%x = %acc : !coda.tile<?x4096xf32>, %y = %s : !coda.tile<?x1xf32>) -> !coda.tile<?x4096xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x4096xbf16>
  } -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// -----

// Products of one launch group.
// KERNEL-LABEL: func @group
// KERNEL: gpu.launch_func @coda_kernels::@group_gemms
// KERNEL: } else {
// KERNEL: gpu.launch_func @coda_kernels::@group_gemm_simple
// KERNEL: gpu.launch_func @coda_kernels::@group_gemm_simple_1
func.func @group(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<128x64xbf16>) -> (tensor<?x256xbf16>, tensor<?x128xbf16>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %d = tensor.empty(%m) : tensor<?x256xbf16>
  %e = tensor.empty(%m) : tensor<?x128xbf16>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<256x64xbf16>) outs(%d [m, n] : tensor<?x256xbf16>)
      attributes {coda.launch_group = 0 : i64} {
  ^bb0(%acc: !coda.tile<?x256xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x256xf32>) -> !coda.tile<?x256xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    coda.yield %t : !coda.tile<?x256xbf16>
  } -> tensor<?x256xbf16>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%c [n, k] : tensor<128x64xbf16>) outs(%e [m, n] : tensor<?x128xbf16>)
      attributes {coda.launch_group = 0 : i64} {
  ^bb0(%acc: !coda.tile<?x128xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x128xf32>) -> !coda.tile<?x128xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    coda.yield %t : !coda.tile<?x128xbf16>
  } -> tensor<?x128xbf16>
  return %0, %1 : tensor<?x256xbf16>, tensor<?x128xbf16>
}
