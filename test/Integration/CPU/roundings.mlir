// RUN: coda-runner --backend=cpu %s --int-max=0 --print | FileCheck %s

// 257 has no bf16 and 2049 no f16: a sum that is rounded, as the source says,
// leaves 0 after the subtraction, and 1 where a rounding got lost.

// CHECK: result #0: bf16 {{.*}} values [0]
// CHECK: result #1: f16 {{.*}} values [0]
// CHECK: result #2: f32 {{.*}} values [0]
func.func @roundings(%zero: i32) -> (bf16, f16, f32) {
  %c1 = arith.constant 1.0 : bf16
  %c256 = arith.constant 256.0 : bf16
  %x = arith.sitofp %zero : i32 to bf16
  %0 = arith.addf %x, %c256 : bf16
  %1 = arith.addf %0, %c1 : bf16
  %2 = arith.subf %1, %c256 : bf16

  %h1 = arith.constant 1.0 : f16
  %h2048 = arith.constant 2048.0 : f16
  %y = arith.sitofp %zero : i32 to f16
  %3 = arith.addf %y, %h2048 : f16
  %4 = arith.addf %3, %h1 : f16
  %5 = arith.subf %4, %h2048 : f16

  %f256 = arith.constant 256.0 : f32
  %f257 = arith.constant 257.0 : f32
  %z = arith.sitofp %zero : i32 to f32
  %6 = arith.addf %z, %f257 : f32
  %7 = arith.truncf %6 : f32 to bf16
  %8 = arith.extf %7 : bf16 to f32
  %9 = arith.subf %8, %f256 : f32
  return %2, %5, %9 : bf16, f16, f32
}
