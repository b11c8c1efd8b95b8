//===- FusionSummary.cpp - Launches and memory traffic of a program -------===//

#include "MergeProducts.h"

using namespace mlir;
using namespace coda;

static void addBytes(ProgramCost &cost, ValueRange values) {
  for (Value value : values) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type)
      continue;
    Type element = type.getElementType();
    if (!type.hasStaticShape() || !element.isIntOrFloat()) {
      cost.bytes = std::nullopt;
      return;
    }
    if (cost.bytes)
      *cost.bytes += llvm::divideCeil(
          type.getNumElements() * element.getIntOrFloatBitWidth(), 8);
  }
}

ProgramCost coda::getProgramCost(Operation *root) {
  ProgramCost cost;
  DenseSet<Attribute> groups;
  root->walk([&](Operation *op) {
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      Attribute group = gemm->getDiscardableAttr(kLaunchGroupAttrName);
      cost.launches += !group || groups.insert(group).second;
      // What is reduced over all columns or rows is finished by a second
      // kernel.
      cost.launches +=
          llvm::any_of(gemm.getBody()->getOps<ReduceOp>(),
                       [](ReduceOp reduce) { return !reduce.getGroup(); });
      addBytes(cost, gemm.getLhs());
      addBytes(cost, gemm.getRhs());
      addBytes(cost, gemm.getEpilogueOperands());
      addBytes(cost, gemm.getResults());
      return;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    // The fill of an accumulator is no work of its own.
    if (!linalgOp || isa<linalg::FillOp>(op) ||
        !linalgOp.hasPureTensorSemantics())
      return;
    ++cost.launches;
    addBytes(cost, linalgOp.getDpsInputs());
    addBytes(cost, op->getResults());
  });
  return cost;
}
