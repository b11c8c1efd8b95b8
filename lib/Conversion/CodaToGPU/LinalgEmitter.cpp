//===- LinalgEmitter.cpp - Code of linalg ops in kernels ------------------===//

#include "LinalgEmitter.h"

#include "KernelPlan.h"
#include "ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

/// Elements that a thread of several which share a reduction reads at a time,
/// and the ops of a body that are worth it.
static constexpr int64_t kUnroll = 8, kColumnUnroll = 32;
static constexpr size_t kUnrolledOps = 16;

namespace {
class LinalgKernel {
public:
  LinalgKernel(KernelBuilder &b, ArrayRef<LinalgParameter> parameters,
               Block *entry)
      : b(b), parameters(parameters), entry(entry) {}

  void emit(ArrayRef<LinalgChain> chains) {
    Value block = b.blockIdX(), thread = b.threadIdX();
    for (size_t i = 0; i < chains.size(); ++i) {
      Value first =
          i ? find({LinalgParameter::Kind::FirstBlock, {}, int64_t(i)})
            : b.i32(0);
      Value inside = b.i1(true);
      if (i)
        inside = b.cmp(arith::CmpIPredicate::uge, block, first);
      if (i + 1 < chains.size())
        inside = b.bitAnd(inside,
                          b.ult(block, find({LinalgParameter::Kind::FirstBlock,
                                             {},
                                             int64_t(i + 1)})));
      b.ifThen(inside,
               [&] { emitChain(chains[i], b.sub(block, first), thread); });
    }
  }

private:
  Value find(const LinalgParameter &parameter) {
    const auto *it = llvm::find(parameters, parameter);
    return entry->getArgument(it - parameters.begin());
  }

  Value i64(int64_t value) { return b.i64(value); }

  void emitChain(const LinalgChain &chain, Value block, Value thread) {
    if (chain.groupLoops) {
      emitGroups(chain, block, thread);
      return;
    }
    unit = getUnit(chain);
    if (unit == LinalgUnit::Slices) {
      emitSlices(chain, block, thread);
      return;
    }
    bool warps = unit == LinalgUnit::Warp;
    lanes = 32;
    lane = warps ? b.bitAnd(thread, b.i32(31)) : Value();
    isFirst = warps ? b.eq(lane, b.i32(0)) : Value();
    Value number = b.add(b.mul(b.extend64(block), i64(chain.getThreads())),
                         b.extend64(thread));
    if (warps)
      number = b.createOrFold<arith::ShRUIOp>(number, i64(5));
    linalg::LinalgOp first = chain.ops.front();
    SmallVector<unsigned> parallel;
    first.getParallelDims(parallel);
    b.ifThen(b.ult(number, count(first, parallel)), [&] {
      SmallVector<Value> indices = split(first, parallel, number);
      for (linalg::LinalgOp op : chain.ops)
        emitOp(op, indices);
    });
  }

  /// A thread block for 32 indices, each of a thread of every warp. Past the
  /// last index a thread repeats it and stores nothing: all meet at barriers.
  void emitSlices(const LinalgChain &chain, Value block, Value thread) {
    lanes = chain.getThreads() / 32;
    lane = b.shr(thread, 5);
    linalg::LinalgOp first = chain.ops.front();
    SmallVector<unsigned> parallel;
    first.getParallelDims(parallel);
    Value number = b.add(b.mul(b.extend64(block), i64(32)),
                         b.extend64(b.bitAnd(thread, b.i32(31))));
    Value end = count(first, parallel);
    Value inside = b.ult(number, end);
    isFirst = b.bitAnd(b.eq(lane, b.i32(0)), inside);
    number = b.select(inside, number, b.sub(end, i64(1)));
    SmallVector<Value> indices = split(first, parallel, number);
    for (linalg::LinalgOp op : chain.ops)
      emitOp(op, indices);
  }

  /// A thread block for each index of the leading loops, or a cluster for all.
  /// What is left of an op's parallel loops is dealt out to the threads.
  void emitGroups(const LinalgChain &chain, Value block, Value thread) {
    unit = LinalgUnit::Thread;
    lanes = chain.getThreads();
    lane = thread;
    isFirst = b.eq(lane, b.i32(0));
    unsigned groupLoops = *chain.groupLoops;
    SmallVector<unsigned> leading;
    linalg::LinalgOp first = chain.ops.front();
    first.getParallelDims(leading);
    leading.resize(groupLoops);
    SmallVector<Value> group = split(first, leading, b.extend64(block));
    Value number = b.extend64(thread), step = i64(lanes);
    if (chain.isCluster()) {
      number = b.add(b.mul(b.extend64(block), step), number);
      step = i64(lanes * kLinalgCluster);
    }
    SmallVector<linalg::LinalgOp> sinceBarrier;
    for (linalg::LinalgOp op : chain.ops) {
      if (llvm::any_of(sinceBarrier, [&](linalg::LinalgOp other) {
            return depends(other, op) && !isAligned(other, op);
          })) {
        chain.isCluster() ? b.clusterBarrier() : b.barrierAll();
        sinceBarrier.clear();
      }
      sinceBarrier.push_back(op);
      if (isGroupReduction(op, groupLoops)) {
        SmallVector<Operation *> combiners;
        getCombiners(op, combiners);
        auto reduce = [&] {
          SmallVector<Value> indices(group);
          indices.resize(op.getNumParallelLoops(), i64(0));
          emitLoops(op, indices, combiners);
        };
        if (chain.isCluster())
          b.ifThen(b.eq(block, b.i32(0)), reduce);
        else
          reduce();
        continue;
      }
      SmallVector<unsigned> parallel;
      op.getParallelDims(parallel);
      ArrayRef<unsigned> inner = ArrayRef(parallel).drop_front(groupLoops);
      b.loop(number, count(op, inner), step, {}, [&](Value i, ValueRange) {
        SmallVector<Value> indices(group);
        llvm::append_range(indices, split(op, inner, i));
        emitLoops(op, indices, {});
        return SmallVector<Value>();
      });
    }
  }

  Value count(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
    Value count = i64(1);
    for (unsigned loop : loops)
      count = b.mul(count, extent(op, loop));
    return count;
  }

  /// The indices of `loops` of iteration `number`; the last is the fastest.
  SmallVector<Value> split(linalg::LinalgOp op, ArrayRef<unsigned> loops,
                           Value number) {
    SmallVector<Value> indices(loops.size());
    for (size_t i = loops.size(); i-- > 0;) {
      Value size = extent(op, loops[i]);
      indices[i] = i ? b.remu(number, size) : number;
      number = i ? b.divu(number, size) : number;
    }
    return indices;
  }

  Value extent(linalg::LinalgOp op, unsigned loop) {
    auto [memref, position] = getExtent(op, loop);
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(position))
      return i64(type.getDimSize(position));
    return find({LinalgParameter::Kind::Size, memref, position});
  }

  void emitOp(linalg::LinalgOp op, ArrayRef<Value> parallelIndices) {
    SmallVector<Operation *> combiners;
    bool shared =
        (unit == LinalgUnit::Warp && isWarpReduction(op, combiners)) ||
        (unit == LinalgUnit::Slices && isColumnReduction(op, combiners));
    if (lane && !shared) {
      // One lane alone, which then reads what it wrote itself.
      b.ifThen(isFirst, [&] { emitLoops(op, parallelIndices, {}); });
      return;
    }
    emitLoops(op, parallelIndices, combiners);
  }

  void emitLoops(linalg::LinalgOp op, ArrayRef<Value> parallelIndices,
                 ArrayRef<Operation *> combiners) {
    SmallVector<Value> indices(op.getNumLoops());
    SmallVector<unsigned> parallel, reductions;
    op.getParallelDims(parallel);
    op.getReductionDims(reductions);
    for (auto [i, loop] : llvm::enumerate(parallel))
      indices[loop] = parallelIndices[i];

    // Partial results stay in registers unless they are of several elements.
    bool inRegisters = true;
    for (OpOperand &out : op.getDpsInitsMutable())
      for (unsigned loop : reductions)
        inRegisters &= !op.getMatchingIndexingMap(&out).isFunctionOfDim(loop);
    if (reductions.empty() || !inRegisters) {
      emitReductions(op, reductions, indices, {}, /*shared=*/false,
                     [&](ArrayRef<Value>) {
                       SmallVector<Value> old = loadOuts(op, indices);
                       storeOuts(op, indices, emitBody(op, indices, old));
                       return SmallVector<Value>();
                     });
      return;
    }
    bool shared = !combiners.empty();
    SmallVector<Value> initial;
    for (auto [i, out] : llvm::enumerate(op.getDpsInitsMutable())) {
      if (!shared) {
        initial.push_back(loadOut(op, out, indices));
        continue;
      }
      // The first lane goes on from what is there.
      Value neutral =
          arith::ConstantOp::create(b, getNeutralPartial(combiners[i]));
      auto start = scf::IfOp::create(b, TypeRange{neutral.getType()}, isFirst,
                                     /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(start.thenBlock());
      scf::YieldOp::create(b, loadOut(op, out, indices));
      b.setInsertionPointToStart(start.elseBlock());
      scf::YieldOp::create(b, neutral);
      initial.push_back(start.getResult(0));
    }
    SmallVector<Value> results = emitReductions(
        op, reductions, indices, initial, shared, [&](ArrayRef<Value> partial) {
          return emitBody(op, indices, partial);
        });
    if (!shared) {
      storeOuts(op, indices, results);
      return;
    }
    if (unit == LinalgUnit::Warp) {
      for (auto [result, combiner] : llvm::zip_equal(results, combiners))
        for (int64_t mask : {16, 8, 4, 2, 1})
          result = combine(combiner, result, b.shuffleXor(result, mask));
      b.ifThen(isFirst, [&] { storeOuts(op, indices, results); });
      return;
    }
    combineInBlock(results, combiners, [&](ArrayRef<Value> results) {
      storeOuts(op, indices, results);
    });
  }

  Value combine(Operation *combiner, Value x, Value y) {
    if (isa<math::FmaOp>(combiner))
      return arith::AddFOp::create(b, x, y);
    return emitScalarOp(b, combiner, {x, y}, /*fastMath=*/false);
  }

  /// Combines the partial results of all lanes of the thread block, in an order
  /// that is always the same. The first lane stores the results.
  void combineInBlock(ArrayRef<Value> partial, ArrayRef<Operation *> combiners,
                      function_ref<void(ArrayRef<Value>)> store) {
    Value thread = b.threadIdX();
    int64_t stride = unit == LinalgUnit::Slices ? 32 : 1;
    auto slot = [&](size_t i, int64_t lanesOn) {
      Value number = b.add(thread, b.i32((i * lanes + lanesOn) * stride));
      return b.shared(b.mul(number, b.i32(kPartialBytes)));
    };
    auto get = [&](size_t i, int64_t lanesOn) -> Value {
      Type type = partial[i].getType();
      return b.fromMemory(b.load(slot(i, lanesOn), getMemoryType(type)), type);
    };
    auto set = [&](size_t i, Value value) {
      b.store(b.toMemory(value), slot(i, 0));
    };
    for (auto [i, value] : llvm::enumerate(partial))
      set(i, value);
    b.barrierAll();
    for (int64_t half = lanes / 2; half; half /= 2) {
      b.ifThen(b.ult(lane, b.i32(half)), [&] {
        for (auto [i, combiner] : llvm::enumerate(combiners))
          set(i, combine(combiner, get(i, 0), get(i, half)));
      });
      b.barrierAll();
    }
    b.ifThen(isFirst, [&] {
      store(llvm::map_to_vector(llvm::seq(partial.size()),
                                [&](size_t i) { return get(i, 0); }));
    });
  }

  /// Loops over `loops`, the last of them shared by the lanes where `shared`.
  SmallVector<Value>
  emitReductions(linalg::LinalgOp op, ArrayRef<unsigned> loops,
                 MutableArrayRef<Value> indices, ArrayRef<Value> carried,
                 bool shared,
                 function_ref<SmallVector<Value>(ArrayRef<Value>)> body) {
    if (loops.empty())
      return body(carried);
    auto emitNext = [&](Value index, ArrayRef<Value> partial) {
      indices[loops.front()] = index;
      return emitReductions(op, loops.drop_front(), indices, partial, shared,
                            body);
    };
    Value end = extent(op, loops.front());
    if (loops.size() > 1 || !shared)
      return b.loop(i64(0), end, i64(1), carried,
                    [&](Value index, ValueRange partial) {
                      return emitNext(index, SmallVector<Value>(partial));
                    });
    // Several elements at a time, for their loads to be under way together.
    Value from = b.extend64(lane), step = i64(lanes);
    SmallVector<Value> values(carried);
    std::optional<int64_t> size = getStaticExtent(op, loops.front());
    // A column's threads have few bytes under way each.
    bool isWide =
        unit == LinalgUnit::Slices && (!size || *size >= lanes * kColumnUnroll);
    int64_t unroll = isWide ? kColumnUnroll : kUnroll;
    int64_t together = lanes * unroll;
    if ((!size || *size >= together) &&
        op.getBlock()->getOperations().size() <= kUnrolledOps) {
      values.insert(values.begin(), from);
      values = b.loop(from, b.sub(end, i64(together - lanes)), i64(together),
                      values, [&](Value index, ValueRange partial) {
                        SmallVector<Value> next(partial.drop_front());
                        for (int64_t i = 0; i < unroll; ++i) {
                          next = emitNext(index, next);
                          index = b.add(index, step);
                        }
                        next.insert(next.begin(), index);
                        return next;
                      });
      from = values.front();
      values.erase(values.begin());
      if (size && *size % together == 0)
        return values;
    }
    return b.loop(from, end, step, values,
                  [&](Value index, ValueRange partial) {
                    return emitNext(index, SmallVector<Value>(partial));
                  });
  }

  Value evaluate(AffineExpr expr, ArrayRef<Value> indices) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indices[dim.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return i64(constant.getValue());
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = evaluate(binary.getLHS(), indices);
    Value rhs = evaluate(binary.getRHS(), indices);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return b.add(lhs, rhs);
    case AffineExprKind::Mul:
      return b.mul(lhs, rhs);
    case AffineExprKind::Mod:
      return b.remu(lhs, rhs);
    case AffineExprKind::CeilDiv:
      return b.divu(b.add(lhs, b.sub(rhs, i64(1))), rhs);
    default:
      return b.divu(lhs, rhs);
    }
  }

  Value pointer(Value memref, ArrayRef<Value> indices) {
    auto type = cast<MemRefType>(memref.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    Value element = i64(0);
    for (auto [i, stride] : llvm::enumerate(strides)) {
      Value step =
          ShapedType::isDynamic(stride)
              ? find({LinalgParameter::Kind::Stride, memref, int64_t(i)})
              : i64(stride);
      element = b.add(element, b.mul(indices[i], step));
    }
    return b.elementPointer(find({LinalgParameter::Kind::Pointer, memref}),
                            element, getMemoryType(type.getElementType()));
  }

  Value load(Value memref, ArrayRef<Value> indices) {
    Type type = cast<MemRefType>(memref.getType()).getElementType();
    return b.fromMemory(b.load(pointer(memref, indices), getMemoryType(type)),
                        type);
  }

  SmallVector<Value> indexInto(linalg::LinalgOp op, OpOperand &operand,
                               ArrayRef<Value> indices) {
    return llvm::map_to_vector(
        op.getMatchingIndexingMap(&operand).getResults(),
        [&](AffineExpr expr) { return evaluate(expr, indices); });
  }

  /// What a destination held, if the body reads it.
  Value loadOut(linalg::LinalgOp op, OpOperand &out, ArrayRef<Value> indices) {
    if (op.payloadUsesValueFromOperand(&out))
      return load(out.get(), indexInto(op, out, indices));
    Type type = cast<MemRefType>(out.get().getType()).getElementType();
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }

  SmallVector<Value> loadOuts(linalg::LinalgOp op, ArrayRef<Value> indices) {
    return llvm::map_to_vector(op.getDpsInitsMutable(), [&](OpOperand &out) {
      return loadOut(op, out, indices);
    });
  }

  void storeOuts(linalg::LinalgOp op, ArrayRef<Value> indices,
                 ArrayRef<Value> values) {
    for (auto [out, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
      b.store(b.toMemory(value),
              pointer(out.get(), indexInto(op, out, indices)));
  }

  Value scalar(Value outside) {
    Attribute constant;
    if (matchPattern(outside, m_Constant(&constant)))
      return arith::ConstantOp::create(b, cast<TypedAttr>(constant));
    Value value = find({LinalgParameter::Kind::Scalar, outside});
    if (!outside.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(b, outside.getType(), value);
  }

  SmallVector<Value> emitBody(linalg::LinalgOp op, ArrayRef<Value> indices,
                              ArrayRef<Value> old) {
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (argument.use_empty())
        continue;
      mapping.map(argument,
                  isa<MemRefType>(input->get().getType())
                      ? load(input->get(), indexInto(op, *input, indices))
                      : scalar(input->get()));
    }
    for (auto [argument, value] :
         llvm::zip_equal(op.getRegionOutputArgs(), old))
      mapping.map(argument, value);
    auto get = [&](Value value) {
      if (Value known = mapping.lookupOrNull(value))
        return known;
      Value outside = scalar(value);
      mapping.map(value, outside);
      return outside;
    };
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        mapping.map(index.getResult(),
                    arith::IndexCastOp::create(b, b.getIndexType(),
                                               indices[index.getDim()])
                        .getResult());
        continue;
      }
      if (auto loaded = dyn_cast<memref::LoadOp>(inner)) {
        SmallVector<Value> at;
        for (Value index : loaded.getIndices())
          at.push_back(
              arith::IndexCastOp::create(b, b.getI64Type(), get(index)));
        mapping.map(loaded.getResult(), load(loaded.getMemRef(), at));
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(get(operand));
      mapping.map(inner.getResult(0),
                  emitScalarOp(b, &inner, operands, /*fastMath=*/false));
    }
    return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(),
                               get);
  }

  KernelBuilder &b;
  ArrayRef<LinalgParameter> parameters;
  Block *entry;
  LinalgUnit unit = LinalgUnit::Thread;
  /// The number of this thread among those that share the work of an index, if
  /// any do: of its warp or its thread block.
  Value lane;
  int64_t lanes = 32;
  /// Whether this is the thread among them that reads and writes the result.
  Value isFirst;
};
} // namespace

void coda::emitLinalgChains(KernelBuilder &b,
                            ArrayRef<LinalgParameter> parameters, Block *entry,
                            ArrayRef<LinalgChain> chains) {
  LinalgKernel(b, parameters, entry).emit(chains);
}
