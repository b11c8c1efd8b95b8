//===- EpilogueEmitter.h - The epilogue on register fragments ---*- C++ -*-===//
//
// The seam between main loops and epilogues. A main loop leaves its sums in the
// layout of the matrix instructions: in a block of 64 rows, lane l of warp w
// (of 4) holds rows 16 w + l/4 and 8 more, and in each group j of 8 columns the
// pair 8 j + 2 (l%4), 8 j + 2 (l%4) + 1. An epilogue is evaluated pair by pair,
// on demand. wgmma and mma.sync have the same layout, so that one emitter
// serves all main loops; what they differ in is an EpilogueSource.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H
#define CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H

#include "KernelBuilder.h"
#include "KernelPlan.h"

namespace coda {

/// One pair of a thread's fragment.
struct FragmentPosition {
  /// Block of 64 rows, row 8 * half within the lane's, group of 8 columns.
  int64_t block = 0, half = 0, group = 0;
};

/// Where the values of an epilogue come from.
class EpilogueSource {
public:
  virtual ~EpilogueSource() = default;
  /// The sums of a right-hand side: vector<2xf32> (or i32).
  virtual mlir::Value accumulator(int64_t rhs, FragmentPosition position) = 0;
  /// An operand's elements in their own type: a vector of 2 where it runs over
  /// columns, a scalar otherwise.
  virtual mlir::Value operand(int64_t index, FragmentPosition position) = 0;
  /// The global number of the row, and of the pair's first column: i32.
  virtual mlir::Value rowNumber(FragmentPosition position) = 0;
  virtual mlir::Value columnNumber(FragmentPosition position) = 0;
};

class EpilogueEmitter {
public:
  EpilogueEmitter(KernelBuilder &b, const KernelPlan &plan,
                  EpilogueSource &source);

  /// An error on the first op of the epilogue that the GPU cannot run.
  static mlir::LogicalResult check(GemmOp gemm);

  /// The pair of destination `index` at `position`, in its memory type.
  mlir::Value result(int64_t index, FragmentPosition position);

private:
  /// Which axes a tile varies along. Sizes do not tell: M or N may be 1.
  struct Axes {
    bool rows, columns;
  };
  Axes axes(mlir::Value tile);
  mlir::Value evaluate(mlir::Value tile, FragmentPosition position);
  mlir::Value evaluateMap(MapOp map, FragmentPosition position, bool vector);

  KernelBuilder &b;
  const KernelPlan &plan;
  EpilogueSource &source;
  llvm::DenseMap<mlir::Value, Axes> knownAxes;
  using Key = std::tuple<mlir::Value, int64_t, int64_t, int64_t>;
  llvm::DenseMap<Key, mlir::Value> values;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_EPILOGUEEMITTER_H
