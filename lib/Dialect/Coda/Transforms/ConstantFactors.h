//===- ConstantFactors.h - Constant factors go into weights -----*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTFACTORS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTFACTORS_H

#include "ConstantTensors.h"

namespace coda {

/// Moves constant factors for each k from the input of a contraction that is
/// `input` to a weight that is constant, too.
class ConstantFolder {
public:
  /// `column` is the loop of `weight` that is not `k`.
  ConstantFolder(Factorizer &factorizer, mlir::linalg::LinalgOp op,
                 mlir::OpOperand *input, mlir::OpOperand *weight,
                 unsigned column, unsigned k);

  /// Takes the constant factors out of `inner`, and computes the weight with
  /// them, or none if that cannot be or saves nothing. A remark says so if
  /// there are some. `roles` are those of the input's dimensions; one row may
  /// have no dimension.
  bool takeFrom(llvm::SmallVectorImpl<Factor> &inner,
                llvm::ArrayRef<Role> roles, bool isOneRow);

  /// The scaled weight, in place of the weight; null where nothing was taken.
  mlir::TypedAttr getWeight() const { return scaled; }

  /// The sums over k of `inner` times the weight, if all are constant.
  std::optional<llvm::SmallVector<double>>
  sumColumns(llvm::ArrayRef<Factor> inner);

private:
  bool split(const Element &element, unsigned depth,
             llvm::SmallVectorImpl<Element> &rest);
  bool multiply(llvm::SmallVector<double> &product, const Element &element,
                bool isInverse);
  WhyNot whyNotUsers();

  Factorizer &factorizer;
  mlir::linalg::LinalgOp op;
  mlir::OpOperand *input, *weight;
  unsigned kDim = 0;
  std::optional<ConstantMatrix> matrix;
  int64_t size;
  /// The product of the factors that were taken.
  llvm::SmallVector<double> scale;
  /// Sums of columns of the scaled weight.
  llvm::SmallVector<double> sums;
  mlir::TypedAttr scaled;
};

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSTANTFACTORS_H
