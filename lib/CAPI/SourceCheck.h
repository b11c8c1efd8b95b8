//===- SourceCheck.h - Refuses what would break a parser --------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CAPI_SOURCECHECK_H
#define CODA_LIB_CAPI_SOURCECHECK_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace coda::capi {

/// Where and why a source cannot be given to MLIR's parser.
struct SourceProblem {
  unsigned line, column;
  std::string message;
};

/// MLIR's parsers recurse with the nesting of their input and do not bound it,
/// so hostile text would overflow the stack of the host program; bytecode is
/// read with less care than text. Looks for both.
std::optional<SourceProblem> findSourceProblem(llvm::StringRef text);

} // namespace coda::capi

#endif // CODA_LIB_CAPI_SOURCECHECK_H
