//===- ReparameterizeSums.cpp - Sums without row factors inside -----------===//

#include "ReductionBodies.h"
#include "Reparameterization.h"
#include "TermBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

Value coda::createFilled(OpBuilder &builder, Location loc,
                         ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, value.getType());
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value coda::createRows(
    RewriterBase &rewriter, Location loc, ArrayRef<Term> terms,
    ArrayRef<Value> values, Type type, std::optional<OpFoldResult> size,
    function_ref<Value(OpBuilder &, Location, Value)> finish) {
  SmallVector<Role> roles;
  SmallVector<OpFoldResult> sizes;
  if (size) {
    roles.push_back(Role::row);
    sizes.push_back(*size);
  }
  TermBuilder builder(rewriter, loc, roles, type);
  for (Value value : values)
    if (value)
      builder.addInput(
          value,
          builder.getMap(cast<RankedTensorType>(value.getType()).getRank()
                             ? ArrayRef<Role>(Role::row)
                             : ArrayRef<Role>()));
  builder.addInputs(terms);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  SmallVector<AffineMap> maps(builder.getMaps());
  maps.push_back(builder.getMap(roles));
  SmallVector<utils::IteratorType> iterators(roles.size(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), builder.getInputs(), empty, maps,
      iterators, [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value sum;
        for (auto [i, term] : llvm::enumerate(terms)) {
          bool isOne = term.rows.empty() && (values.empty() || !values[i]);
          Value value;
          if (!term.rows.empty())
            value = builder.emit(body, arguments, term.rows);
          if (!values.empty() && values[i]) {
            auto position = llvm::find(builder.getInputs(), values[i]) -
                            builder.getInputs().begin();
            Value factor = convertFloat(body, loc, arguments[position], type);
            value = value ? arith::MulFOp::create(body, loc, value, factor)
                          : factor;
          }
          if (term.coefficient != 1 || isOne) {
            Value constant = arith::ConstantOp::create(
                body, loc, body.getFloatAttr(type, term.coefficient));
            value = value ? arith::MulFOp::create(body, loc, constant, value)
                          : constant;
          }
          sum = sum ? arith::AddFOp::create(body, loc, sum, value) : value;
        }
        linalg::YieldOp::create(body, loc,
                                finish ? finish(body, loc, sum) : sum);
      });
  return op.getResult(0);
}

/// sum over k of the product of `inner`, [row], in `type`.
static Value createSum(RewriterBase &rewriter, Location loc,
                       ArrayRef<Factor> inner, Type type,
                       std::optional<OpFoldResult> rows) {
  SmallVector<Role> roles;
  SmallVector<OpFoldResult> sizes;
  SmallVector<utils::IteratorType> iterators;
  if (rows) {
    roles.push_back(Role::row);
    sizes.push_back(*rows);
    iterators.push_back(utils::IteratorType::parallel);
  }
  SmallVector<Role> outRoles(roles);
  roles.push_back(Role::k);
  iterators.push_back(utils::IteratorType::reduction);
  TermBuilder builder(rewriter, loc, roles, type);
  builder.addInputs(Term{1, {}, SmallVector<Factor>(inner)});
  Value init =
      createFilled(rewriter, loc, sizes, rewriter.getFloatAttr(type, 0.0));
  SmallVector<AffineMap> maps(builder.getMaps());
  maps.push_back(builder.getMap(outRoles));
  return linalg::GenericOp::create(
             rewriter, loc, init.getType(), builder.getInputs(), init, maps,
             iterators,
             [&](OpBuilder &body, Location loc, ValueRange arguments) {
               Value element = builder.emit(body, arguments, inner);
               linalg::YieldOp::create(
                   body, loc,
                   arith::AddFOp::create(body, loc, element, arguments.back())
                       .getResult());
             })
      .getResult(0);
}

/// Whether `element` is the square of something, and a sum of such no less
/// than 0.
static bool isSquare(Factorizer &factorizer, Element element) {
  for (unsigned i = 0; i < 8; ++i) {
    if (element.isTensor() || isa<BlockArgument>(element.value)) {
      std::optional<Element> definition = factorizer.getDefinition(element);
      if (!definition)
        return false;
      element = *definition;
      continue;
    }
    Operation *op = element.value.getDefiningOp();
    if (isa<arith::MulFOp>(op))
      return factorizer.getSource({op->getOperand(0), element.roles}) ==
             factorizer.getSource({op->getOperand(1), element.roles});
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return false;
    element.value = op->getOperand(0);
  }
  return false;
}

WhyNot coda::splitSum(RewriterBase &rewriter, linalg::LinalgOp sum) {
  unsigned loops = sum.getNumLoops();
  if (!sum.hasPureTensorSemantics() || loops > 2 ||
      sum.getNumReductionLoops() != 1 || sum.getNumDpsInits() != 1)
    return whyNot("it is no reduction of the rows or columns of a matrix");
  unsigned reduced =
      sum.getIteratorTypesArray()[0] == utils::IteratorType::reduction ? 0 : 1;
  ReductionBody body;
  if (WhyNot why = matchReductionBody(sum, 0, reduced, body))
    return why;
  AffineMap outMap = sum.getMatchingIndexingMap(sum.getDpsInitOperand(0));
  Type type = body.element.getType();
  if (body.index || body.kind != Reduction::add || !body.isInitNeutral ||
      !isa<FloatType>(type) || outMap.getNumResults() != loops - 1)
    return whyNot("it is no sum of floats from 0");
  SmallVector<Role, 3> roles(loops, Role::row);
  roles[reduced] = Role::k;
  Element element{body.element, roles};
  Factorizer factorizer;
  Origin origin = factorizer.getOrigin(element);
  if (origin.products.empty())
    return whyNot("it does not sum what a product gives");
  std::optional<SmallVector<Term>> terms = factorizer.expand(element);
  if (!terms)
    return whyNot("what it sums is no sum of products of whole-row values and "
                  "of what a product gives");
  for (const Term &term : *terms)
    for (const Factor &factor : term.inner) {
      Type source = factor.element.getType();
      // Sums of f64 values are meant to be exact.
      if (source.isF64())
        return whyNot("it sums values of type ", source);
    }
  // One way to write a sum, so that those computed twice are found to be one.
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(sum);
  Type compute = rewriter.getF32Type();
  std::optional<OpFoldResult> rows, count;
  for (OpOperand *operand : sum.getDpsInputOperands())
    for (auto [i, expr] :
         llvm::enumerate(sum.getMatchingIndexingMap(operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        (dim.getPosition() == reduced ? count : rows) =
            tensor::getMixedSize(rewriter, loc, operand->get(), i);
  if (!count || (loops == 2 && !rows))
    return whyNot("it reads no matrix");

  SmallVector<TermGroup> groups = groupByInner(*terms);
  SmallVector<Term> rowTerms;
  SmallVector<Value> values;
  for (TermGroup &group : groups) {
    Value value;
    if (!group.inner.empty()) {
      value = createSum(rewriter, loc, group.inner, compute, rows);
    } else if (auto size = getConstantIntValue(*count)) {
      for (Term &term : group.rows)
        term.coefficient *= *size;
    } else {
      Value index = getValueOrCreateConstantIndexOp(rewriter, loc, *count);
      Value integer = arith::IndexCastOp::create(rewriter, loc,
                                                 rewriter.getI64Type(), index);
      Value number = arith::SIToFPOp::create(rewriter, loc, compute, integer);
      value = tensor::FromElementsOp::create(
          rewriter, loc, RankedTensorType::get({}, compute), number);
    }
    for (Term &term : group.rows) {
      rowTerms.push_back(term);
      values.push_back(value);
    }
  }
  bool isPlain = rowTerms.size() == 1 && rowTerms[0].rows.empty() &&
                 rowTerms[0].coefficient == 1 && values[0];
  // Rounding may leave a difference of equal sums below 0, where the source's
  // sum of squares is not.
  bool clamps = rowTerms.size() > 1 && isSquare(factorizer, element);
  Value result = values[0];
  if (!isPlain || type != compute) {
    result = createRows(
        rewriter, loc, rowTerms, values, compute, rows,
        [&](OpBuilder &builder, Location loc, Value value) -> Value {
          if (!clamps)
            return value;
          Value zero = arith::ConstantOp::create(
              builder, loc, builder.getFloatAttr(compute, 0.0));
          return arith::MaximumFOp::create(builder, loc, value, zero);
        });
  }
  if (type != compute) {
    auto plain = cast<RankedTensorType>(result.getType());
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, result), type);
    AffineMap map = rewriter.getMultiDimIdentityMap(plain.getRank());
    SmallVector<utils::IteratorType> iterators(plain.getRank(),
                                               utils::IteratorType::parallel);
    result =
        linalg::GenericOp::create(
            rewriter, loc, plain.clone(type), result, empty, ArrayRef{map, map},
            iterators,
            [&](OpBuilder &builder, Location loc, ValueRange arguments) {
              linalg::YieldOp::create(
                  builder, loc, convertFloat(builder, loc, arguments[0], type));
            })
            .getResult(0);
  }
  Type expected = sum->getResult(0).getType();
  if (result.getType() != expected)
    result = tensor::CastOp::create(rewriter, loc, expected, result);
  rewriter.replaceOp(sum, result);
  return std::nullopt;
}
