//===- DataGenerator.h - Arguments for the function under test --*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CODA_RUNNER_DATAGENERATOR_H
#define CODA_TOOLS_CODA_RUNNER_DATAGENERATOR_H

#include "HostArray.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace coda::runner {

/// What the floating-point arguments hold.
enum class DataKind {
  random,  ///< uniform in [-1, 1)
  nan,     ///< random, with NaN in about 4 places, in small arrays fewer
  inf,     ///< random, with infinities in as many
  special, ///< random, with zeros of both signs, infinities, NaN, denormals
           ///< and the largest values in as many
};

struct DataOptions {
  DataKind kind = DataKind::random;
  uint64_t seed = 0;
  /// Integers are uniform in [0, intMax].
  int64_t intMax = 7;
  /// The size of a dimension that the type does not give.
  int64_t dynamicSize = 16;
  /// Sizes of whole arguments, by number.
  llvm::DenseMap<unsigned, llvm::SmallVector<int64_t>> shapes;
  /// Arguments of one buffer: each second number uses the first one's.
  llvm::SmallVector<std::pair<unsigned, unsigned>> aliases;
};

/// Makes arguments of `types`. The same options give the same data anywhere.
llvm::Expected<llvm::SmallVector<HostArray>>
generateArguments(llvm::ArrayRef<mlir::Type> types, const DataOptions &options);

} // namespace coda::runner

#endif // CODA_TOOLS_CODA_RUNNER_DATAGENERATOR_H
