//===- LinalgLaunches.cpp - Which linalg ops share a launch ---------------===//

#include "LinalgParameters.h"

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

/// Calls `check` with the maps by which two ops access what both do and one
/// writes; false if it says so, or if they access it in a way that no map
/// shows.
static bool checkShared(linalg::LinalgOp first, linalg::LinalgOp second,
                        function_ref<bool(AffineMap, AffineMap)> check) {
  for (OpOperand &a : first->getOpOperands())
    for (OpOperand &b : second->getOpOperands()) {
      if (!isa<MemRefType>(a.get().getType()) ||
          !isa<MemRefType>(b.get().getType()) ||
          (!first.isDpsInit(&a) && !second.isDpsInit(&b)) ||
          !mayShare(a.get(), b.get()))
        continue;
      if (a.get() != b.get() || !check(first.getMatchingIndexingMap(&a),
                                       second.getMatchingIndexingMap(&b)))
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

bool coda::isAligned(linalg::LinalgOp first, linalg::LinalgOp second) {
  return first.getNumParallelLoops() == second.getNumParallelLoops() &&
         checkShared(first, second, [&](AffineMap a, AffineMap b) {
           auto x = getParallelIndices(first, a);
           auto y = getParallelIndices(second, b);
           return x && y && *x == *y;
         });
}

/// The dimensions of a memref that `map` indexes by the first `count` parallel
/// loops, each by one of them alone; none if other dimensions depend on them.
static std::optional<SmallVector<unsigned>>
getLeadingIndices(linalg::LinalgOp op, AffineMap map, unsigned count) {
  SmallVector<unsigned> loops, positions;
  op.getParallelDims(loops);
  for (unsigned loop : ArrayRef(loops).take_front(count)) {
    AffineExpr dim = getAffineDimExpr(loop, op.getContext());
    const AffineExpr *found = llvm::find(map.getResults(), dim);
    if (found == map.getResults().end() ||
        llvm::count_if(map.getResults(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(loop);
        }) != 1)
      return std::nullopt;
    positions.push_back(found - map.getResults().begin());
  }
  return positions;
}

/// The same as `isAligned` for the first `count` parallel loops.
static bool shareRows(linalg::LinalgOp first, linalg::LinalgOp second,
                      unsigned count) {
  return checkShared(first, second, [&](AffineMap a, AffineMap b) {
    auto x = getLeadingIndices(first, a, count);
    auto y = getLeadingIndices(second, b, count);
    return x && y && *x == *y;
  });
}

bool coda::depends(linalg::LinalgOp first, linalg::LinalgOp second) {
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

/// Elements of a row that one thread block is left with at most.
static constexpr int64_t kRowElements = 1 << 16;

/// Whether a thread block is enough for the `count` leading loops fixed.
static bool isRowWork(linalg::LinalgOp op, unsigned count) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  int64_t elements = 1;
  for (unsigned loop : ArrayRef(parallel).drop_front(count)) {
    std::optional<int64_t> size = getStaticExtent(op, loop);
    if (!size || *size > kRowElements)
      return false;
    elements *= *size;
  }
  // A lone result is no work for one thread.
  return elements <= kRowElements &&
         (elements > 1 || reductions.empty() || isGroupReduction(op, count));
}

/// How many leading loops all of `ops` can share, each index of them a row that
/// a thread block computes; 0 if none.
static unsigned countRowLoops(ArrayRef<linalg::LinalgOp> ops) {
  unsigned count = ~0u;
  for (linalg::LinalgOp op : ops)
    count = std::min(count, op.getNumParallelLoops());
  auto fits = [&](unsigned count) {
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (!isRowWork(op, count))
        return false;
      for (linalg::LinalgOp before : ops.take_front(i))
        if (depends(before, op) && !shareRows(before, op, count))
          return false;
    }
    return true;
  };
  while (count && !fits(count))
    --count;
  return count;
}

/// Whether `op` is about vectors only, so that one cluster is enough for it: a
/// reduction to one number, or something for each element of a vector, if need
/// be from the partial results of a product.
static bool isVectorWork(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  llvm::erase_if(parallel,
                 [&](unsigned loop) { return getStaticExtent(op, loop) == 1; });
  if (parallel.size() > 1)
    return false;
  if (parallel.empty())
    return reductions.empty() || isGroupReduction(op, 0);
  return reductions.empty() || llvm::all_of(op.getDpsInputs(), [](Value input) {
           return llvm::any_of(input.getUsers(), [&](Operation *user) {
             auto gemm = dyn_cast<GemmOp>(user);
             return gemm && llvm::is_contained(gemm.getOuts(), input);
           });
         });
}

namespace {
/// The ops of one launch, as it grows.
struct PendingLaunch {
  SmallVector<LinalgChain> chains;
  bool hasClusters;

  /// Takes `op` in; false if it must wait for what is here.
  bool add(linalg::LinalgOp op) {
    SmallVector<unsigned> before;
    bool aligned = true;
    for (auto [i, chain] : llvm::enumerate(chains)) {
      bool any = false;
      for (linalg::LinalgOp other : chain.ops) {
        if (!depends(other, op))
          continue;
        aligned &= isAligned(other, op);
        any = true;
      }
      if (any)
        before.push_back(i);
      aligned &= !any || !chain.groupLoops;
    }
    if (!chains.empty() && chains.front().isCluster())
      return addToCluster(op);
    if (before.empty()) {
      chains.push_back({{op}, std::nullopt});
      return true;
    }
    // Chains that meet become one.
    LinalgChain merged;
    for (unsigned i : before)
      llvm::append_range(merged.ops, chains[i].ops);
    llvm::sort(merged.ops, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    merged.ops.push_back(op);
    if (!aligned) {
      merged.groupLoops = countRowLoops(merged.ops);
      if (merged.isCluster())
        return addToCluster(op);
    }
    for (unsigned i : llvm::reverse(llvm::drop_begin(before)))
      chains.erase(chains.begin() + i);
    chains[before.front()] = std::move(merged);
    return true;
  }

private:
  /// Makes all chains one, with `op`, that a cluster runs.
  bool addToCluster(linalg::LinalgOp op) {
    LinalgChain all;
    for (const LinalgChain &chain : chains)
      llvm::append_range(all.ops, chain.ops);
    llvm::sort(all.ops, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    all.ops.push_back(op);
    if (!hasClusters || !llvm::all_of(all.ops, isVectorWork))
      return false;
    all.groupLoops = 0;
    chains.assign(1, std::move(all));
    return true;
  }
};
} // namespace

/// Whether linalg ops before and after `op` may run in one launch after it.
static bool isNoBarrier(Operation *op) {
  return isMemoryEffectFree(op) ||
         isa<memref::AllocOp, memref::AllocaOp, memref::DimOp>(op);
}

/// Makes linalg ops of copies that no plain copy of bytes does, for there may
/// be gaps, and of those that stand beside a linalg op, which can share its
/// launch.
static void convertCopies(ModuleOp module) {
  // Host code that calls kernels already is what it should be.
  if (module->hasAttr(gpu::GPUDialect::getContainerModuleAttrName()))
    return;
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp copy) {
    auto type = [](Value value) {
      return dyn_cast<MemRefType>(value.getType());
    };
    auto isBeside = [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        return isa<linalg::LinalgOp>(user) &&
               user->getBlock() == copy->getBlock();
      });
    };
    if (type(copy.getSource()) && type(copy.getTarget()) &&
        (!type(copy.getSource()).getLayout().isIdentity() ||
         !type(copy.getTarget()).getLayout().isIdentity() ||
         isBeside(copy.getSource()) || isBeside(copy.getTarget())))
      copies.push_back(copy);
  });
  for (memref::CopyOp copy : copies) {
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }
}

LogicalResult coda::convertLinalgToGPU(ModuleOp module, StringRef chip) {
  convertCopies(module);
  WalkResult walk = module.walk([](linalg::LinalgOp op) {
    std::string why = whyNotLinalgKernel(op);
    if (why.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be compiled for the GPU: " << why;
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  std::optional<ChipFeatures> features = getChipFeatures(chip);
  bool hasClusters = features && features->hopper;
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) {
    if (!block->getOps<linalg::LinalgOp>().empty())
      blocks.push_back(block);
  });
  for (Block *block : blocks) {
    PendingLaunch pending{{}, hasClusters};
    SmallVector<PendingLaunch> launches;
    auto flush = [&] {
      if (!pending.chains.empty())
        launches.push_back(std::move(pending));
      pending = PendingLaunch{{}, hasClusters};
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
