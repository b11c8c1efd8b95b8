//===- FusionUtils.cpp - What may become or join a coda.gemm --------------===//

#include "FusionUtils.h"

#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {
/// yield(out + widen(a) * widen(b)), in any operand order.
struct ProductSum {
  Operation *multiply = nullptr;
  Operation *add = nullptr;
  /// An op, other than widening, between an input and the product or the
  /// product and the sum.
  Operation *other = nullptr;
};
} // namespace

static bool isWidening(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp>(op);
}

/// The block argument that `value` is converted from by single-operand ops, or
/// null. The first that is not a widening is kept in `other`.
static BlockArgument getSource(Value value, Operation *&other) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 1)
      return {};
    if (!isWidening(op) && !other)
      other = op;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

static std::optional<ProductSum> matchProductSum(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  Operation *yield = block->getTerminator();
  if (block->getNumArguments() != 3 || yield->getNumOperands() != 1)
    return std::nullopt;
  ProductSum match;
  match.add = yield->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(match.add))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    if (match.add->getOperand(i) != block->getArgument(2))
      continue;
    Value product = match.add->getOperand(1 - i);
    while (Operation *convert = product.getDefiningOp()) {
      if (isa<arith::MulFOp, arith::MulIOp>(convert)) {
        match.multiply = convert;
        break;
      }
      if (convert->getNumOperands() != 1)
        return std::nullopt;
      match.other = convert;
      product = convert->getOperand(0);
    }
    break;
  }
  if (!match.multiply)
    return std::nullopt;
  BlockArgument a = getSource(match.multiply->getOperand(0), match.other);
  BlockArgument b = getSource(match.multiply->getOperand(1), match.other);
  if (!a || !b || a.getArgNumber() + b.getArgNumber() != 1)
    return std::nullopt;
  return match;
}

bool coda::isContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 ||
      isa<linalg::ConvolutionOpInterface>(op.getOperation()))
    return false;
  return matchProductSum(op).has_value();
}

WhyNot coda::whyNotGemmBody(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return whyNot("it works on memrefs; coda-fuse runs before bufferization");
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        !type || type.getEncoding())
      return whyNot("an operand is of type ", operand.getType(),
                    "; expected plain tensors");
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Type lhs = elementOf(op.getDpsInputs()[0]);
  Type rhs = elementOf(op.getDpsInputs()[1]);
  Type out = elementOf(op.getDpsInits()[0]);
  if (!mayMultiply(lhs, rhs))
    return whyNot("its inputs are of two element types, ", lhs, " and ", rhs);
  Type accumulator = GemmOp::getAccumulatorType(lhs);
  if (!accumulator)
    return whyNot("its inputs are of element type ", lhs,
                  "; expected bf16, f16, f32, f64, f8E4M3FN, f8E5M2 or i8");
  std::optional<ProductSum> body = matchProductSum(op);
  if (!body)
    return whyNot("its body is no plain sum of products");
  if (body->other)
    return whyNot("its body holds ", body->other->getName(),
                  "; expected only widening casts of the inputs");
  if (isa<FloatType>(accumulator) != isa<FloatType>(out) ||
      out.getIntOrFloatBitWidth() > accumulator.getIntOrFloatBitWidth())
    return whyNot("it accumulates ", lhs, " products in ", out,
                  ", but coda.gemm in ", accumulator);
  // 32-bit floats are what the accumulator holds; others are reached by one
  // rounding at the end.
  if (out.getIntOrFloatBitWidth() < lhs.getIntOrFloatBitWidth())
    return whyNot("it narrows its ", lhs, " inputs to ", out);
  return std::nullopt;
}

WhyNot coda::sortLoops(linalg::LinalgOp op, ContractionLoops &loops) {
  SmallVector<llvm::SmallBitVector, 3> uses;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    llvm::SmallBitVector &used =
        uses.emplace_back(llvm::SmallBitVector(op.getNumLoops()));
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineConstantExpr>(expr) && op.getShape(&operand)[i] == 1)
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        return whyNot("it indexes an operand by ", expr, "; expected a loop");
      if (used.test(dim.getPosition()))
        return whyNot("it indexes an operand twice by loop ", expr);
      used.set(dim.getPosition());
    }
  }
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inLhs = uses[0].test(i), inRhs = uses[1].test(i),
         inOut = uses[2].test(i);
    if ((iterator == utils::IteratorType::parallel) != inOut)
      return whyNot("loop ", i, " is ", utils::stringifyIteratorType(iterator),
                    ", but indexes the ", inOut ? "" : "inputs and not the ",
                    "result");
    if (inOut && inLhs && inRhs)
      loops.batch.push_back(i);
    else if (inOut && inLhs)
      loops.m.push_back(i);
    else if (inOut && inRhs)
      loops.n.push_back(i);
    else if (inLhs && inRhs)
      loops.k.push_back(i);
    else
      return whyNot("loop ", i, " indexes only ",
                    inLhs   ? "the left-hand side"
                    : inRhs ? "the right-hand side"
                            : "the result");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elementwise ops and values
//===----------------------------------------------------------------------===//

bool coda::isElementwise(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  return linalgOp && !isa<linalg::FillOp>(op) &&
         linalgOp.hasPureTensorSemantics() &&
         linalgOp.getNumParallelLoops() == linalgOp.getNumLoops();
}

bool coda::isCopy(Operation *op) {
  if (!isElementwise(op))
    return false;
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (linalgOp.getNumDpsInputs() != 1 || linalgOp.getNumDpsInits() != 1)
    return false;
  auto yielded = dyn_cast<BlockArgument>(
      linalgOp.getBlock()->getTerminator()->getOperand(0));
  return yielded && yielded.getOwner() == linalgOp.getBlock() &&
         yielded.getArgNumber() == 0;
}

bool coda::isWideningCopy(Operation *op) {
  if (!isElementwise(op))
    return false;
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (linalgOp.getNumDpsInputs() != 1 || linalgOp.getNumDpsInits() != 1)
    return false;
  Operation *widening =
      linalgOp.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return widening && isWidening(widening) &&
         widening->getOperand(0) == linalgOp.getBlock()->getArgument(0);
}

bool coda::isContractionWithProducers(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || isContraction(op) ||
      isa<linalg::ConvolutionOpInterface>(op.getOperation()))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.pop_back();
  Operation *add =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  // Of one index only it is a reduction of a vector product, a statistic, and
  // so is a sum of squares.
  return !llvm::all_equal(maps) &&
         isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) &&
         llvm::any_of(add->getOperands(), [](Value value) {
           Operation *multiply = value.getDefiningOp();
           return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply) &&
                  multiply->getOperand(0) != multiply->getOperand(1);
         });
}

static bool isZero(Value scalar) {
  return matchPattern(scalar, m_PosZeroFloat()) ||
         matchPattern(scalar, m_Zero());
}

bool coda::isZeroTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      return isZero(fill.getInputs().front());
    if (isCopy(op)) {
      value = op->getOperand(0);
      if (!isa<ShapedType>(value.getType()))
        return isZero(value);
      continue;
    }
    if (isElementwise(op)) {
      auto result = cast<OpResult>(value);
      Block *body = cast<linalg::LinalgOp>(op).getBlock();
      return isZero(
          body->getTerminator()->getOperand(result.getResultNumber()));
    }
    return matchPattern(value, m_PosZeroFloat()) ||
           matchPattern(value, m_Zero());
  }
  return false;
}

Value coda::dropUnitDims(OpBuilder &builder, Location loc, Value value,
                         ArrayRef<unsigned> dims) {
  if (dims.empty())
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  // Each kept dimension takes the dropped ones that precede it; the last one
  // those that follow it too.
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    pending.push_back(i);
    if (llvm::is_contained(dims, i))
      continue;
    groups.push_back(std::move(pending));
    pending.clear();
    shape.push_back(type.getDimSize(i));
  }
  if (!groups.empty())
    llvm::append_range(groups.back(), pending);
  return tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups);
}

bool coda::areShapesCompatible(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  return from.size() == to.size() &&
         llvm::all_of(llvm::zip_equal(from, to), [](auto pair) {
           auto [a, b] = pair;
           return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ||
                  a == b;
         });
}

WhyNot coda::collectCaptured(linalg::LinalgOp op,
                             SmallVectorImpl<Value> &captured) {
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands()) {
      if (operand.getParentBlock() == op.getBlock())
        continue;
      if (!operand.getType().isSignlessIntOrIndexOrFloat())
        return whyNot("its body uses a value of type ", operand.getType());
      if (!matchPattern(operand, m_Constant()) &&
          !llvm::is_contained(captured, operand))
        captured.push_back(operand);
    }
  return std::nullopt;
}
