//===- ConstantTensors.h - Numbers of constant weights ----------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//
//
// Weights have millions of elements: they are read and written as bytes, not as
// attributes. f64 holds any element, and the product of two of up to 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTTENSORS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTTENSORS_H

#include "Factorization.h"
#include "coda/Dialect/Coda/Utils/RawElements.h"

namespace coda {

/// The elements of an arith.constant, dense or a resource.
class ConstantTensor {
public:
  /// None if `value` is no constant of floats of 16 to 64 bits whose elements
  /// are there.
  static std::optional<ConstantTensor> get(mlir::Value value);

  mlir::RankedTensorType getType() const { return type; }
  bool isResource() const { return elements.resource; }
  double at(int64_t index) const;
  /// The elements `index`, `index + stride` and so on.
  void read(int64_t index, int64_t stride,
            llvm::MutableArrayRef<double> values) const;

private:
  mlir::RankedTensorType type;
  RawElements elements;
};

/// A constant matrix as the right-hand side of a product, or its mirror image.
struct ConstantMatrix {
  ConstantTensor elements;
  int64_t k, n;
  int64_t kStride = 0, nStride = 0;

  /// The matrix that `element` is, with Role::row for n; none if it is none.
  static std::optional<ConstantMatrix> get(const Element &element);
};

/// `value` rounded to `type`.
double roundTo(double value, mlir::FloatType type);

/// The number that `element`, which depends on no row, has for each k; none if
/// that is not known.
std::optional<llvm::SmallVector<double>>
evaluate(Factorizer &factorizer, const Element &element, int64_t size);

/// diag(scale) W as a constant of `type`, the dimension `kDim` of which is k.
/// Every product is rounded once. `sums` are those over k of what is left.
WhyNot scaleMatrix(const ConstantMatrix &matrix, llvm::ArrayRef<double> scale,
                   mlir::RankedTensorType type, unsigned kDim,
                   mlir::TypedAttr &result, llvm::SmallVector<double> &sums);

/// scale @ W.
llvm::SmallVector<double> sumColumns(const ConstantMatrix &matrix,
                                     llvm::ArrayRef<double> scale);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTTENSORS_H
