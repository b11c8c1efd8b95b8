//===- OwnResults.cpp - Results in memory of their own --------------------===//
//
// A slice that is returned would be a part of a buffer, perhaps of one that
// another result is in too. Whoever calls a function on a GPU owns each result
// alone.
//
//===----------------------------------------------------------------------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace coda {
#define GEN_PASS_DEF_CODAOWNRESULTSPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;

/// What `value` is a view of; `isInside` if it may begin somewhere inside.
static Value getRoot(Value value, bool &isInside) {
  isInside = false;
  while (Operation *op = value.getDefiningOp()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      isInside |= !llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult at) {
        return isConstantIntValue(at, 0);
      });
    else if (!isa<tensor::CastOp, tensor::CollapseShapeOp,
                  tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
struct OwnResults : coda::impl::CodaOwnResultsPassBase<OwnResults> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic())
        func.walk([](func::ReturnOp op) { run(op); });
  }

  static void run(func::ReturnOp op) {
    llvm::SmallPtrSet<Value, 4> returned;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      bool isInside;
      Value root = getRoot(value, isInside);
      bool isFirst = returned.insert(root).second;
      // An argument may be returned more than once: it is the caller's. A
      // constant is everybody's.
      if (!isInside && (isFirst || isa<BlockArgument>(root)) &&
          !matchPattern(root, m_Constant()))
        continue;
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value own = tensor::EmptyOp::create(
          builder, loc, tensor::getMixedSizes(builder, loc, value),
          getElementTypeOrSelf(value.getType()));
      if (own.getType() != value.getType())
        own = tensor::CastOp::create(builder, loc, value.getType(), own);
      operand.set(
          linalg::CopyOp::create(builder, loc, value, own).getResult(0));
    }
  }
};
} // namespace
