//===- RowParts.h - Partial results of a row, combined ----------*- C++ -*-===//
//
// What another product has left of a reduction of whole rows, one partial
// result a tile, is combined by the threads that need it: in the same order in
// each run.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_ROWPARTS_H
#define CODA_LIB_CONVERSION_CODATOGPU_ROWPARTS_H

#include "Kernels.h"

namespace coda {

/// Reads operand `index`, which has parts, and combines those of a row by
/// `kind`.
class RowParts {
public:
  RowParts(KernelBuilder &b, const KernelPlan &plan,
           const KernelParameters &parameters, int64_t index, Reduction kind);

  /// From now on this thread has the even (`lane` is 0) or odd (1) parts of a
  /// row, and the lane 16 away the others.
  void shareBetweenLanes(mlir::Value lane);

  /// Begins the loads of all parts of `row` (i32; one past the last reads that)
  /// in a product that has rows, and gives at most `kept` values for `end`,
  /// which is where a thread waits for them.
  llvm::SmallVector<mlir::Value> begin(mlir::Value row, int64_t kept);
  mlir::Value end(mlir::ArrayRef<mlir::Value> values);

  /// All at once, in a short loop and by this thread alone. Nothing is read of
  /// a row past the last one.
  mlir::Value combineInLoop(mlir::Value row);

private:
  mlir::Value pointer(mlir::Value row, mlir::Value part);
  mlir::Value neutral();
  mlir::Value combineAll(mlir::ArrayRef<mlir::Value> values, Reduction how);
  mlir::Value combineLogarithms(mlir::ArrayRef<mlir::Value> values);

  KernelBuilder &b;
  const KernelParameters &parameters;
  const OperandPlan &operand;
  unsigned number;
  Reduction kind;
  mlir::Value sharedLane;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_ROWPARTS_H
