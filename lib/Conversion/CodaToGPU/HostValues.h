//===- HostValues.h - Sizes, strides and addresses on the host --*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_HOSTVALUES_H
#define CODA_LIB_CONVERSION_CODATOGPU_HOSTVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace coda {

/// Makes what launches are computed from: 64-bit integers in straight-line
/// code, each once. All of it can be printed as a manifest.
class HostValues {
public:
  explicit HostValues(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::Value constant(int64_t value);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                  mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// The size of a memref along one of its dimensions.
  mlir::Value sizeAt(mlir::Value memref, int64_t position);
  /// The stride, in elements.
  mlir::Value stride(mlir::Value memref, int64_t position);
  /// The address of the first element.
  mlir::Value address(mlir::Value memref);
  /// A check that fails with `message` when the function runs.
  void check(mlir::Value condition, const llvm::Twine &message);

protected:
  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::memref::ExtractStridedMetadataOp getMetadata(mlir::Value memref);

  llvm::DenseMap<mlir::Value, mlir::Operation *> metadata;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sizes;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_HOSTVALUES_H
