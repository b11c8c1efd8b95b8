// RUN: coda-opt %s --convert-coda-to-gpu --split-input-file | FileCheck %s
// RUN: coda-opt %s --convert-coda-to-gpu=chip=sm_80 --split-input-file | FileCheck %s --check-prefix=SM80

// The norm of a row: all of it is needed before any element is scaled. One thread
// block a row, which sums together.
// CHECK-LABEL: llvm.func @rows_linalg
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK: arith.addf
// CHECK: rsqrt.approx
// CHECK: nvvm.barrier
// CHECK: scf.for
// CHECK: arith.truncf
// CHECK-LABEL: func.func @rows
// CHECK: gpu.launch_func @coda_kernels::@rows_linalg blocks in (%c32
// CHECK-NOT: gpu.launch_func
// SM80-LABEL: func.func @rows
// SM80: gpu.launch_func
// SM80-NOT: gpu.launch_func
func.func @rows(%x: memref<2x16x128xbf16>) -> memref<2x16x128xbf16> {
  %y = memref.alloc() : memref<2x16x128xbf16>
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<2x16x1xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<2x16x1xf32>)
  linalg.generic {indexing_maps = [affine_map<(b, t, i) -> (b, t, i)>, affine_map<(b, t, i) -> (b, t, 0)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<2x16x128xbf16>) outs(%s : memref<2x16x1xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %q = arith.extf %p : bf16 to f32
    %r = arith.mulf %q, %q : f32
    %t = arith.addf %o, %r : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(b, t, i) -> (b, t, i)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%s : memref<2x16x1xf32>) {
  ^bb0(%o: f32):
    %t = math.rsqrt %o : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(b, t, i) -> (b, t, i)>, affine_map<(b, t, i) -> (b, t, 0)>,
                                   affine_map<(b, t, i) -> (b, t, i)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : memref<2x16x128xbf16>, memref<2x16x1xf32>) outs(%y : memref<2x16x128xbf16>) {
  ^bb0(%p: bf16, %q: f32, %o: bf16):
    %r = arith.extf %p : bf16 to f32
    %t = arith.mulf %r, %q : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  }
  return %y : memref<2x16x128xbf16>
}

// -----

// The mean of a vector that is computed before: one cluster, and a thread block
// of it for the sum, where there are clusters.
// CHECK-LABEL: llvm.func @mean_linalg
// CHECK-SAME: nvvm.cluster_dim = array<i32: 8, 1, 1>
// CHECK-SAME: nvvm.reqntid = array<i32: 1024, 1, 1>
// CHECK: ex2.approx
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.barrier
// CHECK: arith.divf
// CHECK-LABEL: func.func @mean
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// SM80-LABEL: func.func @mean
// SM80: gpu.launch_func
// SM80: gpu.launch_func
// SM80-NOT: gpu.launch_func
// SM80-LABEL: func.func @transposed
func.func @mean(%x: memref<?xf32>, %n: index) -> memref<f32> {
  %zero = arith.constant 0.0 : f32
  %v = memref.alloc(%n) : memref<?xf32>
  %y = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%v : memref<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%v : memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%y : memref<f32>) {
  ^bb0(%o: f32):
    %c = arith.constant 32.0 : f32
    %t = arith.divf %o, %c : f32
    linalg.yield %t : f32
  }
  return %y : memref<f32>
}

// -----

// Rows of one are columns of the other.
// CHECK-LABEL: func.func @transposed
// CHECK: gpu.launch_func
// CHECK: gpu.launch_func
func.func @transposed(%x: memref<16x16xf32>) -> memref<16x16xf32> {
  %v = memref.alloc() : memref<16x16xf32>
  %y = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x16xf32>) outs(%v : memref<16x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<16x16xf32>) outs(%y : memref<16x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  }
  return %y : memref<16x16xf32>
}

// -----

// A row of unknown length could be too much for a thread block.
// CHECK-LABEL: func.func @unknown
// CHECK: gpu.launch_func
// CHECK: gpu.launch_func
func.func @unknown(%x: memref<16x?xf32>, %n: index) -> memref<16x?xf32> {
  %s = memref.alloc() : memref<16xf32>
  %y = memref.alloc(%n) : memref<16x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x?xf32>) outs(%s : memref<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<16x?xf32>, memref<16xf32>) outs(%y : memref<16x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  }
  return %y : memref<16x?xf32>
}

// -----

// A copy beside a linalg op shares its launch, as any that may have gaps.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: memref.copy
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK-NOT: memref.copy
func.func @copies(%x: memref<16xf32>, %v: memref<16xf32>, %y: memref<16xf32, strided<[2]>>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<16xf32>)
  memref.copy %x, %v : memref<16xf32> to memref<16xf32>
  memref.copy %v, %y : memref<16xf32> to memref<16xf32, strided<[2]>>
  return
}

// -----

// A lone one of bytes stays.
// CHECK-LABEL: func.func @bytes
// CHECK: memref.copy
func.func @bytes(%x: memref<16xf32>, %y: memref<16xf32>) {
  memref.copy %x, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Sums over a weight whose rows are summed: threads side by side read columns
// side by side, and each of 8 warps takes every 8th row, several at a time. What
// they have is combined in one order.
// CHECK-LABEL: llvm.func @columns_linalg
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK: %[[SLICE:.*]] = arith.shrui
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}) -> (i64, f32, f32)
// CHECK-COUNT-16: math.fma
// CHECK: scf.for %{{.*}} to %{{.*}} step %[[C8]]
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-4: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK-LABEL: func.func @columns
// CHECK: gpu.launch_func @coda_kernels::@columns_linalg blocks in (%c32,
// CHECK-NOT: gpu.launch_func
func.func @columns(%w: memref<500x1000xbf16>, %g: memref<500xbf16>, %b: memref<500xf32>) -> (memref<1000xf32>, memref<1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<1000xf32>
  %t = memref.alloc() : memref<1000xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<1000xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<1000xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k)>,
                                   affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%w, %g, %b : memref<500x1000xbf16>, memref<500xbf16>, memref<500xf32>)
      outs(%s, %t : memref<1000xf32>, memref<1000xf32>) {
  ^bb0(%p: bf16, %q: bf16, %r: f32, %o: f32, %u: f32):
    %x = arith.extf %p : bf16 to f32
    %y = arith.extf %q : bf16 to f32
    %1 = math.fma %y, %x, %o : f32
    %2 = math.fma %r, %x, %u : f32
    linalg.yield %1, %2 : f32, f32
  }
  return %s, %t : memref<1000xf32>, memref<1000xf32>
}

// -----

// One whose columns are summed: a warp for each row of it.
// CHECK-LABEL: llvm.func @weight_rows_linalg
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-COUNT-16: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK-LABEL: func.func @weight_rows
// CHECK: gpu.launch_func @coda_kernels::@weight_rows_linalg blocks in (%c125,
// CHECK-NOT: gpu.launch_func
func.func @weight_rows(%w: memref<1000x512xbf16>, %g: memref<512xbf16>, %b: memref<512xf32>, %s: memref<1000xf32>, %t: memref<1000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k)>,
                                   affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%w, %g, %b : memref<1000x512xbf16>, memref<512xbf16>, memref<512xf32>)
      outs(%s, %t : memref<1000xf32>, memref<1000xf32>) {
  ^bb0(%p: bf16, %q: bf16, %r: f32, %o: f32, %u: f32):
    %x = arith.extf %p : bf16 to f32
    %y = arith.extf %q : bf16 to f32
    %1 = math.fma %y, %x, %o : f32
    %2 = math.fma %r, %x, %u : f32
    linalg.yield %1, %2 : f32, f32
  }
  return
}
