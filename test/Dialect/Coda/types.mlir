// RUN: coda-opt %s --verify-roundtrip | FileCheck %s
// RUN: coda-opt %s --emit-bytecode | coda-opt | FileCheck %s

// CHECK: @tiles(!coda.tile<4x8xf32>, !coda.tile<?x8xbf16>, !coda.tile<?x?xindex>, !coda.tile<1x1xi1>, !coda.tile<0x0xf8E5M2>)
func.func private @tiles(!coda.tile<4x8xf32>, !coda.tile<?x8xbf16>, !coda.tile<?x?xindex>,
                         !coda.tile<1x1xi1>, !coda.tile<0x0xf8E5M2>)

// CHECK: @largest(!coda.tile<9223372036854775807x4xf32>)
func.func private @largest(!coda.tile<9223372036854775807x4xf32>)

// CHECK: @tensor_map(!coda.tensor_map)
func.func private @tensor_map(!coda.tensor_map)
