//===- LinalgParameters.h - Facts of kernels of linalg ops ------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_LINALGPARAMETERS_H
#define CODA_LIB_CONVERSION_CODATOGPU_LINALGPARAMETERS_H

#include "LinalgKernels.h"

namespace coda {

/// A memref and one of its dimensions that loop `loop` runs over; null where
/// no operand shows how long it is.
std::pair<mlir::Value, int64_t> getExtent(mlir::linalg::LinalgOp op,
                                          unsigned loop);

/// The length of loop `loop`, if it is known.
std::optional<int64_t> getStaticExtent(mlir::linalg::LinalgOp op,
                                       unsigned loop);

/// Whether partial results of the reductions of `op` can be combined, and by
/// which ops: each takes an element in, as `combinePartial` does another
/// partial result.
bool getCombiners(mlir::linalg::LinalgOp op,
                  llvm::SmallVectorImpl<mlir::Operation *> &combiners);
/// The partial result of no elements.
mlir::TypedAttr getNeutralPartial(mlir::Operation *combiner);
/// Whether a whole thread block shares the reductions of `op`, which is in a
/// chain of groups: there is one result for each group.
bool isGroupReduction(mlir::linalg::LinalgOp op, unsigned groupLoops);
/// Whether a warp shares the innermost reduction of `op`, and by which ops its
/// partial results are combined.
bool isWarpReduction(mlir::linalg::LinalgOp op,
                     llvm::SmallVectorImpl<mlir::Operation *> &combiners);
/// Whether the reduction of `op` goes along columns of memory, so that threads
/// beside each other read what lies side by side; several then share each
/// column.
bool isColumnReduction(mlir::linalg::LinalgOp op,
                       llvm::SmallVectorImpl<mlir::Operation *> &combiners);

/// What works on each index of a chain without groups: a thread, a warp, or a
/// thread each of the warps of a thread block.
enum class LinalgUnit { Thread, Warp, Slices };
LinalgUnit getUnit(const LinalgChain &chain);
/// Threads that work on each index of a chain without groups.
int64_t getUnitThreads(const LinalgChain &chain);

/// A parameter of the kernel that is computed from memrefs and scalars outside.
struct LinalgParameter {
  enum class Kind { Pointer, Stride, Size, Scalar, FirstBlock };
  Kind kind;
  mlir::Value value;
  int64_t position = 0;

  bool operator==(const LinalgParameter &other) const {
    return kind == other.kind && value == other.value &&
           position == other.position;
  }
};

/// Collects the parameters that chains need.
class LinalgParameters {
public:
  explicit LinalgParameters(mlir::ArrayRef<LinalgChain> chains);

  mlir::ArrayRef<LinalgParameter> get() const { return list; }
  llvm::SmallVector<mlir::Type> getTypes(mlir::MLIRContext *context) const;

private:
  void add(LinalgParameter parameter);
  void addMemRef(mlir::Value memref);
  void addScalar(mlir::Value value);
  void addOp(mlir::linalg::LinalgOp op);

  llvm::SmallVector<LinalgParameter> list;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_LINALGPARAMETERS_H
