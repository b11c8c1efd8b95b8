// RUN: coda-opt %s --coda-schedule --split-input-file | FileCheck %s
// RUN: coda-opt %s --coda-schedule=absorb-partials=false --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: coda-opt %s --coda-to-ptx="absorb-partials=false stop-after=scheduled" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: coda-opt %s --coda-to-ptx=stop-after=kernel --split-input-file | FileCheck %s --check-prefix=KERNEL
// RUN: coda-opt %s --coda-to-ptx="kernel=cooperative stop-after=kernel" --split-input-file | FileCheck %s --check-prefix=KERNEL
// RUN: coda-opt %s --coda-to-ptx="kernel=simple stop-after=kernel" --split-input-file | FileCheck %s --check-prefix=SIMPLE
// RUN: coda-opt %s --coda-schedule --split-input-file --remarks-filter=coda --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two products in one launch group read the sums of rows: each combines them
// itself, and nothing is left between the products.
// CHECK-LABEL: func @two
// CHECK: %[[G:.*]]:2 = coda.gemm {{.*}} outs(%{{.*}} [m, n] : {{.*}}, %{{.*}} [n / 128, m] : tensor<4x?xf32>)
// CHECK-NOT: linalg
// CHECK-NOT: tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: coda.gemm lhs(%[[G]]#0 {{.*}} operands(%[[G]]#1 [parts, m] : tensor<4x?xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: !coda.tile<?x64xf32>, %[[X:.*]]: !coda.tile<?x4xf32>):
// CHECK-NEXT: %[[S:.*]] = coda.reduce add %[[X]] along columns : !coda.tile<?x4xf32> -> !coda.tile<?x1xf32>
// CHECK-NEXT: coda.map(%{{.*}} = %{{.*}}, %{{.*}} = %[[S]] : !coda.tile<?x1xf32>)
// CHECK: coda.gemm lhs(%[[G]]#0 {{.*}} operands(%[[G]]#1 [parts, m] : tensor<4x?xf32>)
// CHECK-NOT: linalg
// CHECK: return
// OFF-LABEL: func @two
// OFF: linalg.generic
// OFF: operands(%{{.*}} [m] : tensor<?xf32>)
// OFF-NOT: parts
// OFF: return
// Before the main loop 128 threads each load the parts of a row, or two the
// parts of one of 64; it is in shared memory after it.
// KERNEL-LABEL: func @two
// KERNEL: gpu.launch_func @coda_kernels::@two_gemm
// KERNEL: gpu.launch_func @coda_kernels::@two_gemms
// KERNEL-NOT: _linalg
// KERNEL: return
// The simple kernel reads them in a loop.
// SIMPLE-LABEL: func @two
// SIMPLE-NOT: _linalg
// SIMPLE: return
// SIMPLE: llvm.func @two_gemm_simple_1
// SIMPLE: %[[PARTS:.*]] = arith.constant 16 : i32
// SIMPLE: scf.for %{{.*}} = %{{.*}} to %[[PARTS]]
// SIMPLE: arith.addf
// REMARK: remark: [Passed] partials-absorbed | Category:coda
// REMARK-SAME: parts=4
func.func @two(%a: tensor<?x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<64x512xbf16>, %d: tensor<64x512xbf16>) -> (tensor<?x64xbf16>, tensor<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %wide = tensor.empty(%m) : tensor<?x512xbf16>
  %narrow = tensor.empty(%m) : tensor<?x64xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<512x64xbf16>)
      outs(%wide [m, n] : tensor<?x512xbf16>, %rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x512xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x512xf32>) -> !coda.tile<?x512xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    %s = coda.reduce add %acc along columns : !coda.tile<?x512xf32> -> !coda.tile<?x1xf32>
    coda.yield %t, %s : !coda.tile<?x512xbf16>, !coda.tile<?x1xf32>
  } -> (tensor<?x512xbf16>, tensor<?xf32>)
  %1 = coda.gemm lhs(%0#0 [m, k] : tensor<?x512xbf16>) rhs(%c [n, k] : tensor<64x512xbf16>) operands(%0#1 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) attributes {coda.launch_group = 0 : i64} {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  %2 = coda.gemm lhs(%0#0 [m, k] : tensor<?x512xbf16>) rhs(%d [n, k] : tensor<64x512xbf16>) operands(%0#1 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) attributes {coda.launch_group = 0 : i64} {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.divf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1, %2 : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// -----

// The caller gets the sums: they are finished, and read as they are.
// CHECK-LABEL: func @returned
// CHECK: linalg.generic
// CHECK: operands(%{{.*}} [m] : tensor<?xf32>)
// CHECK-NOT: parts
// CHECK: return
// REMARK: remark: [Missed] finish | Category:coda
// REMARK-SAME: Reason="it is read by func.return"
func.func @returned(%a: tensor<?x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<64x512xbf16>) -> (tensor<?x64xbf16>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %wide = tensor.empty(%m) : tensor<?x512xbf16>
  %narrow = tensor.empty(%m) : tensor<?x64xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<512x64xbf16>)
      outs(%wide [m, n] : tensor<?x512xbf16>, %rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x512xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x512xf32>) -> !coda.tile<?x512xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    %s = coda.reduce max %acc along columns : !coda.tile<?x512xf32> -> !coda.tile<?x1xf32>
    coda.yield %t, %s : !coda.tile<?x512xbf16>, !coda.tile<?x1xf32>
  } -> (tensor<?x512xbf16>, tensor<?xf32>)
  %1 = coda.gemm lhs(%0#0 [m, k] : tensor<?x512xbf16>) rhs(%c [n, k] : tensor<64x512xbf16>) operands(%0#1 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1, %0#1 : tensor<?x64xbf16>, tensor<?xf32>
}

// -----

// Too many parts: each tile of the next product would read all of them.
// CHECK-LABEL: func @many
// CHECK: [n / 128, m] : tensor<65x?xf32>
// CHECK: linalg.generic
// CHECK-NOT: parts
// CHECK: return
// REMARK: remark: [Missed] finish | Category:coda
// REMARK-SAME: Reason="it has 65 parts; expected at most 64"
func.func @many(%a: tensor<?x64xbf16>, %b: tensor<8320x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %narrow = tensor.empty(%m) : tensor<?x64xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<8320x64xbf16>) outs(%rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x8320xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x8320xf32> -> !coda.tile<?x1xf32>
    coda.yield %s : !coda.tile<?x1xf32>
  } -> tensor<?xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%c [n, k] : tensor<64x64xbf16>) operands(%0 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}

// -----

// So does an unknown number of columns.
// CHECK-LABEL: func @unknown
// CHECK: linalg.generic
// CHECK-NOT: parts
// CHECK: return
// REMARK: remark: [Missed] finish | Category:coda
// REMARK-SAME: Reason="the number of its parts is not known"
func.func @unknown(%a: tensor<?x64xbf16>, %b: tensor<?x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %narrow = tensor.empty(%m) : tensor<?x64xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<?x64xbf16>) outs(%rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x?xf32> -> !coda.tile<?x1xf32>
    coda.yield %s : !coda.tile<?x1xf32>
  } -> tensor<?xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%c [n, k] : tensor<64x64xbf16>) operands(%0 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}

// -----

// A product that knows fewer sizes reads a cast; of the vector's casts nothing is
// left.
// CHECK-LABEL: func @cast
// CHECK-NOT: linalg
// CHECK: %[[P:.*]] = tensor.cast %{{.*}} : tensor<4x96xf32> to tensor<4x?xf32>
// CHECK: operands(%[[P]] [parts, m] : tensor<4x?xf32>)
// CHECK-NOT: tensor.cast
func.func @cast(%a: tensor<96x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<64x64xbf16>, %e: tensor<?x64xbf16>, %narrow: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %rows = tensor.empty() : tensor<96xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<96x64xbf16>) rhs(%b [n, k] : tensor<512x64xbf16>) outs(%rows [m] : tensor<96xf32>) {
  ^bb0(%acc: !coda.tile<96x512xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<96x512xf32> -> !coda.tile<96x1xf32>
    coda.yield %s : !coda.tile<96x1xf32>
  } -> tensor<96xf32>
  %r0 = tensor.cast %0 : tensor<96xf32> to tensor<?xf32>
  %r1 = tensor.cast %r0 : tensor<?xf32> to tensor<96xf32>
  %r = tensor.cast %r1 : tensor<96xf32> to tensor<?xf32>
  %1 = coda.gemm lhs(%e [m, k] : tensor<?x64xbf16>) rhs(%c [n, k] : tensor<64x64xbf16>) operands(%r [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r2: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r2 : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}

// -----

// What the first product has left to compute of the sums goes along.
// CHECK-LABEL: func @between
// CHECK-NOT: linalg
// CHECK: operands(%{{.*}} [parts, m] : tensor<4x?xf32>)
// CHECK: %[[S:.*]] = coda.reduce add
// CHECK: coda.map(%{{.*}} = %[[S]] : !coda.tile<?x1xf32>) -> !coda.tile<?x1xf32>
// CHECK-NEXT: math.rsqrt
// CHECK-NOT: linalg
// CHECK: return
// OFF-LABEL: func @between
// OFF: linalg.generic
// OFF: linalg.generic
// OFF: math.rsqrt
// OFF: operands(%{{.*}} [m] : tensor<?xf32>)
func.func @between(%a: tensor<?x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %narrow = tensor.empty(%m) : tensor<?x64xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<512x64xbf16>) outs(%rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x512xf32>):
    %s = coda.reduce add %acc along columns : !coda.tile<?x512xf32> -> !coda.tile<?x1xf32>
    %t = coda.map(%x = %s : !coda.tile<?x1xf32>) -> !coda.tile<?x1xf32> {
      %y = math.rsqrt %x : f32
      coda.yield %y : f32
    }
    coda.yield %t : !coda.tile<?x1xf32>
  } -> tensor<?xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%c [n, k] : tensor<64x64xbf16>) operands(%0 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x64xbf16>) {
  ^bb0(%acc: !coda.tile<?x64xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x64xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x64xbf16> {
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x64xbf16>
  } -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}
