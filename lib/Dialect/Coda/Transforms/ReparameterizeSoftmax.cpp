//===- ReparameterizeSoftmax.cpp - Log-softmax at a target ----------------===//

#include "ReductionBodies.h"
#include "Reparameterization.h"
#include "TermBuilder.h"

#include "coda/Dialect/Coda/Utils/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Logsumexp
//===----------------------------------------------------------------------===//

/// A whole-row reduction that `row` is: the op, and what it reduces.
static linalg::LinalgOp getReduction(Factorizer &factorizer, Element row,
                                     ReductionBody &body, Element &reduced) {
  row = factorizer.getSource(row);
  if (!row.isTensor())
    return {};
  Value value = row.value;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumLoops() != 2 || op.getNumReductionLoops() != 1)
    return {};
  unsigned loop =
      op.getIteratorTypesArray()[0] == utils::IteratorType::reduction ? 0 : 1;
  if (matchReductionBody(op, cast<OpResult>(value).getResultNumber(), loop,
                         body) ||
      body.index || !body.isInitNeutral)
    return {};
  SmallVector<Role, 3> roles(2, Role::row);
  roles[loop] = Role::k;
  reduced = Element{body.element, roles};
  return op;
}

namespace {
/// log(sum over k of exp(x - max)) + max, as one reduction of x.
class LogSumExps {
public:
  LogSumExps(RewriterBase &rewriter, Location loc)
      : rewriter(rewriter), loc(loc) {}

  /// If `row` is log(sum of exp(x - max of x)): the terms logsumexp(x) and
  /// -max.
  std::optional<SmallVector<Term>> match(const Element &row);

private:
  Value create(const Element &element, linalg::LinalgOp sum);

  RewriterBase &rewriter;
  Location loc;
  /// Without a rule of its own: the maximum stays a row factor.
  Factorizer factorizer;
  SmallVector<std::pair<Element, Value>> created;
};
} // namespace

std::optional<SmallVector<Term>> LogSumExps::match(const Element &row) {
  // The logarithm, be it an op of its own or in a body.
  Element scalar = row;
  for (unsigned i = 0; i < 4; ++i) {
    if (!scalar.isTensor() && scalar.value.getDefiningOp())
      break;
    Value value = scalar.value;
    if (scalar.isTensor())
      while (Operation *op = value.getDefiningOp()) {
        if (!isa<tensor::CastOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp>(op))
          break;
        value = op->getOperand(0);
      }
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && value != scalar.value) {
      // A vector with or without unit dimensions.
      scalar = Element{value, SmallVector<Role, 3>(type.getRank(), Role::none)};
      if (type.getRank())
        scalar.roles.front() = Role::row;
    }
    std::optional<Element> definition = factorizer.getDefinition(scalar);
    if (!definition)
      return std::nullopt;
    scalar = *definition;
  }
  auto log = scalar.value.getDefiningOp<math::LogOp>();
  if (!log)
    return std::nullopt;
  ReductionBody sumBody, maxBody;
  Element summed, maximized;
  linalg::LinalgOp sum = getReduction(
      factorizer, Element{log.getOperand(), scalar.roles}, sumBody, summed);
  if (!sum || sumBody.kind != Reduction::add)
    return std::nullopt;
  // exp(x - max), by way of where it is stored.
  while (summed.isTensor() || isa<BlockArgument>(summed.value)) {
    std::optional<Element> definition = factorizer.getDefinition(summed);
    if (!definition)
      return std::nullopt;
    summed = *definition;
  }
  auto exp = summed.value.getDefiningOp<math::ExpOp>();
  if (!exp)
    return std::nullopt;
  std::optional<SmallVector<Term>> terms =
      factorizer.expand(Element{exp.getOperand(), summed.roles});
  if (!terms || terms->size() != 2)
    return std::nullopt;
  const Term &element = (*terms)[0], &max = (*terms)[1];
  if (element.coefficient != 1 || !element.rows.empty() ||
      element.inner.size() != 1 || element.inner[0].isInverse ||
      max.coefficient != -1 || max.rows.size() != 1 || !max.inner.empty() ||
      max.rows[0].isInverse)
    return std::nullopt;
  linalg::LinalgOp maximum =
      getReduction(factorizer, max.rows[0].element, maxBody, maximized);
  if (!maximum || maxBody.kind != Reduction::max ||
      !(factorizer.getSource(maximized) == element.inner[0].element))
    return std::nullopt;
  Value lse = create(element.inner[0].element, sum);
  Element lseElement{lse, {Role::row}};
  return SmallVector<Term>{Term{1, {Factor{lseElement}}, {}},
                           Term{-1, {max.rows[0]}, {}}};
}

/// The size of the loop with `role` of an op that reads a matrix.
static OpFoldResult getSize(OpBuilder &builder, Location loc,
                            const Element &element, Role role) {
  if (element.isTensor()) {
    auto position = llvm::find(element.roles, role) - element.roles.begin();
    return tensor::getMixedSize(builder, loc, element.value, position);
  }
  Value scalar = element.value;
  auto owner = cast<linalg::LinalgOp>(scalar.getParentRegion()->getParentOp());
  for (OpOperand &operand : owner->getOpOperands())
    for (auto [i, expr] :
         llvm::enumerate(owner.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && element.roles[dim.getPosition()] == role)
        return tensor::getMixedSize(builder, loc, operand.get(), i);
  return builder.getIndexAttr(1);
}

Value LogSumExps::create(const Element &element, linalg::LinalgOp sum) {
  for (auto &[known, value] : created)
    if (known == element)
      return value;
  Type type = getElementTypeOrSelf(sum->getResult(0).getType());
  TermBuilder builder(rewriter, loc, {Role::row, Role::k}, type);
  builder.addInputs(element);
  Value init =
      createFilled(rewriter, loc, getSize(rewriter, loc, element, Role::row),
                   getNeutralElement(Reduction::logsumexp, type));
  SmallVector<AffineMap> maps(builder.getMaps());
  maps.push_back(builder.getMap({Role::row}));
  auto op = linalg::GenericOp::create(
      rewriter, loc, init.getType(), builder.getInputs(), init, maps,
      {utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value value = builder.emit(body, arguments, element);
        linalg::YieldOp::create(body, loc,
                                combinePartials(body, loc, Reduction::logsumexp,
                                                value, arguments.back()));
      });
  created.emplace_back(element, op.getResult(0));
  return op.getResult(0);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

static tensor::ExtractOp getExtract(linalg::LinalgOp op) {
  if (!isElementwise(op) || op.getNumDpsInits() != 1)
    return {};
  return op.getBlock()
      ->getTerminator()
      ->getOperand(0)
      .getDefiningOp<tensor::ExtractOp>();
}

bool coda::isGather(linalg::LinalgOp op) {
  return static_cast<bool>(getExtract(op));
}

WhyNot coda::splitGather(RewriterBase &rewriter, linalg::LinalgOp gather) {
  tensor::ExtractOp extract = getExtract(gather);
  if (!extract || extract.getIndices().size() != 2)
    return whyNot("it does not read an element of a matrix");
  // The bounds that the source asserts are not kept: no element is 0.
  for (Operation &op : gather.getBlock()->without_terminator())
    if (!isPure(&op) && !isa<cf::AssertOp>(&op) && &op != extract)
      return whyNot("its body holds ", op.getName());
  auto rowIndex = extract.getIndices()[0].getDefiningOp<linalg::IndexOp>();
  if (!rowIndex)
    return whyNot("it does not read one element of each row");
  SmallVector<int64_t> sizes = gather.getStaticLoopRanges();
  unsigned row = rowIndex.getDim();
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (loop != row && size != 1)
      return whyNot("it reads several elements of each row");
  auto table = cast<RankedTensorType>(extract.getTensor().getType());
  if (!isa<FloatType>(table.getElementType()) ||
      table.getDimSize(0) != sizes[row])
    return whyNot("it reads ", sizes[row], " rows of ", table);
  SmallVector<Role, 3> roles(sizes.size(), Role::none);
  roles[row] = Role::row;
  Element index{extract.getIndices()[1], roles};
  Element element{extract.getTensor(), {Role::row, Role::k}};

  Location loc = gather.getLoc();
  rewriter.setInsertionPoint(gather);
  LogSumExps logSumExps(rewriter, loc);
  Factorizer factorizer(
      [&](const Element &row) { return logSumExps.match(row); });
  if (factorizer.getOrigin(element).products.empty())
    return whyNot("it does not read what a product gives");
  if (factorizer.dependsOn(index, Role::k) ||
      !factorizer.getOrigin(index).products.empty())
    return whyNot("its index depends on the product");
  std::optional<SmallVector<Term>> terms = factorizer.expand(element);
  if (!terms)
    return whyNot("it reads no sum of products of whole-row values and of what "
                  "a product gives");
  auto out = cast<RankedTensorType>(gather->getResult(0).getType());
  Type type = out.getElementType();
  Type compute = type.isF64() ? type : rewriter.getF32Type();
  OpFoldResult rows =
      tensor::getMixedSize(rewriter, loc, extract.getTensor(), 0);

  SmallVector<Term> rowTerms;
  SmallVector<Value> values;
  for (TermGroup &group : groupByInner(*terms)) {
    Value value;
    if (!group.inner.empty()) {
      TermBuilder builder(rewriter, loc, {Role::row, Role::k}, compute);
      builder.addInputs(Term{1, {}, group.inner});
      builder.addInputs(index);
      Value init = createFilled(rewriter, loc, rows,
                                rewriter.getFloatAttr(compute, 0.0));
      SmallVector<AffineMap> maps(builder.getMaps());
      maps.push_back(builder.getMap({Role::row}));
      value =
          linalg::GenericOp::create(
              rewriter, loc, init.getType(), builder.getInputs(), init, maps,
              {utils::IteratorType::parallel, utils::IteratorType::reduction},
              [&](OpBuilder &body, Location loc, ValueRange arguments) {
                Value element = builder.emit(body, arguments, group.inner);
                Value target = builder.emitIndex(body, arguments, index);
                Value here = linalg::IndexOp::create(body, loc, 1);
                Value isHere = arith::CmpIOp::create(
                    body, loc, arith::CmpIPredicate::eq, here, target);
                linalg::YieldOp::create(
                    body, loc,
                    arith::SelectOp::create(body, loc, isHere, element,
                                            arguments.back())
                        .getResult());
              })
              .getResult(0);
    }
    for (Term &term : group.rows) {
      rowTerms.push_back(term);
      values.push_back(value);
    }
  }
  Value result = createRows(rewriter, loc, rowTerms, values, compute, rows);
  if (type != compute) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, {rows}, type);
    AffineMap map = rewriter.getMultiDimIdentityMap(1);
    result =
        linalg::GenericOp::create(
            rewriter, loc, empty.getType(), result, empty, ArrayRef{map, map},
            {utils::IteratorType::parallel},
            [&](OpBuilder &builder, Location loc, ValueRange arguments) {
              linalg::YieldOp::create(
                  builder, loc, convertFloat(builder, loc, arguments[0], type));
            })
            .getResult(0);
  }
  if (out.getRank() != 1) {
    ReassociationIndices all;
    for (int64_t i = 0; i < out.getRank(); ++i)
      all.push_back(i);
    result = tensor::ExpandShapeOp::create(
        rewriter, loc, out, result, ArrayRef{all},
        tensor::getMixedSizes(rewriter, loc, gather.getDpsInits()[0]));
  } else if (result.getType() != out) {
    result = tensor::CastOp::create(rewriter, loc, out, result);
  }
  rewriter.replaceOp(gather, result);
  return std::nullopt;
}
