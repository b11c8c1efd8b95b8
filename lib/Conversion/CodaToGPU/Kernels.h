//===- Kernels.h - The bodies of kernels ------------------------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_KERNELS_H
#define CODA_LIB_CONVERSION_CODATOGPU_KERNELS_H

#include "EpilogueEmitter.h"
#include "KernelBuilder.h"
#include "KernelPlan.h"

namespace coda {

/// What every kernel body starts from: its parameters, by what they are.
class KernelParameters {
public:
  /// Those of `plan` start at argument `first` of the kernel.
  KernelParameters(const KernelPlan &plan, mlir::Block *entry,
                   unsigned first = 0);
  mlir::Value size(Dim dim) const;
  mlir::Value tensorMap(unsigned number) const;
  mlir::Value scalar(unsigned number) const;
  /// The address of the element at `row`, `column` (i32) of a value that is
  /// accessed directly; a coordinate that it does not have is ignored. `other`
  /// is that along k, or the number of a part.
  mlir::Value elementPointer(KernelBuilder &b, unsigned number, DimsAttr dims,
                             mlir::Type memoryType, mlir::Value row,
                             mlir::Value column, mlir::Value other = {}) const;
  /// The stride of such a value along `dim`, in elements: i64.
  mlir::Value stride(unsigned number, Dim dim) const;

  /// A coordinate along `dim` of a value that may be cyclic along it.
  mlir::Value inCycle(KernelBuilder &b, unsigned number, DimsAttr dims, Dim dim,
                      mlir::Value coordinate) const;

private:
  mlir::Value find(KernelArgument::Kind kind, unsigned number, Dim dim) const;
  const KernelPlan &plan;
  mlir::Block *entry;
  unsigned first;
};

/// Where the rows and columns of a thread's fragment are, and the loads and
/// stores of each thread by itself; kernels add their own ways.
class FragmentAccess : public EpilogueSource {
public:
  FragmentAccess(KernelBuilder &b, const KernelPlan &plan,
                 const KernelParameters &parameters, mlir::Value laneInGroup);

  mlir::Value operand(int64_t index, FragmentPosition position,
                      ColumnSpace space) override;
  mlir::Value combinedParts(int64_t index, FragmentPosition position,
                            Reduction kind) override;
  mlir::Value rowNumber(FragmentPosition position) override;
  mlir::Value columnNumber(FragmentPosition position) override;
  mlir::Value productSize(Dim dim) override;

  /// Stores what destination `index` takes from `count` groups of 8 columns in
  /// a block, where it lies inside, each thread by itself.
  void storeGroups(EpilogueEmitter &emitter, int64_t index, int64_t block,
                   int64_t firstGroup, int64_t count);

protected:
  KernelBuilder &b;
  const KernelPlan &plan;
  const KernelParameters &parameters;
  /// The thread's number in its warpgroup, its lane and warp: i32.
  mlir::Value thread, lane, warp;
  /// Global number of the first row and column of the fragment; set by the
  /// kernel before the epilogue.
  mlir::Value firstRow, firstColumn;

private:
  mlir::Value loadElement(int64_t index, mlir::Value row, mlir::Value column,
                          mlir::Value columnEnd);
  void storePosition(EpilogueEmitter &emitter, int64_t index,
                     FragmentPosition position);
  void storeElement(int64_t index, mlir::Value value, mlir::Value row,
                    mlir::Value rowEnd, mlir::Value column,
                    mlir::Value columnEnd);
  /// The number, in `space`, of the first column at `position`, and how many
  /// columns the space has.
  std::pair<mlir::Value, mlir::Value> spaceColumn(FragmentPosition position,
                                                  ColumnSpace space);
};

/// The order in which output tiles are walked: `raster` rows of steps at a
/// time, so that the operands of concurrent tiles stay in the L2 cache.
struct TileOrder {
  mlir::Value rowTiles, columnTiles;
  /// Numbers of the row step and column of tile `index`.
  std::pair<mlir::Value, mlir::Value> locate(KernelBuilder &b, int64_t raster,
                                             mlir::Value index) const;
};

/// Whether the destinations need a row (column) of tiles even if M (N) is 0.
bool needsTilesWithout(const KernelPlan &plan, Dim dim);

/// Persistent, warp-specialised: TMA and wgmma. `block` is the number of the
/// thread block among the `blocks` that work on this product.
void emitHopperKernel(KernelBuilder &b, const KernelPlan &plan,
                      const KernelParameters &parameters, mlir::Value block,
                      mlir::Value blocks);

/// One tile a thread block, ordinary loads, mma.sync or scalar products.
void emitSimpleKernel(KernelBuilder &b, const KernelPlan &plan,
                      const KernelParameters &parameters);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_KERNELS_H
