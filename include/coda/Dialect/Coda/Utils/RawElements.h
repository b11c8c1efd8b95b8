//===- RawElements.h - The bytes of constants -------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_UTILS_RAWELEMENTS_H
#define CODA_DIALECT_CODA_UTILS_RAWELEMENTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace coda {

/// Elements of whole bytes, in the order of the host and row by row.
struct RawElements {
  /// The attribute's own: one element where it is a splat.
  llvm::ArrayRef<char> bytes;
  bool splat = false, resource = false;

  /// None where elements are no whole bytes, are not there (a resource that was
  /// left out in printing) or are of another number than the type says.
  static std::optional<RawElements> get(mlir::ElementsAttr attribute);
};

} // namespace coda

#endif // CODA_DIALECT_CODA_UTILS_RAWELEMENTS_H
