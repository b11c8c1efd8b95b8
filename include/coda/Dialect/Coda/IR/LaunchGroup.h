//===- LaunchGroup.h - Products that share a launch -------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_IR_LAUNCHGROUP_H
#define CODA_DIALECT_CODA_IR_LAUNCHGROUP_H

#include "llvm/ADT/StringRef.h"

namespace coda {

/// A discardable attribute of coda.gemm, an i64. Neighbours with the same
/// number have one left-hand side and do not need each other's results; a
/// target may compile them into one launch. A hint: it is always right to
/// ignore or drop it.
inline constexpr llvm::StringLiteral kLaunchGroupAttrName = "coda.launch_group";

} // namespace coda

#endif // CODA_DIALECT_CODA_IR_LAUNCHGROUP_H
