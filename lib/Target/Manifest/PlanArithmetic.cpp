//===- PlanArithmetic.cpp - Integer arithmetic of host code ---------------===//

#include "Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

/// The manifest's name of an arith op whose operands and result are of one
/// type, or null.
static const char *getSameTypeName(Operation *op) {
  return TypeSwitch<Operation *, const char *>(op)
      .Case([](arith::AddIOp) { return "addi"; })
      .Case([](arith::SubIOp) { return "subi"; })
      .Case([](arith::MulIOp) { return "muli"; })
      .Case([](arith::DivSIOp) { return "divsi"; })
      .Case([](arith::DivUIOp) { return "divui"; })
      .Case([](arith::CeilDivSIOp) { return "ceildivsi"; })
      .Case([](arith::CeilDivUIOp) { return "ceildivui"; })
      .Case([](arith::FloorDivSIOp) { return "floordivsi"; })
      .Case([](arith::RemSIOp) { return "remsi"; })
      .Case([](arith::RemUIOp) { return "remui"; })
      .Case([](arith::AndIOp) { return "andi"; })
      .Case([](arith::OrIOp) { return "ori"; })
      .Case([](arith::XOrIOp) { return "xori"; })
      .Case([](arith::ShLIOp) { return "shli"; })
      .Case([](arith::ShRSIOp) { return "shrsi"; })
      .Case([](arith::ShRUIOp) { return "shrui"; })
      .Case([](arith::MinSIOp) { return "minsi"; })
      .Case([](arith::MaxSIOp) { return "maxsi"; })
      .Case([](arith::MinUIOp) { return "minui"; })
      .Case([](arith::MaxUIOp) { return "maxui"; })
      .Default([](Operation *) { return nullptr; });
}

LogicalResult Planner::planArith(Operation *op) {
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    // A float is looked up where a launch takes it.
    if (isa<FloatType>(type))
      return success();
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (!integer || !isPlannedInteger(type))
      return refuse(op) << "a constant of type " << type;
    const APInt &value = integer.getValue();
    integers[constant] = plan.values.constant(
        value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue(),
        widthOf(type));
    return success();
  }
  const char *name = getSameTypeName(op);
  bool isCompare = isa<arith::CmpIOp>(op), isSelect = isa<arith::SelectOp>(op);
  if (!name && !isCompare && !isSelect) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(op))
      return planCast(op);
    return refuse(op) << "only integer arithmetic is evaluated at launch";
  }
  if (!isPlannedInteger(type) ||
      !isPlannedInteger(op->getOperand(op->getNumOperands() - 1).getType()))
    return refuse(op) << "it has type " << type
                      << "; expected index, i1, i8, i16, i32 or i64";
  SmallVector<int64_t> operands;
  if (failed(numbers(op->getOperands(), op, operands)))
    return failure();
  StringRef predicate;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    name = "cmpi";
    predicate = arith::stringifyCmpIPredicate(compare.getPredicate());
  } else if (isSelect) {
    name = "select";
  }
  int64_t result;
  // Offsets of arguments turn out to be 0 only here.
  if (isa<arith::MulIOp>(op) && widthOf(type) == 64)
    result = plan.values.multiply(operands[0], operands[1]);
  else if (isa<arith::AddIOp>(op) && widthOf(type) == 64)
    result = plan.values.add(operands[0], operands[1]);
  else
    result = plan.values.apply(name, operands, widthOf(type), predicate);
  integers[op->getResult(0)] = result;
  return success();
}

LogicalResult Planner::planCast(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (!isPlannedInteger(from) || !isPlannedInteger(to))
    return refuse(op) << "it converts " << from << " to " << to
                      << "; expected index, i1, i8, i16, i32 or i64";
  FailureOr<int64_t> source = number(op->getOperand(0), op);
  if (failed(source))
    return failure();
  unsigned fromWidth = widthOf(from), toWidth = widthOf(to);
  int64_t result = *source;
  if (fromWidth > toWidth)
    result = plan.values.apply("trunci", {*source}, toWidth);
  else if (fromWidth < toWidth)
    result = plan.values.apply(
        isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) ? "extui" : "extsi",
        {*source}, toWidth);
  integers[op->getResult(0)] = result;
  return success();
}
