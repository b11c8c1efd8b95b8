//===- ConstantFactors.cpp - Constant factors go into weights -------------===//

#include "ConstantFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coda;

/// Ops that are looked through on one way from an input to its factors.
static constexpr unsigned kMaxDepth = 32;

/// The constant that `operand`, a contraction's, reads as it is or widened.
static Element getWeightSource(Factorizer &factorizer, OpOperand &operand,
                               ArrayRef<Role> roles) {
  std::optional<Element> element = factorizer.read(operand, roles);
  return element ? factorizer.getSource(*element) : Element();
}

static bool isAlive(Operation *op) {
  return !isOpTriviallyDead(op) && !isa<tensor::DimOp>(op);
}

ConstantFolder::ConstantFolder(Factorizer &factorizer, linalg::LinalgOp op,
                               OpOperand *input, OpOperand *weight,
                               unsigned column, unsigned k)
    : factorizer(factorizer), op(op), input(input), weight(weight),
      size(op.getStaticLoopRanges()[k]) {
  SmallVector<Role, 3> roles(op.getNumLoops(), Role::none);
  roles[column] = Role::row;
  roles[k] = Role::k;
  Element source = getWeightSource(factorizer, *weight, roles);
  if (!source.value)
    return;
  matrix = ConstantMatrix::get(source);
  if (matrix && (matrix->k != size ||
                 !cast<ShapedType>(weight->get().getType()).hasStaticShape()))
    matrix = std::nullopt;
  kDim = *op.getMatchingIndexingMap(weight).getResultPosition(
      getAffineDimExpr(k, op.getContext()));
}

/// Multiplies `product` by a vector that is constant.
bool ConstantFolder::multiply(SmallVector<double> &product,
                              const Element &element, bool isInverse) {
  std::optional<SmallVector<double>> values =
      evaluate(factorizer, element, size);
  if (!values)
    return false;
  product.resize(size, 1.0);
  for (auto [x, y] : llvm::zip_equal(product, *values))
    x = isInverse ? x / y : x * y;
  return true;
}

/// Sorts the factors of `element` into `scale` and `rest`; false, and only
/// `element` in `rest`, if none is constant.
bool ConstantFolder::split(const Element &element, unsigned depth,
                           SmallVectorImpl<Element> &rest) {
  size_t before = rest.size();
  auto leave = [&] {
    rest.truncate(before);
    rest.push_back(factorizer.getSource(element));
    return false;
  };
  if (depth > kMaxDepth)
    return leave();
  if (!factorizer.dependsOn(element, Role::row))
    return multiply(scale, element, /*isInverse=*/false) || leave();
  if (element.isTensor() || isa<BlockArgument>(element.value)) {
    std::optional<Element> definition = factorizer.getDefinition(element);
    return (definition && split(*definition, depth + 1, rest)) || leave();
  }
  Operation *parent = element.value.getDefiningOp();
  auto splitOperand = [&](unsigned i) {
    return split(Element{parent->getOperand(i), element.roles}, depth + 1,
                 rest);
  };
  if (isa<arith::ExtFOp, arith::TruncFOp>(parent))
    return splitOperand(0) || leave();
  if (isa<arith::MulFOp>(parent)) {
    bool lhs = splitOperand(0), rhs = splitOperand(1);
    return lhs || rhs || leave();
  }
  if (isa<arith::DivFOp>(parent)) {
    Element divisor{parent->getOperand(1), element.roles};
    if (factorizer.dependsOn(divisor, Role::row) ||
        !multiply(scale, divisor, /*isInverse=*/true))
      return leave();
    splitOperand(0);
    return true;
  }
  return leave();
}

/// Where another op needs the scaled input, it is stored nevertheless, and
/// products that shared an input would no more. A weight that others read would
/// be there twice.
WhyNot ConstantFolder::whyNotUsers() {
  SmallVector<Role, 3> roles(op.getNumLoops(), Role::none);
  std::optional<Element> root = factorizer.read(*input, roles);
  SmallVector<Value> worklist = {root->value};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (!isAlive(user) || user == op)
        continue;
      if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              user)) {
        worklist.push_back(user->getResult(0));
        continue;
      }
      auto product = dyn_cast<linalg::LinalgOp>(user);
      bool folds = false;
      if (product && isContraction(product) && product.isDpsInput(&use) &&
          product.getNumDpsInputs() == 2) {
        OpOperand &other = product->getOpOperand(1 - use.getOperandNumber());
        SmallVector<Role, 3> none(product.getNumLoops(), Role::none);
        Element source = getWeightSource(factorizer, other, none);
        folds = source.value && ConstantTensor::get(source.value);
      }
      if (!folds)
        return whyNot("another op reads the scaled input");
    }
  Value value = weight->get();
  Element source = getWeightSource(factorizer, *weight, roles);
  for (Value read : {value, source.value})
    if (llvm::count_if(read.getUsers(), isAlive) > 1)
      return whyNot("another op reads the weight");
  return std::nullopt;
}

bool ConstantFolder::takeFrom(SmallVectorImpl<Factor> &inner,
                              ArrayRef<Role> roles, bool isOneRow) {
  if (ShapedType::isDynamic(size))
    return false;
  scale.clear();
  SmallVector<Element> rest;
  bool found = false, isPlain = true;
  for (const Factor &factor : inner) {
    // A divisor has to be a constant as a whole.
    if (!factor.isInverse)
      found |= split(factor.element, 0, rest);
    else if (!factorizer.dependsOn(factor.element, Role::row) &&
             multiply(scale, factor.element, /*isInverse=*/true))
      found = true;
    else
      isPlain = false;
  }
  if (!found)
    return false;
  auto decide = [&]() -> WhyNot {
    if (!matrix)
      return whyNot("the other input is no constant matrix of floats");
    Type stored = getElementTypeOrSelf(input->get());
    isPlain &= rest.size() == 1 && rest.front().isTensor() &&
               rest.front().getType() == stored &&
               (ArrayRef(rest.front().roles) == roles ||
                (isOneRow && rest.front().roles.size() <= roles.size() &&
                 llvm::is_contained(rest.front().roles, Role::k)));
    if (!isPlain)
      return whyNot("what is left is stored nowhere as a matrix of ", stored);
    if (WhyNot why = whyNotUsers())
      return why;
    return scaleMatrix(*matrix, scale,
                       cast<RankedTensorType>(weight->get().getType()), kDim,
                       scaled, sums);
  };
  remark::RemarkOpts options =
      remark::RemarkOpts::name("constant-factors").category("coda");
  if (WhyNot why = decide()) {
    remark::missed(op.getLoc(), options)
        << remark::add("constant factors of an input stay where they are")
        << remark::reason("{0}", *why);
    return false;
  }
  remark::passed(op.getLoc(), options)
      << remark::add("constant factors of an input went into the weight");
  inner.assign(1, Factor{rest.front()});
  return true;
}

std::optional<SmallVector<double>>
ConstantFolder::sumColumns(ArrayRef<Factor> inner) {
  if (!matrix)
    return std::nullopt;
  SmallVector<double> product;
  for (const Factor &factor : inner)
    if (!multiply(product, factor.element, factor.isInverse))
      return std::nullopt;
  product.resize(size, 1.0);
  // Those of the weight as it is read: what cancels does so exactly.
  SmallVector<double> result =
      scaled && product == scale ? sums : coda::sumColumns(*matrix, product);
  if (!llvm::all_of(result, [](double sum) {
        return std::isfinite(static_cast<float>(sum));
      }))
    return std::nullopt;
  return result;
}
