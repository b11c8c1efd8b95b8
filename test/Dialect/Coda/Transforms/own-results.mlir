// RUN: coda-opt %s --coda-own-results | FileCheck %s

// A slice that begins inside is copied; one from the start may stay where it is,
// unless the tensor is a result already.
// CHECK-LABEL: func @slices
// CHECK: %[[X:.*]] = math.exp
// CHECK: %[[A:.*]] = tensor.extract_slice %[[X]][0, 0]
// CHECK: %[[B:.*]] = tensor.extract_slice %[[X]][0, 64]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]]
// CHECK: %[[OWN_C:.*]] = linalg.copy ins(%[[C]]
// CHECK: %[[OWN_X:.*]] = linalg.copy ins(%[[X]]
// CHECK: return %[[A]], %[[OWN_C]], %[[OWN_X]]
func.func @slices(%0: tensor<32x128xf32>) -> (tensor<32x64xf32>, tensor<2048xf32>, tensor<32x128xf32>) {
  %x = math.exp %0 : tensor<32x128xf32>
  %a = tensor.extract_slice %x[0, 0] [32, 64] [1, 1] : tensor<32x128xf32> to tensor<32x64xf32>
  %b = tensor.extract_slice %x[0, 64] [32, 64] [1, 1] : tensor<32x128xf32> to tensor<32x64xf32>
  %c = tensor.collapse_shape %b [[0, 1]] : tensor<32x64xf32> into tensor<2048xf32>
  return %a, %c, %x : tensor<32x64xf32>, tensor<2048xf32>, tensor<32x128xf32>
}

// CHECK-LABEL: func @unknown
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: %[[E:.*]] = tensor.empty(%arg2)
// CHECK: linalg.copy ins(%[[S]] : {{.*}}) outs(%[[E]]
func.func @unknown(%x: tensor<?xf32>, %at: index, %n: index) -> tensor<?xf32> {
  %a = tensor.extract_slice %x[%at] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %a : tensor<?xf32>
}

// An argument is the caller's, however often it is returned.
// CHECK-LABEL: func @argument
// CHECK-NEXT: return %arg0, %arg0
func.func @argument(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// Callers in the module take what they get.
// CHECK-LABEL: func private @inside
// CHECK-NOT: linalg.copy
func.func private @inside(%x: tensor<8xf32>) -> tensor<4xf32> {
  %a = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %a : tensor<4xf32>
}
