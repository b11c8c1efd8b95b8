//===- FusionUtils.h - What may become or join a coda.gemm ------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//
//
// The legality that coda-normalize and coda-fuse share. A check gives the one
// reason why not, or nothing: reasons end up in remarks.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSIONUTILS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSIONUTILS_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace coda {

/// Why something cannot be done; none if it can.
using WhyNot = std::optional<std::string>;

/// Builds a reason from pieces that a raw_ostream takes.
template <typename... Pieces>
WhyNot whyNot(Pieces &&...pieces) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ((stream << pieces), ...);
  return text;
}

/// The loops of a contraction by the part that they play. Upstream's
/// inferContractionDims wants at least one of each; here m or n may be missing
/// (matrix-vector products), which normalization then supplies.
struct ContractionLoops {
  llvm::SmallVector<unsigned> batch, m, n, k;
};

/// Whether `op` multiplies elements of two inputs and sums the products: what a
/// reader would call a contraction, supported or not. Convolutions are none.
bool isContraction(mlir::linalg::LinalgOp op);

/// Sorts the loops of a contraction on tensors. Results of a map that are the
/// constant 0 are allowed: unit dimensions that normalization drops.
WhyNot sortLoops(mlir::linalg::LinalgOp op, ContractionLoops &loops);

/// Why the types and the body of a contraction are none that coda.gemm has.
WhyNot whyNotGemmBody(mlir::linalg::LinalgOp op);

/// Whether `op` is an all-parallel linalg op on tensors, not a fill.
bool isElementwise(mlir::Operation *op);

/// Whether `op` only copies: transposes or broadcasts its one input.
bool isCopy(mlir::Operation *op);

/// Whether `op` only converts its one input to a wider type, exactly, perhaps
/// transposing or broadcasting it.
bool isWideningCopy(mlir::Operation *op);

/// Whether `op` sums products as a contraction does, but computes the factors
/// in its body too (what upstream's elementwise fusion makes).
bool isContractionWithProducers(mlir::linalg::LinalgOp op);

/// Whether every element of `value` is +0.
bool isZeroTensor(mlir::Value value);

/// `value` with its dimensions in `dims`, all of static size 1, collapsed away.
mlir::Value dropUnitDims(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, llvm::ArrayRef<unsigned> dims);

/// Whether `from` and `to` may describe one shape: static sizes agree.
bool areShapesCompatible(llvm::ArrayRef<int64_t> from,
                         llvm::ArrayRef<int64_t> to);

/// Collects, each once, the scalars from outside that the body of `op` uses and
/// that are no constants; or says which value is no scalar.
WhyNot collectCaptured(mlir::linalg::LinalgOp op,
                       llvm::SmallVectorImpl<mlir::Value> &captured);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_FUSIONUTILS_H
