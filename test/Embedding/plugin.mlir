// A stock mlir-opt takes the dialect and the pipelines from the plugin.
// RUN: mlir-opt --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(coda-fusion)' %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(coda-fusion, coda-to-ptx{chip=sm_90a})' %s \
// RUN:   | FileCheck %s --check-prefix=PTX

// A tool that has Coda is left as it is.
// RUN: coda-opt --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} --coda-fusion %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TWICE < %t.err
// TWICE: warning: CodaPlugin: the tool has the dialect of Coda already; the plugin adds none
// TWICE: warning: CodaPlugin: the tool has the passes of Coda already; the plugin adds none

// CHECK-LABEL: func.func @product
// CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<64x32xbf16>)
// CHECK-NOT: linalg
// PTX: gpu.binary {{.*}}.target sm_90a
func.func @product(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x32xbf16>, tensor<32x64xbf16>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
