// RUN: coda-opt %s --split-input-file --verify-diagnostics

// tile: number of sizes
// expected-error @+1 {{a tile has 2 sizes, rows x columns, but 1 came}}
func.func private @f(!coda.tile<4xf32>)

// -----

// tile: number of sizes
// expected-error @+1 {{a tile has 2 sizes, rows x columns, but 3 came}}
func.func private @f(!coda.tile<4x4x4xf32>)

// -----

// tile: element type
// expected-error @+1 {{a tile's elements must be of signless integer, index or float type, but are 'vector<4xf32>'}}
func.func private @f(!coda.tile<4x4xvector<4xf32>>)

// -----

// tile: element type
// expected-error @+1 {{a tile's elements must be of signless integer, index or float type, but are 'si8'}}
func.func private @f(!coda.tile<4x4xsi8>)

// -----

// tile: element type
// expected-error @+1 {{a tile's elements must be of signless integer, index or float type, but are 'complex<f32>'}}
func.func private @f(!coda.tile<4x4xcomplex<f32>>)

// -----

// tile: a size beyond 64 bits
// expected-error @+1 {{invalid dimension}}
func.func private @f(!coda.tile<99999999999999999999x4xf32>)

// -----

// tile: empty
// expected-error @+1 {{expected '<'}}
func.func private @f(!coda.tile)

// -----

// unknown type
// expected-error @+1 {{unknown  type `matrix` in dialect `coda`}}
func.func private @f(!coda.matrix<4x4xf32>)
