//===- FormGemms.cpp - Contractions become coda.gemm ----------------------===//

#include "EpilogueOperands.h"
#include "Fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

WhyNot coda::whyNotGemm(linalg::LinalgOp op) {
  if (WhyNot why = whyNotGemmBody(op))
    return why;
  ContractionLoops loops;
  if (WhyNot why = sortLoops(op, loops))
    return why;
  if (!loops.batch.empty())
    return whyNot("it is batched: loop ", loops.batch.front(),
                  " indexes both inputs and the result");
  for (auto [dim, list] :
       {std::pair(Dim::m, &loops.m), {Dim::n, &loops.n}, {Dim::k, &loops.k}})
    if (list->size() > 1)
      return whyNot("it runs over ", stringifyDim(dim), " with ", list->size(),
                    " loops; coda-normalize makes them one where it can");
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    if (!isa<AffineDimExpr>(expr))
      return whyNot("it indexes its result by ", expr, "; expected a loop");
  return std::nullopt;
}

/// A constant expression marks a unit dimension: `value` without those.
static Value dropConstantDims(OpBuilder &builder, Location loc, Value value,
                              AffineMap &map) {
  SmallVector<unsigned> dims;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (isa<AffineConstantExpr>(expr))
      dims.push_back(i);
  map = map.dropResults(
      ArrayRef<int64_t>(SmallVector<int64_t>(dims.begin(), dims.end())));
  return dropUnitDims(builder, loc, value, dims);
}

static DimsAttr getDims(AffineMap map, LoopDims loops) {
  SmallVector<Dim> dims;
  for (AffineExpr expr : map.getResults())
    dims.push_back(*loops[cast<AffineDimExpr>(expr).getPosition()]);
  return DimsAttr::get(map.getContext(), dims);
}

/// A vector [k] as a matrix with one row or column, `unit`.
static Value addUnitDim(OpBuilder &builder, Location loc, Value value, Dim unit,
                        DimsAttr &dims) {
  auto type = cast<RankedTensorType>(value.getType());
  dims = DimsAttr::get(dims.getContext(), {unit, Dim::k});
  return tensor::ExpandShapeOp::create(
      builder, loc,
      RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType()),
      value, SmallVector<ReassociationIndices>{{0, 1}});
}

/// The accumulator, with the init (if any) added, in the source's result type.
static Value createFirstMap(OpBuilder &builder, Location loc, TileType product,
                            ValueRange arguments, Type out) {
  if (arguments.size() == 1 && product.getElementType() == out)
    return arguments.front();
  auto map = MapOp::create(builder, loc, product.cloneWith(out), arguments);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = map.getBody();
  builder.setInsertionPointToEnd(body);
  Type accumulator = product.getElementType();
  bool isFloat = isa<FloatType>(accumulator);
  Value value = body->getArgument(0);
  if (arguments.size() == 2) {
    // The source's order: what the destination held, plus the products.
    Value init = convertScalarToDtype(builder, loc, body->getArgument(1),
                                      accumulator, /*isUnsignedCast=*/false);
    value = isFloat
                ? arith::AddFOp::create(builder, loc, init, value).getResult()
                : arith::AddIOp::create(builder, loc, init, value).getResult();
  }
  value = convertScalarToDtype(builder, loc, value, out,
                               /*isUnsignedCast=*/false);
  YieldOp::create(builder, loc, value);
  return map;
}

GemmOp coda::formGemm(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  ContractionLoops sorted;
  (void)sortLoops(op, sorted);
  OpOperand *lhsOperand = op.getDpsInputOperand(0);
  OpOperand *rhsOperand = op.getDpsInputOperand(1);
  OpOperand *outOperand = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(outOperand);

  // A result [n, m] is the transposed product; a missing loop is M.
  bool swap = sorted.n.empty() ||
              (outMap.getNumResults() == 2 &&
               outMap.getResult(0) == rewriter.getAffineDimExpr(sorted.n[0]));
  if (sorted.m.empty())
    swap = false;
  if (swap) {
    std::swap(lhsOperand, rhsOperand);
    std::swap(sorted.m, sorted.n);
  }
  SmallVector<std::optional<Dim>> loops(op.getNumLoops());
  for (auto [dim, list] :
       {std::pair(Dim::m, &sorted.m), {Dim::n, &sorted.n}, {Dim::k, &sorted.k}})
    for (unsigned loop : *list)
      loops[loop] = dim;

  rewriter.setInsertionPoint(op);
  auto getMatrix = [&](OpOperand *operand, Dim other, DimsAttr &dims) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    Value value = dropConstantDims(rewriter, loc, operand->get(), map);
    dims = getDims(map, loops);
    return dims.size() == 1 ? addUnitDim(rewriter, loc, value, other, dims)
                            : value;
  };
  DimsAttr lhsDims, rhsDims, outDims = getDims(outMap, loops);
  Value lhs = getMatrix(lhsOperand, Dim::m, lhsDims);
  Value rhs = getMatrix(rhsOperand, Dim::n, rhsDims);

  // The static sizes that inputs and result state together.
  auto out = cast<RankedTensorType>(outOperand->get().getType());
  auto sizeOf = [&](Value input, DimsAttr dims, Dim dim) {
    int64_t size =
        cast<RankedTensorType>(input.getType()).getDimSize(dims.indexOf(dim));
    return ShapedType::isDynamic(size) && outDims.contains(dim)
               ? out.getDimSize(outDims.indexOf(dim))
               : size;
  };
  int64_t rows = sizeOf(lhs, lhsDims, Dim::m);
  int64_t columns = sizeOf(rhs, rhsDims, Dim::n);

  Value init = outOperand->get();
  SmallVector<Value> operands;
  SmallVector<DimsAttr> operandDims;
  Value destination = init;
  if (isZeroTensor(init)) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    destination = fill ? fill.getOutputs().front() : Value();
  } else {
    EpilogueOperand operand;
    if (planOperand(init, outMap, loops, rows, columns, operand)) {
      // Cannot be read at its source, but as it is.
      operand = EpilogueOperand();
      operand.value = init;
      operand.dims = outDims;
    }
    operands.push_back(operand.materialize(rewriter, rows, columns));
    operandDims.push_back(operand.dims);
  }
  // A constant is no buffer to write to.
  if (destination && matchPattern(destination, m_Constant()))
    destination = Value();
  destination = createDestination(rewriter, loc, lhs, lhsDims, rhs, rhsDims,
                                  rows, columns, outDims, out.getElementType(),
                                  destination, {});
  auto gemm = GemmOp::create(
      rewriter, loc, lhs, lhsDims, rhs, rhsDims, operands, operandDims,
      destination, outDims,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        return SmallVector<Value>{createFirstMap(
            builder, loc, cast<TileType>(arguments.front().getType()),
            arguments, out.getElementType())};
      });
  Value result = gemm.getResult(0);
  if (result.getType() != out)
    result = tensor::CastOp::create(rewriter, loc, out, result);
  rewriter.replaceOp(op, result);
  return gemm;
}
