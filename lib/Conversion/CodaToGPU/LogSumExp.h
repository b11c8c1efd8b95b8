//===- LogSumExp.h - Logarithms of sums of exponentials ---------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_LOGSUMEXP_H
#define CODA_LIB_CONVERSION_CODATOGPU_LOGSUMEXP_H

#include "KernelBuilder.h"

namespace coda {

/// log(sum of e^x) of f32 values around the greatest of them, so that the
/// exponentials only add up. An infinite one is no shift, as on the CPU.
class LogSumExp {
public:
  LogSumExp(KernelBuilder &b, mlir::Value highest);
  /// e^(x - shift)
  mlir::Value power(mlir::Value x);
  /// What the powers' `sum` gives.
  mlir::Value result(mlir::Value sum);

private:
  KernelBuilder &b;
  mlir::Value shift, scaled;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_LOGSUMEXP_H
