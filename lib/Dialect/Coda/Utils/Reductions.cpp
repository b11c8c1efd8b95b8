//===- Reductions.cpp - What coda.reduce computes -------------------------===//

#include "coda/Dialect/Coda/Utils/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

/// The upstream name of `kind`, where it has one. Absolute values are ordered
/// as any others.
static arith::AtomicRMWKind getUpstreamKind(Reduction kind, Type type) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  switch (kind) {
  case Reduction::add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case Reduction::mul:
    return isFloat ? arith::AtomicRMWKind::mulf : arith::AtomicRMWKind::muli;
  case Reduction::max:
  case Reduction::absmax:
  case Reduction::logsumexp:
    return isFloat ? arith::AtomicRMWKind::maximumf
                   : arith::AtomicRMWKind::maxs;
  case Reduction::min:
    break;
  }
  return isFloat ? arith::AtomicRMWKind::minimumf : arith::AtomicRMWKind::mins;
}

TypedAttr coda::getNeutralElement(Reduction kind, Type type) {
  Builder builder(type.getContext());
  if (kind == Reduction::absmax)
    return builder.getZeroAttr(type);
  OpBuilder opBuilder(type.getContext());
  return arith::getIdentityValueAttr(getUpstreamKind(kind, type), type,
                                     opBuilder,
                                     UnknownLoc::get(type.getContext()));
}

Value coda::prepareElement(OpBuilder &builder, Location loc, Reduction kind,
                           Value element) {
  if (kind != Reduction::absmax)
    return element;
  if (isa<FloatType>(getElementTypeOrSelf(element.getType())))
    return math::AbsFOp::create(builder, loc, element);
  return math::AbsIOp::create(builder, loc, element);
}

/// log(e^x + e^y) around the greater of both, so that nothing overflows: the
/// greater plus log1p(e^-difference). Where the greater is infinite it is the
/// result, and the difference might be NaN. A NaN is kept by the maximum.
static Value combineLogarithms(OpBuilder &builder, Location loc, Value x,
                               Value y) {
  Value high = arith::MaximumFOp::create(builder, loc, x, y);
  Value low = arith::MinimumFOp::create(builder, loc, x, y);
  Value difference = arith::SubFOp::create(builder, loc, low, high);
  Value exp = math::ExpOp::create(builder, loc, difference);
  Value sum = arith::AddFOp::create(builder, loc, high,
                                    math::Log1pOp::create(builder, loc, exp));
  auto type = cast<FloatType>(x.getType());
  Value infinity = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
  Value isInfinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                            math::AbsFOp::create(builder, loc, high), infinity);
  return arith::SelectOp::create(builder, loc, isInfinite, high, sum);
}

Value coda::combinePartials(OpBuilder &builder, Location loc, Reduction kind,
                            Value lhs, Value rhs) {
  if (kind == Reduction::logsumexp)
    return combineLogarithms(builder, loc, lhs, rhs);
  return arith::getReductionOp(getUpstreamKind(kind, lhs.getType()), builder,
                               loc, lhs, rhs);
}
