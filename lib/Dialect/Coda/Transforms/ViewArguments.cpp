//===- ViewArguments.cpp - Reshaped arguments without copies --------------===//
//
// Bufferization copies an argument of unknown strides before it merges its
// dimensions, in case they cannot be one. They nearly always can, which a check
// at launch finds out.
//
//===----------------------------------------------------------------------===//

#include "coda/Dialect/Coda/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace coda {
#define GEN_PASS_DEF_CODAVIEWARGUMENTSPASS
#include "coda/Dialect/Coda/Transforms/Passes.h.inc"
} // namespace coda

using namespace mlir;

/// Whether nothing but reads happens to `memref`, `except` aside.
static bool isOnlyRead(Value memref, Operation *except = nullptr) {
  return llvm::all_of(memref.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == except || isa<memref::DimOp, memref::LoadOp>(user))
      return true;
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(user))
      return isOnlyRead(metadata.getBaseBuffer());
    if (isa<ViewLikeOpInterface>(user))
      return user->getNumResults() == 1 && isOnlyRead(user->getResult(0));
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return copy.getTarget() != memref;
    auto op = dyn_cast<DestinationStyleOpInterface>(user);
    return op && !op.isDpsInit(&use);
  });
}

namespace {
/// An argument and the copy of it that is reshaped.
struct CopiedArgument {
  memref::CopyOp copy;
  memref::AllocOp alloc;
  BlockArgument argument;
  SmallVector<memref::CollapseShapeOp> reshapes;
};
} // namespace

static std::optional<CopiedArgument> match(memref::CopyOp copy) {
  auto alloc = copy.getTarget().getDefiningOp<memref::AllocOp>();
  auto argument = dyn_cast<BlockArgument>(copy.getSource());
  if (!alloc || !argument || !isa<MemRefType>(argument.getType()) ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()) ||
      alloc->getBlock() != copy->getBlock() || !isOnlyRead(argument) ||
      !isOnlyRead(alloc, copy))
    return std::nullopt;
  CopiedArgument found{copy, alloc, argument, {}};
  for (Operation *user : alloc->getUsers()) {
    if (user == copy || isa<memref::DimOp>(user))
      continue;
    auto reshape = dyn_cast<memref::CollapseShapeOp>(user);
    // Ops that take a memref of any strides; a view would change its type.
    if (!reshape || !llvm::all_of(reshape->getUsers(), [](Operation *reader) {
          return isa<DestinationStyleOpInterface>(reader) ||
                 isa<memref::DimOp>(reader);
        }))
      return std::nullopt;
    found.reshapes.push_back(reshape);
  }
  return found;
}

/// Replaces the copy by views of `found.argument`, and checks before anything
/// else that they are what it was.
static void replace(CopiedArgument &found) {
  auto *entry = found.argument.getOwner();
  ImplicitLocOpBuilder b(found.copy.getLoc(), entry, entry->begin());
  auto source = memref::ExtractStridedMetadataOp::create(b, found.argument);
  SmallVector<OpFoldResult> sizes = source.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides = source.getConstifiedMixedStrides();
  auto value = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(predicate, x, y);
  };
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (memref::CollapseShapeOp reshape : found.reshapes) {
    SmallVector<OpFoldResult> newSizes, newStrides;
    for (const ReassociationIndices &group :
         reshape.getReassociationIndices()) {
      OpFoldResult stride = strides[group.back()];
      OpFoldResult count = sizes[group.back()];
      for (int64_t dim : llvm::reverse(ArrayRef(group).drop_back())) {
        if (isConstantIntValue(sizes[dim], 1))
          continue;
        if (isConstantIntValue(count, 1)) {
          stride = strides[dim];
          count = sizes[dim];
          continue;
        }
        // The stride of a dimension of one element does not matter.
        Value few = compare(arith::CmpIPredicate::sle, value(count), one);
        Value alone =
            compare(arith::CmpIPredicate::sle, value(sizes[dim]), one);
        Value expected =
            b.createOrFold<arith::MulIOp>(value(stride), value(count));
        Value fits =
            compare(arith::CmpIPredicate::eq, value(strides[dim]), expected);
        fits = b.createOrFold<arith::OrIOp>(
            b.createOrFold<arith::OrIOp>(few, alone), fits);
        cf::AssertOp::create(
            b, fits,
            "argument " + std::to_string(found.argument.getArgNumber()) +
                " is reshaped: the stride of dimension " + std::to_string(dim) +
                " must be that of the next times its size");
        stride = OpFoldResult(b.createOrFold<arith::SelectOp>(
            few, value(strides[dim]), value(stride)));
        count = OpFoldResult(
            b.createOrFold<arith::MulIOp>(value(sizes[dim]), value(count)));
      }
      newSizes.push_back(getAsOpFoldResult(value(count)));
      newStrides.push_back(getAsOpFoldResult(value(stride)));
    }
    Value view = memref::ReinterpretCastOp::create(
        b, source.getBaseBuffer(), source.getConstifiedMixedOffset(), newSizes,
        newStrides);
    reshape.getResult().replaceAllUsesWith(view);
    reshape.erase();
  }
  found.copy.erase();
  found.alloc.replaceAllUsesWith(Value(found.argument)); // sizes
  found.alloc.erase();
}

namespace {
struct ViewArguments : coda::impl::CodaViewArgumentsPassBase<ViewArguments> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      if (std::optional<CopiedArgument> found = match(copy))
        replace(*found);
  }
};
} // namespace
