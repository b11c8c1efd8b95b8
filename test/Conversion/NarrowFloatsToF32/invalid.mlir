// RUN: coda-opt %s --convert-narrow-floats-to-f32 --split-input-file --verify-diagnostics

func.func @type(%a: memref<4xf4E2M1FN>, %i: index) -> f32 {
  // expected-error @+1 {{'memref.load' op computes with values of type 'f4E2M1FN', which the CPU path does not support; expected f64, f32, f16, bf16, f8E4M3FN or f8E5M2}}
  %0 = memref.load %a[%i] : memref<4xf4E2M1FN>
  %1 = arith.extf %0 : f4E2M1FN to f32
  return %1 : f32
}

// -----

// expected-error @+1 {{'func.func' op computes with values of type 'tf32', which the CPU path does not support}}
func.func @argument(%a: tf32) {
  return
}

// -----

func.func @rounding(%a: f32) -> f8E5M2 {
  // expected-error @+1 {{'arith.truncf' op from 'f32' to 'f8E5M2' with this rounding is not supported on a CPU; expected scalars or vectors and to_nearest_even}}
  %0 = arith.truncf %a toward_zero : f32 to f8E5M2
  return %0 : f8E5M2
}
