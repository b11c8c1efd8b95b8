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
  void lower(MapOp map);
  void lower(IndexOp index);
  // TileOpsToLinalg.cpp
  void lower(ReduceOp reduce);
  void lower(RepeatOp repeat);
  void lower(UnpairOp unpair);
  void lower(PairOp pair);
  void lower(SelectColumnOp select);
  /// The operand as the tile that it is: cyclic dimensions written out.
  LinalgValue lowerOperand(size_t i);

  /// An input of loops over `loops` that is `tile`, its columns indexed by
  /// `column`.
  LinalgInput indexColumns(mlir::Value tile, llvm::ArrayRef<Dim> loops,
                           mlir::AffineExpr column);
  /// A reduction as loops over the elements. `combine` gives the new partial
  /// result for an element, the old one and, with `shift`, that of the result
  /// element.
  LinalgValue reduceElements(
      ReduceOp reduce, mlir::TypedAttr neutral,
      std::optional<LinalgValue> shift,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                     mlir::Value, mlir::Value, mlir::Value)>
          combine);
  /// The size of `tile` along `dim`.
  mlir::OpFoldResult getTileSize(mlir::Location loc, mlir::Value tile, Dim dim);
  /// Something to write a tile of `type` into whose sizes are those of the
  /// product, or of `sizes` where given.
  LinalgValue
  createTemporary(mlir::Location loc, TileType type,
                  llvm::ArrayRef<std::pair<Dim, mlir::OpFoldResult>> sizes);

  /// The dimensions along which `type` has more than one element, or may have.
  static llvm::SmallVector<Dim, 2> getDims(TileType type);
  /// The destination to write the value of `tile` into without a copy, if
  /// there is one.
  std::optional<LinalgValue> getOwnDestination(mlir::Value tile);
  LinalgValue getDestination(size_t i);
  /// Something new of the sizes and type of `value`.
  LinalgValue createLike(mlir::Location loc, const LinalgValue &value);
  LinalgValue copy(mlir::Location loc, LinalgValue source, LinalgValue target);

  LinalgBuilder &builder;
  GemmOp gemm;
  llvm::DenseMap<mlir::Value, LinalgValue> tiles;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOLINALG_EPILOGUETOLINALG_H
