//===- CodaCanonicalize.cpp - Folds and patterns of epilogue primitives ---===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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

/// Puts inputs that are one constant everywhere into the body. Unlike other
/// maps they are copied to every user: a constant costs nothing.
struct FoldConstantInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp map,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (auto [input, argument] :
         llvm::zip_equal(map.getInputs(), map.getBody()->getArguments())) {
      auto producer = input.getDefiningOp<MapOp>();
      if (!producer || argument.use_empty())
        continue;
      TypedAttr value;
      if (!matchPattern(producer.getYield().getValues().front(),
                        m_Constant(&value)))
        continue;
      rewriter.setInsertionPointToStart(map.getBody());
      rewriter.replaceAllUsesWith(
          argument,
          arith::ConstantOp::create(rewriter, producer.getLoc(), value));
      changed = true;
    }
    return changed ? success()
                   : rewriter.notifyMatchFailure(
                         map, "no input that the body uses is a constant");
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropMapInputs, ComposeMaps, FoldConstantInputs>(context);
}
