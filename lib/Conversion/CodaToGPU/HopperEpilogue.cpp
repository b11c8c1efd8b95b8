//===- HopperEpilogue.cpp - Epilogue of the TMA kernels -------------------===//

#include "HopperEpilogue.h"

#include "RowParts.h"

using namespace mlir;
using namespace coda;

/// Groups of 8 columns in a chunk.
static constexpr int64_t kChunkGroups = kChunkColumns / 8;
/// Values of parts that a thread keeps in registers during a main loop.
static constexpr int64_t kKeptParts = 16;

HopperEpilogue::HopperEpilogue(KernelBuilder &b, const KernelPlan &plan,
                               const KernelParameters &parameters,
                               OperandRing &ring, Value consumer,
                               Value threadInGroup)
    : FragmentAccess(b, plan, parameters, threadInGroup), ring(ring),
      consumer(consumer), sums(plan.blocks) {
  isFirstThread = b.eq(thread, b.i32(0));
  barrierId = b.add(consumer, b.i32(1));
}

void HopperEpilogue::groupBarrier() {
  b.barrier(barrierId, 128);
  readSinceBarrier = false;
}

//===----------------------------------------------------------------------===//
// Vector operands
//===----------------------------------------------------------------------===//

void HopperEpilogue::beginTile(Value row, Value column) {
  firstRow = row;
  firstColumn = column;
  inFlight.clear();
  for (auto [i, operand] : llvm::enumerate(plan.operands)) {
    if (operand.access != OperandAccess::Staged)
      continue;
    if (operand.parts) {
      beginParts(i);
      continue;
    }
    bool alongN = operand.dims.contains(Dim::n);
    int64_t count = plan.stagedElements(operand);
    Value start = alongN ? column : row;
    Value size = parameters.size(alongN ? Dim::n : Dim::m);
    if (operand.halfStride) {
      start = b.shr(start, 1);
      size = b.shr(size, 1);
    }
    for (int64_t first = 0; first < count; first += 128) {
      Value inTile = b.add(thread, b.i32(first));
      Value number = b.add(start, inTile);
      Value inside = b.ult(number, size);
      if (first + 128 > count)
        inside = b.bitAnd(inside, b.ult(inTile, b.i32(count)));
      Value pointer =
          parameters.elementPointer(b, plan.operandNumber(i), operand.dims,
                                    operand.memoryType, number, number);
      inFlight.push_back({static_cast<int64_t>(i),
                          first,
                          {b.loadIf(inside, pointer, operand.memoryType)}});
    }
  }
}

/// The row, among 128 or 64, whose parts this thread combines: of 64, two lanes
/// of a warp have the same.
Value HopperEpilogue::rowOfParts() {
  if (plan.warpgroupRows >= 128)
    return thread;
  return b.add(b.shl(warp, 4), b.bitAnd(lane, b.i32(15)));
}

/// Loads the parts of each row. Few enough values are left for after the main
/// loop that its sums keep their registers.
void HopperEpilogue::beginParts(int64_t index) {
  int64_t passes = llvm::divideCeil(plan.warpgroupRows, 128);
  int64_t operands =
      llvm::count_if(plan.operands, [](const OperandPlan &operand) {
        return operand.parts && operand.access == OperandAccess::Staged;
      });
  int64_t kept = std::max<int64_t>(1, kKeptParts / (operands * passes));
  RowParts parts(b, plan, parameters, index, plan.operands[index].combined);
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value row = b.add(firstRow, b.add(rowOfParts(), b.i32(128 * pass)));
    if (plan.warpgroupRows < 128)
      parts.shareBetweenLanes(b.shr(lane, 4));
    inFlight.push_back({index, 128 * pass, parts.begin(row, kept)});
  }
}

/// The loads began before the main loop and are there by now.
void HopperEpilogue::stageVectors() {
  if (inFlight.empty())
    return;
  // The previous tile's readers are done.
  groupBarrier();
  Value base =
      b.add(b.i32(plan.stagedOffset), b.mul(consumer, b.i32(plan.stagedBytes)));
  for (const Staged &staged : inFlight) {
    const OperandPlan &operand = plan.operands[staged.operand];
    int64_t bytes = getElementBytes(operand.memoryType);
    int64_t count = plan.stagedElements(operand);
    Value value = staged.values.front(), inTile = thread;
    if (operand.parts) {
      RowParts parts(b, plan, parameters, staged.operand, operand.combined);
      if (plan.warpgroupRows < 128)
        parts.shareBetweenLanes(b.shr(lane, 4));
      value = parts.end(staged.values);
      inTile = rowOfParts();
    }
    auto write = [&] {
      Value offset = b.add(b.i32(operand.stagedOffset + staged.first * bytes),
                           b.mul(inTile, b.i32(bytes)));
      b.store(value, b.shared(b.add(base, offset)));
    };
    // Of parts, all threads have a row.
    if (!operand.parts && staged.first + 128 > count)
      b.ifThen(b.ult(thread, b.i32(count - staged.first)), write);
    else
      write();
  }
  groupBarrier();
}

Value HopperEpilogue::stagedOperand(int64_t index, FragmentPosition position) {
  const OperandPlan &operand = plan.operands[index];
  bool alongN = operand.dims.contains(Dim::n);
  int64_t bytes = getElementBytes(operand.memoryType);
  int64_t column = 8 * position.group;
  if (operand.halfStride)
    column = getPairNumber(column, operand.halfStride);
  Value inTile = alongN
                     ? b.add(b.shl(b.bitAnd(lane, b.i32(3)), 1), b.i32(column))
                     : b.add(b.add(b.shl(warp, 4), b.shr(lane, 2)),
                             b.i32(64 * position.block + 8 * position.half));
  Value offset = b.add(b.add(b.i32(plan.stagedOffset + operand.stagedOffset),
                             b.mul(consumer, b.i32(plan.stagedBytes))),
                       b.mul(inTile, b.i32(bytes)));
  Type type = alongN ? Type(VectorType::get({2}, operand.memoryType))
                     : operand.memoryType;
  return b.fromMemory(b.load(b.shared(offset), type), operand.elementType);
}

//===----------------------------------------------------------------------===//
// Matrix operands
//===----------------------------------------------------------------------===//

Value HopperEpilogue::matrixOffset(int64_t q) {
  // Lanes 0-15 address the rows of the left 8 columns, 16-31 of the right.
  Value row = b.add(b.shl(warp, 4), b.bitAnd(lane, b.i32(15)));
  Value unit =
      b.bitXor(b.add(b.i32(2 * q), b.shr(lane, 4)), b.bitAnd(row, b.i32(7)));
  return b.add(b.mul(row, b.i32(kRowBytes)), b.shl(unit, 4));
}

Value HopperEpilogue::pairOffset(int64_t half, int64_t g) {
  Value inEight = b.shr(lane, 2);
  Value row = b.add(b.shl(warp, 4), b.add(inEight, b.i32(8 * half)));
  Value pair = b.bitAnd(lane, b.i32(3));
  // Two pairs of 8 bytes make a unit of 16.
  Value unit = b.bitXor(b.add(b.i32(2 * g), b.shr(pair, 1)), inEight);
  return b.add(b.add(b.mul(row, b.i32(kRowBytes)), b.shl(unit, 4)),
               b.shl(b.bitAnd(pair, b.i32(1)), 3));
}

Value HopperEpilogue::bytePairOffset(int64_t half, int64_t g) {
  Value inEight = b.shr(lane, 2);
  Value row = b.add(b.shl(warp, 4), b.add(inEight, b.i32(8 * half)));
  Value inUnit = b.add(b.shl(b.bitAnd(lane, b.i32(3)), 1), b.i32(g % 2 * 8));
  Value unit = b.bitXor(b.i32(g / 2), inEight);
  return b.add(b.add(b.mul(row, b.i32(kRowBytes)), b.shl(unit, 4)), inUnit);
}

Value HopperEpilogue::ringOperand(int64_t index, FragmentPosition position) {
  const OperandPlan &operand = plan.operands[index];
  int64_t chunk = position.group / kChunkGroups;
  int64_t inChunk = position.group % kChunkGroups;
  if (operand.halfStride)
    inChunk = getPairNumber(8 * position.group, operand.halfStride) / 8 %
              kChunkGroups;
  int64_t boxGroups = kChunkGroups / operand.slots;
  int64_t slot = operand.firstSlot + inChunk / boxGroups;
  Value base;
  if (plan.dedicatedOperands()) {
    int64_t stage = plan.operandStagesThrough(position.block, chunk) - 1;
    waitForOperands(stage);
    base = b.i32(plan.operandOffset +
                 stage % plan.operandBuffers * plan.operandStageBytes() +
                 slot * plan.slotBytes);
  } else {
    slot += chunk * plan.slotsPerChunk;
    int64_t stage = slot / plan.slotsPerStage;
    waitForOperands(stage);
    Value start = b.mul(stagePositions[stage].stage, b.i32(plan.stageBytes));
    Value rows = b.mul(consumer, b.i32(plan.warpgroupRows * kRowBytes));
    base = b.add(b.add(start, rows),
                 b.i32(slot % plan.slotsPerStage * plan.slotBytes +
                       position.block * kStoreBufferBytes));
  }

  Type pairType = VectorType::get({2}, operand.memoryType);
  if (operand.slots == 2) {
    Value offset = pairOffset(position.half, inChunk % boxGroups);
    return b.fromMemory(b.load(b.shared(b.add(base, offset)), pairType),
                        operand.elementType);
  }
  int64_t q = inChunk / 2;
  auto &registers =
      loadedMatrices[{index, position.block, chunk * kChunkGroups / 2 + q}];
  if (registers.empty())
    registers = b.loadMatrix(b.shared(b.add(base, matrixOffset(q))));
  // ldmatrix gives rows 0-7 and 8-15 of the left columns, then of the right.
  Value packed = registers[inChunk % 2 * 2 + position.half];
  return b.fromMemory(b.bitcast(packed, pairType), operand.elementType);
}

void HopperEpilogue::waitForOperands(int64_t stage) {
  readSinceBarrier = true;
  for (; waitedStages <= stage; ++waitedStages) {
    plan.asksOutOfOrder |= plan.dedicatedOperands() &&
                           waitedStages - releasedStages >= plan.operandBuffers;
    if (plan.dedicatedOperands())
      b.mbarrierWait(
          ring.operandsFull(consumer, waitedStages % plan.operandBuffers),
          ring.operandPhase(tilePhase, waitedStages));
    else
      ring.waitFull(stagePositions[waitedStages]);
  }
}

/// Frees the stages that nothing after block `block` of chunk `chunk` reads.
void HopperEpilogue::releaseThrough(int64_t chunk, int64_t block) {
  int64_t stages = (chunk + 1) * plan.slotsPerChunk / plan.slotsPerStage;
  if (plan.dedicatedOperands())
    stages = plan.operandStagesThrough(block, chunk);
  else if (block + 1 < plan.blocks)
    return;
  else if (chunk + 1 == plan.chunks)
    stages = plan.operandStages;
  if (stages < plan.operandStages && plan.mixesOperands())
    return;
  if (releasedStages >= stages)
    return;
  // An operand that no result needs was brought all the same. Nobody may still
  // wait for a stage that is given back: it could miss its round.
  if (waitedStages < stages)
    waitForOperands(stages - 1);
  if (readSinceBarrier)
    groupBarrier();
  for (; releasedStages < stages; ++releasedStages) {
    if (plan.dedicatedOperands())
      b.ifThen(isFirstThread, [&] {
        b.mbarrierArrive(
            ring.operandsEmpty(consumer, releasedStages % plan.operandBuffers));
      });
    else
      ring.release(stagePositions[releasedStages].stage, thread);
  }
}

//===----------------------------------------------------------------------===//
// EpilogueSource
//===----------------------------------------------------------------------===//

void HopperEpilogue::setSums(int64_t block, SmallVector<Value> values) {
  sums[block] = std::move(values);
}

Value HopperEpilogue::accumulator(int64_t rhs, FragmentPosition position) {
  int64_t group = position.group + rhs * plan.columns / 8;
  int64_t first = 4 * group + 2 * position.half;
  return b.pair(sums[position.block][first], sums[position.block][first + 1]);
}

Value HopperEpilogue::operand(int64_t index, FragmentPosition position,
                              ColumnSpace space) {
  switch (plan.operands[index].access) {
  case OperandAccess::Staged:
    return stagedOperand(index, position);
  case OperandAccess::Ring:
    return ringOperand(index, position);
  case OperandAccess::Scalar:
  case OperandAccess::Direct:
    break;
  }
  return FragmentAccess::operand(index, position, space);
}

Value HopperEpilogue::combinedParts(int64_t index, FragmentPosition position,
                                    Reduction kind) {
  if (plan.operands[index].access == OperandAccess::Staged)
    return stagedOperand(index, position);
  return FragmentAccess::combinedParts(index, position, kind);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

RingPosition HopperEpilogue::emitTile(RingPosition position, Value phase) {
  tilePhase = phase;
  stagePositions.clear();
  for (int64_t i = 0; i < plan.operandStages && !plan.dedicatedOperands();
       ++i) {
    stagePositions.push_back(position);
    position = ring.next(position);
  }
  waitedStages = releasedStages = stores = 0;
  loadedMatrices.clear();
  stageVectors();
  EpilogueEmitter emitter(b, plan, *this);
  for (int64_t step = 0; step < plan.chunks * plan.blocks; ++step) {
    // The order in which the operands' stages come.
    bool byBlocks = plan.dedicatedOperands();
    int64_t chunk = byBlocks ? step % plan.chunks : step / plan.blocks;
    int64_t block = byBlocks ? step / plan.chunks : step % plan.blocks;
    storeChunk(emitter, chunk, block);
    if (plan.operandStages)
      releaseThrough(chunk, block);
  }
  return position;
}

void HopperEpilogue::storeChunk(EpilogueEmitter &emitter, int64_t chunk,
                                int64_t block) {
  for (auto [i, out] : llvm::enumerate(plan.outs)) {
    if (out.tensorStore) {
      // Boxes that end in this chunk.
      int64_t end = kChunkColumns * (chunk + 1), width = out.boxColumns;
      if (end % width == 0)
        for (int64_t first = end - std::max(width, kChunkColumns); first < end;
             first += width)
          storeBox(emitter, i, first / 8, block);
      else
        // The ring's stages are given back before the box is complete.
        for (int64_t group = 0; group < kChunkGroups; ++group)
          for (int64_t half = 0; half < 2; ++half)
            (void)emitter.result(i,
                                 {block, half, chunk * kChunkGroups + group});
      continue;
    }
    storeGroups(emitter, i, block, chunk * kChunkGroups, kChunkGroups);
  }
  // The ring's stages are given back after this chunk.
  for (int64_t group = 0; group < kChunkGroups; ++group)
    for (int64_t half = 0; half < 2; ++half)
      emitter.prepare({block, half, chunk * kChunkGroups + group});
}

void HopperEpilogue::storeBox(EpilogueEmitter &emitter, int64_t index,
                              int64_t firstGroup, int64_t block) {
  const OutPlan &out = plan.outs[index];
  int64_t buffers = plan.schedule.getStoreBuffers();
  int64_t perTile = 0;
  for (const OutPlan &other : plan.outs)
    if (other.tensorStore)
      perTile += plan.columns / other.boxColumns * plan.blocks;
  // Buffers are used in turn, anew in each tile: where the turns of a tile do
  // not come out even, its first store waits for all of the previous tile's.
  bool first = stores == 0 && perTile % buffers != 0;
  Value buffer =
      b.add(b.i32(plan.storeOffset + stores % buffers * kStoreBufferBytes),
            b.mul(consumer, b.i32(buffers * kStoreBufferBytes)));
  ++stores;

  // Values first: their arithmetic overlaps the previous copies.
  int64_t boxGroups = out.boxColumns / 8;
  SmallVector<Value> pairs;
  for (int64_t group = 0; group < boxGroups; ++group)
    for (int64_t half = 0; half < 2; ++half)
      pairs.push_back(emitter.result(index, {block, half, firstGroup + group}));

  // One barrier serves twice: it says that this buffer is written, and that the
  // next one was read, for which the storing thread has waited before it.
  bool waitsAhead = buffers > 1;
  if (first || !waitsAhead) {
    b.ifThen(isFirstThread, [&] { b.storeWait(0, /*readOnly=*/true); });
    groupBarrier();
  }
  int64_t bytes = getElementBytes(out.memoryType);
  if (bytes == 2) {
    for (int64_t q = 0; q < boxGroups / 2; ++q) {
      SmallVector<Value> registers;
      for (int64_t i = 0; i < 4; ++i)
        registers.push_back(b.bitcast(pairs[4 * q + i], b.getI32Type()));
      b.storeMatrix(b.shared(b.add(buffer, matrixOffset(q))), registers);
    }
  } else {
    for (int64_t group = 0; group < boxGroups; ++group)
      for (int64_t half = 0; half < 2; ++half) {
        Value offset =
            bytes == 1 ? bytePairOffset(half, group) : pairOffset(half, group);
        b.store(pairs[2 * group + half], b.shared(b.add(buffer, offset)));
      }
  }
  b.sharedStoreFence();
  if (waitsAhead)
    b.ifThen(isFirstThread,
             [&] { b.storeWait(buffers - 2, /*readOnly=*/true); });
  groupBarrier();
  b.ifThen(isFirstThread, [&] {
    b.tensorStore(parameters.tensorMap(plan.outNumber(index)), b.shared(buffer),
                  {b.add(firstColumn, b.i32(8 * firstGroup)),
                   b.add(firstRow, b.i32(64 * block))});
    b.storeCommit();
  });
}

void HopperEpilogue::finish() {
  b.ifThen(isFirstThread, [&] { b.storeWait(0, /*readOnly=*/false); });
}
