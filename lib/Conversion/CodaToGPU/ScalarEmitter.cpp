//===- ScalarEmitter.cpp - Scalar bodies on a thread's elements -----------===//

#include "ScalarEmitter.h"

#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

static bool isSmallFloat(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isBF16() || type.isF16() || isFloat8(type);
}

static Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

/// The exponent of a power that is written out as multiplications.
static std::optional<int64_t> getSmallExponent(math::FPowIOp power) {
  APInt exponent;
  if (!matchPattern(power.getRhs(), m_ConstantInt(&exponent)) ||
      exponent.isNegative() || exponent.sgt(8))
    return std::nullopt;
  return exponent.getSExtValue();
}

std::string coda::whyNotOnGPU(Operation *op) {
  auto checkType = [](Type type) -> std::string {
    if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
        type.isIndex() || isFloat8(type))
      return "";
    if (type.isSignlessInteger() &&
        llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                           type.getIntOrFloatBitWidth()))
      return "";
    std::string text;
    llvm::raw_string_ostream(text) << "it has the unsupported type " << type;
    return text;
  };
  for (Type type : op->getOperandTypes())
    if (std::string why = checkType(type); !why.empty())
      return why;
  for (Type type : op->getResultTypes())
    if (std::string why = checkType(type); !why.empty())
      return why;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (std::optional<arith::RoundingMode> mode = truncate.getRoundingmode();
        mode && *mode != arith::RoundingMode::to_nearest_even &&
        isFloat8(truncate.getType()))
      return "8-bit floats are rounded to nearest even only";
  if (isa<arith::ArithDialect>(op->getDialect()))
    return "";
  bool isDouble = op->getNumResults() && op->getResult(0).getType().isF64();
  // These become one instruction or a short sequence for every float type.
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
          math::FloorOp, math::FmaOp, math::RoundEvenOp, math::TruncOp,
          math::SqrtOp, math::CountLeadingZerosOp, math::CtPopOp>(op))
    return "";
  if (isDouble)
    return "it is not available in f64";
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::ErfOp,
          math::TanhOp, math::RsqrtOp, math::Log1pOp>(op))
    return "";
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    if (getSmallExponent(power))
      return "";
    return "its exponent is no constant from 0 to 8";
  }
  return "it has no lowering for this target";
}

namespace {
/// f32 arithmetic on scalars or pairs.
struct Fast {
  KernelBuilder &b;
  Type type;

  Value constant(double value) {
    TypedAttr attribute = b.getF32FloatAttr(static_cast<float>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, attribute);
  }
  Value mul(Value x, Value y) {
    return arith::MulFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value add(Value x, Value y) {
    return arith::AddFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value sub(Value x, Value y) {
    return arith::SubFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value exp2(Value x) {
    return each({x}, [&](ValueRange v) {
      return b.instruction("ex2.approx.f32 $0, $1;", "=f,f", b.getF32Type(), v);
    });
  }
  /// 2^x, 0 where that is subnormal: without the scaling by which ptxas keeps
  /// subnormal numbers, 3 instructions less.
  Value exp2Flushed(Value x) {
    return each({x}, [&](ValueRange v) {
      return b.instruction("ex2.approx.ftz.f32 $0, $1;", "=f,f", b.getF32Type(),
                           v);
    });
  }
  Value log2(Value x) {
    return each({x}, [&](ValueRange v) {
      return b.instruction("lg2.approx.f32 $0, $1;", "=f,f", b.getF32Type(), v);
    });
  }
  Value rsqrt(Value x) {
    return each({x}, [&](ValueRange v) {
      return b.instruction("rsqrt.approx.f32 $0, $1;", "=f,f", b.getF32Type(),
                           v);
    });
  }
  /// 1/x for x in [0.5, inf].
  Value reciprocal(Value x) {
    return each({x}, [&](ValueRange v) {
      return b.instruction("rcp.approx.ftz.f32 $0, $1;", "=f,f", b.getF32Type(),
                           v);
    });
  }
  Value divide(Value x, Value y) {
    return each({x, y}, [&](ValueRange v) {
      return b.instruction("div.full.f32 $0, $1, $2;", "=f,f,f", b.getF32Type(),
                           v);
    });
  }
  Value exp(Value x) { return exp2(mul(x, constant(1.4426950408889634))); }
  Value log(Value x) { return mul(log2(x), constant(0.6931471805599453)); }
  /// log(1 + x), made up for the rounding of 1 + x (Goldberg 1991, theorem 4).
  Value log1p(Value x) {
    Value sum = add(x, constant(1));
    Value rounded = sub(sum, constant(1));
    Value isTiny = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, rounded,
                                         constant(0));
    Value scaled = mul(log(sum), arith::DivFOp::create(b, x, rounded));
    // An infinite sum has no rounding to make up for.
    Value isInfinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, sum,
        constant(std::numeric_limits<double>::infinity()));
    return arith::SelectOp::create(
        b, isTiny, x, arith::SelectOp::create(b, isInfinite, sum, scaled));
  }
  Value tanh(Value x) {
    // 1 - 2 / (1 + e^2x): right at both ends, NaN for NaN.
    Value e = exp2Flushed(mul(x, constant(2 * 1.4426950408889634)));
    Value r = reciprocal(add(e, constant(1)));
    return fma(r, constant(-2), constant(1));
  }
  /// erf(x) is about tanh(p(|x|)) with the sign of x, p(a) = a q(a), and this
  /// is 2 q log2(e), times `sign`: e^2p = 2^(a times it). q is fitted to
  /// atanh(erf) on [0, 5] so that 1 - |erf| has a small relative error: GELU's
  /// tail is that times x. Beyond, p grows without bound, as it should.
  Value erfExponent(Value a, double sign) {
    double scale = sign * 2 * 1.4426950408889634;
    Value q = constant(scale * 0.00104230388);
    for (double c : {-0.00907925087, 0.0156029589, 0.0919354249, 0.00237590406,
                     1.12851162})
      q = fma(q, a, constant(scale * c));
    return q;
  }
  Value erf(Value x) {
    Value a = math::AbsFOp::create(b, x);
    Value power = exp2Flushed(mul(erfExponent(a, 1), a));
    Value r = reciprocal(add(power, constant(1)));
    return math::CopySignOp::create(b, fma(r, constant(-2), constant(1)), x);
  }
  /// 1 + erf(x) = 2 / (1 + e^-2p) with p of the sign of x: three instructions
  /// less, and as exact in the tail.
  Value onePlusErf(Value x) {
    Value a = math::AbsFOp::create(b, x);
    Value power = exp2Flushed(mul(erfExponent(a, -1), x));
    return reciprocal(fma(power, constant(0.5), constant(0.5)));
  }

  /// 1 - 1 / (1 + a1 |x| + ... + a6 |x|^6)^16 (Abramowitz and Stegun 7.1.28).
  Value preciseErf(Value x) {
    Value a = math::AbsFOp::create(b, x);
    Value p = constant(0.0000430638);
    for (double c : {0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123,
                     0.0705230784, 1.0})
      p = fma(p, a, constant(c));
    for (int i = 0; i < 4; ++i)
      p = mul(p, p);
    return math::CopySignOp::create(b, sub(constant(1), reciprocal(p)), x);
  }

  Value each(ArrayRef<Value> operands, function_ref<Value(ValueRange)> f) {
    if (!isa<VectorType>(type))
      return f(operands);
    SmallVector<Value> results;
    for (int64_t i = 0; i < 2; ++i) {
      SmallVector<Value> elements;
      for (Value operand : operands)
        elements.push_back(b.element(operand, i));
      results.push_back(f(elements));
    }
    return b.pair(results[0], results[1]);
  }
};
} // namespace

/// The op itself on other types.
static Value cloneOn(KernelBuilder &b, Operation *op, ValueRange operands,
                     Type element) {
  bool vector = !operands.empty() && isa<VectorType>(operands[0].getType());
  Type type = vector ? Type(VectorType::get({2}, element)) : element;
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  Operation *clone = b.create(state);
  // A fused multiply-add has one rounding less. It is used for f32 only, where
  // nobody can mean the rounding as one of the source's 16-bit type.
  if (element.isF32() && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op)) {
    auto flags = cast<arith::ArithFastMathInterface>(op)
                     .getFastMathFlagsAttr()
                     .getValue() |
                 arith::FastMathFlags::contract;
    clone->setAttr("fastmath",
                   arith::FastMathFlagsAttr::get(b.getContext(), flags));
  }
  return clone->getResult(0);
}

static Value emitF32(KernelBuilder &b, Operation *op, ValueRange operands,
                     bool fastMath) {
  Fast fast{b, operands[0].getType()};
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case<math::RsqrtOp>([&](auto) { return fast.rsqrt(operands[0]); })
          .Case<math::ExpOp>([&](auto) { return fast.exp(operands[0]); })
          .Case<math::Exp2Op>([&](auto) { return fast.exp2(operands[0]); })
          .Case<math::Log2Op>([&](auto) { return fast.log2(operands[0]); })
          .Case<math::LogOp>([&](auto) { return fast.log(operands[0]); })
          .Case<math::FPowIOp>([&](math::FPowIOp power) {
            Value product = fast.constant(1);
            for (int64_t i = 0, e = *getSmallExponent(power); i < e; ++i)
              product = i ? fast.mul(product, operands[0]) : operands[0];
            return product;
          })
          .Case<math::Log1pOp>([&](auto) { return fast.log1p(operands[0]); })
          .Case<math::TanhOp>([&](auto) { return fast.tanh(operands[0]); })
          .Case<math::ErfOp>([&](auto) {
            return fastMath ? fast.erf(operands[0])
                            : fast.preciseErf(operands[0]);
          })
          .Case<arith::DivFOp>([&](auto) {
            return fastMath ? fast.divide(operands[0], operands[1]) : Value();
          })
          .Default(Value());
  if (result)
    return result;
  return cloneOn(b, op, operands, b.getF32Type());
}

Value coda::getOnePlusErf(Operation *op) {
  auto add = dyn_cast<arith::AddFOp>(op);
  if (!add || !add.getType().isF32())
    return {};
  for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                      std::pair(add.getRhs(), add.getLhs())})
    if (auto erf = x.getDefiningOp<math::ErfOp>();
        erf && matchPattern(y, m_OneFloat()))
      return erf.getOperand();
  return {};
}

Value coda::emitOnePlusErf(KernelBuilder &b, Value x) {
  return Fast{b, x.getType()}.onePlusErf(x);
}

Value coda::emitScalarOp(KernelBuilder &b, Operation *op, ValueRange operands,
                         bool fastMath) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(b, constant.getValue());
  Type result = op->getResult(0).getType();

  // There is no instruction between integers and 8-bit floats. Every integer
  // that f32 rounds is beyond their largest number.
  Type from =
      operands.empty() ? Type() : getElementTypeOrSelf(operands[0].getType());
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && isFloat8(result)) {
    Value wide = cloneOn(b, op, operands, b.getF32Type());
    return arith::TruncFOp::create(b, withElement(wide.getType(), result),
                                   wide);
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) && isFloat8(from)) {
    Value wide = arith::ExtFOp::create(
        b, withElement(operands[0].getType(), b.getF32Type()), operands[0]);
    return cloneOn(b, op, wide, result);
  }
  // Selections and casts say exactly what they do to any type.
  if (isa<arith::SelectOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp,
          arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
          op))
    return cloneOn(b, op, operands, result);

  bool small = llvm::any_of(op->getOperandTypes(), isSmallFloat);
  if (small) {
    SmallVector<Value> extended;
    for (Value operand : operands) {
      Type type = withElement(operand.getType(), b.getF32Type());
      extended.push_back(isSmallFloat(operand.getType())
                             ? arith::ExtFOp::create(b, type, operand)
                             : operand);
    }
    if (!isSmallFloat(result)) // a comparison
      return cloneOn(b, op, extended, result);
    // No fused multiply-add across the rounding: the truncation is between.
    Value wide = emitF32(b, op, extended, fastMath);
    return arith::TruncFOp::create(b, withElement(wide.getType(), result),
                                   wide);
  }
  if (result.isF32() && !operands.empty() &&
      getElementTypeOrSelf(operands[0].getType()).isF32())
    return emitF32(b, op, operands, fastMath);
  return cloneOn(b, op, operands, result);
}
