// RUN: coda-opt %s --convert-narrow-floats-to-f32 --canonicalize | FileCheck %s

// Every operation is rounded, canonicalized or not.

// CHECK-LABEL: func @chain(
func.func @chain(%a: bf16, %b: bf16) -> bf16 {
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: %[[T0:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK-NEXT: %[[E0:.*]] = arith.extf %[[T0]] : bf16 to f32
  // CHECK-NEXT: %[[R1:.*]] = math.exp %[[E0]] : f32
  // CHECK-NEXT: %[[T1:.*]] = arith.truncf %[[R1]] : f32 to bf16
  // CHECK-NEXT: %[[E1:.*]] = arith.extf %[[T1]] : bf16 to f32
  // CHECK-NEXT: %[[R2:.*]] = arith.mulf %[[E1]],
  // CHECK-NEXT: %[[T2:.*]] = arith.truncf %[[R2]] : f32 to bf16
  // CHECK-NEXT: return %[[T2]] : bf16
  %0 = arith.addf %a, %b : bf16
  %1 = math.exp %0 : bf16
  %2 = arith.mulf %1, %b : bf16
  return %2 : bf16
}

// CHECK-LABEL: func @half(
func.func @half(%a: f16) -> f16 {
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
  // CHECK-NEXT: arith.extf
  // CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
  %0 = arith.addf %a, %a : f16
  %1 = arith.addf %0, %a : f16
  return %1 : f16
}

// Wider types are left alone.
// CHECK-LABEL: func @wide(
func.func @wide(%a: f32, %b: f64) -> (f32, f64) {
  // CHECK-NEXT: math.exp %{{.*}} : f32
  // CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f64
  %0 = math.exp %a : f32
  %1 = arith.addf %b, %b : f64
  return %0, %1 : f32, f64
}
