// RUN: coda-opt %s --coda-module-constants --split-input-file --verify-diagnostics
// RUN: not coda-opt %s --coda-module-constants=chip=sm_75 --split-input-file 2>&1 | FileCheck %s
// CHECK: error: 'memref.global' op cannot be compiled for unsupported chip 'sm_75'; expected sm_80, sm_86, sm_87, sm_89, sm_90 or sm_90a

// expected-error@+1 {{constant of 67108868 bytes is too large; at most 67108864 go into PTX; make it an argument of the function}}
memref.global "private" constant @large : memref<16777217xf32> = dense<0.0>
func.func @f() -> memref<16777217xf32> {
  %0 = memref.get_global @large : memref<16777217xf32>
  return %0 : memref<16777217xf32>
}

// -----

// Left out in printing.
// expected-error@+1 {{cannot be put beside the kernels: its elements are not there, or not the 8 bytes that 'memref<2xf32>' has}}
memref.global "private" constant @elided : memref<2xf32> = dense_resource<__elided__>
func.func @f() -> memref<2xf32> {
  %0 = memref.get_global @elided : memref<2xf32>
  return %0 : memref<2xf32>
}

// -----

// expected-error@+1 {{its elements are not there, or not the 16 bytes that 'memref<16xi1>' has}}
memref.global "private" constant @packed : memref<16xi1> = dense_resource<packed>
func.func @f() -> memref<16xi1> {
  %0 = memref.get_global @packed : memref<16xi1>
  return %0 : memref<16xi1>
}
{-#
  dialect_resources: { builtin: { packed: "0x010000000302" } }
#-}

// -----

// expected-error@+1 {{its elements are not there, or not the 8 bytes that 'memref<2xf32>' has}}
memref.global "private" constant @sparse : memref<2xf32> = sparse<[[0]], [1.0]>
func.func @f() -> memref<2xf32> {
  %0 = memref.get_global @sparse : memref<2xf32>
  return %0 : memref<2xf32>
}

// -----

// expected-error@+1 {{cannot be put beside the kernels: it is of type 'memref<2xi4>'; expected a row-major memref of elements of whole bytes}}
memref.global "private" constant @bits : memref<2xi4> = dense<[1, 2]>
func.func @f() -> memref<2xi4> {
  %0 = memref.get_global @bits : memref<2xi4>
  return %0 : memref<2xi4>
}

// -----

// expected-error@+1 {{cannot be put beside the kernels: it is of type 'memref<2xcomplex<f32>>'}}
memref.global "private" constant @complex : memref<2xcomplex<f32>> = dense<(1.0, 2.0)>
func.func @f() -> memref<2xcomplex<f32>> {
  %0 = memref.get_global @complex : memref<2xcomplex<f32>>
  return %0 : memref<2xcomplex<f32>>
}

// -----

memref.global "private" constant @right : memref<2xf32> = dense<1.0>
func.func @f() -> memref<2xf32> {
  %0 = memref.get_global @right : memref<2xf32>
  return %0 : memref<2xf32>
}
