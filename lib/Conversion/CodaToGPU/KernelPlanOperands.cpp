//===- KernelPlanOperands.cpp - How a kernel reaches its operands ---------===//

#include "KernelPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

/// Whether tensor copies can bring a tile of a cyclic operand: no cycle ends
/// within a box.
bool KernelPlan::mayCopyTiles(const OperandPlan &operand, size_t index) {
  // A box of halves is of two chunks.
  if (operand.dims.getDivisor(Dim::n) != 1 &&
      (!operand.halfStride || columns % (2 * kChunkColumns)))
    return false;
  auto type =
      cast<ShapedType>(GemmOp(gemm).getEpilogueOperands()[index].getType());
  auto fits = [&](Dim dim, int64_t box) {
    if (!operand.dims.isCyclic(dim))
      return true;
    int64_t size = type.getDimSize(operand.dims.indexOf(dim));
    return ShapedType::isStatic(size) && size % box == 0;
  };
  return fits(Dim::m, tileRows) && fits(Dim::n, kChunkColumns);
}

/// The stride of the pairs that operand `index` has halves for, where all that
/// read it agree and a thread holds neighbouring ones; otherwise 0.
int64_t KernelPlan::findHalfStride(size_t index) {
  if (operands[index].dims.getDivisor(Dim::n) != 2)
    return 0;
  int64_t stride = 0;
  Value operand = gemm.getOperandArgs()[index];
  for (Operation *user : operand.getUsers()) {
    ColumnSpace space;
    if (auto pair = dyn_cast<PairOp>(user))
      space = {ColumnSpace::Kind::Half, int64_t(pair.getStride())};
    else if (auto map = dyn_cast<MapOp>(user))
      space = spaces.columns(map.getResult());
    if (space.kind != ColumnSpace::Kind::Half || space.parameter == 1 ||
        (stride && stride != space.parameter))
      return 0;
    stride = space.parameter;
  }
  return stride;
}

int64_t KernelPlan::chunkColumn(const OperandPlan &operand, int64_t chunk) {
  int64_t column = kChunkColumns * chunk;
  if (!operand.halfStride)
    return column;
  return llvm::alignDown(getPairNumber(column, operand.halfStride),
                         kChunkColumns);
}

bool KernelPlan::readsChunk(const OperandPlan &operand, int64_t chunk) {
  int64_t stride = operand.halfStride;
  return stride < kChunkColumns ||
         kChunkColumns * chunk % (2 * stride) < stride;
}

int64_t KernelPlan::operandStagesThrough(int64_t block, int64_t chunk) const {
  auto upTo = llvm::count_if(operandChunks,
                             [&](int64_t other) { return other <= chunk; });
  return block * static_cast<int64_t>(operandChunks.size()) + upTo;
}

bool KernelPlan::mixesColumns() {
  return llvm::any_of(*GemmOp(gemm).getBody(), [](Operation &op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return !isa<MapOp, IndexOp, YieldOp>(op) &&
           !(reduce && reduce.combinesParts());
  });
}

/// What the parts of operand `index` are combined by before they are staged:
/// nothing where that is not one reduction, or there are too many.
std::optional<Reduction> KernelPlan::getStagedReduction(size_t index) {
  std::optional<Reduction> kind;
  if (operands[index].parts > kMostStagedParts)
    return std::nullopt;
  auto argument = GemmOp(gemm).getOperandArgs()[index];
  for (Operation *user : argument.getUsers()) {
    auto reduce = cast<ReduceOp>(user);
    if (kind && *kind != reduce.getKind())
      return std::nullopt;
    kind = reduce.getKind();
  }
  return kind;
}

/// Whether `value` reaches, through maps, what moves columns. Halves stand
/// where the first of their pair does, and joining them asks for nothing later.
static bool reachesMixingOp(Value value) {
  auto isYield = [](Operation *user) { return isa<YieldOp>(user); };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<MapOp, PairOp>(user))
      return llvm::any_of(user->getResults(), reachesMixingOp);
    if (isa<ReduceOp>(user))
      return !llvm::all_of(user->getUsers(), isYield);
    return !isYield(user);
  });
}

int64_t KernelPlan::stagedElements(const OperandPlan &operand) const {
  return operand.dims.contains(Dim::n)
             ? columns / operand.dims.getDivisor(Dim::n)
             : warpgroupRows;
}

bool KernelPlan::mixesOperands() const {
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.access == OperandAccess::Ring &&
        reachesMixingOp(GemmOp(gemm).getBody()->getArgument(
            static_cast<unsigned>(rhsCount + i))))
      return true;
  return false;
}

/// Takes for matrix operands what memory is left, as far as it helps: a deeper
/// ring of A and B is worth more.
void KernelPlan::placeDedicatedOperands(int64_t bytesElsewhere) {
  operandBuffers = operandStages;
  if (mixesOperands())
    return;
  // A buffer serves the same stages of every tile.
  while (operandBuffers % 2 == 0 &&
         bytesElsewhere + operandBuffers * operandStageBytes() >
             kHopperSharedMemoryBytes)
    operandBuffers /= 2;
}
