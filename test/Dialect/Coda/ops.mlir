// RUN: coda-opt %s --verify-roundtrip | FileCheck %s
// RUN: coda-opt %s --mlir-print-op-generic | coda-opt | FileCheck %s
// RUN: coda-opt %s --emit-bytecode | coda-opt | FileCheck %s

// CHECK-LABEL: func @linear
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>,
                  %b: tensor<32xbf16>, %init: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  // CHECK: coda.gemm lhs(%{{.*}} [m, k] : tensor<?x64xbf16>) rhs(%{{.*}} [n, k] : tensor<32x64xbf16>)
  // CHECK-SAME: operands(%{{.*}} [n] : tensor<32xbf16>) outs(%{{.*}} [m, n] : tensor<?x32xbf16>)
  %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                 rhs(%w [n, k] : tensor<32x64xbf16>)
                 operands(%b [n] : tensor<32xbf16>)
                 outs(%init [m, n] : tensor<?x32xbf16>) {
  ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xbf16>):
    // CHECK: coda.map(%[[P:.*]] = %{{.*}} : !coda.tile<?x32xf32>, %[[Q:.*]] = %{{.*}} : !coda.tile<1x32xbf16>)
    // CHECK-SAME: -> !coda.tile<?x32xbf16>
    %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>,
                  %q = %bias : !coda.tile<1x32xbf16>) -> !coda.tile<?x32xbf16> {
      %e = arith.extf %q : bf16 to f32
      %s = arith.addf %p, %e : f32
      %t = arith.truncf %s : f32 to bf16
      coda.yield %t : bf16
    }
    coda.yield %0 : !coda.tile<?x32xbf16>
  } -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}

// Every storage, destination and kind of operand; two right-hand sides.
// CHECK-LABEL: func @everything
func.func @everything(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %row: tensor<?xf32>, %column: tensor<?xi32>,
                      %scalar: f64, %one: tensor<f32>, %matrix: tensor<?x?xf16>, %d0: tensor<?x?xf16>,
                      %d1: tensor<?xf32>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  // CHECK: coda.gemm lhs(%{{[^ ]*}} [k, m] : tensor<?x?xf16>) rhs(%{{[^ ]*}} [n, k] : tensor<?x?xf16>, %{{[^ ]*}} [n, k] : tensor<?x?xf16>)
  // CHECK-SAME: operands(%{{.*}} [n] : tensor<?xf32>, %{{.*}} [m] : tensor<?xi32>, %{{.*}} [] : f64, %{{.*}} [] : tensor<f32>, %{{.*}} [n, m] : tensor<?x?xf16>)
  // CHECK-SAME: outs(%{{.*}} [n, m] : tensor<?x?xf16>, %{{.*}} [n] : tensor<?xf32>)
  // CHECK-SAME: schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 4>
  // CHECK-SAME: attributes {tag = 1 : i32}
  %0:2 = coda.gemm lhs(%a [k, m] : tensor<?x?xf16>)
      rhs(%b [n, k] : tensor<?x?xf16>, %b [n, k] : tensor<?x?xf16>)
      operands(%row [n] : tensor<?xf32>, %column [m] : tensor<?xi32>, %scalar [] : f64,
               %one [] : tensor<f32>, %matrix [n, m] : tensor<?x?xf16>)
      outs(%d0 [n, m] : tensor<?x?xf16>, %d1 [n] : tensor<?xf32>)
      schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64, cluster = 2, stages = 4>
      attributes {tag = 1 : i32} {
  // Names tell what an argument is.
  // CHECK-NEXT: ^bb0(%acc: !coda.tile<?x?xf32>, %acc_0: !coda.tile<?x?xf32>, %row: !coda.tile<1x?xf32>,
  // CHECK-SAME: %column: !coda.tile<?x1xi32>, %scalar: !coda.tile<1x1xf64>, %scalar_1: !coda.tile<1x1xf32>, %matrix: !coda.tile<?x?xf16>):
  ^bb0(%x: !coda.tile<?x?xf32>, %y: !coda.tile<?x?xf32>, %r: !coda.tile<1x?xf32>, %c: !coda.tile<?x1xi32>,
       %s: !coda.tile<1x1xf64>, %t: !coda.tile<1x1xf32>, %m: !coda.tile<?x?xf16>):
    // CHECK-NEXT: %row_{{.*}} = coda.index rows : !coda.tile<?x1xi64>
    // CHECK-NEXT: %column_{{.*}} = coda.index columns : !coda.tile<1x?xindex>
    %i = coda.index rows : !coda.tile<?x1xi64>
    %j = coda.index columns : !coda.tile<1x?xindex>
    // CHECK-NEXT: coda.map() attributes {tag} -> !coda.tile<1x?xf32>
    %0 = coda.map() attributes {tag} -> !coda.tile<1x?xf32> {
      %one_ = arith.constant 1.0 : f32
      coda.yield %one_ : f32
    }
    // CHECK: coda.yield %{{.*}}, %{{.*}} : !coda.tile<?x?xf16>, !coda.tile<1x?xf32>
    coda.yield %m, %0 : !coda.tile<?x?xf16>, !coda.tile<1x?xf32>
  } -> (tensor<?x?xf16>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x?xf16>, tensor<?xf32>
}

// Memrefs, strided and in another memory space; no destination; no operand.
// CHECK-LABEL: func @memrefs
func.func @memrefs(%a: memref<4x8xi8, strided<[?, 2], offset: ?>>, %b: memref<8x2xi8, 1>, %d: memref<4x2xi32>) {
  // CHECK: coda.gemm lhs(%{{.*}} [m, k] : memref<4x8xi8, strided<[?, 2], offset: ?>>)
  // CHECK: ^bb0(%{{.*}}: !coda.tile<4x2xi32>):
  coda.gemm lhs(%a [m, k] : memref<4x8xi8, strided<[?, 2], offset: ?>>)
      rhs(%b [k, n] : memref<8x2xi8, 1>) outs(%d [m, n] : memref<4x2xi32>) {
  ^bb0(%acc: !coda.tile<4x2xi32>):
    coda.yield %acc : !coda.tile<4x2xi32>
  }
  // CHECK: outs() {
  // CHECK-NEXT: ^bb0(%{{.*}}: !coda.tile<4x2xi32>):
  // CHECK-NEXT: coda.yield
  // CHECK-NEXT: }
  coda.gemm lhs(%a [m, k] : memref<4x8xi8, strided<[?, 2], offset: ?>>)
      rhs(%b [k, n] : memref<8x2xi8, 1>) outs() {
  ^bb0(%acc: !coda.tile<4x2xi32>):
  }
  return
}

// Sizes 0 and 1; f64 and the 8-bit floats.
// CHECK-LABEL: func @sizes
func.func @sizes(%a: tensor<0x0xf64>, %b: tensor<0x1xf64>, %d: tensor<0x1xf64>, %e: tensor<1x4xf8E4M3FN>,
                 %f: tensor<1x1xf32>, %g: tensor<4x1xf8E4M3FN>) {
  // CHECK: ^bb0(%{{.*}}: !coda.tile<0x1xf64>):
  %0 = coda.gemm lhs(%a [m, k] : tensor<0x0xf64>) rhs(%b [k, n] : tensor<0x1xf64>)
      outs(%d [m, n] : tensor<0x1xf64>) {
  ^bb0(%acc: !coda.tile<0x1xf64>):
    coda.yield %acc : !coda.tile<0x1xf64>
  } -> tensor<0x1xf64>
  // CHECK: ^bb0(%{{.*}}: !coda.tile<1x1xf32>):
  %1 = coda.gemm lhs(%e [m, k] : tensor<1x4xf8E4M3FN>) rhs(%g [k, n] : tensor<4x1xf8E4M3FN>)
      outs(%f [m, n] : tensor<1x1xf32>) {
  ^bb0(%acc: !coda.tile<1x1xf32>):
    coda.yield %acc : !coda.tile<1x1xf32>
  } -> tensor<1x1xf32>
  return
}

gpu.module @kernels {
  llvm.mlir.global external constant @weight("\00\00\80?") {addr_space = 1 : i32} : !llvm.array<4 x i8>
  llvm.mlir.global external constant @empty("\00") {addr_space = 1 : i32} : !llvm.array<1 x i8>
}
// A module that has been compiled does not say what is in it.
gpu.binary @compiled [#gpu.object<#nvvm.target, assembly = "">]

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: coda.module_constant @kernels::@weight : memref<2x1xbf16>
  %0 = coda.module_constant @kernels::@weight : memref<2x1xbf16>
  // CHECK: coda.module_constant @kernels::@empty : memref<0x8xf32>
  %1 = coda.module_constant @kernels::@empty : memref<0x8xf32>
  // CHECK: coda.module_constant @compiled::@weight : memref<4xi1>
  %2 = coda.module_constant @compiled::@weight : memref<4xi1>
  return
}

// CHECK-LABEL: func @host
func.func @host(%p: i64, %k: i64, %m: i64, %ld: i64) -> (!coda.tensor_map, i64) {
  // CHECK: coda.tensor_map %{{.*}} sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}] {box = array<i64: 64, 128>, element_type = bf16}
  %map = coda.tensor_map %p sizes [%k, %m] strides [%ld] {box = array<i64: 64, 128>, element_type = bf16}
  // CHECK: coda.multiprocessor_count
  %count = coda.multiprocessor_count
  return %map, %count : !coda.tensor_map, i64
}

// Primitives that combine columns, groups and tables.
// CHECK-LABEL: func @columns
func.func @columns(%a: tensor<?x8xf32>, %b: tensor<8x256xf32>, %target: tensor<?xi64>, %table: tensor<?x128xf32>, %d: tensor<?xf32>,
                   %e: tensor<?x2xf32>, %f: tensor<?x256xf32>) -> (tensor<?xf32>, tensor<?x2xf32>, tensor<?x256xf32>) {
  // CHECK: operands(%{{.*}} [m] : tensor<?xi64>, %{{.*}} [m, cyclic n] : tensor<?x128xf32>)
  // CHECK-SAME: outs(%{{.*}} [m] : tensor<?xf32>, %{{.*}} [m, n / 128] : tensor<?x2xf32>, %{{.*}} [m, n] : tensor<?x256xf32>)
  %0:3 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x256xf32>)
      operands(%target [m] : tensor<?xi64>, %table [m, cyclic n] : tensor<?x128xf32>)
      outs(%d [m] : tensor<?xf32>, %e [m, n / 128] : tensor<?x2xf32>, %f [m, n] : tensor<?x256xf32>) {
  ^bb0(%acc: !coda.tile<?x256xf32>, %t: !coda.tile<?x1xi64>, %c: !coda.tile<?x256xf32>):
    // CHECK: coda.reduce logsumexp %{{.*}} along columns : !coda.tile<?x256xf32> -> !coda.tile<?x1xf32>
    %1 = coda.reduce logsumexp %acc along columns : !coda.tile<?x256xf32> -> !coda.tile<?x1xf32>
    // CHECK: coda.reduce absmax %{{.*}} along columns in groups of 128 : !coda.tile<?x256xf32> -> !coda.tile<?x2xf32>
    %2 = coda.reduce absmax %c along columns in groups of 128 : !coda.tile<?x256xf32> -> !coda.tile<?x2xf32>
    // CHECK: coda.unpair %{{.*}} stride 64 : !coda.tile<?x256xf32> -> !coda.tile<?x128xf32>
    %3, %4 = coda.unpair %acc stride 64 : !coda.tile<?x256xf32> -> !coda.tile<?x128xf32>
    // CHECK: coda.pair %{{.*}}, %{{.*}} stride 1 : !coda.tile<?x128xf32> -> !coda.tile<?x256xf32>
    %5 = coda.pair %4, %3 stride 1 : !coda.tile<?x128xf32> -> !coda.tile<?x256xf32>
    // CHECK: coda.repeat %{{.*}} by 128 : !coda.tile<?x2xf32> -> !coda.tile<?x256xf32>
    %6 = coda.repeat %2 by 128 : !coda.tile<?x2xf32> -> !coda.tile<?x256xf32>
    // CHECK: coda.select_column %{{.*}}[%{{.*}}] : !coda.tile<?x256xf32>[!coda.tile<?x1xi64>] -> !coda.tile<?x1xf32>
    %7 = coda.select_column %acc[%t] : !coda.tile<?x256xf32>[!coda.tile<?x1xi64>] -> !coda.tile<?x1xf32>
    %8 = coda.map(%x = %1 : !coda.tile<?x1xf32>, %y = %7 : !coda.tile<?x1xf32>) -> !coda.tile<?x1xf32> {
      %z = arith.subf %x, %y : f32
      coda.yield %z : f32
    }
    %9 = coda.map(%x = %5 : !coda.tile<?x256xf32>, %y = %6 : !coda.tile<?x256xf32>) -> !coda.tile<?x256xf32> {
      %z = arith.mulf %x, %y : f32
      coda.yield %z : f32
    }
    coda.yield %8, %2, %9 : !coda.tile<?x1xf32>, !coda.tile<?x2xf32>, !coda.tile<?x256xf32>
  } -> (tensor<?xf32>, tensor<?x2xf32>, tensor<?x256xf32>)
  return %0#0, %0#1, %0#2 : tensor<?xf32>, tensor<?x2xf32>, tensor<?x256xf32>
}

// Partial results of each row, in either order.
// CHECK-LABEL: func @parts
func.func @parts(%a: tensor<?x8xf32>, %b: tensor<8x2xf32>, %p: tensor<3x?xf32>, %q: tensor<?x1xf32>, %d: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // CHECK: operands(%{{.*}} [parts, m] : tensor<3x?xf32>, %{{.*}} [m, parts] : tensor<?x1xf32>)
  %0 = coda.gemm lhs(%a [m, k] : tensor<?x8xf32>) rhs(%b [k, n] : tensor<8x2xf32>)
      operands(%p [parts, m] : tensor<3x?xf32>, %q [m, parts] : tensor<?x1xf32>)
      outs(%d [m, n] : tensor<?x2xf32>) {
  // CHECK: ^bb0(%{{.*}}: !coda.tile<?x2xf32>, %[[P:.*]]: !coda.tile<?x3xf32>, %[[Q:.*]]: !coda.tile<?x1xf32>):
  ^bb0(%acc: !coda.tile<?x2xf32>, %x: !coda.tile<?x3xf32>, %y: !coda.tile<?x1xf32>):
    // CHECK: coda.reduce add %[[P]] along columns : !coda.tile<?x3xf32> -> !coda.tile<?x1xf32>
    %1 = coda.reduce add %x along columns : !coda.tile<?x3xf32> -> !coda.tile<?x1xf32>
    // CHECK: coda.reduce logsumexp %[[Q]] along columns : !coda.tile<?x1xf32> -> !coda.tile<?x1xf32>
    %2 = coda.reduce logsumexp %y along columns : !coda.tile<?x1xf32> -> !coda.tile<?x1xf32>
    %3 = coda.map(%s = %acc : !coda.tile<?x2xf32>, %t = %1 : !coda.tile<?x1xf32>, %u = %2 : !coda.tile<?x1xf32>) -> !coda.tile<?x2xf32> {
      %v = arith.mulf %s, %t : f32
      %w = arith.addf %v, %u : f32
      coda.yield %w : f32
    }
    coda.yield %3 : !coda.tile<?x2xf32>
  } -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
