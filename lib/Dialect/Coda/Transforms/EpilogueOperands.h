//===- EpilogueOperands.h - Values as operands and destinations -*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_EPILOGUEOPERANDS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_EPILOGUEOPERANDS_H

#include "FusionUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// The dimension of the product that each loop of a linalg op runs over, none
/// where that is not known.
using LoopDims = llvm::ArrayRef<std::optional<Dim>>;

/// How a value becomes an epilogue operand. Made by a check that changes
/// nothing; `materialize` then makes the operand.
struct EpilogueOperand {
  mlir::Value value;
  /// Dimensions of size 1 that are dropped.
  llvm::SmallVector<unsigned> unitDims;
  DimsAttr dims;

  /// The operand of a product of `rows` x `columns`, made where `builder`
  /// stands: without unit dimensions, and stating no static size that the
  /// product does not.
  mlir::Value materialize(mlir::OpBuilder &builder, int64_t rows,
                          int64_t columns) const;
};

/// Follows `value`, indexed by `map`, through fills and copies (transposes,
/// broadcasts) to what they read. Nothing is computed there, so reading the
/// source instead is exact.
void readAtSource(mlir::Value &value, mlir::AffineMap &map);

/// Why `value`, read through `map` by an op whose loops run over `loops`, is no
/// operand of an epilogue of `rows` x `columns`; fills `operand` if it is.
/// Fills and copies (transposes, broadcasts) are read at their source.
WhyNot planOperand(mlir::Value value, mlir::AffineMap map, LoopDims loops,
                   int64_t rows, int64_t columns, EpilogueOperand &operand);

/// Makes `values` available at one place and puts the rewriter there: the place
/// of `gemm`, or, if a value cannot be moved up to it, that of `consumer`,
/// which no user of the product may keep it from.
WhyNot makeAvailable(mlir::RewriterBase &rewriter, GemmOp gemm,
                     mlir::Operation *consumer,
                     llvm::ArrayRef<mlir::Value> values,
                     llvm::function_ref<bool(mlir::Operation *user)> keepsFrom);

/// The static size of a product's dimension.
inline int64_t getSize(Dim dim, int64_t rows, int64_t columns) {
  return dim == Dim::m ? rows : columns;
}

/// A tensor of `element` with `dims` for the result of lhs x rhs: `preferred`
/// if it is given, not in `taken` and of a compatible shape, or a new empty
/// one. Its static sizes are those of the product.
mlir::Value createDestination(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value lhs, DimsAttr lhsDims,
                              mlir::Value rhs, DimsAttr rhsDims, int64_t rows,
                              int64_t columns, DimsAttr dims,
                              mlir::Type element, mlir::Value preferred,
                              mlir::ValueRange taken);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_EPILOGUEOPERANDS_H
