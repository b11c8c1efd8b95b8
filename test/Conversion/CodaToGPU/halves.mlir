// RUN: coda-compile %s --emit=gpu -o - | FileCheck %s

// Tables with one column for each pair of columns: a tile of 128 columns has 64
// pairs, which one copy brings for the columns of both halves.

// A warp brings A and B; another one both tables, once for each of two blocks of
// 64 rows.

// CHECK-LABEL: llvm.func @matrices_gemm(
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{[0-9]+}}, %c16384_i32
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{[0-9]+}}, %c16384_i32
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: shared.cluster.global
// CHECK: nvvm.wgmma.mma_async

// Of a vector a tile stages 64 elements.

// CHECK-LABEL: llvm.func @vector_gemm(
// CHECK: arith.cmpi ult, %{{[0-9]+}}, %c64_i32
// CHECK: wgmma.mma_async

// CHECK-LABEL: func.func @matrices(
// CHECK-COUNT-5: coda.tensor_map

func.func @matrices(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>, %cos: tensor<?x64xbf16>,
                    %sin: tensor<?x64xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x256xbf16>
  %r = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<256x64xbf16>)
      operands(%cos [m, cyclic n / 2] : tensor<?x64xbf16>, %sin [m, cyclic n / 2] : tensor<?x64xbf16>)
      outs(%e [m, n] : tensor<?x256xbf16>) {
  ^bb0(%acc: !coda.tile<?x256xf32>, %c: !coda.tile<?x128xbf16>, %s: !coda.tile<?x128xbf16>):
    %x, %y = coda.unpair %acc stride 64 : !coda.tile<?x256xf32> -> !coda.tile<?x128xf32>
    %first = coda.map(%p = %x : !coda.tile<?x128xf32>, %q = %c : !coda.tile<?x128xbf16>)
        -> !coda.tile<?x128xbf16> {
      %0 = arith.truncf %p : f32 to bf16
      %1 = arith.mulf %0, %q : bf16
      coda.yield %1 : bf16
    }
    %second = coda.map(%p = %y : !coda.tile<?x128xf32>, %q = %s : !coda.tile<?x128xbf16>)
        -> !coda.tile<?x128xbf16> {
      %0 = arith.truncf %p : f32 to bf16
      %1 = arith.mulf %0, %q : bf16
      coda.yield %1 : bf16
    }
    %o = coda.pair %first, %second stride 64 : !coda.tile<?x128xbf16> -> !coda.tile<?x256xbf16>
    coda.yield %o : !coda.tile<?x256xbf16>
  } -> tensor<?x256xbf16>
  return %r : tensor<?x256xbf16>
}

func.func @vector(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>, %scale: tensor<64xf32>)
    -> tensor<?x256xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x256xf32>
  %r = coda.gemm lhs(%a [m, k] : tensor<?x64xbf16>) rhs(%b [n, k] : tensor<256x64xbf16>)
      operands(%scale [cyclic n / 2] : tensor<64xf32>) outs(%e [m, n] : tensor<?x256xf32>) {
  ^bb0(%acc: !coda.tile<?x256xf32>, %s: !coda.tile<1x128xf32>):
    %x, %y = coda.unpair %acc stride 64 : !coda.tile<?x256xf32> -> !coda.tile<?x128xf32>
    %first = coda.map(%p = %x : !coda.tile<?x128xf32>, %q = %s : !coda.tile<1x128xf32>)
        -> !coda.tile<?x128xf32> {
      %1 = arith.mulf %p, %q : f32
      coda.yield %1 : f32
    }
    %o = coda.pair %first, %y stride 64 : !coda.tile<?x128xf32> -> !coda.tile<?x256xf32>
    coda.yield %o : !coda.tile<?x256xf32>
  } -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}
