// RUN: not coda-runner %s --function=missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not coda-runner %s --arg-shape=0:3 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not coda-runner %s --arg-shape=0:3x5 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not coda-runner %s --arg-shape=7:3x5 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not coda-runner %s --arg-shape=0:3xa 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not coda-runner %s --alias=0:1 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not coda-runner %s --chip=gfx90a 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not coda-runner %s --function=unranked 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not coda-runner %s --compare-pipeline='builtin.module(no-such-pass)' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not coda-runner %s --compare-function=unranked 2>&1 | FileCheck %s --check-prefix=TYPE

// MISSING: the module has no func.func 'missing' with a body
// RANK: --arg-shape: argument 0 has 2 dimensions, but 1 sizes are given
// SIZE: --arg-shape: argument 0 has a dimension of size 4, but 5 is given
// NUMBER: --arg-shape: there is no argument 7; the function has 2
// TEXT: --arg-shape: expected a number, but got 'a'
// ALIAS: --alias: argument 0 is tensor<16x4xf32>, but argument 1 is f32
// CHIP: error: --chip: 'gfx90a' is no chip of the form sm_90a
// UNRANKED: argument 0 has type tensor<*xf32>, for which there is no data
// PASS: --compare-pipeline: {{.*}}no-such-pass
// TYPE: error: must have the type of the function it is compared with

func.func @f(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
