//===- ViewConsumers.cpp - Elementwise ops and reductions of parts --------===//

#include "LoopParts.h"
#include "ReductionBodies.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

namespace {
/// What the body of an op reads in the epilogue.
struct Reads {
  SmallVector<std::pair<OpOperand *, LoopParts::Operand>> operands;
  SmallVector<Value> captured;
};
} // namespace

static WhyNot planReads(linalg::LinalgOp op, const LoopParts &loops,
                        Reads &reads, OpOperand *except = nullptr) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (&operand == except || loops.getViews()[operand.getOperandNumber()] ||
        !op.payloadUsesValueFromOperand(&operand))
      continue;
    LoopParts::Operand planned;
    if (WhyNot why = loops.planOperand(operand, planned))
      return why;
    reads.operands.emplace_back(&operand, planned);
  }
  return planScalarBody(op, reads.captured);
}

static WhyNot placeReads(RewriterBase &rewriter, GemmOp gemm,
                         linalg::LinalgOp op, const Reads &reads) {
  SmallVector<Value> needed(reads.captured);
  for (const auto &[operand, planned] : reads.operands)
    needed.push_back(planned.value);
  return placeGrowth(rewriter, gemm, op, needed);
}

/// The values that the product is to read, where the rewriter stands.
static SmallVector<std::pair<Value, DimsAttr>>
materializeReads(RewriterBase &rewriter, GemmOp gemm, const LoopParts &loops,
                 const Reads &reads) {
  SmallVector<std::pair<Value, DimsAttr>> operands;
  for (const auto &[operand, planned] : reads.operands)
    operands.emplace_back(loops.materialize(rewriter, planned), planned.dims);
  for (Value value : reads.captured)
    operands.emplace_back(value, DimsAttr::get(gemm.getContext(), {}));
  return operands;
}

/// Names the tiles of what the body reads.
static void setTiles(RewriterBase &rewriter, linalg::LinalgOp op,
                     const LoopParts &loops, const Reads &reads,
                     ArrayRef<Value> results, ArrayRef<Value> operands,
                     BodyTiles &tiles) {
  Location loc = op.getLoc();
  for (auto [number, view] : llvm::enumerate(loops.getViews())) {
    if (!view)
      continue;
    int64_t divisor = view->getDims().contains(Dim::n)
                          ? view->getDims().getDivisor(Dim::n)
                          : loops.getDivisor();
    tiles.set(op.getMatchingBlockArgument(&op->getOpOperand(number)),
              loops.repeatTile(rewriter, loc,
                               results[view->result.getResultNumber()],
                               divisor / loops.getDivisor()));
  }
  for (auto [read, tile] : llvm::zip(reads.operands, operands))
    tiles.set(op.getMatchingBlockArgument(read.first),
              loops.repeatTile(rewriter, loc, tile, read.second.repeat));
  for (auto [value, tile] : llvm::zip_equal(
           reads.captured, operands.drop_front(reads.operands.size())))
    tiles.set(value, tile);
}

static DimsAttr getMatrixDims(MLIRContext *context, int64_t divisor) {
  return DimsAttr::get(context, {Dim::m, Dim::n}, {1, divisor}, {false, false});
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

WhyNot coda::fuseViewConsumer(RewriterBase &rewriter, GemmOp &gemm,
                              linalg::LinalgOp consumer) {
  if (!isElementwise(consumer))
    return whyNot("it is no elementwise op");
  LoopParts loops;
  Reads reads;
  if (WhyNot why = loops.analyze(gemm, consumer))
    return why;
  if (WhyNot why = planReads(consumer, loops, reads))
    return why;
  struct Result {
    SmallVector<ResultPart> parts;
    SmallVector<unsigned> matrixOrder;
  };
  SmallVector<Result, 0> results;
  SmallVector<NewDestination> destinations;
  for (OpOperand &out : consumer.getDpsInitsMutable()) {
    auto type = cast<RankedTensorType>(out.get().getType());
    if (!type.getElementType().isSignlessIntOrIndexOrFloat() ||
        type.getEncoding())
      return whyNot("it gives ", type,
                    "; expected a plain tensor of floats or integers");
    Result &result = results.emplace_back();
    if (WhyNot why = loops.planResult(consumer.getMatchingIndexingMap(&out),
                                      result.parts, result.matrixOrder))
      return why;
    destinations.push_back(
        {getMatrixDims(gemm.getContext(), loops.getDivisor()),
         type.getElementType()});
  }
  if (WhyNot why = placeReads(rewriter, gemm, consumer, reads))
    return why;

  Location loc = rewriter.getFusedLoc({gemm.getLoc(), consumer.getLoc()});
  SmallVector<Value> values = growGemm(
      rewriter, gemm, loc, materializeReads(rewriter, gemm, loops, reads),
      destinations, [&](ArrayRef<Value> tiles, ArrayRef<Value> operands) {
        BodyTiles body(rewriter, consumer.getLoc(), loops);
        setTiles(rewriter, consumer, loops, reads, tiles, operands, body);
        SmallVector<Value> yielded;
        for (Value scalar : consumer.getBlock()->getTerminator()->getOperands())
          yielded.push_back(body.build(scalar));
        return yielded;
      });
  rewriter.setInsertionPoint(consumer);
  for (auto [i, value] : llvm::enumerate(values)) {
    OpResult result = consumer->getResult(i);
    if (!result.use_empty())
      rewriter.replaceAllUsesWith(
          result, shapeResult(rewriter, loc, value, results[i].parts,
                              results[i].matrixOrder,
                              cast<RankedTensorType>(result.getType())));
  }
  eraseWithViews(rewriter, consumer);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

WhyNot coda::fuseGroupReduction(RewriterBase &rewriter, GemmOp &gemm,
                                linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return whyNot("it reduces over ", op.getNumReductionLoops(), " loops to ",
                  op.getNumDpsInits(), " results; expected one of each");
  LoopParts loops;
  if (WhyNot why = loops.analyze(gemm, op))
    return why;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  ArrayRef<unsigned> columns = loops.getLoops(Dim::n);
  if (columns.empty() || columns.back() != reduced.front())
    return whyNot("it reduces over another part than the innermost one of n");
  int64_t group = loops.getParts(Dim::n).back().size;
  // All of n does not fit in a tile in general; a head does.
  auto isSplit = [](const std::optional<ProductView> &view) {
    return view && llvm::count_if(view->parts, [](const ViewPart &part) {
                     return part.dim == Dim::n;
                   }) > 1;
  };
  if (llvm::none_of(loops.getViews(), isSplit))
    return whyNot("it reduces over all of n");
  if (ShapedType::isDynamic(group) ||
      group * loops.getDivisor() > kMaxGroupColumns)
    return whyNot("it reduces over groups of columns that may be wider than ",
                  kMaxGroupColumns);
  ReductionBody body;
  if (WhyNot why = matchReductionBody(op, 0, reduced.front(), body))
    return why;
  if (body.index || body.element.getParentBlock() != op.getBlock())
    return whyNot("its body combines no elements of the product");
  OpOperand *init = op.getDpsInitOperand(0);
  if (!body.isInitNeutral)
    return whyNot("its init is not the neutral element of ",
                  stringifyReduction(body.kind));
  Type type = body.element.getType();
  if (!type.isF32() && !type.isF64())
    return whyNot("it reduces elements of type ", type,
                  "; expected f32 or f64");
  Reads reads;
  if (WhyNot why = planReads(op, loops, reads, init))
    return why;

  // The result runs over the other loops, and has units where it keeps the
  // reduced one.
  AffineMap map = op.getMatchingIndexingMap(init);
  auto resultType = cast<RankedTensorType>(init->get().getType());
  SmallVector<ResultPart> parts;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop && resultType.getDimSize(i) != 1)
      return whyNot("it stores its result through ", map);
    parts.push_back(std::nullopt);
    if (!loop)
      continue;
    for (Dim dim : {Dim::m, Dim::n})
      for (auto [of, part] :
           llvm::zip_equal(loops.getLoops(dim), loops.getParts(dim)))
        if (of == loop.getPosition())
          parts.back() = part;
  }
  SmallVector<unsigned> matrixOrder;
  for (Dim dim : {Dim::m, Dim::n})
    for (unsigned loop : loops.getLoops(dim)) {
      if (loop == reduced.front())
        continue;
      auto position =
          map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
      if (!position)
        return whyNot("it stores its result through ", map,
                      "; expected every parallel loop");
      matrixOrder.push_back(*position);
    }
  if (WhyNot why = placeReads(rewriter, gemm, op, reads))
    return why;

  Location loc = rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()});
  NewDestination destination = {
      getMatrixDims(gemm.getContext(), loops.getDivisor() * group), type};
  SmallVector<Value> values = growGemm(
      rewriter, gemm, loc, materializeReads(rewriter, gemm, loops, reads),
      destination, [&](ArrayRef<Value> tiles, ArrayRef<Value> operands) {
        BodyTiles scalars(rewriter, op.getLoc(), loops);
        setTiles(rewriter, op, loops, reads, tiles, operands, scalars);
        Value input = scalars.build(body.element);
        return SmallVector<Value>{
            ReduceOp::create(rewriter, op.getLoc(), body.kind, input,
                             Axis::columns, rewriter.getI64IntegerAttr(group))};
      });
  rewriter.setInsertionPoint(op);
  rewriter.replaceAllUsesWith(op->getResult(0),
                              shapeResult(rewriter, loc, values.front(), parts,
                                          matrixOrder, resultType));
  eraseWithViews(rewriter, op);
  return std::nullopt;
}
