//===- ReductionBodies.cpp - What a linalg op reduces to what -------------===//

#include "ReductionBodies.h"

#include "coda/Dialect/Coda/Utils/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Bodies of one op
//===----------------------------------------------------------------------===//

/// The kind of reduction that `op` combines two values by. maxnumf and minnumf
/// skip NaN where coda.reduce keeps it: they are the same only without NaN.
static std::optional<Reduction> getKind(Operation *op) {
  auto withoutNan = [](auto minMax,
                       Reduction kind) -> std::optional<Reduction> {
    if (bitEnumContainsAll(minMax.getFastmath(), arith::FastMathFlags::nnan))
      return kind;
    return std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Reduction>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Reduction::add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Reduction::mul; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return Reduction::max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return Reduction::min; })
      .Case(
          [&](arith::MaxNumFOp max) { return withoutNan(max, Reduction::max); })
      .Case(
          [&](arith::MinNumFOp min) { return withoutNan(min, Reduction::min); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The scalar that every element of `init` is, or null.
static Attribute getSplat(Value init) {
  while (Operation *op = init.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            op))
      break;
    init = op->getOperand(0);
  }
  // A fill as an op of its own kind, or as a generic that yields a constant.
  if (Operation *op = init.getDefiningOp(); isElementwise(op)) {
    Attribute value;
    matchPattern(
        cast<linalg::LinalgOp>(op).getBlock()->getTerminator()->getOperand(
            cast<OpResult>(init).getResultNumber()),
        m_Constant(&value));
    return value;
  }
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Attribute value;
    matchPattern(fill.getInputs().front(), m_Constant(&value));
    return value;
  }
  DenseElementsAttr elements;
  if (matchPattern(init, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<Attribute>();
  return {};
}

/// Whether combining with `init` changes nothing. For `max` the least finite
/// value will not do: a row of -infinity would become that. A sum may start
/// from either zero.
static bool isNeutral(Reduction kind, Attribute init, Type type) {
  if (!init)
    return false;
  if (auto value = dyn_cast<FloatAttr>(init);
      value && kind == Reduction::add && value.getValue().isZero())
    return true;
  return init == getNeutralElement(kind, type);
}

static WhyNot matchOneOp(linalg::LinalgOp op, unsigned result,
                         ReductionBody &body) {
  // Not upstream's matchReduction, which wants the accumulator used once: an
  // unused index of the maximum beside it compares with it too.
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  BlockArgument accumulator = op.getRegionOutputArgs()[result];
  if (!combiner || combiner->getNumOperands() != 2 ||
      !llvm::is_contained(combiner->getOperands(), accumulator))
    return whyNot("its body is no reduction that coda.reduce knows");
  std::optional<Reduction> kind = getKind(combiner);
  if (!kind)
    return whyNot("it combines elements by ", combiner->getName(),
                  isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner)
                      ? ", which skips NaN where coda.reduce keeps it"
                      : ", which is no reduction that coda.reduce knows");
  body.kind = *kind;
  body.element =
      combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
  Type type = body.element.getType();
  Attribute init = getSplat(op.getDpsInits()[result]);
  // The greatest absolute value has a kind of its own, which starts from 0.
  Operation *element = body.element.getDefiningOp();
  if (body.kind == Reduction::max &&
      isa_and_nonnull<math::AbsFOp, math::AbsIOp>(element) &&
      isNeutral(Reduction::absmax, init, type)) {
    body.kind = Reduction::absmax;
    body.element = element->getOperand(0);
  }
  body.isInitNeutral = isNeutral(body.kind, init, type);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bodies of several
//===----------------------------------------------------------------------===//

/// Whether `value` computes what `reference` does, given what the leaves of the
/// reference stand for. A leaf without a meaning takes the first it meets.
static bool computesSame(Value value, Value reference, IRMapping &leaves,
                         Block *referenceBlock) {
  if (auto leaf = dyn_cast<BlockArgument>(reference);
      leaf && leaf.getOwner() == referenceBlock) {
    Value known = leaves.lookupOrNull(reference);
    if (!known)
      leaves.map(reference, value);
    return !known || known == value;
  }
  Operation *op = value.getDefiningOp(), *other = reference.getDefiningOp();
  if (!op || !other)
    return false;
  Attribute constant, otherConstant;
  if (matchPattern(reference, m_Constant(&otherConstant)))
    return matchPattern(value, m_Constant(&constant)) &&
           constant == otherConstant;
  if (op->getName() != other->getName() ||
      op->getNumOperands() != other->getNumOperands())
    return false;
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (compare &&
      compare.getPredicate() != cast<arith::CmpFOp>(other).getPredicate())
    return false;
  return llvm::all_of(
      llvm::zip_equal(op->getOperands(), other->getOperands()), [&](auto pair) {
        return computesSame(std::get<0>(pair), std::get<1>(pair), leaves,
                            referenceBlock);
      });
}

/// One pass over the elements that combines them as logarithms: the body is
/// what combinePartials makes of an element and the accumulator.
static bool matchLogSumExp(linalg::LinalgOp op, unsigned result,
                           ReductionBody &body) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  Type type = yielded.getType();
  if (!isa<Float32Type, Float64Type>(type) ||
      !yielded.getDefiningOp<arith::SelectOp>())
    return false;
  Block reference;
  Location loc = op.getLoc();
  reference.addArguments({type, type}, {loc, loc});
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&reference);
  Value expected =
      combinePartials(builder, loc, Reduction::logsumexp,
                      reference.getArgument(0), reference.getArgument(1));
  for (unsigned element : {0, 1}) {
    IRMapping leaves;
    leaves.map(reference.getArgument(1 - element),
               op.getRegionOutputArgs()[result]);
    if (!computesSame(yielded, expected, leaves, &reference))
      continue;
    body.kind = Reduction::logsumexp;
    body.element = leaves.lookup(reference.getArgument(element));
    body.isInitNeutral =
        isNeutral(body.kind, getSplat(op.getDpsInits()[result]), type);
    return true;
  }
  return false;
}

/// `value` before conversions between integer types that keep equality.
static Value skipIndexCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// select(index == here, element, accumulator), from 0.
static bool matchSelection(linalg::LinalgOp op, unsigned result, unsigned loop,
                           ReductionBody &body) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  if (!select || select.getFalseValue() != op.getRegionOutputArgs()[result] ||
      !isNeutral(Reduction::add, getSplat(op.getDpsInits()[result]),
                 yielded.getType()))
    return false;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  for (auto [here, index] : {std::pair(compare.getLhs(), compare.getRhs()),
                             {compare.getRhs(), compare.getLhs()}}) {
    auto loopIndex = skipIndexCasts(here).getDefiningOp<linalg::IndexOp>();
    if (!loopIndex || loopIndex.getDim() != loop)
      continue;
    body.element = select.getTrueValue();
    body.index = index;
    return true;
  }
  return false;
}

/// Whether what `op` has reduced so far is used for `value`.
static bool usesAccumulator(linalg::LinalgOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return llvm::is_contained(op.getRegionOutputArgs(), argument);
  Operation *definition = value.getDefiningOp();
  return definition->getBlock() == op.getBlock() &&
         llvm::any_of(definition->getOperands(), [&](Value operand) {
           return usesAccumulator(op, operand);
         });
}

WhyNot coda::matchReductionBody(linalg::LinalgOp op, unsigned result,
                                unsigned loop, ReductionBody &body) {
  bool isSelection = matchSelection(op, result, loop, body);
  if (!isSelection && !matchLogSumExp(op, result, body))
    if (WhyNot why = matchOneOp(op, result, body))
      return why;
  for (Value value : {body.element, body.index})
    if (value && usesAccumulator(op, value))
      return whyNot("an element that it reduces depends on those before");
  if (isSelection)
    return std::nullopt;
  Type type = body.element.getType();
  bool rounds = body.kind == Reduction::add || body.kind == Reduction::mul ||
                body.kind == Reduction::logsumexp;
  if (isa<FloatType>(type) && rounds && !isa<Float32Type, Float64Type>(type))
    return whyNot("it accumulates in ", type,
                  ", which rounds after every element; expected f32 or f64");
  if (isa<IntegerType>(type) && !type.isSignlessInteger(32) &&
      !type.isSignlessInteger(64))
    return whyNot("it reduces elements of type ", type,
                  "; expected integers of 32 or 64 bits");
  return std::nullopt;
}
