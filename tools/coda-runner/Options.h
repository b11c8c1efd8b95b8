//===- Options.h - Command line of coda-runner ------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CODA_RUNNER_OPTIONS_H
#define CODA_TOOLS_CODA_RUNNER_OPTIONS_H

#include "Comparison.h"
#include "DataGenerator.h"

namespace coda::runner {

enum class Backend { automatic, cpu, gpu };

struct Options {
  std::string input;
  std::string function;
  Backend backend = Backend::automatic;
  std::string chip;
  bool print = false;
  bool compare = false;
  /// The module after this pipeline is the other form, unless a function is.
  std::string comparePipeline;
  std::string compareFunction;
  DataOptions data;
  ComparisonOptions comparison;
};

/// Reads the command line; prints help and errors, and exits on them.
Options parseOptions(int argc, char **argv);

} // namespace coda::runner

#endif // CODA_TOOLS_CODA_RUNNER_OPTIONS_H
