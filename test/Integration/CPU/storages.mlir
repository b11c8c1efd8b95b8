// Every storage of A and B, against linalg.matmul with the same maps: bitwise.

// RUN: coda-runner --backend=cpu %s --function=nt --compare-function=nt_linalg --exact | FileCheck %s
// RUN: coda-runner --backend=cpu %s --function=nt --compare-function=nt_linalg --exact --data=special | FileCheck %s
// RUN: coda-runner --backend=cpu %s --function=tn --compare-function=tn_linalg --exact | FileCheck %s
// RUN: coda-runner --backend=cpu %s --function=nt --compare-function=nt_linalg --exact \
// RUN:   --arg-shape=0:0x24 --arg-shape=3:0x20 | FileCheck %s --check-prefix=EMPTY
// RUN: not coda-runner --backend=cpu %s --function=nt --compare-function=wrong_bias | FileCheck %s --check-prefix=WRONG

// CHECK: compare result #0: {{.*}} ok
// CHECK-NEXT: PASS
// EMPTY: compare result #0: tensor<0x20xbf16> {{.*}} ok
// EMPTY-NEXT: PASS
// WRONG: compare result #0: {{.*}} elements differ, first #
// WRONG-NEXT: FAIL

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>

func.func @nt(%x: tensor<?x24xbf16>, %w: tensor<20x24xbf16>, %b: tensor<20xbf16>,
              %init: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %0 = coda.gemm lhs(%x [m, k] : tensor<?x24xbf16>) rhs(%w [n, k] : tensor<20x24xbf16>)
      operands(%b [n] : tensor<20xbf16>) outs(%init [m, n] : tensor<?x20xbf16>) {
  ^bb0(%acc: !coda.tile<?x20xf32>, %bias: !coda.tile<1x20xbf16>):
    %1 = coda.map(%p = %acc : !coda.tile<?x20xf32>, %q = %bias : !coda.tile<1x20xbf16>)
        -> !coda.tile<?x20xbf16> {
      %zero = arith.constant 0.0 : bf16
      %t = arith.truncf %p : f32 to bf16
      %s = arith.addf %t, %q : bf16
      %r = arith.maximumf %s, %zero : bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x20xbf16>
  } -> tensor<?x20xbf16>
  return %0 : tensor<?x20xbf16>
}

func.func @nt_linalg(%x: tensor<?x24xbf16>, %w: tensor<20x24xbf16>, %b: tensor<20xbf16>,
                     %init: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %size = tensor.dim %x, %c0 : tensor<?x24xbf16>
  %empty = tensor.empty(%size) : tensor<?x20xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x20xf32>) -> tensor<?x20xf32>
  %acc = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%x, %w : tensor<?x24xbf16>, tensor<20x24xbf16>)
      outs(%fill : tensor<?x20xf32>) -> tensor<?x20xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %b : tensor<?x20xf32>, tensor<20xbf16>) outs(%init : tensor<?x20xbf16>) {
  ^bb0(%p: f32, %q: bf16, %out: bf16):
    %c = arith.constant 0.0 : bf16
    %t = arith.truncf %p : f32 to bf16
    %s = arith.addf %t, %q : bf16
    %r = arith.maximumf %s, %c : bf16
    linalg.yield %r : bf16
  } -> tensor<?x20xbf16>
  return %0 : tensor<?x20xbf16>
}

// The bias is left out: the comparison must see it.
func.func @wrong_bias(%x: tensor<?x24xbf16>, %w: tensor<20x24xbf16>, %b: tensor<20xbf16>,
                      %init: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %0 = coda.gemm lhs(%x [m, k] : tensor<?x24xbf16>) rhs(%w [n, k] : tensor<20x24xbf16>)
      outs(%init [m, n] : tensor<?x20xbf16>) {
  ^bb0(%acc: !coda.tile<?x20xf32>):
    %1 = coda.map(%p = %acc : !coda.tile<?x20xf32>) -> !coda.tile<?x20xbf16> {
      %zero = arith.constant 0.0 : bf16
      %t = arith.truncf %p : f32 to bf16
      %r = arith.maximumf %t, %zero : bf16
      coda.yield %r : bf16
    }
    coda.yield %1 : !coda.tile<?x20xbf16>
  } -> tensor<?x20xbf16>
  return %0 : tensor<?x20xbf16>
}

func.func @tn(%a: tensor<24x12xf16>, %b: tensor<24x20xf16>, %s: tensor<12xf32>,
              %init: tensor<20x12xf16>) -> tensor<20x12xf16> {
  %0 = coda.gemm lhs(%a [k, m] : tensor<24x12xf16>) rhs(%b [k, n] : tensor<24x20xf16>)
      operands(%s [m] : tensor<12xf32>) outs(%init [n, m] : tensor<20x12xf16>) {
  ^bb0(%acc: !coda.tile<12x20xf32>, %scale: !coda.tile<12x1xf32>):
    %row = coda.index rows : !coda.tile<12x1xi32>
    %1 = coda.map(%p = %acc : !coda.tile<12x20xf32>, %q = %scale : !coda.tile<12x1xf32>,
                  %i = %row : !coda.tile<12x1xi32>) -> !coda.tile<12x20xf16> {
      %f = arith.sitofp %i : i32 to f32
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %t, %f : f32
      %v = arith.truncf %u : f32 to f16
      coda.yield %v : f16
    }
    coda.yield %1 : !coda.tile<12x20xf16>
  } -> tensor<20x12xf16>
  return %0 : tensor<20x12xf16>
}

func.func @tn_linalg(%a: tensor<24x12xf16>, %b: tensor<24x20xf16>, %s: tensor<12xf32>,
                     %init: tensor<20x12xf16>) -> tensor<20x12xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<12x20xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x20xf32>) -> tensor<12x20xf32>
  %acc = linalg.matmul indexing_maps = [#km, #kn, #mn3]
      ins(%a, %b : tensor<24x12xf16>, tensor<24x20xf16>)
      outs(%fill : tensor<12x20xf32>) -> tensor<12x20xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #m, #nm], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %s : tensor<12x20xf32>, tensor<12xf32>) outs(%init : tensor<20x12xf16>) {
  ^bb0(%p: f32, %q: f32, %out: f16):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %t, %f : f32
    %v = arith.truncf %u : f32 to f16
    linalg.yield %v : f16
  } -> tensor<20x12xf16>
  return %0 : tensor<20x12xf16>
}
