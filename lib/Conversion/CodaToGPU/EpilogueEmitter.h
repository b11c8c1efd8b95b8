//===- EpilogueEmitter.h - The epilogue on register fragments ---*- C++ -*-===//
//
// The seam between main loops and epilogues. A main loop leaves its sums in the
// layout of the matrix instructions: in a block of 64 rows, lane l of warp w
// (of 4) holds rows 16 w + l/4 and 8 more, and in each group j of 8 columns the
// pair 8 j + 2 (l%4), 8 j + 2 (l%4) + 1. An epilogue is evaluated pair by pair,
// on demand. wgmma and mma.sync have the same layout, so that one emitter
// serves all main loops; what they differ in is an EpilogueSource.
//
// Halves and groups of columns are evaluated at the position of columns that
// they stand for: the first of a pair, any of a group.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H

#include "EpilogueSpaces.h"
#include "KernelBuilder.h"
#include "KernelPlan.h"

namespace coda {

/// One pair of a thread's fragment.
struct FragmentPosition {
  /// Block of 64 rows, row 8 * half within the lane's, group of 8 columns.
  int64_t block = 0, half = 0, group = 0;

  FragmentPosition at(int64_t otherGroup) const {
    return {block, half, otherGroup};
  }
};

/// Where the values of an epilogue come from.
class EpilogueSource {
public:
  virtual ~EpilogueSource() = default;
  /// The sums of a right-hand side: vector<2xf32> (or i32).
  virtual mlir::Value accumulator(int64_t rhs, FragmentPosition position) = 0;
  /// An operand's elements in their own type: a vector of 2 where `space` holds
  /// its columns in pairs, a scalar otherwise.
  virtual mlir::Value operand(int64_t index, FragmentPosition position,
                              ColumnSpace space) = 0;
  /// The parts of the row that an operand has, combined by `kind`.
  virtual mlir::Value combinedParts(int64_t index, FragmentPosition position,
                                    Reduction kind) = 0;
  /// The global number of the row, and of the pair's first column: i32.
  virtual mlir::Value rowNumber(FragmentPosition position) = 0;
  virtual mlir::Value columnNumber(FragmentPosition position) = 0;
  /// The size of the product along a dimension: i32.
  virtual mlir::Value productSize(Dim dim) = 0;
};

class EpilogueEmitter {
public:
  EpilogueEmitter(KernelBuilder &b, const KernelPlan &plan,
                  EpilogueSource &source);

  /// An error on the first op of the epilogue that the GPU cannot run.
  static mlir::LogicalResult check(GemmOp gemm);

  /// What destination `index` takes from `position`, in its memory type: a pair
  /// where its space holds pairs, else a scalar.
  mlir::Value result(int64_t index, FragmentPosition position);

  /// Computes what reductions will take from `position`, for a source that
  /// cannot be asked about it later.
  void prepare(FragmentPosition position);

private:
  mlir::Value evaluate(mlir::Value tile, FragmentPosition position,
                       ColumnSpace space);
  mlir::Value compute(mlir::Value tile, FragmentPosition position,
                      ColumnSpace space);
  mlir::Value computeMap(MapOp map, FragmentPosition position,
                         ColumnSpace space);
  mlir::Value computeIndex(IndexOp index, FragmentPosition position);
  mlir::Value computePair(PairOp pair, FragmentPosition position);
  mlir::Value computeUnpair(mlir::OpResult result, FragmentPosition position);
  // ReductionEmitter.cpp
  mlir::Value reduceColumns(ReduceOp reduce, FragmentPosition position);
  mlir::Value reduceRows(ReduceOp reduce, FragmentPosition position);
  mlir::Value combine(Reduction kind, mlir::Value x, mlir::Value y);
  mlir::Value combineLanes(Reduction kind, mlir::Value value,
                           mlir::ArrayRef<int64_t> masks);
  mlir::Value mask(mlir::Value pair, mlir::Value neutral,
                   FragmentPosition position, Dim dim);
  mlir::Value logSumExp(mlir::ArrayRef<mlir::Value> pairs);

  /// The position of the pair that `position`'s is paired with, and whether
  /// `position` is the second of them.
  static std::pair<int64_t, bool> partner(int64_t group, int64_t stride);

  KernelBuilder &b;
  const KernelPlan &plan;
  EpilogueSource &source;
  using Key =
      std::tuple<mlir::Value, int64_t, int64_t, int64_t, int64_t, int64_t>;
  llvm::DenseMap<Key, mlir::Value> values;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H
