//===- Factorization.cpp - Elements as sums of separable terms ------------===//

#include "Factorization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace coda;

/// Terms beyond this are no gain, and their number multiplies.
constexpr unsigned kMaxTerms = 8;
/// Ops that are looked through on one way from an element to its factors.
constexpr unsigned kMaxDepth = 64;

Type Element::getType() const { return getElementTypeOrSelf(value); }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

linalg::LinalgOp coda::getOwner(Value scalar) {
  Operation *op = scalar.getDefiningOp();
  Operation *parent =
      op ? op->getParentOp()
         : cast<BlockArgument>(scalar).getOwner()->getParentOp();
  return dyn_cast_or_null<linalg::LinalgOp>(parent);
}

/// Reads a view's source instead, where the view only casts, adds or drops unit
/// dimensions.
static bool skipView(Element &element) {
  Operation *op = element.value.getDefiningOp();
  if (!isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp,
                       tensor::CollapseShapeOp>(op))
    return false;
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!source)
    return false;
  SmallVector<Role, 3> roles;
  if (isa<tensor::CastOp>(op)) {
    roles = element.roles;
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Role role = Role::none;
      bool found = false;
      for (int64_t i : group) {
        if (expand.getResultType().getDimSize(i) == 1)
          continue;
        if (found)
          return false;
        found = true;
        role = element.roles[i];
      }
      // All of size 1: any that plays a part stands for the source's.
      if (!found)
        for (int64_t i : group)
          if (element.roles[i] != Role::none)
            role = element.roles[i];
      roles.push_back(role);
    }
  } else {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    roles.resize(source.getRank(), Role::none);
    for (auto [i, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      std::optional<int64_t> kept;
      for (int64_t dim : group) {
        if (source.getDimSize(dim) == 1)
          continue;
        if (kept)
          return false;
        kept = dim;
      }
      roles[kept.value_or(group.back())] = element.roles[i];
    }
  }
  element = Element{op->getOperand(0), roles};
  return true;
}

std::optional<Element> Factorizer::read(OpOperand &operand,
                                        ArrayRef<Role> roles) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  Element element{operand.get(), {}};
  if (!isa<RankedTensorType>(operand.get().getType()))
    return std::nullopt;
  for (auto [i, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      element.roles.push_back(roles[dim.getPosition()]);
    else if (isa<AffineConstantExpr>(expr) && op.getShape(&operand)[i] == 1)
      element.roles.push_back(Role::none);
    else
      return std::nullopt;
  }
  while (skipView(element))
    ;
  return element;
}

std::optional<Element> Factorizer::getDefinition(const Element &element) {
  if (!element.isTensor()) {
    // What a block argument reads.
    auto argument = dyn_cast<BlockArgument>(element.value);
    linalg::LinalgOp owner = getOwner(element.value);
    if (!argument || !owner)
      return std::nullopt;
    return read(owner->getOpOperand(argument.getArgNumber()), element.roles);
  }
  auto op = element.value.getDefiningOp<linalg::LinalgOp>();
  if (!isElementwise(op))
    return std::nullopt;
  unsigned number = cast<OpResult>(element.value).getResultNumber();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  if (!map.isPermutation())
    return std::nullopt;
  Element scalar{op.getBlock()->getTerminator()->getOperand(number), {}};
  scalar.roles.resize(op.getNumLoops(), Role::none);
  for (auto [role, expr] : llvm::zip_equal(element.roles, map.getResults()))
    scalar.roles[cast<AffineDimExpr>(expr).getPosition()] = role;
  return scalar;
}

Element Factorizer::getSource(Element element) {
  while (true) {
    // As far as elements are passed on or widened.
    Element next = element;
    if (!next.isTensor() && isa<BlockArgument>(next.value)) {
      std::optional<Element> definition = getDefinition(next);
      if (!definition)
        return element;
      next = *definition;
    } else if (next.isTensor()) {
      std::optional<Element> definition = getDefinition(next);
      bool passesOn =
          definition && (isa<BlockArgument>(definition->value) ||
                         definition->value.getDefiningOp<arith::ExtFOp>());
      if (!passesOn || (isa<BlockArgument>(definition->value) &&
                        !getDefinition(*definition)))
        return element;
      next = *definition;
    } else if (auto widen = next.value.getDefiningOp<arith::ExtFOp>()) {
      next.value = widen.getIn();
    } else {
      // A scalar that is yielded is better read where it is stored.
      linalg::LinalgOp owner = getOwner(next.value);
      if (!owner || !isElementwise(owner))
        return element;
      for (OpResult result : owner->getResults()) {
        unsigned number = result.getResultNumber();
        AffineMap map =
            owner.getMatchingIndexingMap(owner.getDpsInitOperand(number));
        if (owner.getBlock()->getTerminator()->getOperand(number) !=
                next.value ||
            !map.isPermutation())
          continue;
        Element stored{result, {}};
        for (AffineExpr expr : map.getResults())
          stored.roles.push_back(
              next.roles[cast<AffineDimExpr>(expr).getPosition()]);
        return stored;
      }
      return element;
    }
    element = next;
  }
}

static unsigned toMask(Role role) { return 1u << static_cast<unsigned>(role); }

unsigned Factorizer::getMask(const Element &element) {
  if (auto it = masks.find(element); it != masks.end())
    return it->second;
  unsigned mask = 0;
  if (element.isTensor()) {
    for (Role role : element.roles)
      mask |= toMask(role);
  } else if (isa<BlockArgument>(element.value)) {
    if (std::optional<Element> tensor = getDefinition(element))
      mask = getMask(*tensor);
    else if (getOwner(element.value))
      // A scalar input, or one indexed in a way that is not understood.
      mask = isa<TensorType>(
                 getOwner(element.value)
                     ->getOperand(
                         cast<BlockArgument>(element.value).getArgNumber())
                     .getType())
                 ? ~0u
                 : 0;
  } else if (Operation *op = element.value.getDefiningOp();
             getOwner(element.value)) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mask = toMask(element.roles[index.getDim()]);
    else if (op->getNumRegions() || !isPure(op))
      mask = ~0u;
    for (Value operand : op->getOperands())
      mask |= isa<TensorType>(operand.getType())
                  ? ~0u
                  : getMask(Element{operand, element.roles});
  }
  masks[element] = mask;
  return mask;
}

bool Factorizer::dependsOn(const Element &element, Role role) {
  return getMask(element) & toMask(role);
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

Origin Factorizer::getOrigin(const Element &element) {
  // Roles play no part here; a value is computed from what it is computed from.
  Element key{element.value, {}};
  if (auto it = origins.find(key); it != origins.end())
    return it->second;
  Origin origin;
  auto add = [&](Value value) {
    Origin other = getOrigin(Element{value, {}});
    origin.products.insert_range(other.products);
    origin.reduced.insert_range(other.reduced);
  };
  Operation *op = element.value.getDefiningOp();
  linalg::LinalgOp owner =
      element.isTensor() ? linalg::LinalgOp() : getOwner(element.value);
  if (owner) {
    if (auto argument = dyn_cast<BlockArgument>(element.value))
      add(owner->getOperand(argument.getArgNumber()));
    else
      for (Value operand : op->getOperands())
        add(operand);
  } else if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op)) {
    if (isContraction(linalgOp)) {
      origin.products.insert(op);
    } else if (isElementwise(op)) {
      add(linalgOp.getBlock()->getTerminator()->getOperand(
          cast<OpResult>(element.value).getResultNumber()));
    } else if (!isa<linalg::FillOp>(op)) {
      for (Value operand : op->getOperands())
        add(operand);
      origin.reduced.insert_range(origin.products);
      origin.products.clear();
    }
  } else if (op && isa<tensor::TensorDialect>(op->getDialect()) &&
             !isa<tensor::DimOp>(op)) {
    for (Value operand : op->getOperands())
      if (isa<TensorType>(operand.getType()))
        add(operand);
  }
  origins[key] = origin;
  return origin;
}

bool Factorizer::isFusible(const Element &element) {
  Origin origin = getOrigin(element);
  // The last product takes what is computed from several. It must not wait for
  // a reduction of itself.
  Operation *last = nullptr;
  for (Operation *product : origin.products) {
    if (last && product->getBlock() != last->getBlock())
      return false;
    if (!last || last->isBeforeInBlock(product))
      last = product;
  }
  return llvm::none_of(origin.reduced, [&](Operation *reduced) {
    return !last || reduced == last ||
           reduced->getBlock() != last->getBlock() ||
           last->isBeforeInBlock(reduced);
  });
}

//===----------------------------------------------------------------------===//
// Expanding
//===----------------------------------------------------------------------===//

/// Whether two products have the same factors. Their order stays the source's,
/// so that what is built repeats from run to run.
static bool areSame(ArrayRef<Factor> a, ArrayRef<Factor> b) {
  return a.size() == b.size() &&
         std::is_permutation(a.begin(), a.end(), b.begin());
}

/// Adds up equal terms.
static void mergeTerms(SmallVector<Term> &terms) {
  SmallVector<Term> merged;
  for (Term &term : terms) {
    auto *same = llvm::find_if(merged, [&](const Term &other) {
      return areSame(other.rows, term.rows) && areSame(other.inner, term.inner);
    });
    if (same == merged.end())
      merged.push_back(std::move(term));
    else
      same->coefficient += term.coefficient;
  }
  llvm::erase_if(merged, [](const Term &term) { return !term.coefficient; });
  terms = std::move(merged);
}

bool Factorizer::hasRowFactor(const Element &element) {
  if (!dependsOn(element, Role::k))
    return dependsOn(element, Role::row);
  if (!dependsOn(element, Role::row))
    return false;
  if (element.isTensor() || isa<BlockArgument>(element.value)) {
    std::optional<Element> definition = getDefinition(element);
    return definition && hasRowFactor(*definition);
  }
  Operation *op = element.value.getDefiningOp();
  return isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::ExtFOp,
             arith::TruncFOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return hasRowFactor(Element{operand, element.roles});
         });
}

std::optional<SmallVector<Term>> Factorizer::expand(const Element &element,
                                                    bool splitAll) {
  return expandAny(element, splitAll, 0);
}

std::optional<SmallVector<Term>>
Factorizer::expandAny(const Element &element, bool splitAll, unsigned depth) {
  if (depth > kMaxDepth || !isa<FloatType>(element.getType()))
    return std::nullopt;
  APFloat constant(0.0f);
  if (!element.isTensor() &&
      matchPattern(element.value, m_ConstantFloat(&constant))) {
    bool losesInfo;
    constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    double value = constant.convertToDouble();
    if (!std::isfinite(value))
      return std::nullopt;
    return SmallVector<Term>{Term{value, {}, {}}};
  }
  if (!dependsOn(element, Role::k)) {
    Element source = getSource(element);
    if (rule)
      if (auto terms = rule(source))
        return terms;
    return SmallVector<Term>{Term{1, {Factor{source}}, {}}};
  }
  bool isAtom = splitAll ? !hasRowFactor(element) : isFusible(element);
  if (isAtom)
    return SmallVector<Term>{Term{1, {}, {Factor{getSource(element)}}}};
  if (element.isTensor() || isa<BlockArgument>(element.value)) {
    std::optional<Element> definition = getDefinition(element);
    if (!definition)
      return std::nullopt;
    return expandAny(*definition, splitAll, depth + 1);
  }

  Operation *op = element.value.getDefiningOp();
  auto expandOperand = [&](unsigned i) {
    return expandAny(Element{op->getOperand(i), element.roles}, splitAll,
                     depth + 1);
  };
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return expandOperand(0);
  if (!isa<arith::MulFOp, arith::DivFOp, arith::AddFOp, arith::SubFOp,
           arith::NegFOp>(op))
    return std::nullopt;
  std::optional<SmallVector<Term>> lhs = expandOperand(0);
  if (!lhs)
    return std::nullopt;
  if (isa<arith::NegFOp>(op)) {
    for (Term &term : *lhs)
      term.coefficient = -term.coefficient;
    return lhs;
  }
  std::optional<SmallVector<Term>> rhs = expandOperand(1);
  if (!rhs)
    return std::nullopt;
  if (isa<arith::DivFOp>(op)) {
    if (rhs->size() != 1)
      return std::nullopt;
    Term &divisor = rhs->front();
    divisor.coefficient = 1 / divisor.coefficient;
    if (!std::isfinite(divisor.coefficient))
      return std::nullopt;
    for (Factor &factor : llvm::concat<Factor>(divisor.rows, divisor.inner))
      factor.isInverse = !factor.isInverse;
  }
  SmallVector<Term> terms;
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    terms = std::move(*lhs);
    for (Term &term : *rhs) {
      if (isa<arith::SubFOp>(op))
        term.coefficient = -term.coefficient;
      terms.push_back(term);
    }
  } else {
    for (const Term &a : *lhs)
      for (const Term &b : *rhs) {
        Term &product = terms.emplace_back(a);
        product.coefficient *= b.coefficient;
        llvm::append_range(product.rows, b.rows);
        llvm::append_range(product.inner, b.inner);
      }
  }
  mergeTerms(terms);
  if (terms.size() > kMaxTerms)
    return std::nullopt;
  return terms;
}

SmallVector<TermGroup> coda::groupByInner(ArrayRef<Term> terms) {
  SmallVector<TermGroup> groups;
  for (const Term &term : terms) {
    auto *group = llvm::find_if(groups, [&](const TermGroup &group) {
      return areSame(group.inner, term.inner);
    });
    if (group == groups.end()) {
      groups.push_back(TermGroup{term.inner, {}});
      group = std::prev(groups.end());
    }
    group->rows.push_back(Term{term.coefficient, term.rows, {}});
  }
  return groups;
}
