//===- CodaCanonicalize.cpp - Folds and canonicalization patterns ---------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

/// A map that gives one of its inputs, not broadcast, is that input.
OpFoldResult MapOp::fold(FoldAdaptor) {
  auto argument = dyn_cast<BlockArgument>(getYield().getValues().front());
  if (!argument || argument.getOwner() != getBody())
    return {};
  Value input = getInputs()[argument.getArgNumber()];
  return input.getType() == getType() ? input : Value();
}

namespace {
/// Drops inputs that the body does not use, and passes equal ones once.
struct DropMapInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp map,
                                PatternRewriter &rewriter) const override {
    Block &block = *map.getBody();
    llvm::BitVector dropped(block.getNumArguments());
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      auto first = llvm::find(map.getInputs(), input) - map.getInputs().begin();
      // Without its inputs the result's sizes would have nothing to show them,
      // but they are in its type: dropping is always right.
      if (static_cast<size_t>(first) == i) {
        dropped[i] = block.getArgument(i).use_empty();
        continue;
      }
      rewriter.replaceAllUsesWith(block.getArgument(i),
                                  block.getArgument(first));
      dropped[i] = true;
      dropped[first] = block.getArgument(first).use_empty();
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(map, "every input is used");
    rewriter.modifyOpInPlace(map, [&] {
      block.eraseArguments(dropped);
      map->eraseOperands(dropped);
    });
    return success();
  }
};

/// Composes a map with an input that is a map of no other use.
struct ComposeMaps : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp map,
                                PatternRewriter &rewriter) const override {
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      auto producer = input.getDefiningOp<MapOp>();
      // A broadcast producer stays apart: it is evaluated once a row or column.
      if (!producer ||
          producer.getType().getRows() != map.getType().getRows() ||
          producer.getType().getColumns() != map.getType().getColumns())
        continue;
      if (llvm::any_of(producer->getUsers(),
                       [&](Operation *user) { return user != map; }))
        continue;
      compose(map, producer, i, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(
        map, "no input is a map of the same sizes with no other user");
  }

  static void compose(MapOp map, MapOp producer, size_t position,
                      PatternRewriter &rewriter) {
    SmallVector<Value> inputs(producer.getInputs());
    for (Value input : map.getInputs())
      if (input != producer.getResult())
        inputs.push_back(input);
    auto composed =
        MapOp::create(rewriter, map.getLoc(), map.getType(), inputs);
    Block &body = *composed.getBody();
    IRMapping mapping;
    size_t count = producer.getInputs().size();
    mapping.map(producer.getBody()->getArguments(),
                body.getArguments().take_front(count));
    rewriter.setInsertionPointToEnd(&body);
    for (Operation &op : producer.getBody()->without_terminator())
      rewriter.clone(op, mapping);
    Value inner = mapping.lookup(producer.getYield().getValues().front());
    size_t next = count;
    for (auto [input, argument] :
         llvm::zip_equal(map.getInputs(), map.getBody()->getArguments()))
      mapping.map(argument, input == producer.getResult()
                                ? inner
                                : Value(body.getArgument(next++)));
    for (Operation &op : *map.getBody())
      rewriter.clone(op, mapping);
    rewriter.replaceOp(map, composed);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropMapInputs, ComposeMaps>(context);
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

/// Rebuilds `gemm` with the marked rhs, operands and destinations removed.
static GemmOp rebuildWithout(GemmOp gemm, const llvm::BitVector &noRhs,
                             const llvm::BitVector &noOperand,
                             const llvm::BitVector &noOut,
                             PatternRewriter &rewriter) {
  auto keep = [](ValueRange values, const llvm::BitVector &without) {
    SmallVector<Value> kept;
    for (auto [i, value] : llvm::enumerate(values))
      if (!without[i])
        kept.push_back(value);
    return kept;
  };
  SmallVector<DimsAttr> operandDims, outDims;
  for (size_t i = 0; i < gemm.getEpilogueOperands().size(); ++i)
    if (!noOperand[i])
      operandDims.push_back(gemm.getOperandDims(i));
  for (size_t i = 0; i < gemm.getOuts().size(); ++i)
    if (!noOut[i])
      outDims.push_back(gemm.getOutDims(i));

  YieldOp yield = gemm.getYield();
  rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(noOut); });
  auto rebuilt =
      GemmOp::create(rewriter, gemm.getLoc(), gemm.getLhs(), gemm.getLhsDims(),
                     keep(gemm.getRhs(), noRhs), gemm.getRhsDims(),
                     keep(gemm.getEpilogueOperands(), noOperand), operandDims,
                     keep(gemm.getOuts(), noOut), outDims);
  rebuilt.setScheduleAttr(gemm.getScheduleAttr());
  rebuilt->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  llvm::BitVector noArgument = noRhs;
  noArgument.resize(noRhs.size() + noOperand.size());
  for (unsigned i : noOperand.set_bits())
    noArgument.set(noRhs.size() + i);
  // The old block moves over, so that nothing in it is copied.
  Block &old = *gemm.getBody();
  SmallVector<Value> arguments;
  size_t next = 0;
  Block &block = *rebuilt.getBody();
  SmallVector<Value> replacements;
  for (size_t i = 0; i < old.getNumArguments(); ++i)
    replacements.push_back(noArgument[i] ? Value() : block.getArgument(next++));
  old.eraseArguments(noArgument);
  llvm::erase(replacements, Value());
  rewriter.mergeBlocks(&old, &block, replacements);
  size_t result = 0;
  for (size_t i = 0; i < gemm.getNumResults(); ++i)
    if (!noOut[i])
      rewriter.replaceAllUsesWith(gemm.getResult(i),
                                  rebuilt.getResult(result++));
  rewriter.eraseOp(gemm);
  return rebuilt;
}

namespace {
/// Drops unused right-hand sides and operands, equal operands, and (on
/// tensors) destinations whose result nobody uses.
struct DropDeadGemmValues : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector noRhs(gemm.getRhs().size()),
        noOperand(gemm.getEpilogueOperands().size()),
        noOut(gemm.getOuts().size());
    for (auto [i, argument] : llvm::enumerate(gemm.getAccumulatorArgs()))
      noRhs[i] = argument.use_empty();
    if (noRhs.all())
      noRhs.reset(0);
    for (auto [i, argument] : llvm::enumerate(gemm.getOperandArgs())) {
      for (size_t j = 0; j < i && !argument.use_empty(); ++j)
        if (gemm.getEpilogueOperands()[j] == gemm.getEpilogueOperands()[i] &&
            gemm.getOperandDims(j) == gemm.getOperandDims(i))
          rewriter.replaceAllUsesWith(argument, gemm.getOperandArgs()[j]);
      noOperand[i] = argument.use_empty();
    }
    if (gemm.hasPureTensorSemantics() &&
        !llvm::all_of(gemm.getResults(),
                      [](OpResult r) { return r.use_empty(); }))
      for (OpResult result : gemm.getResults())
        noOut[result.getResultNumber()] = result.use_empty();
    if (noRhs.none() && noOperand.none() && noOut.none())
      return rewriter.notifyMatchFailure(gemm, "nothing is dead");
    // Sizes that only a dropped value states must not be lost.
    if (losesSizes(gemm, noRhs, noOperand, noOut))
      return rewriter.notifyMatchFailure(
          gemm, "a static size is stated by dead values only");
    rebuildWithout(gemm, noRhs, noOperand, noOut, rewriter);
    return success();
  }

  static bool losesSizes(GemmOp gemm, const llvm::BitVector &noRhs,
                         const llvm::BitVector &noOperand,
                         const llvm::BitVector &noOut) {
    auto states = [&](Dim dim) {
      auto has = [&](Type type, DimsAttr dims) {
        auto shaped = dyn_cast<ShapedType>(type);
        return shaped && dims.contains(dim) &&
               !shaped.isDynamicDim(dims.indexOf(dim));
      };
      bool stated = has(gemm.getLhs().getType(), gemm.getLhsDims());
      for (auto [i, rhs] : llvm::enumerate(gemm.getRhs()))
        stated |= !noRhs[i] && has(rhs.getType(), gemm.getRhsDims());
      for (auto [i, value] : llvm::enumerate(gemm.getEpilogueOperands()))
        stated |= !noOperand[i] && has(value.getType(), gemm.getOperandDims(i));
      for (auto [i, out] : llvm::enumerate(gemm.getOuts()))
        stated |= !noOut[i] && has(out.getType(), gemm.getOutDims(i));
      return stated;
    };
    TileType tile = gemm.getAccumulatorTile();
    return (ShapedType::isStatic(tile.getRows()) && !states(Dim::m)) ||
           (ShapedType::isStatic(tile.getColumns()) && !states(Dim::n));
  }
};

/// A destination tensor is never read: an empty one serves.
struct EmptyDestinations : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    if (!gemm.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(gemm, "has memrefs");
    bool changed = false;
    for (OpOperand &out : gemm.getDpsInitsMutable()) {
      Operation *producer = out.get().getDefiningOp();
      // Only values that were made to be filled: a fill of constants. Any other
      // one may have been chosen as the buffer to write to.
      if (!producer || !out.get().hasOneUse() ||
          producer->getName().getStringRef() != "linalg.fill")
        continue;
      Value destination = producer->getOperand(producer->getNumOperands() - 1);
      rewriter.modifyOpInPlace(gemm, [&] { out.set(destination); });
      changed = true;
    }
    return changed
               ? success()
               : rewriter.notifyMatchFailure(gemm, "no destination is a fill");
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropDeadGemmValues, EmptyDestinations>(context);
}
