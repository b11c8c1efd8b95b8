//===- KernelPlan.h - The facts of one kernel -------------------*- C++ -*-===//
//
// What a scheduled coda.gemm becomes: tile sizes, how each value is reached,
// where things lie in shared memory, and the kernel's parameters. Host code and
// kernel code are both written from it and cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_KERNELPLAN_H
#define CODA_LIB_CONVERSION_CODATOGPU_KERNELPLAN_H

#include "EpilogueSpaces.h"
#include "coda/Dialect/Coda/IR/Coda.h"

namespace coda {

/// How an epilogue reads an operand.
enum class OperandAccess {
  /// A kernel parameter.
  Scalar,
  /// Loads by each thread, any strides.
  Direct,
  /// A vector, brought to shared memory once a tile; parts as what they are
  /// combined to.
  Staged,
  /// A matrix, brought by tensor copies through the ring of A and B.
  Ring,
};

struct OperandPlan {
  OperandAccess access;
  DimsAttr dims;
  /// As in the IR, and as in memory (i8 for i1, i64 for index).
  mlir::Type elementType, memoryType;
  /// One column for every two of the product, for pairs of this stride, which
  /// is more than 1; 0 where it is not so, or is read by each thread.
  int64_t halfStride = 0;
  /// Staged: bytes from the start of a warpgroup's staging area.
  int64_t stagedOffset = 0;
  /// Ring: the operand's first slot among those of a chunk, and their number.
  int64_t firstSlot = 0, slots = 0;
  /// Partial results of each row; 0 of any other operand.
  int64_t parts = 0;
  /// Parts and Staged: what combines them.
  Reduction combined = Reduction::add;
};

/// The pair that column `column` of a tile is of, by the count of coda.unpair.
inline int64_t getPairNumber(int64_t column, int64_t stride) {
  return column / (2 * stride) * stride + column % stride;
}

struct OutPlan {
  /// Through shared memory by tensor copies; otherwise by each thread.
  bool tensorStore;
  DimsAttr dims;
  mlir::Type elementType, memoryType;
  /// Columns of a box of 128 bytes: less than, or more than, a chunk's.
  int64_t boxColumns = 64;
};

/// A parameter of the kernel, in order.
struct KernelArgument {
  enum class Kind {
    /// M, N or K: i32.
    Size,
    /// A tensor map with `box`, innermost first.
    TensorMap,
    /// The address of the value's first element.
    Pointer,
    /// The stride of the value along `dim`, in elements: i64.
    Stride,
    /// The size of the value along `dim`, which it is cyclic along: i32.
    Period,
    /// A scalar operand.
    Scalar,
  };
  Kind kind;
  /// The operand number in the coda.gemm (not for sizes).
  unsigned value = 0;
  Dim dim = Dim::m;
  llvm::SmallVector<int64_t, 2> box;
};

struct KernelPlan {
  /// The plan for `gemm` under `schedule`. Where the schedule does not fit,
  /// `why` says so and nothing is emitted. Tensors count as contiguous; with
  /// `willSplit` their whole reductions count as taken apart.
  static mlir::FailureOr<KernelPlan> create(GemmOp gemm, ScheduleAttr schedule,
                                            std::string &why,
                                            bool willSplit = false);

  GemmOp gemm;
  ScheduleAttr schedule;
  bool simple = false;
  /// Of A and B; both are one type in memory.
  mlir::Type lhsType, rhsType, inputMemoryType;
  mlir::Type accumulatorType;
  /// True where A is stored [k, m] or B [k, n].
  bool lhsTransposed = false, rhsTransposed = false;
  int64_t rhsCount = 1;

  // The tile, in elements.
  int64_t tileRows = 0;      // of a thread block (pingpong: of a warpgroup)
  int64_t warpgroupRows = 0; // of it, one consumer warpgroup's
  int64_t blocks = 0;        // of 64 rows in a warpgroup
  int64_t columns = 0;       // of the output
  int64_t totalColumns = 0;  // of all right-hand sides side by side
  int64_t chunks = 0;        // of 64 columns of the output

  int64_t threads = 0;
  int64_t cluster = 1, stages = 1;

  // Shared memory, in bytes.
  int64_t lhsBytes = 0, stageBytes = 0;
  /// Matrix operands come in slots, as many rows of 128 bytes; so many slots
  /// make a stage, so many stages a tile.
  int64_t slotBytes = 0;
  int64_t slotsPerStage = 0, slotsPerChunk = 0, operandStages = 0;
  /// Pingpong: where the stages of matrix operands lie, outside the ring. In
  /// the ring they would keep a stage from the other consumer's main loop for
  /// the length of an epilogue. A stage is what 64 rows and columns need, and
  /// `operandBuffers` of them are there at once.
  int64_t operandOffset = 0, operandBuffers = 0;
  /// The chunks that such stages bring something for.
  llvm::SmallVector<int64_t> operandChunks;
  /// Set while the kernel is emitted where an epilogue asks for stages before
  /// it has released those whose buffers they take: it would wait forever.
  mutable bool asksOutOfOrder = false;
  int64_t storeOffset = 0, barrierOffset = 0, stagedOffset = 0;
  int64_t stagedBytes = 0; // a consumer warpgroup's
  int64_t sharedBytes = 0;

  /// Rows of output tiles of a thread block or cluster that are walked at once.
  int64_t rowsPerStep() const { return tileRows * cluster; }
  /// What the simple kernel multiplies: f16 for 8-bit floats, all of whose
  /// values it has.
  mlir::Type multipliedType() const;
  bool pingpong() const { return schedule.getKernel() == Kernel::pingpong; }

  /// Elements of a vector that a tile reads.
  int64_t stagedElements(const OperandPlan &operand) const;
  /// Whether a value may need others of the same row.
  bool mixesColumns();
  /// Whether a value may need matrix operands of other columns.
  bool mixesOperands() const;
  bool dedicatedOperands() const { return pingpong() && slotsPerChunk > 0; }
  /// Outside the ring: stages of a tile up to `chunk` of `block`.
  int64_t operandStagesThrough(int64_t block, int64_t chunk) const;
  int64_t operandStageBytes() const { return slotsPerStage * slotBytes; }
  int64_t operandRows() const { return dedicatedOperands() ? 64 : tileRows; }
  /// Column of the operand, from its first in the tile, that a tile brings for
  /// the chunk: for halves, the box that has the chunk's pairs.
  static int64_t chunkColumn(const OperandPlan &operand, int64_t chunk);
  /// Whether the chunk's slots of the operand are read: not where its pairs
  /// came with the chunk of their first columns.
  static bool readsChunk(const OperandPlan &operand, int64_t chunk);

  /// All results fit 16-bit formats, so that approximations with errors well
  /// under 2^-12 cannot be seen.
  bool fastMath = false;

  EpilogueSpaces spaces;
  llvm::SmallVector<OperandPlan> operands;
  llvm::SmallVector<OutPlan> outs;
  llvm::SmallVector<KernelArgument> arguments;

  unsigned operandNumber(size_t i) const { return 1 + rhsCount + i; }
  unsigned outNumber(size_t i) const {
    return 1 + rhsCount + operands.size() + i;
  }

private:
  mlir::LogicalResult planHopper(llvm::raw_ostream &why);
  std::optional<Reduction> getStagedReduction(size_t index);
  void placeDedicatedOperands(int64_t bytesElsewhere);
  void planSimple();
  bool mayCopyTiles(const OperandPlan &operand, size_t index);
  int64_t findHalfStride(size_t index);
  void addAccessArguments(unsigned number, DimsAttr dims);
};

/// A swizzled row of shared memory: what one tensor copy box is wide, in bytes.
inline constexpr int64_t kRowBytes = 128;
/// Columns that the epilogue walks at a time.
inline constexpr int64_t kChunkColumns = 64;
/// Parts of a row that a thread loads at once before the main loop; an operand
/// with more is read in a loop by the epilogue.
inline constexpr int64_t kMostStagedParts = 64;
/// 64 rows on their way to a tensor copy.
inline constexpr int64_t kStoreBufferBytes = 64 * kRowBytes;

/// What an element of `type` is in memory: i8 for i1 and 8-bit floats, i64 for
/// index.
mlir::Type getMemoryType(mlir::Type type);
/// Elements along k of a stage of the TMA kernels: a row of 128 bytes.
int64_t getRowElements(mlir::Type memoryType);
/// Whether a warpgroup's products take inputs of this type.
bool hasWgmma(mlir::Type input);
/// Bytes of an element in memory.
int64_t getElementBytes(mlir::Type memoryType);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_KERNELPLAN_H
