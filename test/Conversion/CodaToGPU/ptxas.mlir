// Every shipped kernel assembles without a spill and without a warning that
// ptxas serialised wgmma. The sizes are dynamic, so each Hopper kernel brings its
// simple one.

// REQUIRES: ptxas
// RUN: coda-opt %s --coda-to-ptx='chip=sm_90a kernel=cooperative stop-after=kernel' -o %t.cooperative.mlir
// RUN: coda-compile %t.cooperative.mlir -o %t.cooperative.ptx
// RUN: ptxas -arch=sm_90a -v %t.cooperative.ptx -o %t.cooperative.cubin 2>&1 | FileCheck %s --implicit-check-not=C75
// RUN: coda-opt %s --coda-to-ptx='chip=sm_90a kernel=pingpong stop-after=kernel' -o %t.pingpong.mlir
// RUN: coda-compile %t.pingpong.mlir -o %t.pingpong.ptx
// RUN: ptxas -arch=sm_90a -v %t.pingpong.ptx -o %t.pingpong.cubin 2>&1 | FileCheck %s --implicit-check-not=C75

// CHECK-COUNT-16: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: spill

func.func @nt(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @nn(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [k, n] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @tn(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [k, m] : tensor<?x?xbf16>) rhs(%b [k, n] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @tt(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [k, m] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %r = arith.truncf %x : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @bias_gelu(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %bias: tensor<?xf32>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      operands(%bias [n] : tensor<?xf32>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>, %biast: !coda.tile<1x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>, %biasx = %biast : !coda.tile<1x?xf32>)
        -> !coda.tile<?x?xbf16> {
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %c = arith.constant 0.707106769 : f32
      %s = arith.addf %x, %biasx : f32
      %u = arith.mulf %s, %c : f32
      %e = math.erf %u : f32
      %v = arith.addf %e, %one : f32
      %w = arith.mulf %s, %v : f32
      %q = arith.mulf %w, %half : f32
      %r = arith.truncf %q : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @residual(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %c: tensor<?x?xbf16>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      operands(%c [m, n] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>, %ct: !coda.tile<?x?xbf16>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>, %cx = %ct : !coda.tile<?x?xbf16>)
        -> !coda.tile<?x?xbf16> {
      %t = arith.truncf %x : f32 to bf16
      %r = arith.addf %t, %cx : bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @f32_output(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// As many parts as coda-schedule leaves to an epilogue.
func.func @parts(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %p: tensor<64x?xf32>, %q: tensor<64x?xf32>,
    %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      operands(%p [parts, m] : tensor<64x?xf32>, %q [parts, m] : tensor<64x?xf32>)
      outs(%d [m, n] : tensor<?x?xbf16>) {
  ^bb0(%acc: !coda.tile<?x?xf32>, %x: !coda.tile<?x64xf32>, %y: !coda.tile<?x64xf32>):
    %1 = coda.reduce add %x along columns : !coda.tile<?x64xf32> -> !coda.tile<?x1xf32>
    %2 = coda.reduce logsumexp %y along columns : !coda.tile<?x64xf32> -> !coda.tile<?x1xf32>
    %3 = coda.map(%s = %acc : !coda.tile<?x?xf32>, %t = %1 : !coda.tile<?x1xf32>, %u = %2 : !coda.tile<?x1xf32>)
        -> !coda.tile<?x?xbf16> {
      %v = arith.mulf %s, %t : f32
      %w = arith.subf %v, %u : f32
      %r = arith.truncf %w : f32 to bf16
      coda.yield %r : bf16
    }
    coda.yield %3 : !coda.tile<?x?xbf16>
  } -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
