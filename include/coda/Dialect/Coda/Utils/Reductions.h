//===- Reductions.h - What coda.reduce computes -----------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_UTILS_REDUCTIONS_H
#define CODA_DIALECT_CODA_UTILS_REDUCTIONS_H

#include "coda/Dialect/Coda/IR/Coda.h"

namespace coda {

/// The result of reducing no elements of `type` (Coda_ReduceOp has a table).
mlir::TypedAttr getNeutralElement(Reduction kind, mlir::Type type);

/// What an element contributes before it is combined with others: its absolute
/// value for `absmax`, itself otherwise.
mlir::Value prepareElement(mlir::OpBuilder &builder, mlir::Location loc,
                           Reduction kind, mlir::Value element);

/// Combines two partial results, scalars, in arith and math ops. Partial
/// results of one kind combine to one of the same kind.
mlir::Value combinePartials(mlir::OpBuilder &builder, mlir::Location loc,
                            Reduction kind, mlir::Value lhs, mlir::Value rhs);

} // namespace coda

#endif // CODA_DIALECT_CODA_UTILS_REDUCTIONS_H
