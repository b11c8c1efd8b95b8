// RUN: coda-opt %s --split-input-file --verify-diagnostics

// dims: unknown name
// expected-error @+1 {{expected one of [m, n, k, parts] for a dimension of a matrix product, got: x}}
func.func private @f() attributes {a = #coda<dims[x]>}

// -----

// dims: repeated
// expected-error @+1 {{dimension m is listed twice}}
func.func private @f() attributes {a = #coda<dims[m, m]>}

// -----

// dims: divided parts
// expected-error @+1 {{parts must be neither divided nor cyclic}}
func.func private @f() attributes {a = #coda<dims[parts / 2, m]>}

// -----

// dims: cyclic parts
// expected-error @+1 {{parts must be neither divided nor cyclic}}
func.func private @f() attributes {a = #coda<dims[cyclic parts, m]>}

// -----

// dims: no list
// expected-error @+1 {{expected '['}}
func.func private @f() attributes {a = #coda<dims<m>>}

// -----

// schedule: missing sizes
// expected-error @+1 {{struct is missing required parameter: tile_m}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative>}

// -----

// schedule: unknown kernel
// expected-error @+2 {{expected one of [cooperative, pingpong, simple] for the main loop of a kernel, got: fast}}
// expected-error @+1 {{failed to parse Coda_ScheduleAttr parameter 'kernel'}}
func.func private @f() attributes {a = #coda.schedule<kernel = fast, tile_m = 128, tile_n = 128, tile_k = 64>}

// -----

// schedule: unknown parameter
// expected-error @+1 {{duplicate or unknown struct parameter name: size}}
func.func private @f() attributes {a = #coda.schedule<size = 3>}

// -----

// schedule: tile_m
// expected-error @+1 {{tile_m must be a multiple of 128 from 128 to 256, but is 64}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 64, tile_n = 128, tile_k = 64, stages = 4>}

// -----

// schedule: tile_m
// expected-error @+1 {{tile_m must be a multiple of 128 from 128 to 256, but is -128}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = -128, tile_n = 128, tile_k = 64, stages = 4>}

// -----

// schedule: tile_n
// expected-error @+1 {{tile_n must be a multiple of 64 from 64 to 256, but is 96}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 96, tile_k = 64, stages = 4>}

// -----

// schedule: tile_n
// expected-error @+1 {{tile_n must be a multiple of 64 from 64 to 256, but is 512}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 512, tile_k = 64, stages = 4>}

// -----

// schedule: tile_k
// expected-error @+1 {{tile_k must be a multiple of 64 from 64 to 128, but is 32}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 32, stages = 4>}

// -----

// schedule: cluster
// expected-error @+1 {{cluster must be a multiple of 1 from 1 to 2, but is 4}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, cluster = 4>}

// -----

// schedule: stages
// expected-error @+1 {{stages must be a multiple of 1 from 2 to 16, but is 1}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 64, stages = 1>}

// -----

// schedule: raster
// expected-error @+1 {{raster must be a multiple of 1 from 1 to 1024, but is 0}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, raster = 0>}

// -----

// schedule: store_buffers
// expected-error @+1 {{store_buffers must be a multiple of 1 from 1 to 8, but is 9}}
func.func private @f() attributes {a = #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, store_buffers = 9>}

// -----

// schedule: tile_m
// expected-error @+1 {{tile_m must be a multiple of 64 from 64 to 256, but is 32}}
func.func private @f() attributes {a = #coda.schedule<kernel = pingpong, tile_m = 32, tile_n = 128, tile_k = 64, stages = 4>}

// -----

// simple schedule: tile_m
// expected-error @+1 {{tile_m must be a multiple of 64 from 64 to 64, but is 128}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 128, tile_n = 64, tile_k = 16, stages = 1>}

// -----

// simple schedule: tile_n
// expected-error @+1 {{tile_n must be a multiple of 8 from 8 to 256, but is 4}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 4, tile_k = 16, stages = 1>}

// -----

// simple schedule: tile_k
// expected-error @+1 {{tile_k must be a multiple of 16 from 16 to 64, but is 128}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 128, stages = 1>}

// -----

// simple schedule: cluster
// expected-error @+1 {{cluster must be a multiple of 1 from 1 to 1, but is 2}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16, stages = 1, cluster = 2>}

// -----

// simple schedule: stages
// expected-error @+1 {{stages must be a multiple of 1 from 1 to 1, but is 2}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16, stages = 2>}

// -----

// simple schedule: store_buffers
// expected-error @+1 {{store_buffers must be a multiple of 1 from 1 to 8, but is 0}}
func.func private @f() attributes {a = #coda.schedule<kernel = simple, tile_m = 64, tile_n = 64, tile_k = 16, stages = 1, store_buffers = 0>}

// -----

// launch_group: type
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  // expected-error @+1 {{'coda.launch_group' must be an i64, but is "first"}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) attributes {coda.launch_group = "first"} {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// launch_group: width
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  // expected-error @+1 {{'coda.launch_group' must be an i64, but is 1 : i32}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) attributes {coda.launch_group = 1 : i32} {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// launch_group: place
// expected-error @+1 {{must not have 'coda.launch_group'; expected it on a coda.gemm}}
func.func private @f() attributes {coda.launch_group = 0 : i64}
