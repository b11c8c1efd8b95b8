//===- ReparameterizeProducts.cpp - Factors move through products ---------===//

#include "ConstantFactors.h"
#include "Reparameterization.h"
#include "TermBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coda;

namespace {
/// One input of a contraction, whose elements are x[row, k], or x[k] where
/// there is one row only, and the other.
class FactorMover {
public:
  FactorMover(RewriterBase &rewriter, linalg::LinalgOp op, unsigned input,
              const ContractionLoops &loops)
      : rewriter(rewriter), op(op), input(op.getDpsInputOperand(input)),
        other(op.getDpsInputOperand(1 - input)), loc(op.getLoc()), column(0),
        k(loops.k.front()), isLeft(true),
        type(cast<FloatType>(GemmOp::getAccumulatorType(
            getElementTypeOrSelf(this->input->get())))) {
    AffineMap map = op.getMatchingIndexingMap(this->input);
    for (unsigned loop : llvm::concat<const unsigned>(loops.m, loops.n))
      if (map.isFunctionOfDim(loop))
        row = loop;
      else
        column = loop;
    isLeft = !row || llvm::is_contained(loops.m, *row);
    isOneRow = !row || op.getStaticLoopRanges()[*row] == 1;
  }

  WhyNot plan(const ProductRules &rules);
  void rewrite();

private:
  WhyNot planRows(const Element &element, const ProductRules &rules);
  void nameRow(Element &element);
  void takeConstants(const ProductRules &rules);
  SmallVector<Role, 3> getRoles(OpOperand *operand);
  /// Whether `group` holds what a product gives. Its one row may be indexed by
  /// k alone.
  bool isFull(const TermGroup &group) {
    return llvm::any_of(group.inner, [&](const Factor &factor) {
      return factorizer.dependsOn(factor.element, Role::row) ||
             (isOneRow &&
              !factorizer.getOrigin(factor.element).products.empty());
    });
  }
  OpFoldResult getLoopSize(OpOperand *operand, unsigned loop);
  Value createInput();
  SmallVector<Value> createVectors();

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  OpOperand *input, *other;
  Location loc;
  std::optional<unsigned> row;
  unsigned column, k;
  /// Whether the rows are those of the result.
  bool isLeft;
  bool isOneRow = false;
  FloatType type;
  Factorizer factorizer;
  /// What stays in the product, and terms of one row of elements only.
  TermGroup full;
  SmallVector<TermGroup> vectors;
  /// Where the weight is constant.
  std::optional<ConstantFolder> folder;
  TypedAttr scaledWeight;
  /// For each of `vectors` its sums with the weight, if they are constant.
  SmallVector<std::optional<SmallVector<double>>> constantSums;
};
} // namespace

OpFoldResult FactorMover::getLoopSize(OpOperand *operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto position = map.getResultPosition(rewriter.getAffineDimExpr(loop));
  return tensor::getMixedSize(rewriter, loc, operand->get(), *position);
}

/// Those of the dimensions of `operand`, its loop beside k being the rows.
SmallVector<Role, 3> FactorMover::getRoles(OpOperand *operand) {
  return llvm::map_to_vector<3>(
      op.getMatchingIndexingMap(operand).getResults(), [&](AffineExpr expr) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        return !dim ? Role::none : dim.getPosition() == k ? Role::k : Role::row;
      });
}

/// The one row may have got lost where a unit dimension was dropped and added.
void FactorMover::nameRow(Element &element) {
  if (!element.isTensor() || llvm::is_contained(element.roles, Role::row))
    return;
  auto *unit = llvm::find(element.roles, Role::none);
  if (unit != element.roles.end())
    *unit = Role::row;
}

/// Takes constant factors out of what stays in the product.
void FactorMover::takeConstants(const ProductRules &rules) {
  if (!rules.foldConstants || scaledWeight)
    return;
  if (!folder)
    folder.emplace(factorizer, op, input, other, column, k);
  if (folder->takeFrom(full.inner, getRoles(input), isOneRow))
    scaledWeight = folder->getWeight();
}

WhyNot FactorMover::plan(const ProductRules &rules) {
  SmallVector<Role, 3> roles(op.getNumLoops(), Role::none);
  if (row)
    roles[*row] = Role::row;
  roles[k] = Role::k;
  std::optional<Element> element = factorizer.read(*input, roles);
  if (!element)
    return whyNot("an input is indexed by more than loops");
  if (WhyNot why = planRows(*element, rules)) {
    // It may still have constant factors.
    full = TermGroup{{Factor{*element}}, {Term()}};
    vectors.clear();
    scaledWeight = {};
    takeConstants(rules);
    return scaledWeight ? WhyNot() : why;
  }
  if (folder)
    for (const TermGroup &group : vectors)
      constantSums.push_back(folder->sumColumns(group.inner));
  constantSums.resize(vectors.size());
  return std::nullopt;
}

WhyNot FactorMover::planRows(const Element &element,
                             const ProductRules &rules) {
  bool isComputed = !factorizer.getOrigin(element).products.empty();
  // A scaled weight: nothing is gained unless it is read unscaled then.
  bool splitAll = !isComputed;
  if (isComputed && factorizer.isFusible(element))
    return whyNot("no input waits for a reduction");
  if (!isComputed && !(isLeft ? rules.rowFactor : rules.columnFactor))
    return whyNot("the rule ", isLeft ? "row-factor" : "column-factor",
                  " is off");
  std::optional<SmallVector<Term>> terms = factorizer.expand(element, splitAll);
  if (!terms)
    return whyNot("an input is no sum of products of whole-row values and of "
                  "what a product gives");
  for (TermGroup &group : groupByInner(*terms)) {
    if (!isFull(group)) {
      vectors.push_back(std::move(group));
      continue;
    }
    if (!full.rows.empty())
      return whyNot("an input is a sum of matrices with different row factors");
    full = std::move(group);
  }
  if (full.rows.empty())
    return whyNot("an input has no part that a product gives");
  bool hasRows = llvm::any_of(
      full.rows, [](const Term &term) { return !term.rows.empty(); });
  if (!hasRows)
    return whyNot("no input has a row factor");
  bool isOneTerm = vectors.empty() && full.rows.size() == 1;
  if (!splitAll && !(isOneTerm ? rules.rowFactor : rules.layerNorm))
    return whyNot("the rule ", isOneTerm ? "row-factor" : "layer-norm",
                  " is off");
  takeConstants(rules);
  if (splitAll) {
    bool isUnscaled =
        vectors.empty() && full.rows.size() == 1 && full.inner.size() == 1 &&
        full.inner[0].element.isTensor() &&
        full.inner[0].element.getType() == getElementTypeOrSelf(input->get());
    return isUnscaled ? WhyNot()
                      : whyNot("an input is computed from more than a matrix "
                               "and row factors");
  }
  return std::nullopt;
}

/// What stays in the product: the inner factors, rounded once.
Value FactorMover::createInput() {
  Type stored = getElementTypeOrSelf(input->get());
  const Element &first = full.inner.front().element;
  bool isPlain = full.inner.size() == 1 && !full.inner.front().isInverse &&
                 first.isTensor() && first.getType() == stored;
  SmallVector<Role, 3> roles = getRoles(input);
  // One row may have no dimension where it is stored.
  if (row && isOneRow) {
    for (Factor &factor : full.inner)
      nameRow(factor.element);
    if (llvm::none_of(full.inner, [&](const Factor &factor) {
          return factorizer.dependsOn(factor.element, Role::row);
        }))
      roles = {Role::k};
  }
  auto expand = [&](Value value) -> Value {
    SmallVector<Role, 3> wanted = getRoles(input);
    if (roles == wanted)
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(wanted.size(), 1);
    shape[llvm::find(wanted, Role::k) - wanted.begin()] = type.getDimSize(0);
    SmallVector<ReassociationIndices> groups = {
        llvm::to_vector<2>(llvm::seq<int64_t>(wanted.size()))};
    return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape),
                                         value, groups);
  };
  if (isPlain && first.roles == roles)
    return expand(first.value);
  // Stored as the input was; a unit dimension is a loop that nothing reads.
  TermBuilder builder(rewriter, loc, roles, type);
  builder.addInputs(Term{1, {}, full.inner});
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, input->get());
  if (roles.size() < sizes.size())
    sizes = {getLoopSize(input, k)};
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, stored);
  SmallVector<AffineMap> maps(builder.getMaps());
  maps.push_back(rewriter.getMultiDimIdentityMap(roles.size()));
  SmallVector<utils::IteratorType> iterators(roles.size(),
                                             utils::IteratorType::parallel);
  auto scaled = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), builder.getInputs(), empty, maps,
      iterators, [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value value = builder.emit(body, arguments, full.inner);
        linalg::YieldOp::create(body, loc,
                                convertFloat(body, loc, value, stored));
      });
  return expand(scaled.getResult(0));
}

/// c @ W for the terms that are one row of elements, those that are not
/// constant all read in one pass over W. They depend on weights alone. A fused
/// multiply-add, not a multiplication and an addition, keeps the op from being
/// taken for a product of its own.
SmallVector<Value> FactorMover::createVectors() {
  SmallVector<Value> sums(vectors.size());
  SmallVector<size_t> computed;
  for (auto [i, constant] : llvm::enumerate(constantSums)) {
    if (!constant) {
      computed.push_back(i);
      continue;
    }
    auto elements = llvm::map_to_vector(*constant, [&](double sum) {
      return cast<FloatAttr>(rewriter.getFloatAttr(type, sum)).getValue();
    });
    auto vector =
        RankedTensorType::get(static_cast<int64_t>(elements.size()), type);
    sums[i] = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(vector, elements));
  }
  if (computed.empty())
    return sums;
  TermBuilder builder(rewriter, loc, {Role::row, Role::k}, type);
  // The columns of the product play the part of rows here.
  Element weight{other->get(), getRoles(other)};
  builder.addInputs(weight);
  for (size_t i : computed)
    builder.addInputs(Term{1, {}, vectors[i].inner});
  OpFoldResult size = getLoopSize(other, column);
  SmallVector<AffineMap> maps(builder.getMaps());
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (size_t i = 0; i < computed.size(); ++i) {
    inits.push_back(
        createFilled(rewriter, loc, size, rewriter.getFloatAttr(type, 0.0)));
    types.push_back(inits.back().getType());
    maps.push_back(builder.getMap({Role::row}));
  }
  auto vector = linalg::GenericOp::create(
      rewriter, loc, types, builder.getInputs(), inits, maps,
      {utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value w = builder.emit(body, arguments, weight);
        SmallVector<Value> sums;
        for (auto [i, sum] :
             llvm::zip_equal(computed, arguments.take_back(computed.size())))
          sums.push_back(math::FmaOp::create(
              body, loc, builder.emit(body, arguments, vectors[i].inner), w,
              sum));
        linalg::YieldOp::create(body, loc, sums);
      });
  for (auto [i, result] : llvm::zip_equal(computed, vector.getResults()))
    sums[i] = result;
  return sums;
}

void FactorMover::rewrite() {
  rewriter.setInsertionPoint(op);
  OpOperand *out = op.getDpsInitOperand(0);
  auto outType = cast<RankedTensorType>(out->get().getType());
  std::optional<OpFoldResult> rows;
  if (row)
    rows = getLoopSize(input, *row);
  Value init = out->get();
  bool isFromZero = isZeroTensor(init);

  auto createScale = [&](const TermGroup &group) -> Value {
    bool isOne = group.rows.size() == 1 && group.rows[0].rows.empty() &&
                 group.rows[0].coefficient == 1;
    if (isOne)
      return {};
    // A vector, or a number, that is there already.
    const Term &term = group.rows.front();
    if (group.rows.size() == 1 && term.rows.size() == 1 &&
        term.coefficient == 1 && !term.rows[0].isInverse &&
        term.rows[0].element.isTensor()) {
      Value value = term.rows[0].element.value;
      auto vector = cast<RankedTensorType>(value.getType());
      if (vector.getElementType() == type &&
          (vector.getRank() == 0 || (row && vector.getRank() == 1)))
        return value;
    }
    return createRows(rewriter, loc, group.rows, {}, type, rows);
  };
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[input->getOperandNumber()] = createInput();
  if (scaledWeight)
    inputs[other->getOperandNumber()] =
        arith::ConstantOp::create(rewriter, loc, scaledWeight);
  Value scale = createScale(full);
  if (!scale && vectors.empty()) {
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [operand, value] :
           llvm::zip_equal(op.getDpsInputOperands(), inputs))
        operand->set(value);
    });
    return;
  }
  SmallVector<Value> sums = createVectors();
  // (row vector or null, column vector) of each further term.
  SmallVector<std::pair<Value, Value>> terms;
  for (auto [group, sum] : llvm::zip_equal(vectors, sums))
    terms.emplace_back(createScale(group), sum);

  Value zero = init;
  if (!isFromZero || outType.getElementType() != type)
    zero =
        createFilled(rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
                     rewriter.getFloatAttr(type, 0.0));
  // The body converts to the type that it accumulated in; from here on f32.
  auto product = linalg::GenericOp::create(
      rewriter, loc, zero.getType(), inputs, zero, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(),
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value a = convertFloat(body, loc, arguments[0], type);
        Value b = convertFloat(body, loc, arguments[1], type);
        Value multiplied = arith::MulFOp::create(body, loc, a, b);
        Value added =
            arith::AddFOp::create(body, loc, arguments[2], multiplied);
        linalg::YieldOp::create(body, loc, added);
      });

  // scale * product + terms (+ init), over the dimensions of the result.
  AffineMap outMap = op.getMatchingIndexingMap(out);
  unsigned rank = outType.getRank();
  auto getMap = [&](unsigned loop) {
    auto position = outMap.getResultPosition(rewriter.getAffineDimExpr(loop));
    return AffineMap::get(rank, 0, rewriter.getAffineDimExpr(*position));
  };
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<Value> operands = {product.getResult(0)};
  SmallVector<AffineMap> maps = {identity};
  auto addScale = [&](Value scale) {
    operands.push_back(scale);
    bool isOne = cast<RankedTensorType>(scale.getType()).getRank() == 0;
    maps.push_back(isOne ? AffineMap::get(rank, 0, rewriter.getContext())
                         : getMap(*row));
  };
  auto add = [&](Value value, AffineMap map) {
    operands.push_back(value);
    maps.push_back(map);
  };
  if (scale)
    addScale(scale);
  for (auto [scale, sum] : terms) {
    if (scale)
      addScale(scale);
    add(sum, getMap(column));
  }
  if (!isFromZero)
    add(init, identity);
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
      outType.getElementType());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto result = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), operands, empty, maps, iterators,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        unsigned next = 0;
        Value value = arguments[next++];
        if (scale)
          value = arith::MulFOp::create(body, loc, value, arguments[next++]);
        for (auto [scale, sum] : terms) {
          Value term;
          if (scale)
            term = arguments[next++];
          Value vector = arguments[next++];
          term = term ? arith::MulFOp::create(body, loc, term, vector) : vector;
          value = arith::AddFOp::create(body, loc, value, term);
        }
        if (!isFromZero)
          value = arith::AddFOp::create(
              body, loc, convertFloat(body, loc, arguments[next++], type),
              value);
        linalg::YieldOp::create(
            body, loc,
            convertFloat(body, loc, value, outType.getElementType()));
      });
  Value replacement = result.getResult(0);
  if (replacement.getType() != outType)
    replacement = tensor::CastOp::create(rewriter, loc, outType, replacement);
  rewriter.replaceOp(op, replacement);
}

WhyNot coda::moveFactors(RewriterBase &rewriter, linalg::LinalgOp contraction,
                         const ProductRules &rules) {
  ContractionLoops loops;
  if (WhyNot why = whyNotGemmBody(contraction))
    return why;
  if (WhyNot why = sortLoops(contraction, loops))
    return why;
  // A product of a vector and a matrix has no loop of M, or of N.
  size_t outer = loops.m.size() + loops.n.size();
  if (!loops.batch.empty() || loops.m.size() > 1 || loops.n.size() > 1 ||
      outer == 0 || loops.k.size() != 1 ||
      contraction.getRank(contraction.getDpsInitOperand(0)) != int64_t(outer))
    return whyNot("it does not run over one loop each of M, N and K");
  if (!isa<FloatType>(getElementTypeOrSelf(contraction.getDpsInputs().front())))
    return whyNot("it multiplies integers");
  WhyNot reason;
  for (unsigned input : {0, 1}) {
    OpOperand *other = contraction.getDpsInputOperand(1 - input);
    if (outer == 1 && contraction.getRank(other) < 2)
      continue;
    FactorMover mover(rewriter, contraction, input, loops);
    WhyNot why = mover.plan(rules);
    if (!why) {
      mover.rewrite();
      return std::nullopt;
    }
    if (!reason)
      reason = why;
  }
  return reason;
}
