// One of each kind of epilogue, fused and run beside its source on the CPU.

// RUN: coda-runner %s --backend=cpu --compare --function=bias_along_n | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=bias_along_m | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=row_and_column | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=scale | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=relu | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=relu --data=nan | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=gelu_tanh | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=silu | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=residual | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=f16_in_f16_out | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=f32_in_f32_out | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=one_row | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=dynamic --dynamic-size=37 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=dynamic --dynamic-size=1 | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=initial | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=pre_activation | FileCheck %s --check-prefix=TWO

// Not a comparison of a form with itself: nothing but coda.gemm is left.
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED --implicit-check-not=linalg

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

// TWO: compare result #0: {{.*}} ok
// TWO: compare result #1: {{.*}} ok
// TWO: PASS

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>

// FUSED-LABEL: func.func @bias_along_n(
// FUSED: coda.gemm
// FUSED: return
func.func @bias_along_n(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>,
    %b: tensor<32xf32>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<16x32xf32>, tensor<32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %b0: f32, %unused: bf16):
    %s = arith.addf %a, %b0 : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @bias_along_m(
// FUSED: coda.gemm
// FUSED: return
func.func @bias_along_m(%x: tensor<32x24xbf16>, %w: tensor<24x32xbf16>,
    %b: tensor<32xf32>) -> tensor<32x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  %o = tensor.empty() : tensor<32x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<32x32xf32>, tensor<32xf32>) outs(%o : tensor<32x32xbf16>) {
  ^bb0(%a: f32, %b0: f32, %unused: bf16):
    %s = arith.addf %a, %b0 : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x32xbf16>
  return %y : tensor<32x32xbf16>
}

// FUSED-LABEL: func.func @row_and_column(
// FUSED: coda.gemm
// FUSED: return
func.func @row_and_column(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>,
    %b: tensor<32xf32>, %c: tensor<16xbf16>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %c : tensor<16x32xf32>, tensor<32xf32>, tensor<16xbf16>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %b0: f32, %c0: bf16, %unused: bf16):
    %c1 = arith.extf %c0 : bf16 to f32
    %s = arith.mulf %a, %c1 : f32
    %t = arith.addf %s, %b0 : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @scale(
// FUSED: coda.gemm
// FUSED: return
func.func @scale(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %unused: bf16):
    %half = arith.constant 0.3 : f32
    %s = arith.mulf %a, %half : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @relu(
// FUSED: coda.gemm
// FUSED: return
func.func @relu(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>,
    %b: tensor<32xf32>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<16x32xf32>, tensor<32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %b0: f32, %unused: bf16):
    %s = arith.addf %a, %b0 : f32
    %0 = arith.constant 0.0 : f32
    %g = arith.cmpf ugt, %s, %0 : f32
    %t = arith.select %g, %s, %0 : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @gelu_tanh(
// FUSED: coda.gemm
// FUSED: return
func.func @gelu_tanh(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %unused: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.044715 : f32
    %root = arith.constant 0.797884583 : f32
    %a2 = arith.mulf %a, %a : f32
    %a3 = arith.mulf %a2, %a : f32
    %d = arith.mulf %a3, %c : f32
    %s = arith.addf %a, %d : f32
    %u = arith.mulf %s, %root : f32
    %h = math.tanh %u : f32
    %t = arith.addf %h, %one : f32
    %v = arith.mulf %a, %t : f32
    %q = arith.mulf %v, %half : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @silu(
// FUSED: coda.gemm
// FUSED: return
func.func @silu(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %unused: bf16):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %q = arith.divf %a, %d : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @residual(
// FUSED: coda.gemm
// FUSED: return
func.func @residual(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>,
    %c: tensor<16x32xbf16>) -> tensor<16x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<16x32xf32>, tensor<16x32xbf16>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %c0: bf16, %unused: bf16):
    %t = arith.truncf %a : f32 to bf16
    %r = arith.addf %t, %c0 : bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %y : tensor<16x32xbf16>
}

// FUSED-LABEL: func.func @f16_in_f16_out(
// FUSED: coda.gemm
// FUSED: return
func.func @f16_in_f16_out(%x: tensor<16x24xf16>, %w: tensor<24x32xf16>,
    %b: tensor<32xf16>) -> tensor<16x32xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xf16>, tensor<24x32xf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<16x32xf32>, tensor<32xf16>) outs(%o : tensor<16x32xf16>) {
  ^bb0(%a: f32, %b0: f16, %unused: f16):
    %t = arith.truncf %a : f32 to f16
    %r = arith.addf %t, %b0 : f16
    linalg.yield %r : f16
  } -> tensor<16x32xf16>
  return %y : tensor<16x32xf16>
}

// FUSED-LABEL: func.func @f32_in_f32_out(
// FUSED: coda.gemm
// FUSED: return
func.func @f32_in_f32_out(%x: tensor<16x24xf32>, %w: tensor<24x32xf32>,
    %b: tensor<32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xf32>, tensor<24x32xf32>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<16x32xf32>, tensor<32xf32>) outs(%o : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b0: f32, %unused: f32):
    %r = arith.addf %a, %b0 : f32
    linalg.yield %r : f32
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// FUSED-LABEL: func.func @one_row(
// FUSED: coda.gemm
// FUSED: return
func.func @one_row(%x: tensor<1x24xbf16>, %w: tensor<24x32xbf16>,
    %b: tensor<32xf32>) -> tensor<1x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<1x32xf32>) -> tensor<1x32xf32>
  %o = tensor.empty() : tensor<1x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<1x32xf32>, tensor<32xf32>) outs(%o : tensor<1x32xbf16>) {
  ^bb0(%a: f32, %b0: f32, %unused: bf16):
    %s = arith.addf %a, %b0 : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x32xbf16>
  return %y : tensor<1x32xbf16>
}

// FUSED-LABEL: func.func @dynamic(
// FUSED: coda.gemm
// FUSED: return
func.func @dynamic(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>,
    %b: tensor<?xf32>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %rows = tensor.dim %x, %i0 : tensor<?x?xbf16>
  %columns = tensor.dim %w, %i1 : tensor<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>)
                     outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = tensor.empty(%rows, %columns) : tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %c : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xbf16>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%a: f32, %b0: f32, %c0: bf16, %unused: bf16):
    %s = arith.addf %a, %b0 : f32
    %t = arith.truncf %s : f32 to bf16
    %r = arith.addf %t, %c0 : bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// FUSED-LABEL: func.func @initial(
// FUSED: coda.gemm
// FUSED: return
func.func @initial(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// FUSED-LABEL: func.func @pre_activation(
// FUSED: coda.gemm
// FUSED: return
func.func @pre_activation(%x: tensor<16x24xbf16>, %w: tensor<24x32xbf16>) -> (tensor<16x32xf32>, tensor<16x32xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x24xbf16>, tensor<24x32xbf16>)
                     outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x32xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x32xf32>) outs(%o : tensor<16x32xbf16>) {
  ^bb0(%a: f32, %unused: bf16):
    %0 = arith.constant 0.0 : f32
    %s = arith.maximumf %a, %0 : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x32xbf16>
  return %p, %y : tensor<16x32xf32>, tensor<16x32xbf16>
}
