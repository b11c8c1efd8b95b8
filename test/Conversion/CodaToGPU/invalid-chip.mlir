// RUN: not coda-opt %s --coda-schedule=chip=sm_75 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not coda-opt %s --coda-schedule=kernel=fast 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not coda-opt %s --coda-schedule='chip=sm_80 kernel=pingpong' --split-input-file 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: not coda-opt %s --coda-schedule=kernel=pingpong --split-input-file 2>&1 | FileCheck %s --check-prefix=WANTED --implicit-check-not=error:

// CHIP: [[@LINE+6]]:8: error: 'coda.gemm' op cannot be scheduled for unsupported chip 'sm_75'; expected sm_80, sm_86, sm_87, sm_89, sm_90 or sm_90a
// KERNEL: [[@LINE+5]]:8: error: 'coda.gemm' op cannot be scheduled as unknown kernel 'fast'; expected auto, cooperative, pingpong or simple
// SM80: [[@LINE+4]]:8: error: 'coda.gemm' op cannot be scheduled as kernel 'pingpong' for sm_80; it needs sm_90a

func.func @plain(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// WANTED: [[@LINE+3]]:8: error: 'coda.gemm' op cannot be scheduled as kernel 'pingpong': lhs tensor<64x63xbf16> needs the kernel 'simple'
func.func @odd(%a: tensor<64x63xbf16>, %b: tensor<64x63xbf16>,
    %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<64x63xbf16>) rhs(%b [n, k] : tensor<64x63xbf16>)
      outs(%d [m, n] : tensor<64x64xf32>) {
  ^bb0(%acc: !coda.tile<64x64xf32>):
    coda.yield %acc : !coda.tile<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// SM80: [[@LINE+3]]:8: error: 'coda.gemm' op schedule #coda.schedule<kernel = pingpong, {{.*}}> does not fit: it needs sm_90a, not sm_80
func.func @given(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
    %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x?xbf16>) rhs(%b [n, k] : tensor<?x?xbf16>)
      outs(%d [m, n] : tensor<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
