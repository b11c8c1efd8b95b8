//===- LinalgKernels.cpp - Kernels of linalg ops --------------------------===//
//
// One thread for each index of the parallel loops, or one warp where a long
// reduction runs along contiguous memory, or a thread each of several warps
// where it runs across; a thread block for each row where ops need whole rows
// of each other, and one cluster where they need everything of a few vectors.
// Any strides and sizes. These finish reductions of products, sum weights and
// run what did not fuse.
//
//===----------------------------------------------------------------------===//

#include "LinalgKernels.h"

#include "HostValues.h"
#include "KernelBuilder.h"
#include "KernelModule.h"
#include "LinalgEmitter.h"
#include "LinalgParameters.h"
#include "coda/Target/Manifest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// Thread blocks of a chain.
static Value getBlocks(ImplicitLocOpBuilder &b, HostValues &host,
                       const LinalgChain &chain) {
  if (chain.isCluster())
    return host.constant(kLinalgCluster);
  linalg::LinalgOp first = chain.ops.front();
  SmallVector<unsigned> parallel;
  first.getParallelDims(parallel);
  if (chain.groupLoops)
    parallel.resize(*chain.groupLoops);
  Value count = host.constant(chain.groupLoops ? 1 : getUnitThreads(chain));
  for (unsigned loop : parallel) {
    auto [memref, position] = getExtent(first, loop);
    count = b.createOrFold<arith::MulIOp>(count, host.sizeAt(memref, position));
  }
  if (chain.groupLoops)
    return count;
  return b.createOrFold<arith::CeilDivSIOp>(count,
                                            host.constant(chain.getThreads()));
}

/// The shared memory for reductions by several warps.
static int64_t getSharedBytes(ArrayRef<LinalgChain> chains) {
  size_t results = 0;
  for (const LinalgChain &chain : chains)
    for (linalg::LinalgOp op : chain.ops)
      if (chain.groupLoops ? isGroupReduction(op, *chain.groupLoops)
                           : getUnit(chain) == LinalgUnit::Slices &&
                                 op.getNumReductionLoops())
        results = std::max<size_t>(results, op.getNumDpsInits());
  return results * chains.front().getThreads() * kPartialBytes;
}

void coda::emitLinalgKernel(ArrayRef<LinalgChain> chains, ModuleOp module,
                            StringRef chip) {
  linalg::LinalgOp last = chains.front().ops.front();
  for (const LinalgChain &chain : chains)
    for (linalg::LinalgOp op : chain.ops)
      if (last->isBeforeInBlock(op))
        last = op;
  Location loc = last.getLoc();
  LinalgParameters parameters(chains);
  int64_t threads = chains.front().getThreads();

  auto parent = last->getParentOfType<FunctionOpInterface>();
  LLVM::LLVMFuncOp kernel = createKernel(
      getKernelModule(module, chip), loc,
      (parent ? parent.getName() : StringRef("kernel")) + "_linalg",
      parameters.getTypes(module.getContext()), threads);
  OpBuilder builder(module.getContext());
  if (chains.front().isCluster())
    kernel->setAttr("nvvm.cluster_dim",
                    builder.getDenseI32ArrayAttr({kLinalgCluster, 1, 1}));
  auto isWritten = [&](Value memref) {
    return llvm::any_of(chains, [&](const LinalgChain &chain) {
      return llvm::any_of(chain.ops, [&](linalg::LinalgOp op) {
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
  emitLinalgChains(kb, parameters.get(), entry, chains);
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
    Value bytes = arith::ConstantOp::create(
        b, b.getI32IntegerAttr(getSharedBytes(chains)));
    gpu::LaunchFuncOp::create(
        b, getKernelReference(kernel),
        gpu::KernelDim3{
            b.createOrFold<arith::IndexCastOp>(b.getIndexType(), blocks), one,
            one},
        gpu::KernelDim3{arith::ConstantIndexOp::create(b, threads), one, one},
        bytes, arguments);
  }
  for (const LinalgChain &chain : chains)
    for (linalg::LinalgOp op : chain.ops)
      op->erase();
}
