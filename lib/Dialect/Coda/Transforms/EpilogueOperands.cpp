//===- EpilogueOperands.cpp - Values as operands and destinations ---------===//

#include "EpilogueOperands.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace coda;

void coda::readAtSource(Value &value, AffineMap &map) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      if (!fill.hasPureTensorSemantics() ||
          !fill.getRegionInputArgs().front().hasOneUse())
        return;
      Value scalar = fill.getInputs().front();
      if (scalar.getType() !=
          cast<RankedTensorType>(value.getType()).getElementType())
        return;
      value = scalar;
      map = AffineMap::get(map.getNumDims(), 0, map.getContext());
      return;
    }
    if (!isCopy(op))
      return;
    auto copy = cast<linalg::LinalgOp>(op);
    AffineMap from = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
    AffineMap to = copy.getMatchingIndexingMap(copy.getDpsInitOperand(0));
    if (!to.isPermutation())
      return;
    // Loop i of the copy is what the reader indexes the dimension by that the
    // copy stores loop i in.
    value = copy.getDpsInputOperand(0)->get();
    map = from.compose(inversePermutation(to)).compose(map);
  }
}

WhyNot coda::planOperand(Value value, AffineMap map, LoopDims loops,
                         int64_t rows, int64_t columns,
                         EpilogueOperand &operand) {
  readAtSource(value, map);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Type element = type ? type.getElementType() : value.getType();
  if (!element.isSignlessIntOrIndexOrFloat())
    return whyNot("it reads ", value.getType(),
                  "; expected elements of float, integer or index type");
  if (type && type.getEncoding())
    return whyNot("it reads ", type, "; expected plain tensors");
  SmallVector<Dim> dims;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (isa<AffineConstantExpr>(expr) && type.getDimSize(i) == 1) {
      operand.unitDims.push_back(i);
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return whyNot("it indexes an operand by ", expr, "; expected a loop");
    std::optional<Dim> dim = loops[loop.getPosition()];
    if (!dim)
      return whyNot("it indexes an operand by loop ", expr,
                    ", which the product does not run over");
    if (llvm::is_contained(dims, *dim))
      return whyNot("it indexes an operand twice by loop ", expr);
    int64_t size = getSize(*dim, rows, columns);
    if (!areShapesCompatible({type.getDimSize(i)}, {size}))
      return whyNot("it reads ", type, ", whose size ", type.getDimSize(i),
                    " along ", stringifyDim(*dim), " is not the product's ",
                    size);
    dims.push_back(*dim);
  }
  operand.value = value;
  operand.dims = DimsAttr::get(value.getContext(), dims);
  return std::nullopt;
}

/// `value` cast to have the product's sizes.
static Value castTo(OpBuilder &builder, Location loc, Value value,
                    DimsAttr dims, int64_t rows, int64_t columns,
                    bool keepDynamic) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, dims.getDims()))
    if (!keepDynamic || ShapedType::isStatic(size))
      size = getSize(dim, rows, columns);
  if (shape == type.getShape())
    return value;
  return tensor::CastOp::create(builder, loc, type.clone(shape), value);
}

Value EpilogueOperand::materialize(OpBuilder &builder, int64_t rows,
                                   int64_t columns) const {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  Location loc = value.getLoc();
  return castTo(builder, loc, dropUnitDims(builder, loc, value, unitDims), dims,
                rows, columns, /*keepDynamic=*/true);
}

WhyNot coda::makeAvailable(RewriterBase &rewriter, GemmOp gemm,
                           Operation *consumer, ArrayRef<Value> values,
                           function_ref<bool(Operation *user)> keepsFrom) {
  DominanceInfo dominance;
  rewriter.setInsertionPoint(gemm);
  SmallVector<Value> below;
  for (Value value : values)
    if (!dominance.properlyDominates(value, gemm))
      below.push_back(value);
  if (below.empty() ||
      succeeded(moveValueDefinitions(rewriter, below, gemm, dominance)))
    return std::nullopt;
  if (llvm::any_of(gemm->getUsers(), keepsFrom))
    return whyNot("an operand is computed after the product and cannot be "
                  "moved above it, nor the product below it");
  rewriter.setInsertionPoint(consumer);
  return std::nullopt;
}

Value coda::createDestination(OpBuilder &builder, Location loc, Value lhs,
                              DimsAttr lhsDims, Value rhs, DimsAttr rhsDims,
                              int64_t rows, int64_t columns, DimsAttr dims,
                              Type element, Value preferred, ValueRange taken) {
  if (preferred && !llvm::is_contained(taken, preferred))
    return castTo(builder, loc, preferred, dims, rows, columns,
                  /*keepDynamic=*/false);
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : dims.getDims()) {
    int64_t size = getSize(dim, rows, columns);
    if (ShapedType::isStatic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    sizes.push_back(
        dim == Dim::m
            ? tensor::getMixedSize(builder, loc, lhs, lhsDims.indexOf(Dim::m))
            : tensor::getMixedSize(builder, loc, rhs, rhsDims.indexOf(Dim::n)));
  }
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}
