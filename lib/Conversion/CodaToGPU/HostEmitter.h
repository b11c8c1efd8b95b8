//===- HostEmitter.h - Host code around the launch of a kernel --*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H

#include "HostValues.h"
#include "KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace coda {

/// Writes the host code of one coda.gemm in front of it: sizes and their
/// checks, the choice between kernels, tensor maps, launches. All of it is
/// integer arithmetic in straight-line code, so that it can be printed as a
/// manifest.
class HostEmitter : public HostValues {
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
  /// What the kernel of `plan` is called with.
  mlir::SmallVector<mlir::Value> arguments(const KernelPlan &plan);
  /// Output tiles, those that a cluster computes together counting as one.
  mlir::Value tileSteps(const KernelPlan &plan);

private:
  mlir::Value size(Dim dim);
  mlir::Value sizeOf(mlir::Value memref, DimsAttr dims, Dim dim);
  mlir::Value tileCount(const KernelPlan &plan, Dim dim, int64_t tile);
  /// The outer stride of a matrix in bytes; of a single row, any that is valid.
  mlir::Value outerStrideBytes(mlir::Value memref, mlir::Type memoryType);
  mlir::Value argument(const KernelPlan &plan, const KernelArgument &argument);
  DimsAttr dimsOf(unsigned number);

  GemmOp gemm;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_HOSTEMITTER_H
