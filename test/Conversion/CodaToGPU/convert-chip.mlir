// The conversion refuses a chip by itself too, as it can be run without
// coda-schedule, and gives the kernels their target.

// RUN: not coda-opt %s --convert-coda-to-gpu=chip=sm_75 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not coda-opt %s --convert-coda-to-gpu=chip=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: coda-opt %s --convert-coda-to-gpu | FileCheck %s

// UNKNOWN: [[@LINE+5]]:3: error: 'coda.gemm' op cannot be compiled for unsupported chip 'sm_75'; expected sm_80, sm_86, sm_87, sm_89, sm_90 or sm_90a
// OLD: [[@LINE+4]]:3: error: 'coda.gemm' op schedule #coda.schedule<kernel = pingpong, {{.*}}> does not fit: it needs sm_90a, not sm_80
// CHECK: gpu.module @coda_kernels [#nvvm.target<{{.*}}chip = "sm_90a"
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
             %d: memref<?x?xf32>) {
  coda.gemm lhs(%a [m, k] : memref<?x?xbf16>) rhs(%b [n, k] : memref<?x?xbf16>)
      outs(%d [m, n] : memref<?x?xf32>)
      schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, cluster = 2, stages = 2> {
  ^bb0(%acc: !coda.tile<?x?xf32>):
    coda.yield %acc : !coda.tile<?x?xf32>
  }
  return
}
