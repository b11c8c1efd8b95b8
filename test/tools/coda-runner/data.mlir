// RUN: coda-runner --backend=cpu %s --seed=1 --int-max=3 | FileCheck %s
// RUN: coda-runner --backend=cpu %s --data=nan | FileCheck %s --check-prefix=NAN
// RUN: coda-runner --backend=cpu %s --data=inf | FileCheck %s --check-prefix=INF
// RUN: coda-runner --backend=cpu %s --arg-shape=0:0x2 | FileCheck %s --check-prefix=EMPTY

// The data are the same on every machine.
// CHECK: result #0: tensor<16x2xf32> checksum 0x24a9126a77c51e19 min -0.{{[0-9]+}} max 0.{{[0-9]+}} nan 0 first [
// CHECK: result #1: tensor<64xi8> {{.*}} min 0 max 3 nan 0
// CHECK: result #2: index
// CHECK: result #3: f64
// NAN: result #0: {{.*}} nan {{[1-9]}}
// INF: result #0: {{.*}} {{-inf|max inf}}
// EMPTY: result #0: tensor<0x2xf32> checksum 0xcbf29ce484222325 nan 0 first []
func.func @f(%x: tensor<?x2xf32>, %i: tensor<64xi8>, %n: index, %d: f64)
    -> (tensor<?x2xf32>, tensor<64xi8>, index, f64) {
  return %x, %i, %n, %d : tensor<?x2xf32>, tensor<64xi8>, index, f64
}
