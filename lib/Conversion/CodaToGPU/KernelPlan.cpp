//===- KernelPlan.cpp - The facts of one kernel ---------------------------===//

#include "KernelPlan.h"

#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

int64_t coda::getElementBytes(Type memoryType) {
  return memoryType.getIntOrFloatBitWidth() / 8;
}

Type coda::getMemoryType(Type type) {
  if (type.isInteger(1) || isFloat8(type))
    return IntegerType::get(type.getContext(), 8);
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return type;
}

int64_t coda::getRowElements(Type memoryType) {
  return kRowBytes / getElementBytes(memoryType);
}

bool coda::hasWgmma(Type input) {
  return input.isBF16() || input.isF16() || isFloat8(input) ||
         input.isSignlessInteger(8);
}

Type KernelPlan::multipliedType() const {
  return isFloat8(lhsType) ? Float16Type::get(lhsType.getContext())
                           : inputMemoryType;
}

static bool isRowMajorMatrix(DimsAttr dims) {
  return dims.size() == 2 && dims.getDims()[0] == Dim::m;
}

/// Tensor copies bring operands of 2 or 4 bytes.
static bool hasTensorCopyType(Type memoryType) {
  int64_t bytes = getElementBytes(memoryType);
  return bytes == 2 || bytes == 4;
}

/// False where the type shows that tensor copies cannot address the value: an
/// inner stride other than 1, or an outer one that is no multiple of 16 bytes.
static bool mayTensorCopy(Type type, Type memoryType) {
  auto shaped = cast<ShapedType>(type);
  // A tensor will be stored row by row, or as its function's caller says.
  SmallVector<int64_t> strides = {shaped.getShape().back(), 1};
  int64_t offset;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return false;
  int64_t inner = strides.back();
  if (ShapedType::isStatic(inner) && inner != 1 &&
      shaped.getShape().back() != 1)
    return false;
  int64_t outer = strides.front();
  return ShapedType::isDynamic(outer) || shaped.getShape().front() == 1 ||
         (outer > 0 && outer * getElementBytes(memoryType) % 16 == 0);
}

void KernelPlan::addAccessArguments(unsigned number, DimsAttr dims) {
  arguments.push_back({KernelArgument::Kind::Pointer, number, Dim::m, {}});
  for (Dim dim : dims.getDims())
    arguments.push_back({KernelArgument::Kind::Stride, number, dim, {}});
  for (Dim dim : dims.getDims())
    if (dims.isCyclic(dim))
      arguments.push_back({KernelArgument::Kind::Period, number, dim, {}});
}

FailureOr<KernelPlan> KernelPlan::create(GemmOp gemm, ScheduleAttr schedule,
                                         std::string &why, bool willSplit) {
  llvm::raw_string_ostream reason(why);
  KernelPlan plan;
  plan.gemm = gemm;
  plan.schedule = schedule;
  plan.simple = schedule.getKernel() == Kernel::simple;
  plan.lhsType = gemm.getInputElementType();
  plan.rhsType = getElementTypeOrSelf(gemm.getRhs().front().getType());
  plan.inputMemoryType = getMemoryType(plan.lhsType);
  plan.accumulatorType = GemmOp::getAccumulatorType(plan.lhsType);
  plan.lhsTransposed = gemm.getLhsDims().getDims().front() == Dim::k;
  plan.rhsTransposed = gemm.getRhsDims().getDims().front() == Dim::k;
  plan.rhsCount = gemm.getRhs().size();
  plan.totalColumns = schedule.getTileN();
  plan.columns = plan.totalColumns / plan.rhsCount;
  plan.tileRows = schedule.getTileM();
  plan.cluster = schedule.getCluster();
  plan.stages = schedule.getStages();

  for (auto [i, operand] : llvm::enumerate(gemm.getEpilogueOperands())) {
    OperandPlan operandPlan;
    operandPlan.dims = gemm.getOperandDims(i);
    operandPlan.elementType = getElementTypeOrSelf(operand.getType());
    operandPlan.memoryType = getMemoryType(operandPlan.elementType);
    operandPlan.access = isa<ShapedType>(operand.getType())
                             ? OperandAccess::Direct
                             : OperandAccess::Scalar;
    if (operandPlan.dims.hasParts())
      operandPlan.parts = cast<ShapedType>(operand.getType())
                              .getDimSize(operandPlan.dims.indexOf(Dim::parts));
    plan.operands.push_back(operandPlan);
  }
  plan.fastMath = true;
  for (auto [i, out] : llvm::enumerate(gemm.getOuts())) {
    OutPlan outPlan;
    outPlan.dims = gemm.getOutDims(i);
    outPlan.elementType = getElementTypeOrSelf(out.getType());
    outPlan.memoryType = getMemoryType(outPlan.elementType);
    outPlan.tensorStore = false;
    plan.outs.push_back(outPlan);
    plan.fastMath &= isa<FloatType>(outPlan.elementType) &&
                     outPlan.elementType.getIntOrFloatBitWidth() <= 16;
  }
  for (Dim dim : {Dim::m, Dim::n, Dim::k})
    plan.arguments.push_back({KernelArgument::Kind::Size, 0, dim, {}});
  if (plan.totalColumns % (8 * plan.rhsCount)) {
    reason << "tile_n must be a multiple of 8 for each of " << plan.rhsCount
           << " right-hand sides, but is " << plan.totalColumns;
    return failure();
  }
  FailureOr<EpilogueSpaces> spaces =
      EpilogueSpaces::create(gemm, plan.columns, willSplit, why);
  if (failed(spaces))
    return failure();
  plan.spaces = std::move(*spaces);
  if (plan.simple)
    plan.planSimple();
  else if (failed(plan.planHopper(reason)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(plan.operands)) {
    unsigned number = plan.operandNumber(i);
    int64_t width = 0;
    switch (operand.access) {
    case OperandAccess::Scalar:
      plan.arguments.push_back(
          {KernelArgument::Kind::Scalar, number, Dim::m, {}});
      break;
    case OperandAccess::Direct:
    case OperandAccess::Staged:
      plan.addAccessArguments(number, operand.dims);
      break;
    case OperandAccess::Ring:
      width = kRowBytes / getElementBytes(operand.memoryType);
      plan.arguments.push_back({KernelArgument::Kind::TensorMap,
                                number,
                                Dim::m,
                                {width, plan.operandRows()}});
      for (Dim dim : operand.dims.getDims())
        if (operand.dims.isCyclic(dim))
          plan.arguments.push_back(
              {KernelArgument::Kind::Period, number, dim, {}});
      break;
    }
  }
  for (auto [i, out] : llvm::enumerate(plan.outs)) {
    unsigned number = plan.outNumber(i);
    if (!out.tensorStore) {
      plan.addAccessArguments(number, out.dims);
      continue;
    }
    plan.arguments.push_back({KernelArgument::Kind::TensorMap,
                              number,
                              Dim::m,
                              {out.boxColumns, 64}});
  }
  return plan;
}

void KernelPlan::planSimple() {
  threads = 128;
  warpgroupRows = tileRows;
  blocks = 1;
  chunks = llvm::divideCeil(columns, kChunkColumns);
  addAccessArguments(0, gemm.getLhsDims());
  for (int64_t r = 0; r < rhsCount; ++r)
    addAccessArguments(1 + r, gemm.getRhsDims());
  // One k-step of A and of each B, rows padded against bank conflicts.
  int64_t bytes = getElementBytes(multipliedType());
  int64_t pitch = (schedule.getTileK() + 8) * bytes;
  lhsBytes = tileRows * pitch;
  stageBytes = lhsBytes + totalColumns * pitch;
  sharedBytes = stageBytes;
}

LogicalResult KernelPlan::planHopper(llvm::raw_ostream &why) {
  if (!hasWgmma(lhsType))
    return (why << "this kernel takes bf16, f16, f8E4M3FN, f8E5M2 or i8 "
                   "inputs, not "
                << lhsType,
            failure());
  int64_t bytes = getElementBytes(inputMemoryType);
  int64_t tileK = schedule.getTileK();
  if (tileK != getRowElements(inputMemoryType))
    return (why << "tile_k must be " << getRowElements(inputMemoryType)
                << " for inputs of type " << lhsType << ", but is " << tileK,
            failure());
  // Only 16-bit inputs can be transposed on their way from shared memory.
  if (bytes == 1 && (lhsTransposed || rhsTransposed))
    return (why << "inputs of type " << lhsType
                << " must be stored [m, k] and [n, k], but are "
                << (lhsTransposed ? "[k, m]" : "[m, k]") << " and "
                << (rhsTransposed ? "[k, n]" : "[n, k]"),
            failure());
  if (totalColumns % (rhsCount * kChunkColumns))
    return (why << "tile_n must be a multiple of " << kChunkColumns
                << " for each of " << rhsCount << " right-hand sides, but is "
                << totalColumns,
            failure());
  if (rhsTransposed && columns / cluster % 64)
    return (why << "a right-hand side stored [k, n] needs a multiple of 64 "
                   "columns for each thread block of the cluster, but has "
                << columns << " / " << cluster,
            failure());
  if (!mayTensorCopy(gemm.getLhs().getType(), inputMemoryType))
    return (why << "lhs " << gemm.getLhs().getType()
                << " needs the kernel 'simple': its inner stride must be 1 "
                   "and its outer one a multiple of 16 bytes",
            failure());
  for (auto [i, rhs] : llvm::enumerate(gemm.getRhs()))
    if (!mayTensorCopy(rhs.getType(), inputMemoryType))
      return (why << "rhs #" << i << ' ' << rhs.getType()
                  << " needs the kernel 'simple': its inner stride must be "
                     "1 and its outer one a multiple of 16 bytes",
              failure());

  threads = 384;
  warpgroupRows = pingpong() ? tileRows : tileRows / 2;
  blocks = warpgroupRows / 64;
  chunks = columns / kChunkColumns;
  int64_t accumulators = blocks * totalColumns / 2;
  if (accumulators > 128)
    return (why << "a thread would hold " << accumulators
                << " sums, but at most 128 fit its registers",
            failure());

  lhsBytes = tileRows * tileK * bytes;
  stageBytes = lhsBytes + totalColumns * tileK * bytes;
  auto matrixBox = [&](bool transposed, int64_t rows) {
    return transposed ? SmallVector<int64_t, 2>{64, tileK}
                      : SmallVector<int64_t, 2>{tileK, rows};
  };
  arguments.push_back({KernelArgument::Kind::TensorMap, 0, Dim::m,
                       matrixBox(lhsTransposed, tileRows)});
  for (int64_t r = 0; r < rhsCount; ++r)
    arguments.push_back({KernelArgument::Kind::TensorMap,
                         static_cast<unsigned>(1 + r), Dim::m,
                         matrixBox(rhsTransposed, columns / cluster)});

  // Epilogue operands.
  slotBytes = tileRows * kRowBytes;
  slotsPerStage = stageBytes / slotBytes;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand.access == OperandAccess::Scalar)
      continue;
    int64_t elementBytes = getElementBytes(operand.memoryType);
    if (operand.parts) {
      if (std::optional<Reduction> kind = getStagedReduction(i)) {
        operand.access = OperandAccess::Staged;
        operand.combined = *kind;
        operand.stagedOffset = stagedBytes;
        stagedBytes += llvm::alignTo(warpgroupRows * elementBytes, 16);
      }
      continue;
    }
    operand.halfStride = findHalfStride(i);
    if (isRowMajorMatrix(operand.dims) && mayCopyTiles(operand, i) &&
        hasTensorCopyType(operand.memoryType) &&
        mayTensorCopy(gemm.getEpilogueOperands()[i].getType(),
                      operand.memoryType)) {
      operand.access = OperandAccess::Ring;
      operand.firstSlot = slotsPerChunk;
      operand.slots = kChunkColumns * elementBytes / kRowBytes;
      slotsPerChunk += operand.slots;
    } else if (operand.dims.size() == 1 &&
               (operand.dims.getDivisors()[0] == 1 || operand.halfStride)) {
      operand.access = OperandAccess::Staged;
      operand.stagedOffset = stagedBytes;
      stagedBytes += llvm::alignTo(stagedElements(operand) * elementBytes, 16);
    }
  }
  operandOffset = stages * stageBytes;
  if (dedicatedOperands()) {
    slotBytes = operandRows() * kRowBytes;
    slotsPerStage = slotsPerChunk;
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      if (llvm::any_of(operands, [&](const OperandPlan &operand) {
            return operand.access == OperandAccess::Ring &&
                   readsChunk(operand, chunk);
          }))
        operandChunks.push_back(chunk);
    operandStages = static_cast<int64_t>(operandChunks.size()) * blocks;
  } else {
    operandStages = llvm::divideCeil(chunks * slotsPerChunk, slotsPerStage);
    // Columns are asked for out of their order then, and all must be there.
    if (mixesColumns() && operandStages > stages)
      return (why << "the matrix operands of a tile need " << operandStages
                  << " stages at once, but there are " << stages,
              failure());
  }
  bool anyStore = false;
  for (auto [i, out] : llvm::enumerate(outs)) {
    out.tensorStore =
        isRowMajorMatrix(out.dims) && out.dims.isWhole() &&
        spaces.out(i).kind == ColumnSpace::Kind::Full &&
        getElementBytes(out.memoryType) <= 4 &&
        columns % getRowElements(out.memoryType) == 0 &&
        mayTensorCopy(gemm.getOuts()[i].getType(), out.memoryType);
    out.boxColumns = getRowElements(out.memoryType);
    anyStore |= out.tensorStore;
  }

  int64_t storeBytes =
      anyStore ? 2 * schedule.getStoreBuffers() * kStoreBufferBytes : 0;
  int64_t operandBarriers = dedicatedOperands() ? 4 * operandStages : 0;
  int64_t barrierBytes = 8 * (2 * stages + operandBarriers);
  if (dedicatedOperands())
    placeDedicatedOperands(operandOffset + storeBytes +
                           llvm::alignTo(2 * stagedBytes, 8) + barrierBytes);
  storeOffset = operandOffset + operandBuffers * operandStageBytes();
  stagedOffset = storeOffset + storeBytes;
  barrierOffset = llvm::alignTo(stagedOffset + 2 * stagedBytes, 8);
  sharedBytes = barrierOffset + barrierBytes;
  if (sharedBytes > kHopperSharedMemoryBytes)
    return (why << "it needs " << sharedBytes << " bytes of shared memory, but "
                << kHopperSharedMemoryBytes << " are there",
            failure());
  return success();
}
