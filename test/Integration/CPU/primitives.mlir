// The primitives that combine columns, executed beside linalg that says what
// they mean. The product is there in both, in the same order.
// RUN: coda-runner %s --backend=cpu --function=fused --compare-function=reference --compare --exact --int-max=20
// RUN: coda-runner %s --backend=cpu --function=dynamic --compare-function=reference --compare --exact --int-max=20
// RUN: coda-runner %s --backend=cpu --function=softmax --compare-function=softmax_reference --compare --tolerance=1e-6
// RUN: coda-runner %s --backend=cpu --function=softmax --compare-function=softmax_reference --compare --tolerance=1e-6 --data=inf

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

func.func private @product(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<6x8xf32>, tensor<8x16xf32>) outs(%f : tensor<6x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %xy = arith.mulf %x, %y : f32
    %t = arith.addf %s, %xy : f32
    linalg.yield %t : f32
  } -> tensor<6x16xf32>
  return %p : tensor<6x16xf32>
}

// Sums of rows; maxima of groups of 4 columns, given back to them times a table
// of 3 x 4; pairs of stride 1 joined, swapped, with stride 2; the element in
// column index[m].
func.func @fused(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %table: tensor<3x4xf32>, %index: tensor<6xi64>)
    -> (tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>) {
  %d0 = tensor.empty() : tensor<6xf32>
  %d1 = tensor.empty() : tensor<6x16xf32>
  %r:4 = coda.gemm lhs(%a [m, k] : tensor<6x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>)
      operands(%table [cyclic m, cyclic n] : tensor<3x4xf32>, %index [m] : tensor<6xi64>)
      outs(%d0 [m] : tensor<6xf32>, %d1 [m, n] : tensor<6x16xf32>, %d1 [m, n] : tensor<6x16xf32>, %d0 [m] : tensor<6xf32>) {
  ^bb0(%acc: !coda.tile<6x16xf32>, %t: !coda.tile<6x16xf32>, %i: !coda.tile<6x1xi64>):
    %sum = coda.reduce add %acc along columns : !coda.tile<6x16xf32> -> !coda.tile<6x1xf32>
    %max = coda.reduce max %acc along columns in groups of 4 : !coda.tile<6x16xf32> -> !coda.tile<6x4xf32>
    %wide = coda.repeat %max by 4 : !coda.tile<6x4xf32> -> !coda.tile<6x16xf32>
    %scaled = coda.map(%x = %wide : !coda.tile<6x16xf32>, %y = %t : !coda.tile<6x16xf32>) -> !coda.tile<6x16xf32> {
      %z = arith.mulf %x, %y : f32
      coda.yield %z : f32
    }
    %even, %odd = coda.unpair %acc stride 1 : !coda.tile<6x16xf32> -> !coda.tile<6x8xf32>
    %joined = coda.pair %odd, %even stride 2 : !coda.tile<6x8xf32> -> !coda.tile<6x16xf32>
    %chosen = coda.select_column %acc[%i] : !coda.tile<6x16xf32>[!coda.tile<6x1xi64>] -> !coda.tile<6x1xf32>
    coda.yield %sum, %scaled, %joined, %chosen : !coda.tile<6x1xf32>, !coda.tile<6x16xf32>, !coda.tile<6x16xf32>, !coda.tile<6x1xf32>
  } -> (tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>
}

// The same with sizes that the compiler does not know.
func.func private @fused_dynamic(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %table: tensor<?x?xf32>, %index: tensor<?xi64>)
    -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %n = tensor.dim %b, %c1 : tensor<8x?xf32>
  %d0 = tensor.empty(%m) : tensor<?xf32>
  %d1 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r:4 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x?xf32>)
      operands(%table [cyclic m, cyclic n] : tensor<?x?xf32>, %index [m] : tensor<?xi64>)
      outs(%d0 [m] : tensor<?xf32>, %d1 [m, n] : tensor<?x?xf32>, %d1 [m, n] : tensor<?x?xf32>, %d0 [m] : tensor<?xf32>) {
  ^bb0(%acc: !coda.tile<?x?xf32>, %t: !coda.tile<?x?xf32>, %i: !coda.tile<?x1xi64>):
    %sum = coda.reduce add %acc along columns : !coda.tile<?x?xf32> -> !coda.tile<?x1xf32>
    %max = coda.reduce max %acc along columns in groups of 4 : !coda.tile<?x?xf32> -> !coda.tile<?x?xf32>
    %wide = coda.repeat %max by 4 : !coda.tile<?x?xf32> -> !coda.tile<?x?xf32>
    %scaled = coda.map(%x = %wide : !coda.tile<?x?xf32>, %y = %t : !coda.tile<?x?xf32>) -> !coda.tile<?x?xf32> {
      %z = arith.mulf %x, %y : f32
      coda.yield %z : f32
    }
    %even, %odd = coda.unpair %acc stride 1 : !coda.tile<?x?xf32> -> !coda.tile<?x?xf32>
    %joined = coda.pair %odd, %even stride 2 : !coda.tile<?x?xf32> -> !coda.tile<?x?xf32>
    %chosen = coda.select_column %acc[%i] : !coda.tile<?x?xf32>[!coda.tile<?x1xi64>] -> !coda.tile<?x1xf32>
    coda.yield %sum, %scaled, %joined, %chosen : !coda.tile<?x1xf32>, !coda.tile<?x?xf32>, !coda.tile<?x?xf32>, !coda.tile<?x1xf32>
  } -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

func.func @dynamic(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %table: tensor<3x4xf32>, %index: tensor<6xi64>)
    -> (tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>) {
  %da = tensor.cast %a : tensor<6x8xf32> to tensor<?x8xf32>
  %db = tensor.cast %b : tensor<8x16xf32> to tensor<8x?xf32>
  %dt = tensor.cast %table : tensor<3x4xf32> to tensor<?x?xf32>
  %di = tensor.cast %index : tensor<6xi64> to tensor<?xi64>
  %0:4 = call @fused_dynamic(%da, %db, %dt, %di) : (tensor<?x8xf32>, tensor<8x?xf32>, tensor<?x?xf32>, tensor<?xi64>)
      -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>)
  %1 = tensor.cast %0#0 : tensor<?xf32> to tensor<6xf32>
  %2 = tensor.cast %0#1 : tensor<?x?xf32> to tensor<6x16xf32>
  %3 = tensor.cast %0#2 : tensor<?x?xf32> to tensor<6x16xf32>
  %4 = tensor.cast %0#3 : tensor<?xf32> to tensor<6xf32>
  return %1, %2, %3, %4 : tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>
}

func.func @reference(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %table: tensor<3x4xf32>, %index: tensor<6xi64>)
    -> (tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>) {
  %p = call @product(%a, %b) : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<6xf32>
  %e1 = tensor.empty() : tensor<6x16xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<6x16xf32>) outs(%z0 : tensor<6xf32>) dimensions = [1]
  %groups = tensor.expand_shape %p [[0], [1, 2]] output_shape [6, 4, 4] : tensor<6x16xf32> into tensor<6x4x4xf32>
  %e2 = tensor.empty() : tensor<6x4xf32>
  %z2 = linalg.fill ins(%least : f32) outs(%e2 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %max = linalg.reduce { arith.maximumf } ins(%groups : tensor<6x4x4xf32>) outs(%z2 : tensor<6x4xf32>) dimensions = [2]
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %scaled = tensor.generate {
  ^bb0(%i: index, %j: index):
    %g = arith.divui %j, %c4 : index
    %x = tensor.extract %max[%i, %g] : tensor<6x4xf32>
    %ti = arith.remui %i, %c3 : index
    %tj = arith.remui %j, %c4 : index
    %y = tensor.extract %table[%ti, %tj] : tensor<3x4xf32>
    %xy = arith.mulf %x, %y : f32
    tensor.yield %xy : f32
  } : tensor<6x16xf32>
  // Runs of 2 columns: odd ones 1, 3, then even ones 0, 2, of every 4.
  %joined = tensor.generate {
  ^bb0(%i: index, %j: index):
    %run = arith.divui %j, %c4 : index
    %base = arith.muli %run, %c4 : index
    %in = arith.remui %j, %c4 : index
    %which = arith.remui %in, %c2 : index
    %twice = arith.muli %which, %c2 : index
    %isOdd = arith.cmpi ult, %in, %c2 : index
    %odd = arith.extui %isOdd : i1 to i64
    %oddIndex = arith.index_cast %odd : i64 to index
    %inRun = arith.addi %twice, %oddIndex : index
    %column = arith.addi %base, %inRun : index
    %x = tensor.extract %p[%i, %column] : tensor<6x16xf32>
    tensor.yield %x : f32
  } : tensor<6x16xf32>
  // Indices may be past the last column.
  %c15 = arith.constant 15 : i64
  %chosen = tensor.generate {
  ^bb0(%i: index):
    %wanted = tensor.extract %index[%i] : tensor<6xi64>
    %isThere = arith.cmpi ule, %wanted, %c15 : i64
    %safe = arith.minui %wanted, %c15 : i64
    %column = arith.index_cast %safe : i64 to index
    %x = tensor.extract %p[%i, %column] : tensor<6x16xf32>
    %y = arith.select %isThere, %x, %zero : f32
    tensor.yield %y : f32
  } : tensor<6xf32>
  return %sum, %scaled, %joined, %chosen : tensor<6xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6xf32>
}

// A logsumexp does not overflow, and keeps infinities.
func.func @softmax(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %shift: tensor<6x16xf32>) -> tensor<6xf32> {
  %d = tensor.empty() : tensor<6xf32>
  %r = coda.gemm lhs(%a [m, k] : tensor<6x8xf32>) rhs(%b [k, n] : tensor<8x16xf32>) operands(%shift [m, n] : tensor<6x16xf32>)
      outs(%d [m] : tensor<6xf32>) {
  ^bb0(%acc: !coda.tile<6x16xf32>, %s: !coda.tile<6x16xf32>):
    %large = coda.map(%x = %s : !coda.tile<6x16xf32>) -> !coda.tile<6x16xf32> {
      %c = arith.constant 1000.0 : f32
      %z = arith.mulf %x, %c : f32
      coda.yield %z : f32
    }
    %lse = coda.reduce logsumexp %large along columns : !coda.tile<6x16xf32> -> !coda.tile<6x1xf32>
    coda.yield %lse : !coda.tile<6x1xf32>
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @softmax_reference(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %shift: tensor<6x16xf32>) -> tensor<6xf32> {
  %least = arith.constant 0xFFF0000000000000 : f64
  %e = tensor.empty() : tensor<6xf64>
  %z = linalg.fill ins(%least : f64) outs(%e : tensor<6xf64>) -> tensor<6xf64>
  // log(e^x + e^y) one by one, in f64.
  %lse = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%shift : tensor<6x16xf32>) outs(%z : tensor<6xf64>) {
  ^bb0(%s: f32, %old: f64):
    %c = arith.constant 1000.0 : f32
    %scaled = arith.mulf %s, %c : f32
    %x = arith.extf %scaled : f32 to f64
    %hi = arith.maximumf %x, %old : f64
    %lo = arith.minimumf %x, %old : f64
    %d = arith.subf %lo, %hi : f64
    %p = math.exp %d : f64
    %l = math.log1p %p : f64
    %t = arith.addf %hi, %l : f64
    %same = arith.cmpf oeq, %hi, %lo : f64
    %abs = math.absf %hi : f64
    %inf = arith.constant 0x7FF0000000000000 : f64
    %isInf = arith.cmpf oeq, %abs, %inf : f64
    %r = arith.select %isInf, %hi, %t : f64
    linalg.yield %r : f64
  } -> tensor<6xf64>
  %o = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%lse : tensor<6xf64>) outs(%o : tensor<6xf32>) {
  ^bb0(%x: f64, %u: f32):
    %y = arith.truncf %x : f64 to f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}
