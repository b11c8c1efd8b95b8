#mn = affine_map<(m, n) -> (m, n)>
func.func @linear(%x: tensor<128x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %p = linalg.matmul ins(%x, %w : tensor<128x64xbf16>, tensor<64x256xbf16>)
                     outs(%init : tensor<128x256xf32>) -> tensor<128x256xf32>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<128x256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<128x256xf32>
  return %y : tensor<128x256xf32>
}
