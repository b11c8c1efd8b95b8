// Reductions of a product's rows and columns, fused and run beside the source.

// RUN: coda-runner %s --backend=cpu --compare --function=sum_of_squares --dynamic-size=37 | FileCheck %s --check-prefix=TWO
// RUN: coda-runner %s --backend=cpu --compare --function=sum_of_squares --dynamic-size=1 | FileCheck %s --check-prefix=TWO
// RUN: coda-runner %s --backend=cpu --compare --function=both_axes | FileCheck %s --check-prefix=TWO
// RUN: coda-runner %s --backend=cpu --compare --function=both_axes --data=nan | FileCheck %s --check-prefix=TWO
// RUN: coda-runner %s --backend=cpu --compare --function=initial | FileCheck %s
// RUN: coda-runner %s --backend=cpu --compare --function=target --int-max=30 | FileCheck %s
// RUN: coda-opt %s --coda-fusion | FileCheck %s --check-prefix=FUSED

// CHECK: compare result #0: {{.*}} ok
// CHECK: PASS

// TWO: compare result #0: {{.*}} ok
// TWO: compare result #1: {{.*}} ok
// TWO: PASS

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// FUSED-LABEL: @sum_of_squares
// FUSED: coda.gemm
// FUSED-NOT: linalg
// FUSED-LABEL: @both_axes
func.func @sum_of_squares(%a: tensor<?x16xbf16>, %w: tensor<24x16xbf16>, %x: tensor<?x24xbf16>)
    -> (tensor<?x24xbf16>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x16xbf16>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %eb = tensor.empty(%m) : tensor<?x24xbf16>
  %es = tensor.empty(%m) : tensor<?xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : tensor<?x16xbf16>, tensor<24x16xbf16>) outs(%0 : tensor<?x24xf32>) -> tensor<?x24xf32>
  %2 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%1, %x : tensor<?x24xf32>, tensor<?x24xbf16>) outs(%eb : tensor<?x24xbf16>) {
  ^bb0(%p: f32, %q: bf16, %out: bf16):
    %t = arith.truncf %p : f32 to bf16
    %s = arith.addf %q, %t : bf16
    linalg.yield %s : bf16
  } -> tensor<?x24xbf16>
  %3 = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %4 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%2 : tensor<?x24xbf16>) outs(%3 : tensor<?xf32>) {
  ^bb0(%p: bf16, %acc: f32):
    %t = arith.extf %p : bf16 to f32
    %s = arith.mulf %t, %t : f32
    %u = arith.addf %s, %acc : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %2, %4 : tensor<?x24xbf16>, tensor<?xf32>
}

func.func @both_axes(%a: tensor<24x16xf32>, %w: tensor<16x24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<24x24xf32>
  %s = tensor.empty() : tensor<24xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<24x24xf32>) -> tensor<24x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<24x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<24x24xf32>) -> tensor<24x24xf32>
  %2 = linalg.fill ins(%least : f32) outs(%s : tensor<24xf32>) -> tensor<24xf32>
  %3 = linalg.reduce ins(%1 : tensor<24x24xf32>) outs(%2 : tensor<24xf32>) dimensions = [1]
      (%x: f32, %acc: f32) {
        %t = arith.maximumf %x, %acc : f32
        linalg.yield %t : f32
      }
  %4 = linalg.fill ins(%zero : f32) outs(%s : tensor<24xf32>) -> tensor<24xf32>
  %5 = linalg.reduce ins(%1 : tensor<24x24xf32>) outs(%4 : tensor<24xf32>) dimensions = [0]
      (%x: f32, %acc: f32) {
        %t = arith.addf %x, %acc : f32
        linalg.yield %t : f32
      }
  return %3, %5 : tensor<24xf32>, tensor<24xf32>
}

// FUSED-LABEL: @initial
func.func @initial(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<8x24xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %t = arith.addf %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// FUSED-LABEL: @target
// FUSED: coda.select_column
// FUSED-NOT: linalg
func.func @target(%a: tensor<8x16xf32>, %w: tensor<16x24xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %s = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x24xf32>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
      ins(%1, %i : tensor<8x24xf32>, tensor<8xi64>) outs(%2 : tensor<8xf32>) {
  ^bb0(%x: f32, %target: i64, %acc: f32):
    %here = linalg.index 1 : index
    %there = arith.index_cast %target : i64 to index
    %is = arith.cmpi eq, %here, %there : index
    %t = arith.select %is, %x, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
