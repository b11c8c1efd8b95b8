//===- AbsorbOperands.cpp - Vectors are computed where they are read ------===//
//
// What is computed from a finished reduction, 1 / rms of a row, is a vector: an
// op on it alone would be a kernel of its own. The products that read it
// compute it in their epilogues instead, once a row.
//
//===----------------------------------------------------------------------===//

#include "coda/Dialect/Coda/Transforms/AbsorbOperands.h"

#include "FusionUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      break;
    value = cast.getSource();
  }
  return value;
}

/// Whether `value` is read by products alone, perhaps as a cast.
static bool isReadByProductsOnly(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<GemmOp>(user) || (isa<tensor::CastOp>(user) &&
                                 isReadByProductsOnly(user->getResult(0)));
  });
}

/// The op that computes a vector or single element with `dims`, if an epilogue
/// can.
static linalg::LinalgOp getProducer(Value operand, DimsAttr dims) {
  Value value = stripCasts(operand);
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!isElementwise(op) || op->getNumResults() != 1 || dims.size() > 1 ||
      !dims.isWhole() || op.getNumLoops() != dims.size() ||
      !isReadByProductsOnly(value))
    return {};
  for (OpOperand &input : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&input))
      continue;
    // Of the vector's size, or one element.
    AffineMap map = op.getMatchingIndexingMap(&input);
    auto type = dyn_cast<RankedTensorType>(input.get().getType());
    if ((type && type.getEncoding()) ||
        (map.getNumResults() != 0 && !map.isIdentity()))
      return {};
  }
  for (Operation &scalar : *op.getBlock()) {
    if (&scalar != op.getBlock()->getTerminator() &&
        MapOp::whyNotScalarBodyOp(&scalar))
      return {};
    for (Value used : scalar.getOperands())
      if (used.getParentBlock() != op.getBlock() &&
          !matchPattern(used, m_Constant()))
        return {};
  }
  return op;
}

static void absorb(RewriterBase &rewriter, GemmOp &gemm, unsigned position,
                   linalg::LinalgOp producer) {
  rewriter.setInsertionPoint(gemm);
  Location loc = gemm.getLoc();
  TileType product = gemm.getAccumulatorTile();
  DimsAttr dims = gemm.getOperandDims(position);
  DimsAttr none = DimsAttr::get(gemm.getContext(), {});
  SmallVector<Value> operands;
  SmallVector<DimsAttr> operandDims;
  for (auto [i, operand] : llvm::enumerate(gemm.getEpilogueOperands()))
    if (i != position) {
      operands.push_back(operand);
      operandDims.push_back(gemm.getOperandDims(i));
    }
  size_t kept = operands.size();
  SmallVector<Value> scalars;
  for (OpOperand &input : producer->getOpOperands()) {
    if (!producer.payloadUsesValueFromOperand(&input))
      continue;
    scalars.push_back(producer.getMatchingBlockArgument(&input));
    bool isVector = producer.getMatchingIndexingMap(&input).getNumResults();
    Value value = input.get();
    // No size may be stated that the product does not.
    if (isVector) {
      auto type = cast<RankedTensorType>(value.getType());
      int64_t size = dims.getDims().front() == Dim::m ? product.getRows()
                                                      : product.getColumns();
      if (!type.isDynamicDim(0) && ShapedType::isDynamic(size))
        value =
            tensor::CastOp::create(rewriter, loc, type.clone({size}), value);
    }
    operands.push_back(value);
    operandDims.push_back(isVector ? dims : none);
  }
  SmallVector<DimsAttr> outDims;
  for (size_t i = 0; i < gemm.getOuts().size(); ++i)
    outDims.push_back(gemm.getOutDims(i));
  auto grown = GemmOp::create(rewriter, loc, gemm.getLhs(), gemm.getLhsDims(),
                              gemm.getRhs(), gemm.getRhsDims(), operands,
                              operandDims, gemm.getOuts(), outDims);
  grown.setScheduleAttr(gemm.getScheduleAttr());
  grown->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());

  Block *body = grown.getBody();
  rewriter.setInsertionPointToEnd(body);
  auto tile = cast<TileType>(gemm.getOperandArgs()[position].getType());
  auto map = MapOp::create(rewriter, producer.getLoc(), tile,
                           ValueRange(grown.getOperandArgs().drop_front(kept)));
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(map.getBody());
    IRMapping mapping;
    for (auto [scalar, argument] :
         llvm::zip_equal(scalars, map.getBody()->getArguments()))
      mapping.map(scalar, argument);
    Operation *terminator = producer.getBlock()->getTerminator();
    for (Value used : terminator->getOperands())
      if (used.getParentBlock() != producer.getBlock())
        mapping.map(used, rewriter.clone(*used.getDefiningOp())->getResult(0));
    for (Operation &op : producer.getBlock()->without_terminator()) {
      // A map is isolated: constants come along.
      for (Value used : op.getOperands())
        if (used.getParentBlock() != producer.getBlock() &&
            !mapping.contains(used))
          mapping.map(used,
                      rewriter.clone(*used.getDefiningOp())->getResult(0));
      rewriter.clone(op, mapping);
    }
    YieldOp::create(rewriter, loc, mapping.lookup(terminator->getOperand(0)));
  }
  SmallVector<Value> arguments(grown.getAccumulatorArgs());
  unsigned next = 0;
  for (size_t i = 0; i < gemm.getEpilogueOperands().size(); ++i)
    arguments.push_back(i == position ? Value(map.getResult())
                                      : Value(grown.getOperandArgs()[next++]));
  rewriter.mergeBlocks(gemm.getBody(), body, arguments);
  rewriter.replaceOp(gemm, grown.getResults());
  gemm = grown;
}

void coda::absorbOperands(RewriterBase &rewriter, GemmOp &gemm) {
  for (unsigned i = 0; i < gemm.getEpilogueOperands().size();) {
    Value operand = gemm.getEpilogueOperands()[i];
    linalg::LinalgOp producer = getProducer(operand, gemm.getOperandDims(i));
    if (!producer) {
      ++i;
      continue;
    }
    absorb(rewriter, gemm, i, producer);
    // What the op reads is an operand now, and may be computed so too. The op
    // is dead when the last product has taken it.
    if (operand.use_empty() && operand.getDefiningOp() != producer)
      rewriter.eraseOp(operand.getDefiningOp());
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  }
}
