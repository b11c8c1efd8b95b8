//===- HopperKernel.cpp - Persistent TMA + wgmma main loop ----------------===//
//
// Three warpgroups: a producer, of which one thread issues tensor copies into a
// ring of stages, and two consumers. A stage holds the A and B of one k-block;
// after the last one of a tile, further stages bring the tile of the epilogue's
// matrix operands. Every thread block of a cluster loads its own A and its part
// of B, multicast to all.
//
//===----------------------------------------------------------------------===//

#include "HopperEpilogue.h"
#include "Kernels.h"

using namespace mlir;
using namespace coda;

/// Registers a thread; 40 + 2 * 232 fit the file of a multiprocessor.
static constexpr int64_t kProducerRegisters = 40;
static constexpr int64_t kConsumerRegisters = 232;
/// Named barriers: 1 and 2 belong to the consumers' epilogues.
static constexpr int64_t kOrderBarrier = 4;

namespace {
class HopperKernel {
public:
  HopperKernel(KernelBuilder &b, const KernelPlan &plan,
               const KernelParameters &parameters, Value block, Value blocks)
      : b(b), plan(plan), parameters(parameters), ring(b, plan),
        blockNumber(block), blockCount(blocks) {}

  void emit() {
    thread = b.threadIdX();
    Value warpgroup = b.warpUniform(b.shr(thread, 7));
    rank = plan.cluster > 1 ? b.clusterRank() : b.i32(0);
    b.ifThen(b.eq(thread, b.i32(0)), [&] { ring.initialize(); });
    if (plan.cluster > 1)
      b.clusterBarrier();
    else
      b.barrierAll();

    Value clusterShift = b.i32(plan.cluster);
    firstTile = b.divu(blockNumber, clusterShift);
    tileStep = b.divu(blockCount, clusterShift);
    order.rowTiles = b.ceilDivU(parameters.size(Dim::m), plan.rowsPerStep());
    order.columnTiles = b.ceilDivU(parameters.size(Dim::n), plan.columns);
    tiles = b.mul(order.rowTiles, order.columnTiles);
    blocksOfK = b.ceilDivU(parameters.size(Dim::k), plan.schedule.getTileK());

    b.ifThen(
        b.eq(warpgroup, b.i32(0)), [&] { emitProducer(); },
        [&] { emitConsumer(b.sub(warpgroup, b.i32(1))); });
    // Nobody leaves while others may still arrive at its barriers.
    if (plan.cluster > 1)
      b.clusterBarrier();
  }

private:
  /// Global number of the first row and column of tile `index`.
  std::pair<Value, Value> tileOrigin(Value index) {
    auto [row, column] = order.locate(b, plan.schedule.getRaster(), index);
    return {b.add(b.mul(row, b.i32(plan.rowsPerStep())),
                  b.mul(rank, b.i32(plan.tileRows))),
            b.mul(column, b.i32(plan.columns))};
  }

  void emitProducer() {
    b.setMaxRegisters(kProducerRegisters, /*increase=*/false);
    Value warp = b.warpUniform(b.shr(thread, 5));
    b.ifThen(b.eq(warp, b.i32(0)), [&] {
      b.ifThen(b.electOne(), [&] {
        // The ring starts empty: the wait for the previous round succeeds.
        b.loop(firstTile, tiles, tileStep, {b.i32(0), b.i32(1)},
               [&](Value tile, ValueRange state) {
                 RingPosition position =
                     produceTile(tile, {state[0], state[1]});
                 return SmallVector<Value>{position.stage, position.phase};
               });
      });
    });
    if (!plan.dedicatedOperands())
      return;
    // A warp of its own: one that waited for an epilogue to end would let the
    // main loops starve.
    b.ifThen(b.eq(warp, b.i32(1)), [&] {
      b.ifThen(b.electOne(), [&] {
        b.loop(firstTile, tiles, tileStep, {b.i32(0)},
               [&](Value tile, ValueRange state) {
                 produceOperands(tile, state[0]);
                 return SmallVector<Value>{b.add(state[0], b.i32(1))};
               });
      });
    });
  }

  /// `count` is the number of tiles before this one.
  void produceOperands(Value tile, Value count) {
    auto [row, column] = tileOrigin(tile);
    Value one = b.i32(1);
    Value reader = b.bitAnd(count, one);
    // The tile before is the other consumer's. Before the first tile that is
    // the round before the barriers' first.
    Value before = b.sub(count, one);
    Value otherReader = b.bitAnd(before, one);
    Value phase = b.bitAnd(b.shr(count, 1), one);
    Value otherPhase = b.bitAnd(b.shr(before, 1), one);
    for (int64_t stage = 0; stage < plan.operandStages; ++stage) {
      int64_t buffer = stage % plan.operandBuffers;
      int64_t previous = stage - plan.operandBuffers;
      // What the buffer held must have been read.
      if (previous >= 0)
        b.mbarrierWait(ring.operandsEmpty(reader, buffer),
                       ring.operandPhase(phase, previous));
      else
        b.mbarrierWait(
            ring.operandsEmpty(otherReader, buffer),
            ring.operandPhase(otherPhase, previous + plan.operandStages));
      loadOperands(
          ring.operandsFull(reader, buffer),
          b.i32(plan.operandOffset + buffer * plan.operandStageBytes()), stage,
          row, column);
    }
  }

  RingPosition produceTile(Value tile, RingPosition position) {
    auto [row, column] = tileOrigin(tile);
    SmallVector<Value> state = b.loop(
        b.i32(0), blocksOfK, b.i32(1), {position.stage, position.phase},
        [&, row = row, column = column](Value block, ValueRange carried) {
          RingPosition current{carried[0], carried[1]};
          ring.waitEmpty(current);
          b.mbarrierExpect(ring.full(current), plan.stageBytes);
          Value k = b.mul(block, b.i32(plan.schedule.getTileK()));
          loadBlock(current, row, column, k);
          RingPosition next = ring.next(current);
          return SmallVector<Value>{next.stage, next.phase};
        });
    RingPosition current{state[0], state[1]};
    if (plan.dedicatedOperands())
      return current;
    for (int64_t stage = 0; stage < plan.operandStages; ++stage) {
      ring.waitEmpty(current);
      loadOperands(ring.full(current),
                   b.mul(current.stage, b.i32(plan.stageBytes)), stage, row,
                   column);
      current = ring.next(current);
    }
    return current;
  }

  void loadBlock(RingPosition position, Value row, Value column, Value k) {
    Value base = b.mul(position.stage, b.i32(plan.stageBytes));
    Value full = ring.full(position);
    Value map = parameters.tensorMap(0);
    constexpr int64_t kBoxBytes = 64 * 128;
    if (plan.lhsTransposed) {
      for (int64_t i = 0; i < plan.tileRows / 64; ++i)
        b.tensorLoad(b.shared(b.add(base, b.i32(i * kBoxBytes))), map,
                     {b.add(row, b.i32(64 * i)), k}, full);
    } else {
      b.tensorLoad(b.shared(base), map, {k, row}, full);
    }
    // Each thread block of the cluster brings `part` columns of each rhs to
    // all of them.
    int64_t part = plan.columns / plan.cluster;
    Value mask = plan.cluster > 1 ? b.i16((1 << plan.cluster) - 1) : Value();
    Value firstOfPart = b.mul(rank, b.i32(part));
    for (int64_t rhs = 0; rhs < plan.rhsCount; ++rhs) {
      Value offset =
          b.add(b.add(base, b.i32(plan.lhsBytes + rhs * plan.columns * 128)),
                b.mul(firstOfPart, b.i32(128)));
      Value n = b.add(column, firstOfPart);
      Value rhsMap = parameters.tensorMap(1 + rhs);
      if (plan.rhsTransposed) {
        for (int64_t i = 0; i < part / 64; ++i)
          b.tensorLoad(b.shared(b.add(offset, b.i32(i * kBoxBytes))), rhsMap,
                       {b.add(n, b.i32(64 * i)), k}, full, mask);
      } else {
        b.tensorLoad(b.shared(offset), rhsMap, {k, n}, full, mask);
      }
    }
  }

  /// Brings the slots of operand stage `stage` to `base` in shared memory.
  void loadOperands(Value full, Value base, int64_t stage, Value row,
                    Value column) {
    int64_t first = stage * plan.slotsPerStage;
    if (plan.dedicatedOperands()) {
      // These are of the chunks of a block in turn.
      auto perBlock = static_cast<int64_t>(plan.operandChunks.size());
      first = plan.operandChunks[stage % perBlock] * plan.slotsPerStage;
      row = b.add(row, b.i32(64 * (stage / perBlock)));
    }
    int64_t last =
        std::min(first + plan.slotsPerStage, plan.chunks * plan.slotsPerChunk);
    struct Copy {
      int64_t slot, operand, column;
    };
    SmallVector<Copy> copies;
    for (int64_t slot = first; slot < last; ++slot) {
      int64_t chunk = slot / plan.slotsPerChunk;
      int64_t inChunk = slot % plan.slotsPerChunk;
      for (auto [i, operand] : llvm::enumerate(plan.operands)) {
        int64_t box = inChunk - operand.firstSlot;
        if (operand.access == OperandAccess::Ring && box >= 0 &&
            box < operand.slots && KernelPlan::readsChunk(operand, chunk))
          copies.push_back({slot - first, static_cast<int64_t>(i),
                            KernelPlan::chunkColumn(operand, chunk) +
                                kChunkColumns / operand.slots * box});
      }
    }
    b.mbarrierExpect(full,
                     static_cast<int64_t>(copies.size()) * plan.slotBytes);
    for (auto [slot, i, first] : copies) {
      const OperandPlan &operand = plan.operands[i];
      unsigned number = plan.operandNumber(i);
      // A table is read by many tiles; anything else by one.
      bool streaming = operand.dims.isWhole();
      Value start = operand.halfStride ? b.shr(column, 1) : column;
      b.tensorLoad(b.shared(b.add(base, b.i32(slot * plan.slotBytes))),
                   parameters.tensorMap(number),
                   {parameters.inCycle(b, number, operand.dims, Dim::n,
                                       b.add(start, b.i32(first))),
                    parameters.inCycle(b, number, operand.dims, Dim::m, row)},
                   full, Value(), streaming);
    }
  }

  //===--- Consumers ------------------------------------------------------===//

  void emitConsumer(Value consumer) {
    b.setMaxRegisters(kConsumerRegisters, /*increase=*/true);
    HopperEpilogue epilogue(b, plan, parameters, ring, consumer,
                            b.bitAnd(thread, b.i32(127)));
    Value start = firstTile, step = tileStep;
    RingPosition position{b.i32(0), b.i32(0)};
    Value isSecond = b.eq(consumer, b.i32(1));
    Value mine = b.add(consumer, b.i32(kOrderBarrier));
    Value other = b.sub(b.i32(kOrderBarrier + 1), consumer);
    if (plan.pingpong()) {
      // The second consumer starts one tile later and lets the first one go.
      start = b.add(firstTile, b.mul(consumer, tileStep));
      step = b.add(tileStep, tileStep);
      RingPosition after = skipTile(position);
      position = {b.select(isSecond, after.stage, position.stage),
                  b.select(isSecond, after.phase, position.phase)};
      b.ifThen(isSecond, [&] { b.barrierArrive(b.i32(kOrderBarrier), 256); });
    }
    b.loop(start, tiles, step, {position.stage, position.phase, b.i32(0)},
           [&](Value tile, ValueRange state) {
             auto [row, column] = tileOrigin(tile);
             if (!plan.pingpong())
               row = b.add(row, b.mul(consumer, b.i32(plan.warpgroupRows)));
             epilogue.beginTile(row, column);
             if (plan.pingpong())
               b.barrier(mine, 256);
             RingPosition next =
                 multiply(consumer, {state[0], state[1]}, epilogue, [&] {
                   if (plan.pingpong())
                     b.barrierArrive(other, 256);
                 });
             next = epilogue.emitTile(next, state[2]);
             if (plan.pingpong())
               next = skipTile(next);
             return SmallVector<Value>{next.stage, next.phase,
                                       b.bitXor(state[2], b.i32(1))};
           });
    epilogue.finish();
  }

  /// The position after the stages of one tile of the other consumer.
  RingPosition skipTile(RingPosition position) {
    Value stages = b.i32(plan.stages);
    int64_t operandStages = plan.dedicatedOperands() ? 0 : plan.operandStages;
    Value total = b.add(position.stage, b.add(blocksOfK, b.i32(operandStages)));
    Value rounds = b.divu(total, stages);
    return {b.remu(total, stages),
            b.bitXor(position.phase, b.bitAnd(rounds, b.i32(1)))};
  }

  /// The main loop of one tile: leaves its sums with `epilogue` and calls
  /// `issued` once all products are under way.
  RingPosition multiply(Value consumer, RingPosition start,
                        HopperEpilogue &epilogue, function_ref<void()> issued) {
    ring.waitFull(start);
    SmallVector<Value> sums(plan.blocks,
                            b.poison(b.accumulatorType(plan.accumulatorType,
                                                       plan.totalColumns / 2)));
    sums = multiplyBlock(consumer, start, sums, /*first=*/true);
    RingPosition second = ring.next(start);

    SmallVector<Value> carried(sums);
    carried.append({second.stage, second.phase, start.stage});
    SmallVector<Value> results = b.loop(
        b.i32(1), blocksOfK, b.i32(1), carried, [&](Value, ValueRange state) {
          SmallVector<Value> current(state.take_front(plan.blocks));
          RingPosition position{state[plan.blocks], state[plan.blocks + 1]};
          ring.waitFull(position);
          SmallVector<Value> next =
              multiplyBlock(consumer, position, current, /*first=*/false);
          // The previous block's products are complete: free its stage.
          b.wgmmaWait(1);
          ring.release(state[plan.blocks + 2], thread);
          RingPosition after = ring.next(position);
          next.append({after.stage, after.phase, position.stage});
          return next;
        });
    issued();
    for (int64_t i = 0; i < plan.blocks; ++i)
      epilogue.setSums(i, b.wgmmaWaitFor(results[i], plan.totalColumns / 2));
    ring.release(results[plan.blocks + 2], thread);
    return {results[plan.blocks], results[plan.blocks + 1]};
  }

  SmallVector<Value> multiplyBlock(Value consumer, RingPosition position,
                                   ArrayRef<Value> sums, bool first) {
    Value base = b.mul(position.stage, b.i32(plan.stageBytes));
    Value lhsOffset =
        plan.pingpong()
            ? base
            : b.add(base, b.mul(consumer, b.i32(plan.warpgroupRows * 128)));
    Value lhs = descriptor(lhsOffset, plan.lhsTransposed);
    Value rhs =
        descriptor(b.add(base, b.i32(plan.lhsBytes)), plan.rhsTransposed);
    b.wgmmaFence();
    SmallVector<Value> next(sums);
    // Descriptors count 16 bytes. A product takes 32 bytes of a row of 128
    // bytes along k, or (16-bit elements) 16 rows of 128 bytes across it.
    int64_t lhsStep = plan.lhsTransposed ? 128 : 2;
    int64_t rhsStep = plan.rhsTransposed ? 128 : 2;
    for (int64_t k = 0; k < kRowBytes / 32; ++k)
      for (int64_t block = 0; block < plan.blocks; ++block)
        next[block] = b.wgmma(
            next[block], b.add(lhs, b.i64(lhsStep * k + block * 64 * 128 / 16)),
            b.add(rhs, b.i64(rhsStep * k)), plan.lhsType, plan.rhsType,
            plan.totalColumns, first && k == 0, plan.lhsTransposed,
            plan.rhsTransposed);
    b.wgmmaCommit();
    return next;
  }

  /// The matrix descriptor of swizzled shared memory at `offset`: groups of 8
  /// rows are 1024 bytes apart; across k, blocks of 64 elements 8192 bytes.
  Value descriptor(Value offset, bool transposed) {
    constexpr uint64_t kSwizzle128 = uint64_t(1) << 62;
    constexpr uint64_t kRowGroup = uint64_t(1024 / 16) << 32;
    uint64_t leading = transposed ? 8192 / 16 : 1;
    Value address = b.add(b.sharedAddress(), offset);
    Value encoded = b.shr(b.bitAnd(address, b.i32(0x3FFFF)), 4);
    return b.bitOr(
        b.extend64(encoded),
        b.i64(static_cast<int64_t>(kSwizzle128 | kRowGroup | leading << 16)));
  }

  KernelBuilder &b;
  const KernelPlan &plan;
  const KernelParameters &parameters;
  OperandRing ring;
  Value blockNumber, blockCount;
  Value thread, rank, firstTile, tileStep, tiles, blocksOfK;
  TileOrder order;
};
} // namespace

//===----------------------------------------------------------------------===//
// OperandRing
//===----------------------------------------------------------------------===//

Value OperandRing::full(RingPosition position) {
  return b.shared(
      b.add(b.i32(plan.barrierOffset), b.mul(position.stage, b.i32(8))));
}
Value OperandRing::empty(Value stage) {
  return b.shared(b.add(b.i32(plan.barrierOffset + 8 * plan.stages),
                        b.mul(stage, b.i32(8))));
}

Value OperandRing::operandsFull(Value consumer, int64_t buffer) {
  int64_t first = plan.barrierOffset + 16 * plan.stages + 32 * buffer;
  return b.shared(b.add(b.i32(first), b.mul(consumer, b.i32(8))));
}
Value OperandRing::operandsEmpty(Value consumer, int64_t buffer) {
  int64_t first = plan.barrierOffset + 16 * plan.stages + 32 * buffer + 16;
  return b.shared(b.add(b.i32(first), b.mul(consumer, b.i32(8))));
}
Value OperandRing::operandPhase(Value tile, int64_t stage) {
  int64_t uses = plan.operandStages / plan.operandBuffers; // in a tile
  int64_t use = stage / plan.operandBuffers;
  return uses % 2 ? b.bitXor(tile, b.i32(use & 1)) : b.i32(use & 1);
}

void OperandRing::initialize() {
  int64_t consumers = (plan.pingpong() ? 1 : 2) * plan.cluster;
  for (int64_t stage = 0; stage < plan.stages; ++stage) {
    b.mbarrierInit(full({b.i32(stage), {}}), 1);
    b.mbarrierInit(empty(b.i32(stage)), consumers);
  }
  for (int64_t buffer = 0; buffer < plan.operandBuffers; ++buffer)
    for (int64_t consumer : {0, 1}) {
      b.mbarrierInit(operandsFull(b.i32(consumer), buffer), 1);
      b.mbarrierInit(operandsEmpty(b.i32(consumer), buffer), 1);
    }
  b.mbarrierInitFence();
}

void OperandRing::waitFull(RingPosition position) {
  b.mbarrierWait(full(position), position.phase);
}
void OperandRing::waitEmpty(RingPosition position) {
  b.mbarrierWait(empty(position.stage), position.phase);
}

void OperandRing::release(Value stage, Value thread) {
  Value inGroup = b.bitAnd(thread, b.i32(127));
  if (plan.cluster == 1) {
    b.ifThen(b.eq(inGroup, b.i32(0)), [&] { b.mbarrierArrive(empty(stage)); });
    return;
  }
  // Every thread block writes to all, so all must know.
  b.ifThen(b.ult(inGroup, b.i32(plan.cluster)),
           [&] { b.mbarrierArriveRemote(empty(stage), inGroup); });
}

RingPosition OperandRing::next(RingPosition position) {
  Value following = b.add(position.stage, b.i32(1));
  Value wraps = b.eq(following, b.i32(plan.stages));
  return {b.select(wraps, b.i32(0), following),
          b.select(wraps, b.bitXor(position.phase, b.i32(1)), position.phase)};
}

void coda::emitHopperKernel(KernelBuilder &b, const KernelPlan &plan,
                            const KernelParameters &parameters, Value block,
                            Value blocks) {
  HopperKernel(b, plan, parameters, block, blocks).emit();
}
