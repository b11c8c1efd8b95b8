//===- LogSumExp.cpp - Logarithms of sums of exponentials -----------------===//

#include "LogSumExp.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coda;

static constexpr float kLog2E = 1.44269504F, kLn2 = 0.693147181F;

LogSumExp::LogSumExp(KernelBuilder &b, Value highest) : b(b) {
  Value infinity = b.f32(std::numeric_limits<float>::infinity());
  Value isInfinite = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, highest), infinity);
  shift = b.select(isInfinite, b.f32(0), highest);
  scaled = arith::MulFOp::create(b, shift, b.f32(-kLog2E));
}

/// 2^(x log2 e - shift log2 e): one multiply-add and one special function.
Value LogSumExp::power(Value x) {
  Value exponent = math::FmaOp::create(b, x, b.f32(kLog2E), scaled);
  return b.instruction("ex2.approx.ftz.f32 $0, $1;", "=f,f", b.getF32Type(),
                       exponent);
}

Value LogSumExp::result(Value sum) {
  auto contract = arith::FastMathFlags::contract;
  Value log =
      b.instruction("lg2.approx.f32 $0, $1;", "=f,f", b.getF32Type(), sum);
  return arith::AddFOp::create(
      b, arith::MulFOp::create(b, log, b.f32(kLn2), contract), shift, contract);
}
