// A schedule that is given is kept or refused, never replaced.

// RUN: coda-opt %s --coda-schedule --split-input-file --verify-diagnostics

func.func @shared_memory(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{does not fit: it needs 426112 bytes of shared memory, but 232448 are there}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 8> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @registers(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{does not fit: a thread would hold 256 sums, but at most 128 fit its registers}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = cooperative, tile_m = 256, tile_n = 256, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @columns(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{does not fit: tile_n must be a multiple of 64 for each of 2 right-hand sides, but is 64}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>)
      rhs(%b [n, k] : tensor<?x?xbf16>, %c [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 64, tile_k = 64, cluster = 1, stages = 2> {
  ^bb0(%x: !coda.tile<?x?xf32>, %y: !coda.tile<?x?xf32>):
    coda.yield %y : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @cluster(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{does not fit: a right-hand side stored [k, n] needs a multiple of 64 columns for each thread block of the cluster, but has 64 / 2}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [k, n] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 64, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @type(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{does not fit: this kernel takes bf16, f16, f8E4M3FN, f8E5M2 or i8 inputs, not f32}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xf32>) rhs(%b [n, k] : tensor<?x?xf32>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @lhs_stride(%a: tensor<64x63xbf16>, %b: tensor<63x64xbf16>,
    %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{does not fit: lhs tensor<64x63xbf16> needs the kernel 'simple': its inner stride must be 1 and its outer one a multiple of 16 bytes}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x63xbf16>) rhs(%b [k, n] : tensor<63x64xbf16>)
      outs(%d [m, n] : tensor<64x64xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    coda.yield %acc : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @rhs_stride(%a: tensor<64x64xbf16>, %b: tensor<64x63xbf16>,
    %d: tensor<64x63xf32>) -> tensor<64x63xf32> {
  // expected-error @+1 {{does not fit: rhs #0 tensor<64x63xbf16> needs the kernel 'simple': its inner stride must be 1 and its outer one a multiple of 16 bytes}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x64xbf16>) rhs(%b [k, n] : tensor<64x63xbf16>)
      outs(%d [m, n] : tensor<64x63xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<64x63xf32>):
    coda.yield %acc : !coda.tile<64x63xf32>
  } -> tensor<64x63xf32>
  return %0 : tensor<64x63xf32>
}
