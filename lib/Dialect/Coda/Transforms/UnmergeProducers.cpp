//===- UnmergeProducers.cpp - Contractions that compute their inputs ------===//
//
// Upstream's fusion of elementwise ops moves what computes an input of a
// contraction into its body, where it is done again for every row or column of
// the other. It is an op of its own again then: one that may join the epilogue
// of the product before.
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coda;

namespace {
/// One factor of the products that a contraction sums.
struct ComputedInput {
  /// What the body multiplies, and what is to be an input: the same but for a
  /// widening cast, which products are given by.
  Value factor, element;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<OpOperand *> reads;
  /// The loops that it is a function of.
  llvm::SmallBitVector loops;
};
} // namespace

/// Collects what computes `value` in the body of `op`.
static LogicalResult collect(linalg::LinalgOp op, Value value,
                             ComputedInput &input) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInit(operand))
      return failure();
    input.reads.insert(operand);
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        input.loops.set(loop);
    return success();
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != op.getBlock())
    return success();
  if (isa<linalg::IndexOp>(definition) || definition->getNumRegions() ||
      !isMemoryEffectFree(definition))
    return failure();
  for (Value operand : definition->getOperands())
    if (failed(collect(op, operand, input)))
      return failure();
  input.ops.insert(definition);
  return success();
}

/// The operand and its dimension that loop `loop` runs over.
static std::optional<std::pair<Value, int64_t>>
getSizeOf(linalg::LinalgOp op, const ComputedInput &input, unsigned loop) {
  for (OpOperand *read : input.reads)
    if (auto position = op.getMatchingIndexingMap(read).getResultPosition(
            getAffineDimExpr(loop, op.getContext())))
      return std::pair(read->get(), int64_t(*position));
  return std::nullopt;
}

/// An elementwise op that computes `input` over its loops, and how the
/// contraction is to index it.
static Value createProducer(RewriterBase &rewriter, linalg::LinalgOp op,
                            const ComputedInput &input, AffineMap &map) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  SmallVector<AffineExpr> loops,
      renamed(op.getNumLoops(), getAffineConstantExpr(0, context));
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : input.loops.set_bits()) {
    renamed[loop] = getAffineDimExpr(loops.size(), context);
    loops.push_back(getAffineDimExpr(loop, context));
    auto [value, position] = *getSizeOf(op, input, loop);
    sizes.push_back(tensor::getMixedSize(rewriter, loc, value, position));
  }
  map = AffineMap::get(op.getNumLoops(), 0, loops, context);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand *read : input.reads) {
    operands.push_back(read->get());
    maps.push_back(op.getMatchingIndexingMap(read).replaceDimsAndSymbols(
        renamed, {}, loops.size(), 0));
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(loops.size(), context));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, input.element.getType());
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), operands, empty, maps,
             SmallVector<utils::IteratorType>(loops.size(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &body, Location loc, ValueRange arguments) {
               IRMapping mapping;
               for (auto [read, argument] : llvm::zip(input.reads, arguments))
                 mapping.map(op.getMatchingBlockArgument(read), argument);
               // The ops are in the order of their uses.
               for (Operation *inner : input.ops)
                 if (input.factor == input.element ||
                     inner->getResult(0) != input.factor)
                   body.clone(*inner, mapping);
               linalg::YieldOp::create(body, loc,
                                       mapping.lookupOrDefault(input.element));
             })
      .getResult(0);
}

static WhyNot unmerge(RewriterBase &rewriter, linalg::LinalgOp op) {
  Operation *add =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument sum = op.getRegionOutputArgs().front();
  if (add->getNumOperands() != 2 ||
      !llvm::is_contained(add->getOperands(), sum))
    return whyNot("its body is no sum");
  Operation *multiply =
      add->getOperand(add->getOperand(0) == sum ? 1 : 0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return whyNot("its body sums no products");
  ComputedInput inputs[2];
  llvm::SmallBitVector all(op.getNumLoops());
  for (auto [input, factor] :
       llvm::zip_equal(inputs, multiply->getOperands())) {
    input.factor = input.element = factor;
    if (auto widen = factor.getDefiningOp<arith::ExtFOp>())
      input.element = widen.getIn();
    input.loops.resize(op.getNumLoops());
    if (failed(collect(op, factor, input)))
      return whyNot("a factor depends on more than inputs");
    if (input.loops.all() || input.reads.empty())
      return whyNot("a factor is a function of every loop");
    for (unsigned loop : input.loops.set_bits())
      if (!getSizeOf(op, input, loop))
        return whyNot("no input shows how long a loop is");
    all |= input.loops;
  }
  if (!all.all())
    return whyNot("a loop is no factor's");

  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (ComputedInput &input : inputs) {
    AffineMap map;
    if (auto argument = dyn_cast<BlockArgument>(input.element)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      operands.push_back(operand->get());
      maps.push_back(op.getMatchingIndexingMap(operand));
      continue;
    }
    operands.push_back(createProducer(rewriter, op, input, map));
    maps.push_back(map);
  }
  OpOperand *init = op.getDpsInitOperand(0);
  maps.push_back(op.getMatchingIndexingMap(init));
  auto contraction = linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange{init->get().getType()}, operands,
      ValueRange{init->get()}, maps, op.getIteratorTypesArray(),
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(sum, arguments[2]);
        for (auto [i, input] : llvm::enumerate(inputs)) {
          mapping.map(input.element, arguments[i]);
          if (input.element != input.factor)
            body.clone(*input.factor.getDefiningOp(), mapping);
        }
        body.clone(*multiply, mapping);
        linalg::YieldOp::create(body, loc,
                                body.clone(*add, mapping)->getResult(0));
      });
  rewriter.replaceOp(op, contraction);
  return std::nullopt;
}

void coda::unmergeProducers(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics() && isContractionWithProducers(op))
      ops.push_back(op);
  });
  // What stays is told by coda-fuse, which finds it again.
  for (linalg::LinalgOp op : ops)
    (void)unmerge(rewriter, op);
}
