//===- EpilogueToLinalg.h - Epilogue primitives as linalg -------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOLINALG_EPILOGUETOLINALG_H
#define CODA_LIB_CONVERSION_CODATOLINALG_EPILOGUETOLINALG_H

#include "LinalgBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace coda {

/// Writes out the primitives of one epilogue, in order. A new primitive is one
/// more `lower` here.
class EpilogueToLinalg {
public:
  EpilogueToLinalg(LinalgBuilder &builder, GemmOp gemm);

  /// The first op of the epilogue of `gemm` that has no lowering, or null.
  static mlir::Operation *findUnsupported(GemmOp gemm);

  /// Lowers the epilogue, given the accumulators. Returns what the destinations
  /// hold afterwards, in order.
  llvm::SmallVector<mlir::Value>
  lower(llvm::ArrayRef<LinalgValue> accumulators);

private:
  LinalgValue lower(MapOp map);
  LinalgValue lower(IndexOp index);

  /// The dimensions along which `type` has more than one element, or may have.
  static llvm::SmallVector<Dim, 2> getDims(TileType type);
  /// What to write the value of `tile` into: a destination where that saves a
  /// copy, else a temporary.
  LinalgValue getInit(mlir::Location loc, mlir::Value tile);
  LinalgValue getDestination(size_t i);
  LinalgValue copy(mlir::Location loc, LinalgValue source, LinalgValue target);

  LinalgBuilder &builder;
  GemmOp gemm;
  llvm::DenseMap<mlir::Value, LinalgValue> tiles;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOLINALG_EPILOGUETOLINALG_H
