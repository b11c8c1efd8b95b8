//===- InputTypes.h - Element types of products -----------------*- C++ -*-===//

#ifndef CODA_DIALECT_CODA_IR_INPUTTYPES_H
#define CODA_DIALECT_CODA_IR_INPUTTYPES_H

#include "mlir/IR/BuiltinTypes.h"

namespace coda {

/// The 8-bit floats that products are made of.
inline bool isFloat8(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

/// Whether one product may have elements of these types on its two sides: one
/// type, or two 8-bit floats.
inline bool mayMultiply(mlir::Type lhs, mlir::Type rhs) {
  return lhs == rhs || (isFloat8(lhs) && isFloat8(rhs));
}

} // namespace coda

#endif // CODA_DIALECT_CODA_IR_INPUTTYPES_H
