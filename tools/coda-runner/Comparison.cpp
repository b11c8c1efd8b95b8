//===- Comparison.cpp - How equal two results are -------------------------===//

#include "Comparison.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace coda::runner;

static double getTolerance(Type element) {
  auto floating = dyn_cast<FloatType>(element);
  if (!floating)
    return 0;
  if (floating.isF64())
    return 1e-12;
  if (floating.isF32())
    return 1e-5;
  // One unit in the last place of a number just above a power of two; for one
  // just below the next power it is half as strict.
  return std::ldexp(1.0, 1 - static_cast<int>(llvm::APFloat::semanticsPrecision(
                                 floating.getFloatSemantics())));
}

static double getRootMeanSquare(const HostArray &array) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    double value = array.get(i);
    if (!std::isfinite(value))
      continue;
    sum += value * value;
    ++count;
  }
  return count ? std::sqrt(sum / count) : 0;
}

/// Why element `i` differs too much, or null. Raises `greatest`, the largest
/// error relative to what the tolerance is relative to.
static const char *findDifference(const HostArray &expected,
                                  const HostArray &actual, int64_t i,
                                  double tolerance, double magnitude,
                                  bool exact, double &greatest) {
  double a = expected.get(i), b = actual.get(i);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) == std::isnan(b) ? nullptr : "NaN in one only";
  if (expected.getBits(i) == actual.getBits(i))
    return nullptr;
  if (std::isinf(a) || std::isinf(b)) {
    greatest = std::numeric_limits<double>::infinity();
    return "an infinity in one only";
  }
  double difference = std::fabs(a - b);
  if (difference == 0) // zeros of different sign, or large integers
    return exact || !isa<FloatType>(expected.getElementType())
               ? "different bits"
               : nullptr;
  double scale = std::fmax(magnitude, std::fmax(std::fabs(a), std::fabs(b)));
  greatest = std::fmax(greatest, difference / scale);
  if (exact)
    return "different bits";
  return difference <= tolerance * scale ? nullptr : "too large an error";
}

bool coda::runner::compare(llvm::raw_ostream &os, StringRef name,
                           const HostArray &expected, const HostArray &actual,
                           const ComparisonOptions &options) {
  os << name << ": " << expected.describe();
  if (expected.describe() != actual.describe()) {
    os << " expected, but the other form gives " << actual.describe() << '\n';
    return false;
  }
  double tolerance =
      options.tolerance.value_or(getTolerance(expected.getElementType()));
  double magnitude = getRootMeanSquare(expected);
  double greatest = 0;
  int64_t failures = 0, firstFailure = 0;
  const char *firstReason = nullptr;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const char *reason = findDifference(expected, actual, i, tolerance,
                                        magnitude, options.exact, greatest);
    if (reason && failures++ == 0) {
      firstFailure = i;
      firstReason = reason;
    }
  }
  os << llvm::format(" greatest error %.3g", greatest);
  if (options.exact)
    os << " (exact)";
  else
    os << llvm::format(" of %.3g", tolerance);
  if (!failures) {
    os << " ok\n";
    return true;
  }
  os << "; " << failures << " of " << expected.size()
     << " elements differ, first #" << firstFailure
     << llvm::format(": expected %.9g, actual %.9g (",
                     expected.get(firstFailure), actual.get(firstFailure))
     << firstReason << ")\n";
  return false;
}
