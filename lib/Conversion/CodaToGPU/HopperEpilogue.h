//===- HopperEpilogue.h - Epilogue of the TMA kernels -----------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_HOPPEREPILOGUE_H
#define CODA_LIB_CONVERSION_CODATOGPU_HOPPEREPILOGUE_H

#include "Kernels.h"

namespace coda {

/// A stage of the ring, and the parity of the round through it.
struct RingPosition {
  mlir::Value stage, phase;
};

/// The ring of stages between the producer and the consumers.
class OperandRing {
public:
  OperandRing(KernelBuilder &b, const KernelPlan &plan) : b(b), plan(plan) {}
  void initialize();
  mlir::Value full(RingPosition position);
  mlir::Value empty(mlir::Value stage);
  void waitFull(RingPosition position);
  void waitEmpty(RingPosition position);
  /// Called by all threads of a consumer that has read `stage`.
  void release(mlir::Value stage, mlir::Value thread);
  RingPosition next(RingPosition position);

  // Operands outside the ring: for each buffer each consumer has a barrier of
  // its own for "there" and for "read", the memory being one.
  mlir::Value operandsFull(mlir::Value consumer, int64_t buffer);
  mlir::Value operandsEmpty(mlir::Value consumer, int64_t buffer);
  /// The parity of a consumer's use of a buffer for `stage` of a tile, `tile`
  /// being that of the consumer's tile.
  mlir::Value operandPhase(mlir::Value tile, int64_t stage);

private:
  KernelBuilder &b;
  const KernelPlan &plan;
};

/// One consumer's epilogue: matrix operands from the ring, vectors from shared
/// memory, results through swizzled shared memory to tensor copies.
class HopperEpilogue : public FragmentAccess {
public:
  HopperEpilogue(KernelBuilder &b, const KernelPlan &plan,
                 const KernelParameters &parameters, OperandRing &ring,
                 mlir::Value consumer, mlir::Value threadInGroup);

  /// Before the main loop: starts the loads of vector operands.
  void beginTile(mlir::Value row, mlir::Value column);
  void setSums(int64_t block, llvm::SmallVector<mlir::Value> sums);
  /// Gives the position after the operands' stages, the first being `position`.
  /// `tilePhase` is the parity of this consumer's tile, for operands outside
  /// the ring.
  RingPosition emitTile(RingPosition position, mlir::Value tilePhase);
  /// After the last tile.
  void finish();

  mlir::Value accumulator(int64_t rhs, FragmentPosition position) override;
  mlir::Value operand(int64_t index, FragmentPosition position,
                      ColumnSpace space) override;
  mlir::Value combinedParts(int64_t index, FragmentPosition position,
                            Reduction kind) override;

private:
  void beginParts(int64_t index);
  mlir::Value rowOfParts();
  void stageVectors();
  void storeChunk(EpilogueEmitter &emitter, int64_t chunk, int64_t block);
  void storeBox(EpilogueEmitter &emitter, int64_t out, int64_t firstGroup,
                int64_t block);
  mlir::Value stagedOperand(int64_t index, FragmentPosition position);
  mlir::Value ringOperand(int64_t index, FragmentPosition position);
  void waitForOperands(int64_t stage);
  void releaseThrough(int64_t chunk, int64_t block);
  void groupBarrier();
  /// Byte offset in a swizzled buffer of 128-byte rows of the row that this
  /// lane addresses for ldmatrix and stmatrix, at columns 16 q to 16 q + 15.
  mlir::Value matrixOffset(int64_t q);
  /// The same of a pair of elements of 4 bytes or 1, group `g` of 8 columns in
  /// the box.
  mlir::Value pairOffset(int64_t half, int64_t g);
  mlir::Value bytePairOffset(int64_t half, int64_t g);

  OperandRing &ring;
  mlir::Value consumer, isFirstThread, barrierId, tilePhase;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> sums;
  /// Elements on their way to the staging area: operand, first element, and the
  /// value, or what of its parts is still to be combined.
  struct Staged {
    int64_t operand, first;
    llvm::SmallVector<mlir::Value> values;
  };
  llvm::SmallVector<Staged> inFlight;
  llvm::SmallVector<RingPosition> stagePositions;
  llvm::DenseMap<std::tuple<int64_t, int64_t, int64_t>,
                 llvm::SmallVector<mlir::Value>>
      loadedMatrices;
  int64_t waitedStages = 0, releasedStages = 0;
  int64_t stores = 0;
  bool readSinceBarrier = false;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_HOPPEREPILOGUE_H
