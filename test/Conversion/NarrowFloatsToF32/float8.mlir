// RUN: coda-opt %s --convert-narrow-floats-to-f32 | FileCheck %s --implicit-check-not='arith.extf {{.*}}f8' --implicit-check-not='arith.truncf {{.*}}f8'

// Decoded: subnormal numbers by a multiplication, a NaN for all ones.
// CHECK-LABEL: func @decode(
func.func @decode(%a: f8E4M3FN) -> f32 {
  // CHECK-DAG: %[[UNIT:.*]] = arith.constant 0.001953125 : f32
  // CHECK-DAG: %[[ONES:.*]] = arith.constant 127 : i32
  // CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
  // CHECK: %[[MAGNITUDE:.*]] = arith.andi %{{.*}}, %[[ONES]] : i32
  // CHECK: %[[NUMBER:.*]] = arith.uitofp %[[MAGNITUDE]] : i32 to f32
  // CHECK: arith.mulf %[[NUMBER]], %[[UNIT]] : f32
  // CHECK: arith.cmpi eq, %[[MAGNITUDE]], %[[ONES]] : i32
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  %0 = arith.extf %a : f8E4M3FN to f32
  return %0 : f32
}

// Encoded from 64 bits at once: by way of f32 it would be rounded twice.
// CHECK-LABEL: func @encode(
func.func @encode(%a: f64) -> f8E5M2 {
  // CHECK-NOT: f32
  // CHECK: arith.minui %{{.*}} : i64
  // CHECK: arith.addf %{{.*}} : f64
  // CHECK: arith.trunci %{{.*}} : i64 to i8
  // CHECK-NEXT: arith.bitcast %{{.*}} : i8 to f8E5M2
  %0 = arith.truncf %a : f64 to f8E5M2
  return %0 : f8E5M2
}

// Narrow floats go by way of f32, which holds them exactly.
// CHECK-LABEL: func @halves(
func.func @halves(%a: bf16, %b: f8E5M2) -> (f8E4M3FN, f16) {
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = arith.truncf %a : bf16 to f8E4M3FN
  %1 = arith.extf %b : f8E5M2 to f16
  return %0, %1 : f8E4M3FN, f16
}

// Arithmetic is done in f32, each operation rounded.
// CHECK-LABEL: func @sum(
func.func @sum(%a: f8E5M2, %b: f8E5M2) -> f8E5M2 {
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  %0 = arith.addf %a, %b : f8E5M2
  return %0 : f8E5M2
}

// CHECK-LABEL: func @vector(
func.func @vector(%a: vector<4xf32>) -> vector<4xf8E4M3FN> {
  // CHECK: arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
  %0 = arith.truncf %a : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}
