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

func.func @fp8_stored_along_n(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>,
    %d: memref<?x?xf32>) {
  // expected-error @+1 {{does not fit: inputs of type f8E4M3FN must be stored [m, k] and [n, k], but are [m, k] and [k, n]}}
  coda.gemm lhs(%a [m, k] : memref<?x?xf8E4M3FN>) rhs(%b [k, n] : memref<?x?xf8E5M2>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 128, cluster = 2, stages = 4> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @fp8_short_tile(%a: memref<?x?xi8>, %b: memref<?x?xi8>,
    %d: memref<?x?xi32>) {
  // expected-error @+1 {{does not fit: tile_k must be 128 for inputs of type i8, but is 64}}
  coda.gemm lhs(%a [m, k] : memref<?x?xi8>) rhs(%b [n, k] : memref<?x?xi8>)
      outs(%d [m, n] : memref<?x?xi32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 4> {
  ^bb0(%acc: !coda.tile<?x?xi32>):
    coda.yield %acc : !coda.tile<?x?xi32>
  }
  return
}

// -----

func.func @fp8_scalar(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %s: f8E5M2,
    %d: memref<?x?xf32>) {
  // expected-error @+1 {{cannot be compiled for the GPU: a scalar operand is of type 'f8E5M2'; expected a tensor or another type}}
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      operands(%s [] : f8E5M2) outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>, %scale: !coda.tile<1x1xf8E5M2>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}

// -----

func.func @fp8_scalar_of_linalg(%s: f8E5M2, %d: memref<?x?xf8E5M2>) {
  // expected-error @+1 {{cannot be compiled for the GPU: it takes a scalar of type f8E5M2}}
  linalg.fill ins(%s : f8E5M2) outs(%d : memref<?x?xf8E5M2>)
  return
}

// -----

func.func @fp8_rounding(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
    %d: memref<?x?xf8E5M2>) {
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf8E5M2>)
      schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 32, cluster = 1, stages = 1> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<?x?xf32>)
        -> !coda.tile<?x?xf8E5M2> {
      // expected-error @+1 {{cannot be compiled for the GPU: 8-bit floats are rounded to nearest even only}}
      %r = arith.truncf %x toward_zero : f32 to f8E5M2
      coda.yield %r : f8E5M2
    }
    coda.yield %1 : !coda.tile<?x?xf8E5M2>
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
