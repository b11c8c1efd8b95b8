// Reductions of rows that the next product reads, taken apart: its epilogue
// combines the partial results. Run beside the products as they were.

// DEFINE: %{function} =
// DEFINE: %{schedule} = coda-schedule
// DEFINE: %{run} = coda-runner %s --backend=cpu --compare --compare-pipeline="builtin.module(%{schedule})" --function=%{function}
// REDEFINE: %{function} = sum_bf16
// RUN: %{run} --dynamic-size=37 | FileCheck %s
// RUN: %{run} --dynamic-size=1 | FileCheck %s
// REDEFINE: %{function} = sums_f32
// RUN: %{run} | FileCheck %s
// RUN: %{run} --data=nan | FileCheck %s
// REDEFINE: %{function} = logsumexp_f32
// RUN: %{run} --dynamic-size=21 | FileCheck %s
// REDEFINE: %{function} = greatest_bf16
// RUN: %{run} | FileCheck %s
// RUN: %{run} --data=nan | FileCheck %s
// REDEFINE: %{schedule} = coda-schedule{absorb-partials=false}
// RUN: %{run} | FileCheck %s

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

// RUN: coda-opt %s --coda-schedule | FileCheck %s --check-prefix=PARTS

// PARTS-LABEL: func @sum_bf16
// PARTS-NOT: linalg
// PARTS: [parts, m] : tensor<3x?xf32>
// PARTS-NOT: linalg
func.func @sum_bf16(%a: tensor<?x16xbf16>, %b: tensor<300x16xbf16>, %c: tensor<24x300xbf16>) -> tensor<?x24xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x16xbf16>
  %wide = tensor.empty(%m) : tensor<?x300xbf16>
  %narrow = tensor.empty(%m) : tensor<?x24xbf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0:2 = coda.gemm lhs(%a [m, k] : tensor<?x16xbf16>) rhs(%b [n, k] : tensor<300x16xbf16>)
      outs(%wide [m, n] : tensor<?x300xbf16>, %rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x300xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x300xf32>) -> !coda.tile<?x300xbf16> {
      %y = arith.truncf %x : f32 to bf16
      coda.yield %y : bf16
    }
    %q = coda.map(%x = %acc : !coda.tile<?x300xf32>) -> !coda.tile<?x300xf32> {
      %y = arith.mulf %x, %x : f32
      coda.yield %y : f32
    }
    %s = coda.reduce add %q along columns : !coda.tile<?x300xf32> -> !coda.tile<?x1xf32>
    coda.yield %t, %s : !coda.tile<?x300xbf16>, !coda.tile<?x1xf32>
  } -> (tensor<?x300xbf16>, tensor<?xf32>)
  %1 = coda.gemm lhs(%0#0 [m, k] : tensor<?x300xbf16>) rhs(%c [n, k] : tensor<24x300xbf16>) operands(%0#1 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x24xbf16>) {
  ^bb0(%acc: !coda.tile<?x24xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x24xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x24xbf16> {
      %z = math.rsqrt %y : f32
      %v = arith.mulf %x, %z : f32
      %w = arith.truncf %v : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<?x24xbf16>
  } -> tensor<?x24xbf16>
  return %1 : tensor<?x24xbf16>
}

// Two sums of one product; the last part is of fewer columns.
// PARTS-LABEL: func @sums_f32
// PARTS-NOT: linalg
// PARTS: operands(%{{.*}} [parts, m] : tensor<3x20xf32>, %{{.*}} [parts, m] : tensor<3x20xf32>)
// PARTS-NOT: linalg
func.func @sums_f32(%a: tensor<20x16xf32>, %b: tensor<72x16xf32>, %c: tensor<24x72xf32>) -> tensor<20x24xf32> {
  %wide = tensor.empty() : tensor<20x72xf32>
  %narrow = tensor.empty() : tensor<20x24xf32>
  %rows = tensor.empty() : tensor<20xf32>
  %0:3 = coda.gemm lhs(%a [m, k] : tensor<20x16xf32>) rhs(%b [n, k] : tensor<72x16xf32>)
      outs(%wide [m, n] : tensor<20x72xf32>, %rows [m] : tensor<20xf32>, %rows [m] : tensor<20xf32>) {
  ^bb0(%acc: !coda.tile<20x72xf32>):
    %q = coda.map(%x = %acc : !coda.tile<20x72xf32>) -> !coda.tile<20x72xf32> {
      %y = arith.mulf %x, %x : f32
      coda.yield %y : f32
    }
    %s = coda.reduce add %acc along columns : !coda.tile<20x72xf32> -> !coda.tile<20x1xf32>
    %t = coda.reduce add %q along columns : !coda.tile<20x72xf32> -> !coda.tile<20x1xf32>
    coda.yield %acc, %s, %t : !coda.tile<20x72xf32>, !coda.tile<20x1xf32>, !coda.tile<20x1xf32>
  } -> (tensor<20x72xf32>, tensor<20xf32>, tensor<20xf32>)
  %1 = coda.gemm lhs(%0#0 [m, k] : tensor<20x72xf32>) rhs(%c [n, k] : tensor<24x72xf32>)
      operands(%0#1 [m] : tensor<20xf32>, %0#2 [m] : tensor<20xf32>) outs(%narrow [m, n] : tensor<20x24xf32>) {
  ^bb0(%acc: !coda.tile<20x24xf32>, %s: !coda.tile<20x1xf32>, %t: !coda.tile<20x1xf32>):
    %u = coda.map(%x = %acc : !coda.tile<20x24xf32>, %y = %s : !coda.tile<20x1xf32>, %z = %t : !coda.tile<20x1xf32>) -> !coda.tile<20x24xf32> {
      %v = arith.addf %x, %y : f32
      %w = arith.mulf %v, %z : f32
      coda.yield %w : f32
    }
    coda.yield %u : !coda.tile<20x24xf32>
  } -> tensor<20x24xf32>
  return %1 : tensor<20x24xf32>
}

// PARTS-LABEL: func @logsumexp_f32
// PARTS-NOT: linalg
// PARTS: coda.reduce logsumexp %{{.*}} along columns : !coda.tile<?x5xf32> -> !coda.tile<?x1xf32>
// PARTS-NOT: linalg
func.func @logsumexp_f32(%a: tensor<?x16xf32>, %b: tensor<16x160xf32>, %c: tensor<24x16xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %narrow = tensor.empty(%m) : tensor<?x24xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x16xf32>) rhs(%b [k, n] : tensor<16x160xf32>) outs(%rows [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x160xf32>):
    %s = coda.reduce logsumexp %acc along columns : !coda.tile<?x160xf32> -> !coda.tile<?x1xf32>
    coda.yield %s : !coda.tile<?x1xf32>
  } -> tensor<?xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<?x16xf32>) rhs(%c [n, k] : tensor<24x16xf32>) operands(%0 [m] : tensor<?xf32>)
      outs(%narrow [m, n] : tensor<?x24xf32>) {
  ^bb0(%acc: !coda.tile<?x24xf32>, %r: !coda.tile<?x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<?x24xf32>, %y = %r : !coda.tile<?x1xf32>) -> !coda.tile<?x24xf32> {
      %z = arith.subf %x, %y : f32
      coda.yield %z : f32
    }
    coda.yield %t : !coda.tile<?x24xf32>
  } -> tensor<?x24xf32>
  return %1 : tensor<?x24xf32>
}

// PARTS-LABEL: func @greatest_bf16
// PARTS-NOT: linalg
// PARTS: coda.reduce absmax %{{.*}} along columns : !coda.tile<32x2xf32> -> !coda.tile<32x1xf32>
// PARTS-NOT: linalg
func.func @greatest_bf16(%a: tensor<32x16xbf16>, %b: tensor<16x200xbf16>, %c: tensor<24x16xbf16>) -> tensor<32x24xbf16> {
  %narrow = tensor.empty() : tensor<32x24xbf16>
  %rows = tensor.empty() : tensor<32xf32>
  %0 = coda.gemm lhs(%a [m, k] : tensor<32x16xbf16>) rhs(%b [k, n] : tensor<16x200xbf16>) outs(%rows [m] : tensor<32xf32>) {
  ^bb0(%acc: !coda.tile<32x200xf32>):
    %s = coda.reduce absmax %acc along columns : !coda.tile<32x200xf32> -> !coda.tile<32x1xf32>
    coda.yield %s : !coda.tile<32x1xf32>
  } -> tensor<32xf32>
  %1 = coda.gemm lhs(%a [m, k] : tensor<32x16xbf16>) rhs(%c [n, k] : tensor<24x16xbf16>) operands(%0 [m] : tensor<32xf32>)
      outs(%narrow [m, n] : tensor<32x24xbf16>) {
  ^bb0(%acc: !coda.tile<32x24xf32>, %r: !coda.tile<32x1xf32>):
    %t = coda.map(%x = %acc : !coda.tile<32x24xf32>, %y = %r : !coda.tile<32x1xf32>) -> !coda.tile<32x24xbf16> {
      %z = arith.divf %x, %y : f32
      %w = arith.truncf %z : f32 to bf16
      coda.yield %w : bf16
    }
    coda.yield %t : !coda.tile<32x24xbf16>
  } -> tensor<32x24xbf16>
  return %1 : tensor<32x24xbf16>
}
