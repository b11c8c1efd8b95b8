//===- Comparison.h - How equal two results are -----------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CODA_RUNNER_COMPARISON_H
#define CODA_TOOLS_CODA_RUNNER_COMPARISON_H

#include "HostArray.h"

#include <optional>

namespace coda::runner {

struct ComparisonOptions {
  /// Every element has the same bits, but for the payload of NaN.
  bool exact = false;
  /// Replaces the relative tolerance that the element type gives.
  std::optional<double> tolerance;
};

/// Compares `actual` with `expected` and prints a line. Where an expected
/// element is NaN or infinite the actual one is the same. Otherwise they differ
/// by at most the tolerance times the greater of both magnitudes and the root
/// mean square of what is expected: 1e-5 for f32, one unit in the last place
/// for bf16 and f16, 1e-12 for f64, and 0 for integers.
bool compare(llvm::raw_ostream &os, llvm::StringRef name,
             const HostArray &expected, const HostArray &actual,
             const ComparisonOptions &options);

} // namespace coda::runner

#endif // CODA_TOOLS_CODA_RUNNER_COMPARISON_H
