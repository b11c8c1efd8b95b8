//===- LinalgLaunches.cpp - Which linalg ops share a launch ---------------===//

#include "LinalgKernels.h"

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace coda;

Value coda::getViewedMemRef(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Whether two memrefs may share memory: arguments may, allocations do not.
static bool mayShare(Value a, Value b) {
  a = getViewedMemRef(a);
  b = getViewedMemRef(b);
  if (a == b)
    return true;
  auto isOwn = [](Value value) {
    return value.getDefiningOp<memref::AllocOp>() ||
           value.getDefiningOp<memref::AllocaOp>();
  };
  return !isOwn(a) && !isOwn(b);
}

/// The memrefs that `op` accesses.
static SmallVector<Value> getMemRefs(linalg::LinalgOp op, bool written) {
  SmallVector<Value> memrefs;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) &&
        op.isDpsInit(&operand) == written)
      memrefs.push_back(operand.get());
  if (!written)
    for (auto load : op.getBlock()->getOps<memref::LoadOp>())
      memrefs.push_back(load.getMemRef());
  return memrefs;
}

/// The parallel loops, by number among them, that `map` indexes by; none if it
/// does not index by each of them alone.
static std::optional<SmallVector<unsigned>>
getParallelIndices(linalg::LinalgOp op, AffineMap map) {
  SmallVector<unsigned> numbers;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || iterators[dim.getPosition()] != utils::IteratorType::parallel)
      return std::nullopt;
    numbers.push_back(
        llvm::count(ArrayRef(iterators).take_front(dim.getPosition()),
                    utils::IteratorType::parallel));
  }
  if (numbers.size() != op.getNumParallelLoops())
    return std::nullopt;
  return numbers;
}

/// Whether `second` touches of what both access the elements only that `first`
/// does with the same index of the parallel loops.
static bool isAligned(linalg::LinalgOp first, linalg::LinalgOp second) {
  if (first.getNumParallelLoops() != second.getNumParallelLoops())
    return false;
  for (OpOperand &a : first->getOpOperands())
    for (OpOperand &b : second->getOpOperands()) {
      if (!isa<MemRefType>(a.get().getType()) ||
          !isa<MemRefType>(b.get().getType()) ||
          (!first.isDpsInit(&a) && !second.isDpsInit(&b)) ||
          !mayShare(a.get(), b.get()))
        continue;
      if (a.get() != b.get())
        return false;
      auto x = getParallelIndices(first, first.getMatchingIndexingMap(&a));
      auto y = getParallelIndices(second, second.getMatchingIndexingMap(&b));
      if (!x || !y || *x != *y)
        return false;
    }
  // An element that a body loads can be any.
  auto mayLoad = [](linalg::LinalgOp reader, linalg::LinalgOp writer) {
    return llvm::any_of(
        reader.getBlock()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
          return llvm::any_of(
              getMemRefs(writer, /*written=*/true),
              [&](Value value) { return mayShare(value, load.getMemRef()); });
        });
  };
  return !mayLoad(first, second) && !mayLoad(second, first);
}

static bool depends(linalg::LinalgOp first, linalg::LinalgOp second) {
  auto meet = [](ArrayRef<Value> xs, ArrayRef<Value> ys) {
    return llvm::any_of(xs, [&](Value x) {
      return llvm::any_of(ys, [&](Value y) { return mayShare(x, y); });
    });
  };
  SmallVector<Value> firstWrites = getMemRefs(first, true);
  SmallVector<Value> secondWrites = getMemRefs(second, true);
  return meet(firstWrites, getMemRefs(second, false)) ||
         meet(firstWrites, secondWrites) ||
         meet(getMemRefs(first, false), secondWrites);
}

namespace {
/// The ops of one launch, as it grows.
struct PendingLaunch {
  SmallVector<LinalgChain> chains;

  /// Takes `op` in; false if it must wait for what is here.
  bool add(linalg::LinalgOp op) {
    SmallVector<unsigned> before;
    for (auto [i, chain] : llvm::enumerate(chains)) {
      bool any = false;
      for (linalg::LinalgOp other : chain) {
        if (!depends(other, op))
          continue;
        if (!isAligned(other, op))
          return false;
        any = true;
      }
      if (any)
        before.push_back(i);
    }
    if (before.empty()) {
      chains.push_back({op});
      return true;
    }
    // Chains that meet have the same loops: they become one.
    LinalgChain &first = chains[before.front()];
    for (unsigned i : llvm::reverse(llvm::drop_begin(before))) {
      llvm::append_range(first, chains[i]);
      chains.erase(chains.begin() + i);
    }
    llvm::sort(first, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    first.push_back(op);
    return true;
  }
};
} // namespace

/// Whether linalg ops before and after `op` may run in one launch after it.
static bool isNoBarrier(Operation *op) {
  return isMemoryEffectFree(op) ||
         isa<memref::AllocOp, memref::AllocaOp, memref::DimOp>(op);
}

LogicalResult coda::convertLinalgToGPU(ModuleOp module, StringRef chip) {
  WalkResult walk = module.walk([](linalg::LinalgOp op) {
    std::string why = whyNotLinalgKernel(op);
    if (why.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be compiled for the GPU: " << why;
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) {
    if (!block->getOps<linalg::LinalgOp>().empty())
      blocks.push_back(block);
  });
  for (Block *block : blocks) {
    PendingLaunch pending;
    SmallVector<PendingLaunch> launches;
    auto flush = [&] {
      if (!pending.chains.empty())
        launches.push_back(std::move(pending));
      pending = PendingLaunch();
    };
    for (Operation &op : *block) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (!pending.add(linalgOp)) {
          flush();
          pending.add(linalgOp);
        }
      } else if (!isNoBarrier(&op)) {
        flush();
      }
    }
    flush();
    for (PendingLaunch &launch : launches)
      emitLinalgKernel(launch.chains, module, chip);
  }
  return success();
}
