//===- HostEmitter.h - Host code around the launch of a kernel --*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H

#include "KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace coda {

/// Writes the host code of one coda.gemm in front of it: sizes and their
/// checks, the choice between kernels, tensor maps, launches. All of it is
/// integer arithmetic in straight-line code, so that it can be printed as a
/// manifest.
class HostEmitter {
public:
  HostEmitter(mlir::ImplicitLocOpBuilder &b, GemmOp gemm);

  /// Checks that sizes of one name agree and that they fit 32 bits.
  void emitChecks();
  /// True where tensor copies can address every value that `plan` brings by
  /// them, and no dimension is empty.
  mlir::Value canUse(const KernelPlan &plan);
  /// True where there is something to compute.
  mlir::Value hasTiles(const KernelPlan &plan);
  void emitLaunch(const KernelPlan &plan, mlir::SymbolRefAttr kernel);

private:
  mlir::Value constant(int64_t value);
  mlir::Value size(Dim dim);
  mlir::Value sizeOf(mlir::Value memref, DimsAttr dims, Dim dim);
  mlir::Value stride(mlir::Value memref, int64_t position);
  mlir::Value address(mlir::Value memref);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                  mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value tileCount(const KernelPlan &plan, Dim dim, int64_t tile);
  /// The outer stride of a matrix in bytes; of a single row, any that is valid.
  mlir::Value outerStrideBytes(mlir::Value memref, mlir::Type memoryType);
  mlir::Value argument(const KernelPlan &plan, const KernelArgument &argument);
  void check(mlir::Value condition, const llvm::Twine &message);
  DimsAttr dimsOf(unsigned number);

  mlir::ImplicitLocOpBuilder &b;
  GemmOp gemm;
  llvm::DenseMap<mlir::Value, mlir::Operation *> metadata;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sizes;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H
