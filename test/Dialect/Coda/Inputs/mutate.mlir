func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %v: tensor<2xf32>, %u: tensor<4xf32>, %s: f32, %d: tensor<4x2xf32>, %p : i64) -> tensor<4x2xf32> {
  %cst = tensor.cast %a : tensor<4x8xf32> to tensor<?x8xf32>
  %0:2 = coda.gemm lhs(%cst [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>, %b [k, n] : tensor<8x2xf32>)
      operands(%v [n] : tensor<2xf32>, %u [m] : tensor<4xf32>, %s [] : f32, %d [m, n] : tensor<4x2xf32>)
      outs(%d [m, n] : tensor<4x2xf32>, %v [n] : tensor<2xf32>)
      schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 4> {
  ^bb0(%acc: !coda.tile<4x2xf32>, %acc2: !coda.tile<4x2xf32>, %row: !coda.tile<1x2xf32>, %col: !coda.tile<4x1xf32>, %sc: !coda.tile<1x1xf32>, %mat: !coda.tile<4x2xf32>):
    %i = coda.index rows : !coda.tile<4x1xi64>
    %1 = coda.map(%x = %acc : !coda.tile<4x2xf32>, %y = %col : !coda.tile<4x1xf32>, %z = %i : !coda.tile<4x1xi64>) -> !coda.tile<4x2xf32> {
      %m = arith.mulf %x, %y : f32
      %w = arith.sitofp %z : i64 to f32
      %q = arith.addf %m, %w : f32
      coda.yield %q : f32
    }
    coda.yield %1, %row : !coda.tile<4x2xf32>, !coda.tile<1x2xf32>
  } -> (tensor<4x2xf32>, tensor<2xf32>)
  %map = coda.tensor_map %p sizes [%p, %p] strides [%p] {box = array<i64: 64, 128>, element_type = bf16}
  %n = coda.multiprocessor_count
  return %0#0 : tensor<4x2xf32>
}
