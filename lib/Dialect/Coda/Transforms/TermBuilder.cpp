//===- TermBuilder.cpp - Linalg ops that compute terms --------------------===//

#include "TermBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coda;

Value coda::convertFloat(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  // bf16 and f16 by way of f32, which holds both.
  return arith::TruncFOp::create(
      builder, loc, type,
      arith::ExtFOp::create(builder, loc, builder.getF32Type(), value));
}

AffineMap TermBuilder::getMap(ArrayRef<Role> wanted) {
  SmallVector<AffineExpr> exprs;
  for (Role role : wanted) {
    auto position = llvm::find(roles, role) - roles.begin();
    exprs.push_back(role == Role::none ? builder.getAffineConstantExpr(0)
                                       : builder.getAffineDimExpr(position));
  }
  return AffineMap::get(roles.size(), 0, exprs, builder.getContext());
}

size_t TermBuilder::getInput(Value tensor, AffineMap map, bool add) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == tensor && maps[i] == map)
      return i;
  assert(add && "an input that was not added");
  inputs.push_back(tensor);
  maps.push_back(map);
  return inputs.size() - 1;
}

AffineMap TermBuilder::getMapFor(const Element &tensor) {
  return getMap(tensor.roles);
}

void TermBuilder::addInput(Value tensor, AffineMap map) {
  getInput(tensor, map, /*add=*/true);
}

void TermBuilder::addInputs(const Element &element) {
  if (element.isTensor()) {
    getInput(element.value, getMapFor(element), /*add=*/true);
    return;
  }
  linalg::LinalgOp owner = getOwner(element.value);
  if (!owner)
    return;
  if (isa<BlockArgument>(element.value)) {
    if (auto tensor = Factorizer().getDefinition(element))
      addInputs(*tensor);
    return;
  }
  llvm::SetVector<Value> worklist;
  worklist.insert(element.value);
  for (size_t i = 0; i < worklist.size(); ++i) {
    if (isa<BlockArgument>(worklist[i])) {
      addInputs(Element{worklist[i], element.roles});
      continue;
    }
    for (Value operand : worklist[i].getDefiningOp()->getOperands())
      if (getOwner(operand) == owner)
        worklist.insert(operand);
  }
}

void TermBuilder::addInputs(ArrayRef<Term> terms) {
  for (const Term &term : terms)
    for (const Factor &factor :
         llvm::concat<const Factor>(term.rows, term.inner))
      addInputs(factor.element);
}

Value TermBuilder::clone(OpBuilder &body, ValueRange arguments,
                         const Element &element, DenseMap<Value, Value> &done) {
  if (Value value = done.lookup(element.value))
    return value;
  linalg::LinalgOp owner = getOwner(element.value);
  if (!owner)
    return element.value;
  Value value;
  if (auto argument = dyn_cast<BlockArgument>(element.value)) {
    auto tensor = Factorizer().getDefinition(element);
    value = tensor ? arguments[getInput(tensor->value, getMapFor(*tensor),
                                        /*add=*/false)]
                   : owner->getOperand(argument.getArgNumber());
  } else if (auto index = element.value.getDefiningOp<linalg::IndexOp>()) {
    Role role = element.roles[index.getDim()];
    if (role == Role::none)
      value = arith::ConstantIndexOp::create(body, loc, 0);
    else
      value = linalg::IndexOp::create(
          body, loc,
          static_cast<int64_t>(llvm::find(roles, role) - roles.begin()));
  } else {
    Operation *op = element.value.getDefiningOp();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, clone(body, arguments,
                                 Element{operand, element.roles}, done));
    unsigned number = cast<OpResult>(element.value).getResultNumber();
    value = body.clone(*op, mapping)->getResult(number);
  }
  done[element.value] = value;
  return value;
}

Value TermBuilder::emitIndex(OpBuilder &body, ValueRange arguments,
                             const Element &element) {
  if (element.isTensor())
    return arguments[getInput(element.value, getMapFor(element),
                              /*add=*/false)];
  DenseMap<Value, Value> done;
  return clone(body, arguments, element, done);
}

Value TermBuilder::emit(OpBuilder &body, ValueRange arguments,
                        const Element &element) {
  return convertFloat(body, loc, emitIndex(body, arguments, element), type);
}

Value TermBuilder::emit(OpBuilder &body, ValueRange arguments,
                        ArrayRef<Factor> factors) {
  Value product;
  for (const Factor &factor : factors) {
    if (factor.isInverse)
      continue;
    Value value = emit(body, arguments, factor.element);
    product =
        product ? arith::MulFOp::create(body, loc, product, value) : value;
  }
  if (!product)
    product =
        arith::ConstantOp::create(body, loc, body.getFloatAttr(type, 1.0));
  for (const Factor &factor : factors)
    if (factor.isInverse)
      product = arith::DivFOp::create(body, loc, product,
                                      emit(body, arguments, factor.element));
  return product;
}
