// RUN: coda-opt %s --verify-roundtrip | FileCheck %s
// RUN: coda-opt %s --emit-bytecode | coda-opt | FileCheck %s

// CHECK: @dims() attributes {a = #coda<dims[]>, b = #coda<dims[m]>, c = #coda<dims[n, k]>, d = #coda<dims[k, m, n]>, e = #coda<dims[parts, m]>}
func.func private @dims() attributes {
  a = #coda<dims[]>, b = #coda<dims[m]>, c = #coda<dims[n, k]>, d = #coda<dims[k, m, n]>,
  e = #coda<dims[parts, m]>
}

// Defaults are not printed; the order of parameters is free.
// CHECK: @defaults() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16>}
func.func private @defaults() attributes {
  a = #coda.schedule<tile_n = 64, kernel = simple, tile_m = 64, tile_k = 16, raster = 8, store_buffers = 2>
}

// CHECK: @all() attributes
// CHECK-SAME: a = #coda.schedule<kernel = pingpong, tile_m = 64, tile_n = 192, tile_k = 64, cluster = 2, stages = 5, raster = 1, store_buffers = 1>
func.func private @all() attributes {
  a = #coda.schedule<kernel = pingpong, tile_m = 64, tile_n = 192, tile_k = 64, cluster = 2, stages = 5, raster = 1, store_buffers = 1>
}
