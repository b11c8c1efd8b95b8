// RUN: coda-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Numbers are those of the constraints in the ops' documentation.

// gemm, constraint 1: rank
func.func @f(%a: tensor<4xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs must have rank 2, but is}}
  %0 = coda.gemm lhs(%a [m] : tensor<4xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: rank of rhs
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{rhs #0 must have rank 2, but is}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k] : tensor<8xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: element type
func.func @f(%a: tensor<4x8xi16>, %b: tensor<8x2xi16>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs has unsupported element type 'i16'; expected bf16, f16, f32, f64, f8E4M3FN, f8E5M2 or i8}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xi16>) rhs(%b [k, n] : tensor<8x2xi16>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: signed integers
func.func @f(%a: tensor<4x8xsi8>, %b: tensor<8x2xsi8>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs has unsupported element type 'si8'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xsi8>) rhs(%b [k, n] : tensor<8x2xsi8>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: element types agree
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xbf16>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{rhs #0 must have lhs's element type 'f32', but is}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xbf16>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: an 8-bit float goes with 8-bit floats
func.func @f(%a: tensor<4x8xf8E5M2>, %b: tensor<8x2xi8>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{rhs #0 must have lhs's element type 'f8E5M2' or another 8-bit float, but is}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf8E5M2>) rhs(%b [k, n] : tensor<8x2xi8>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 1: one element type of every rhs
func.func @f(%a: memref<4x8xf8E5M2>, %b: memref<8x2xf8E5M2>, %c: memref<8x2xf8E4M3FN>, %d: memref<4x2xf32>) {
  // expected-error @+1 {{rhs #1 must have the element type of rhs #0, 'f8E5M2', but is}}
  coda.gemm lhs(%a [m, k] : memref<4x8xf8E5M2>) rhs(%b [k, n] : memref<8x2xf8E5M2>, %c [k, n] : memref<8x2xf8E4M3FN>) outs(%d [m, n] : memref<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  }
  return
}

// -----

// gemm, constraint 1: one type of every rhs
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %c: tensor<?x2xf32>) {
  // expected-error @+1 {{rhs #1 must have the type of rhs #0}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>, %c [k, n] : tensor<?x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: a dimension name for each dimension
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs of rank 2 needs one dimension name for each of its dimensions}}
  %0 = coda.gemm lhs(%a [m] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: lhs
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs must not run over dimension n, but has}}
  %0 = coda.gemm lhs(%a [m, n] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: rhs
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{rhs #0 must not run over dimension m, but has}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [m, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: operand
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must not run over dimension k}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) operands(%v [k] : tensor<8xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<1x1xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: scalar operand
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %v: f32) {
  // expected-error @+1 {{operand #0 of rank 0 needs one dimension name for each of its dimensions}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) operands(%v [n] : f32) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<1x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: destination
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{destination #0 of rank 2 needs one dimension name for each of its dimensions}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: elements of an operand
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %v: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{operand #0 must have elements of float, signless integer or index type, but has 'complex<f32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) operands(%v [n] : tensor<2xcomplex<f32>>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<1x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: elements of a destination
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xvector<4xf32>>) {
  // expected-error @+1 {{destination #0 must have elements of float, signless integer or index type, but has 'vector<4xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xvector<4xf32>>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xvector<4xf32>>
  return
}

// -----

// gemm, constraint 3: k
func.func @f(%a: tensor<4x8xf32>, %b: tensor<9x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{rhs #0 has size 9 along k, but the product has 8}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<9x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 3: destination
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<5x2xf32>) {
  // expected-error @+1 {{destination #0 has size 5 along m, but the product has 4}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<5x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<5x2xf32>
  return
}

// -----

// gemm, constraint 3: operand on the wrong axis
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 has size 2 along m, but the product has 4}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) operands(%v [m] : tensor<2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x1xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 4: number of arguments
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{epilogue must have 1 arguments, one a right-hand side and one an operand, but has 2}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 4: accumulator
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{epilogue argument #0 must be the accumulator '!coda.tile<4x2xf32>', but is '!coda.tile<4x2xbf16>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xbf16>):
    coda.yield %acc : !coda.tile<4x2xbf16>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 4: no tile
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{epilogue argument #0 must be the accumulator '!coda.tile<4x2xf32>', but is 'f32'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 4: operand
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{epilogue argument #1 must be the tile '!coda.tile<1x2xf32>' of operand #0, but is '!coda.tile<4x2xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) operands(%v [n] : tensor<2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 5: number of tiles
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must give a tile for each of 1 destinations, but gives 2}}
    coda.yield %acc, %acc : !coda.tile<4x2xf32>, !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 5: no implicit terminator can stand for tiles
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must give a tile for each of 1 destinations, but gives 0}}
    coda.yield
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 5: tile
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xbf16>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xbf16>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{value #0 must be the tile '!coda.tile<4x2xbf16>' of destination #0, but is '!coda.tile<4x2xf32>'}}
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xbf16>
  return
}

// -----

// gemm, constraint 6: tensors and memrefs
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: memref<4x2xf32>) {
  // expected-error @+1 {{must have all tensors or all memrefs, but lhs is 'tensor<4x8xf32>' and operand #2 is 'memref<4x2xf32>'}}
  coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : memref<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  }
  return
}

// -----

// gemm, constraint 6: number of results
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{expected 1 results for 1 destinations, but has 0}}
  coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  }
  return
}

// -----

// gemm, constraint 6: type of a result
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{result #0 must have the type of its destination, 'tensor<4x2xf32>', but has 'tensor<?x2xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<?x2xf32>
  return
}

// -----

// gemm, constraint 6: unranked
func.func @f(%a: tensor<*xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor or strided memref, but got}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<*xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 6: layout without strides
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: memref<4x2xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) {
  // expected-error @+1 {{operand #2 must be variadic of ranked tensor or strided memref, but got}}
  coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : memref<4x2xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  }
  return
}

// -----

// gemm, constraint 7: arith op
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must not stand in an epilogue; only its primitives may}}
    %1 = arith.constant 1.0 : f32
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 7: host op of this dialect
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must not stand in an epilogue; only its primitives may}}
    %1 = coda.multiprocessor_count
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm, constraint 2: a group in a right-hand side, a cyclic destination
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  // expected-error @+1 {{rhs #0 must run over all of n, but has #coda<dims[k, n / 2]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n / 2] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  // expected-error @+1 {{destination #0 must not be cyclic, but has #coda<dims[m, cyclic n]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, cyclic n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>, %t: tensor<0xf32>) {
  // expected-error @+1 {{operand #0 must not be cyclic with size 0, but is 'tensor<0xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) operands(%t [cyclic n] : tensor<0xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>, %row: !coda.tile<1x16xf32>):
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// gemm, constraint 3: groups
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x5xf32>) {
  // expected-error @+1 {{destination #0 has size 5 along n / 4, but the product has 4}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n / 4] : tensor<4x5xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    %1 = coda.reduce add %acc along columns in groups of 4 : !coda.tile<4x16xf32> -> !coda.tile<4x4xf32>
    coda.yield %1 : !coda.tile<4x4xf32>
  } -> tensor<4x5xf32>
  return
}

// -----

// reduce
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{inferred type(s) '!coda.tile<4x1xf32>' are incompatible with return type(s) of operation '!coda.tile<1x16xf32>'}}
    %1 = coda.reduce add %acc along columns : !coda.tile<4x16xf32> -> !coda.tile<1x16xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// reduce
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{groups must have a positive size, but have 0}}
    %1 = coda.reduce add %acc along columns in groups of 0 : !coda.tile<4x16xf32> -> !coda.tile<4x4xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// repeat
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{by 3 must have an input of type '!coda.tile<4x6xf32>' for its result, but has '!coda.tile<4x16xf32>'}}
    %1 = coda.repeat %acc by 3 : !coda.tile<4x16xf32> -> !coda.tile<4x16xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// unpair
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{stride 3 needs a multiple of 6 columns, but there are 16}}
    %1, %2 = coda.unpair %acc stride 3 : !coda.tile<4x16xf32> -> !coda.tile<4x8xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// pair
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{stride 5 needs a multiple of 5 columns, but there are 16}}
    %1 = coda.pair %acc, %acc stride 5 : !coda.tile<4x16xf32> -> !coda.tile<4x32xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// select_column
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4x16xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) outs(%d [m, n] : tensor<4x16xf32>) {
  ^bb0(%acc: !coda.tile<4x16xf32>):
    // expected-error @+1 {{index must be a column vector of integers with the input's 4 rows, but is '!coda.tile<4x16xf32>'}}
    %1 = coda.select_column %acc[%acc] : !coda.tile<4x16xf32>[!coda.tile<4x16xf32>] -> !coda.tile<4x1xf32>
    coda.yield %acc : !coda.tile<4x16xf32>
  } -> tensor<4x16xf32>
  return
}

// -----

// reduce: rounding at each step
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %d: tensor<4xbf16>, %x: tensor<4x16xbf16>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) operands(%x [m, n] : tensor<4x16xbf16>) outs(%d [m] : tensor<4xbf16>) {
  ^bb0(%acc: !coda.tile<4x16xf32>, %m: !coda.tile<4x16xbf16>):
    // expected-error @+1 {{add must be of f32 or f64, so that no intermediate result is rounded, but is of 'bf16'}}
    %1 = coda.reduce add %m along columns : !coda.tile<4x16xbf16> -> !coda.tile<4x1xbf16>
    coda.yield %1 : !coda.tile<4x1xbf16>
  } -> tensor<4xbf16>
  return
}

// -----

// map, constraint 1
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{input #0 must have the result's size or 1 along each axis of '!coda.tile<4x1xf32>', but is '!coda.tile<4x2xf32>'}}
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x1xf32> {
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 2: element type
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf64> {
      // expected-error @+1 {{must give one 'f64', but gives ('f32')}}
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 2: nothing given
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must give one 'f32', but gives ()}}
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 2: number of arguments
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{body must have an argument for each of 1 inputs, but has 0}}
    %1 = "coda.map"(%acc) ({
      %c = arith.constant 1.0 : f32
      coda.yield %c : f32
    }) : (!coda.tile<4x2xf32>) -> !coda.tile<4x2xf32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 2: type of an argument
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{body argument #0 must be 'f32', but is 'f64'}}
    %1 = "coda.map"(%acc) ({
    ^bb0(%x: f64):
      coda.yield %x : f64
    }) : (!coda.tile<4x2xf32>) -> !coda.tile<4x2xf64>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 3: another dialect
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      // expected-error @+1 {{must not stand in a coda.map: it is no arith or math op}}
      %c = func.call @g(%x) : (f32) -> f32
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 3: an unregistered op
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      // expected-error @+1 {{must not stand in a coda.map: it is no arith or math op}}
      %c = "some.op"(%x) : (f32) -> f32
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 3: vectors
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      // expected-error @+1 {{must not stand in a coda.map: it does not compute one scalar from scalars}}
      %c = arith.constant dense<1.0> : vector<4xf32>
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map, constraint 3: two results
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      %i = arith.constant 1 : i32
      // expected-error @+1 {{must not stand in a coda.map: it does not compute one scalar from scalars}}
      %c, %o = arith.addui_extended %i, %i : i32, i1
      coda.yield %x : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map: input that is no tile
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{expected a tile, but 'f32' came}}
    %1 = coda.map(%x = %acc : f32) -> !coda.tile<4x2xf32> {
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: axis
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{of rows must give a column vector tile<Mx1>, but gives '!coda.tile<1x2xi32>'}}
    %1 = coda.index rows : !coda.tile<1x2xi32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: axis
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{of columns must give a row vector tile<1xN>, but gives '!coda.tile<4x1xi32>'}}
    %1 = coda.index columns : !coda.tile<4x1xi32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: size
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must number the 4 rows of the product, but gives '!coda.tile<3x1xi32>'}}
    %1 = coda.index rows : !coda.tile<3x1xi32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: unknown size
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must number the 4 rows of the product, but gives '!coda.tile<?x1xi32>'}}
    %1 = coda.index rows : !coda.tile<?x1xi32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: element type
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must give index or an integer of at least 32 bits, but gives 'i8'}}
    %1 = coda.index rows : !coda.tile<4x1xi8>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// index: no float
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>):
    // expected-error @+1 {{must give index or an integer of at least 32 bits, but gives 'f32'}}
    %1 = coda.index rows : !coda.tile<4x1xf32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// map outside of a gemm
func.func @f(%t: !coda.tile<4x2xf32>) {
  // expected-error @+1 {{expects parent op 'coda.gemm'}}
  %1 = coda.map(%x = %t : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
    coda.yield %x : f32
  }
  return
}

// -----

// index outside of a gemm
func.func @f() {
  // expected-error @+1 {{expects parent op 'coda.gemm'}}
  %1 = coda.index rows : !coda.tile<4x1xi32>
  return
}

// -----

// yield outside of a region of this dialect
func.func @f() {
  // expected-error @+1 {{expects parent op to be one of 'coda.gemm, coda.map'}}
  coda.yield
}

// -----

// gemm: no right-hand side
func.func @f(%a: tensor<4x8xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{expected at least 1 right-hand side}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs() outs(%d [m, n] : tensor<4x2xf32>) {
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm: two left-hand sides
func.func @f(%a: tensor<4x8xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{expected 1 left-hand side, but 2 came}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>, %a [m, k] : tensor<4x8xf32>) rhs() outs(%d [m, n] : tensor<4x2xf32>) {
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm: right-hand sides stored in two ways
func.func @f(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>) {
  // expected-error @+1 {{expected one storage for every right-hand side}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%a [k, n] : tensor<4x4xf32>, %a [n, k] : tensor<4x4xf32>) outs(%d [m, n] : tensor<4x4xf32>) {
  } -> tensor<4x4xf32>
  return
}

// -----

// gemm: no body
func.func @f(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>) {
  // expected-error @+1 {{epilogue must have 1 arguments, one a right-hand side and one an operand, but has 0}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%a [k, n] : tensor<4x4xf32>) outs(%d [m, n] : tensor<4x4xf32>) {
  } -> tensor<4x4xf32>
  return
}

// -----

// gemm: two blocks
func.func @f(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>) {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%a [k, n] : tensor<4x4xf32>) outs(%d [m, n] : tensor<4x4xf32>) {
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  ^bb1:
    coda.yield
  } -> tensor<4x4xf32>
  return
}

// -----

// gemm: dims without names
func.func @f(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>) {
  // expected-error @+1 {{expected '['}}
  %0 = coda.gemm lhs(%a : tensor<4x4xf32>) rhs(%a [k, n] : tensor<4x4xf32>) outs(%d [m, n] : tensor<4x4xf32>) {
  } -> tensor<4x4xf32>
  return
}

// -----

// gemm, generic form: wrong segments
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{must have 1 left-hand side, but has 0}}
  %0 = "coda.gemm"(%a, %a, %a) <{lhs_dims = #coda<dims[m, k]>, rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [#coda<dims[m, n]>], operandSegmentSizes = array<i32: 0, 2, 0, 1>}> ({
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// gemm, generic form: missing attribute
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{requires attribute 'lhs_dims'}}
  %0 = "coda.gemm"(%a, %a, %a) <{rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [#coda<dims[m, n]>], operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// gemm, generic form, constraint 2: number of dims
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expected dims for each of 1 destinations, but has 0}}
  %0 = "coda.gemm"(%a, %a, %a) <{lhs_dims = #coda<dims[m, k]>, rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: !coda.tile<4x4xf32>):
    coda.yield %acc : !coda.tile<4x4xf32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// gemm, generic form: no right-hand side
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expected at least 1 right-hand side}}
  %0 = "coda.gemm"(%a, %a) <{lhs_dims = #coda<dims[m, k]>, rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [#coda<dims[m, n]>], operandSegmentSizes = array<i32: 1, 0, 0, 1>}> ({
    coda.yield
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// gemm, generic form: empty region
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{region with 1 blocks}}
  %0 = "coda.gemm"(%a, %a, %a) <{lhs_dims = #coda<dims[m, k]>, rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [#coda<dims[m, n]>], operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// tensor_map: rank
func.func @f(%p: i64) {
  // expected-error @+1 {{must have 1 to 5 sizes, but has 6}}
  %0 = coda.tensor_map %p sizes [%p, %p, %p, %p, %p, %p] strides [%p] {box = array<i64: 1>, element_type = bf16}
  return
}

// -----

// tensor_map: strides
func.func @f(%p: i64) {
  // expected-error @+1 {{must have a stride for each size but the innermost, 1, but has 0}}
  %0 = coda.tensor_map %p sizes [%p, %p] strides [] {box = array<i64: 8, 8>, element_type = bf16}
  return
}

// -----

// tensor_map: box
func.func @f(%p: i64) {
  // expected-error @+1 {{must have a box size for each of 2 sizes, but has 1}}
  %0 = coda.tensor_map %p sizes [%p, %p] strides [%p] {box = array<i64: 8>, element_type = bf16}
  return
}

// -----

// tensor_map: elements
func.func @f(%p: i64) {
  // expected-error @+1 {{must have elements of whole bytes, but has 'i1'}}
  %0 = coda.tensor_map %p sizes [%p, %p] strides [%p] {box = array<i64: 8, 8>, element_type = i1}
  return
}

// -----

// tensor_map: box size
func.func @f(%p: i64) {
  // expected-error @+1 {{box sizes must be from 1 to 256, but one is 257}}
  %0 = coda.tensor_map %p sizes [%p, %p] strides [%p] {box = array<i64: 8, 257>, element_type = bf16}
  return
}

// -----

// tensor_map: box row
func.func @f(%p: i64) {
  // expected-error @+1 {{a box row must be a multiple of 16 bytes up to 128, but is 14}}
  %0 = coda.tensor_map %p sizes [%p, %p] strides [%p] {box = array<i64: 7, 8>, element_type = bf16}
  return
}

// -----

// gemm, generic form: no operands at all
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  "coda.gemm"() <{lhs_dims = #coda<dims[m, k]>, rhs_dims = #coda<dims[k, n]>, operand_dims = [], out_dims = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    coda.yield
  }) : () -> ()
  return
}

// -----

// tensor_map, generic form: no pointer
func.func @f(%p: i64) {
  // expected-error @+1 {{must have 1 pointer, but has 0}}
  %0 = "coda.tensor_map"(%p, %p, %p) <{box = array<i64: 8, 8>, element_type = bf16, operandSegmentSizes = array<i32: 0, 2, 1>}> : (i64, i64, i64) -> !coda.tensor_map
  return
}

// -----

// gemm: an attribute with syntax of its own in the dictionary
func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+2 {{'schedule' has a place of its own and must not be in the attribute dictionary}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x4xf32>) rhs(%a [k, n] : tensor<4x4xf32>)
      outs(%a [m, n] : tensor<4x4xf32>) attributes {schedule = 1 : i32} {
  } -> tensor<4x4xf32>
  return
}

// -----

// gemm (8): parts without m
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 with parts must run over them and over all of m, but has #coda<dims[parts]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts] : tensor<3xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<1x3xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts of columns
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 with parts must run over them and over all of m, but has #coda<dims[parts, n]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, n] : tensor<3x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<1x3xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts of groups of rows
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x2xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 with parts must run over them and over all of m, but has #coda<dims[parts, m / 2]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m / 2] : tensor<3x2xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<2x3xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): an unknown number of parts
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<?x4xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 with parts must have a static number of them, at least 1, but is 'tensor<?x4xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<?x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x?xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): no parts
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<0x4xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 with parts must have a static number of them, at least 1, but is 'tensor<0x4xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<0x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x0xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (3): parts of other rows
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x5xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 has size 5 along m, but the product has 4}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<3x5xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x3xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (4): the tile of parts
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x4xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{epilogue argument #1 must be the tile '!coda.tile<4x3xf32>' of operand #0, but is '!coda.tile<4x2xf32>'}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<3x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (2): a destination with parts
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x4xf32>, %d: tensor<4x2xf32>) {
  // expected-error @+1 {{destination #0 must not run over dimension parts, but has #coda<dims[m, parts]>}}
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<3x4xf32>) outs(%d [m, parts] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x3xf32>):
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts in a map
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<2x4xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<2x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    // expected-error @+1 {{'coda.map' op must not read operand #0 with #coda<dims[parts, m]>; only coda.reduce along columns without groups may}}
    %1 = coda.map(%s = %x : !coda.tile<4x2xf32>) -> !coda.tile<4x2xf32> {
      coda.yield %s : f32
    }
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts reduced along rows
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<2x4xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<2x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    // expected-error @+1 {{'coda.reduce' op must not read operand #0 with #coda<dims[parts, m]>; only coda.reduce along columns without groups may}}
    %1 = coda.reduce add %x along rows : !coda.tile<4x2xf32> -> !coda.tile<1x2xf32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts reduced in groups
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<2x4xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<2x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    // expected-error @+1 {{'coda.reduce' op must not read operand #0 with #coda<dims[parts, m]>; only coda.reduce along columns without groups may}}
    %1 = coda.reduce add %x along columns in groups of 1 : !coda.tile<4x2xf32> -> !coda.tile<4x2xf32>
    coda.yield %acc : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// gemm (8): parts stored
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %p: tensor<2x4xf32>, %d: tensor<4x2xf32>) {
  %0 = coda.gemm lhs(%a [m, k] : tensor<4x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<2x4xf32>) outs(%d [m, n] : tensor<4x2xf32>) {
  ^bb0(%acc: !coda.tile<4x2xf32>, %x: !coda.tile<4x2xf32>):
    // expected-error @+1 {{'coda.yield' op must not read operand #0 with #coda<dims[parts, m]>; only coda.reduce along columns without groups may}}
    coda.yield %x : !coda.tile<4x2xf32>
  } -> tensor<4x2xf32>
  return
}

// -----

// module_constant (1): no such symbol
func.func @f() {
  // expected-error @+1 {{'coda.module_constant' op refers to @kernels::@c, which is no llvm.mlir.global}}
  %0 = coda.module_constant @kernels::@c : memref<2xf32>
  return
}

// -----

// module_constant (1): something else
gpu.module @kernels {
  llvm.func @c() { llvm.return }
}
func.func @f() {
  // expected-error @+1 {{'coda.module_constant' op refers to @kernels::@c, which is no llvm.mlir.global}}
  %0 = coda.module_constant @kernels::@c : memref<2xf32>
  return
}

// -----

// module_constant (2)
gpu.module @kernels {
  llvm.mlir.global external constant @c("\00\00\80?") {addr_space = 1 : i32} : !llvm.array<4 x i8>
}
func.func @f() {
  // expected-error @+1 {{'coda.module_constant' op of type 'memref<2xf32>' needs 8 bytes, but @kernels::@c is '!llvm.array<4 x i8>'}}
  %0 = coda.module_constant @kernels::@c : memref<2xf32>
  return
}

// -----

// module_constant (3)
func.func @f() {
  // expected-error @+1 {{'coda.module_constant' op must give a row-major memref of elements of whole bytes, but gives 'memref<2x2xf32, strided<[1, 2]>>'}}
  %0 = coda.module_constant @kernels::@c : memref<2x2xf32, strided<[1, 2]>>
  return
}

// -----

// module_constant (3)
func.func @f() {
  // expected-error @+1 {{'coda.module_constant' op must give a row-major memref of elements of whole bytes, but gives 'memref<2xi4>'}}
  %0 = coda.module_constant @kernels::@c : memref<2xi4>
  return
}
