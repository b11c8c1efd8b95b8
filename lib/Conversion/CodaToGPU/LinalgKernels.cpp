//===- LinalgKernels.cpp - Kernels of linalg ops --------------------------===//
//
// One thread for each index of the parallel loops, or one warp where a long
// reduction runs along contiguous memory. Any strides and sizes. These finish
// reductions of products and run what did not fuse; speed was not the aim.
//
//===----------------------------------------------------------------------===//

#include "LinalgKernels.h"

#include "HostValues.h"
#include "KernelBuilder.h"
#include "KernelModule.h"
#include "KernelPlan.h"
#include "LinalgParameters.h"
#include "ScalarEmitter.h"
#include "coda/Target/Manifest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coda;

static constexpr int64_t kThreads = 256;

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

  void emitChain(ArrayRef<linalg::LinalgOp> chain, Value block, Value thread) {
    bool warps = usesWarps(chain);
    lane = warps ? b.bitAnd(thread, b.i32(31)) : Value();
    Value number =
        b.add(b.mul(b.extend64(block), i64(kThreads)), b.extend64(thread));
    if (warps)
      number = b.createOrFold<arith::ShRUIOp>(number, i64(5));
    linalg::LinalgOp first = chain.front();
    SmallVector<unsigned> parallel;
    first.getParallelDims(parallel);
    Value count = i64(1);
    SmallVector<Value> sizes;
    for (unsigned loop : parallel) {
      sizes.push_back(extent(first, loop));
      count = b.mul(count, sizes.back());
    }
    b.ifThen(b.ult(number, count), [&] {
      // The last loop is the fastest.
      SmallVector<Value> indices(sizes.size());
      Value rest = number;
      for (size_t i = sizes.size(); i-- > 0;) {
        indices[i] = i ? b.remu(rest, sizes[i]) : rest;
        rest = i ? b.divu(rest, sizes[i]) : rest;
      }
      for (linalg::LinalgOp op : chain)
        emitOp(op, indices);
    });
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
    bool shared = lane && isWarpReduction(op, combiners);
    if (lane && !shared) {
      // One lane alone, which then reads what it wrote itself.
      b.ifThen(b.eq(lane, b.i32(0)),
               [&] { emitLoops(op, parallelIndices, {}); });
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
          arith::ConstantOp::create(b, *arith::getNeutralElement(combiners[i]));
      auto isFirst = scf::IfOp::create(b, TypeRange{neutral.getType()},
                                       b.eq(lane, b.i32(0)),
                                       /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(isFirst.thenBlock());
      scf::YieldOp::create(b, loadOut(op, out, indices));
      b.setInsertionPointToStart(isFirst.elseBlock());
      scf::YieldOp::create(b, neutral);
      initial.push_back(isFirst.getResult(0));
    }
    SmallVector<Value> results = emitReductions(
        op, reductions, indices, initial, shared, [&](ArrayRef<Value> partial) {
          return emitBody(op, indices, partial);
        });
    if (!shared) {
      storeOuts(op, indices, results);
      return;
    }
    for (auto [result, combiner] : llvm::zip_equal(results, combiners))
      for (int64_t mask : {16, 8, 4, 2, 1})
        result = emitScalarOp(b, combiner, {result, b.shuffleXor(result, mask)},
                              /*fastMath=*/false);
    b.ifThen(b.eq(lane, b.i32(0)), [&] { storeOuts(op, indices, results); });
  }

  /// Loops over `loops`, the last of them shared by a warp where `shared`.
  SmallVector<Value>
  emitReductions(linalg::LinalgOp op, ArrayRef<unsigned> loops,
                 MutableArrayRef<Value> indices, ArrayRef<Value> carried,
                 bool shared,
                 function_ref<SmallVector<Value>(ArrayRef<Value>)> body) {
    if (loops.empty())
      return body(carried);
    bool isLast = loops.size() == 1;
    Value from = isLast && shared ? b.extend64(lane) : i64(0);
    Value step = i64(isLast && shared ? 32 : 1);
    return b.loop(from, extent(op, loops.front()), step, carried,
                  [&](Value index, ValueRange partial) {
                    indices[loops.front()] = index;
                    return emitReductions(op, loops.drop_front(), indices,
                                          SmallVector<Value>(partial), shared,
                                          body);
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
    Value value = b.load(pointer(memref, indices), getMemoryType(type));
    if (value.getType() == type)
      return value;
    if (type.isIndex())
      return arith::IndexCastOp::create(b, type, value);
    return arith::TruncIOp::create(b, type, value);
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
    for (auto [out, value] : llvm::zip_equal(op.getDpsInitsMutable(), values)) {
      Type type = getMemoryType(value.getType());
      Value stored = value;
      if (value.getType().isIndex())
        stored = arith::IndexCastOp::create(b, type, value);
      else if (type != value.getType())
        stored = arith::ExtUIOp::create(b, type, value);
      b.store(stored, pointer(out.get(), indexInto(op, out, indices)));
    }
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
  /// The lane in its warp, where warps share the work of an index.
  Value lane;
};
} // namespace

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// Thread blocks of a chain.
static Value getBlocks(ImplicitLocOpBuilder &b, HostValues &host,
                       ArrayRef<linalg::LinalgOp> chain) {
  linalg::LinalgOp first = chain.front();
  SmallVector<unsigned> parallel;
  first.getParallelDims(parallel);
  bool warps = usesWarps(chain);
  Value count = host.constant(warps ? 32 : 1);
  for (unsigned loop : parallel) {
    auto [memref, position] = getExtent(first, loop);
    count = b.createOrFold<arith::MulIOp>(count, host.sizeAt(memref, position));
  }
  return b.createOrFold<arith::CeilDivSIOp>(count, host.constant(kThreads));
}

void coda::emitLinalgKernel(ArrayRef<LinalgChain> chains, ModuleOp module,
                            StringRef chip) {
  linalg::LinalgOp last = chains.front().front();
  for (const LinalgChain &chain : chains)
    for (linalg::LinalgOp op : chain)
      if (last->isBeforeInBlock(op))
        last = op;
  Location loc = last.getLoc();
  LinalgParameters parameters(chains);

  auto parent = last->getParentOfType<FunctionOpInterface>();
  LLVM::LLVMFuncOp kernel = createKernel(
      getKernelModule(module, chip), loc,
      (parent ? parent.getName() : StringRef("kernel")) + "_linalg",
      parameters.getTypes(module.getContext()), kThreads);
  OpBuilder builder(module.getContext());
  auto isWritten = [&](Value memref) {
    return llvm::any_of(chains, [&](const LinalgChain &chain) {
      return llvm::any_of(chain, [&](linalg::LinalgOp op) {
        return llvm::is_contained(op.getDpsInits(), memref);
      });
    });
  };
  for (auto [i, parameter] : llvm::enumerate(parameters.get()))
    if (parameter.kind == LinalgParameter::Kind::Pointer &&
        !isWritten(parameter.value))
      kernel.setArgAttr(i, kReadOnlyAttr, builder.getUnitAttr());
  Block *entry = kernel.addEntryBlock(builder);
  KernelBuilder kb(loc, entry);
  kb.setInsertionPointToEnd(entry);
  LinalgKernel(kb, parameters.get(), entry).emit(chains);
  LLVM::ReturnOp::create(kb, ValueRange());

  ImplicitLocOpBuilder b(loc, last);
  HostValues host(b);
  SmallVector<Value> firstBlocks;
  Value blocks = host.constant(0);
  for (const LinalgChain &chain : chains) {
    firstBlocks.push_back(blocks);
    blocks = b.createOrFold<arith::AddIOp>(blocks, getBlocks(b, host, chain));
  }
  host.check(host.cmp(arith::CmpIPredicate::ult, blocks,
                      host.constant(int64_t(1) << 31)),
             "linalg op has more elements than one launch can compute");
  auto hasWork = scf::IfOp::create(
      b, host.cmp(arith::CmpIPredicate::sgt, blocks, host.constant(0)),
      /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(hasWork.thenBlock());
    // Launches stand in branches: what they compute is theirs.
    HostValues inner(b);
    SmallVector<Value> arguments;
    for (const LinalgParameter &parameter : parameters.get()) {
      switch (parameter.kind) {
      case LinalgParameter::Kind::Pointer:
        arguments.push_back(inner.address(parameter.value));
        break;
      case LinalgParameter::Kind::Stride:
        arguments.push_back(inner.stride(parameter.value, parameter.position));
        break;
      case LinalgParameter::Kind::Size:
        arguments.push_back(inner.sizeAt(parameter.value, parameter.position));
        break;
      case LinalgParameter::Kind::Scalar:
        arguments.push_back(parameter.value.getType().isIndex()
                                ? b.createOrFold<arith::IndexCastOp>(
                                      b.getI64Type(), parameter.value)
                                : parameter.value);
        break;
      case LinalgParameter::Kind::FirstBlock:
        arguments.push_back(b.createOrFold<arith::TruncIOp>(
            b.getI32Type(), firstBlocks[parameter.position]));
        break;
      }
    }
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value noBytes = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    gpu::LaunchFuncOp::create(
        b, getKernelReference(kernel),
        gpu::KernelDim3{
            b.createOrFold<arith::IndexCastOp>(b.getIndexType(), blocks), one,
            one},
        gpu::KernelDim3{arith::ConstantIndexOp::create(b, kThreads), one, one},
        noBytes, arguments);
  }
  for (const LinalgChain &chain : chains)
    for (linalg::LinalgOp op : chain)
      op->erase();
}
