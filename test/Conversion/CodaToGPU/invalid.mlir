// RUN: coda-opt %s --convert-coda-to-gpu --split-input-file --verify-diagnostics

func.func @no_schedule(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
    %d: memref<?x?xf32>) {
  // expected-error @+1 {{has no schedule; run coda-schedule first}}
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @on_tensors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{is on tensors; bufferize it first}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @fp8(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>,
    %d: memref<?x?xf32>) {
  // expected-error @+1 {{inputs of type 'f8E4M3FN' are not supported; expected bf16, f16, f32, f64 or i8}}
  coda.gemm lhs(%a [m, k] : memref<?x?xf8E4M3FN>) rhs(%b [n, k] : memref<?x?xf8E4M3FN>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @unsupported_op(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
    %d: memref<?x?xf32>) {
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xf32> {
  // expected-error @+1 {{cannot be compiled for the GPU: it has no lowering for this target}}
      %r = math.acosh %x : f32
      coda.yield %r : f32
    }
    coda.yield %1 : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @not_in_f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>,
    %d: memref<?x?xf64>) {
  coda.gemm lhs(%a [m, k] : memref<?x?xf64>) rhs(%b [n, k] : memref<?x?xf64>)
      outs(%d [m, n] : memref<?x?xf64>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf64>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf64>)
        -> !coda.tile<?x?xf64> {
  // expected-error @+1 {{cannot be compiled for the GPU: it is not available in f64}}
      %r = math.exp %x : f64
      coda.yield %r : f64
    }
    coda.yield %1 : !coda.tile<?x?xf64>
  }
  return
}

// -----

func.func @unsupported_type(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
    %d: memref<?x?xf32>) {
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xf32> {
  // expected-error @+1 {{cannot be compiled for the GPU: it has the unsupported type i4}}
      %n = arith.fptosi %x : f32 to i4
      %r = arith.sitofp %n : i4 to f32
      coda.yield %r : f32
    }
    coda.yield %1 : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @does_not_fit(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
    %d: memref<?x?xf32>) {
  // expected-error @+1 {{does not fit: it needs 426112 bytes of shared memory, but 232448 are there}}
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 8> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}
