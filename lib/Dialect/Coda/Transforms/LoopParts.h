//===- LoopParts.h - Loops of an op over parts of m and n -------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_LOOPPARTS_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_LOOPPARTS_H

#include "EpilogueOperands.h"
#include "ProductViews.h"

namespace coda {

/// Which part of m or n each loop of a linalg op runs over, found from the
/// views of a product that the op reads.
class LoopParts {
public:
  /// The views that `op` reads of `gemm` say what its loops are. Loops in
  /// `ignored` need not be parts.
  WhyNot analyze(GemmOp gemm, mlir::linalg::LinalgOp op);

  /// For each operand of the op, the result of the product that it reads.
  llvm::ArrayRef<std::optional<ProductView>> getViews() const { return views; }
  /// Columns of the product in one column of what the op computes.
  int64_t getDivisor() const { return divisor; }
  /// The tile that the op computes on, with elements of `element`.
  TileType getTile(mlir::Type element) const;

  /// How an operand is read in the epilogue.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<unsigned> unitDims;
    llvm::SmallVector<mlir::ReassociationIndices> groups;
    DimsAttr dims;
    /// Columns of the op to one of the operand.
    int64_t repeat = 1;
  };
  WhyNot planOperand(mlir::OpOperand &operand, Operand &planned) const;
  /// Makes the operand of the product where `builder` stands.
  mlir::Value materialize(mlir::OpBuilder &builder,
                          const Operand &operand) const;
  /// The tile of an operand or result, its columns repeated.
  mlir::Value repeatTile(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tile, int64_t count) const;

  /// The parts of a result that the op stores through `map`.
  WhyNot planResult(mlir::AffineMap map,
                    llvm::SmallVectorImpl<ResultPart> &parts,
                    llvm::SmallVectorImpl<unsigned> &matrixOrder) const;

  /// The loops over `dim`, outermost part first, and their parts.
  llvm::ArrayRef<unsigned> getLoops(Dim dim) const {
    return loops[dim == Dim::n];
  }
  llvm::ArrayRef<ViewPart> getParts(Dim dim) const {
    return parts[dim == Dim::n];
  }
  bool isUnit(unsigned loop) const { return sizes[loop] == 1; }

private:
  /// The position of `loop` among those of a dimension.
  std::optional<std::pair<Dim, unsigned>> find(unsigned loop) const;

  GemmOp gemm;
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<std::optional<ProductView>> views;
  llvm::SmallVector<unsigned> loops[2];
  llvm::SmallVector<ViewPart> parts[2];
  int64_t divisor = 1;
};

/// The tiles that stand for scalars of a body, and the maps that compute others
/// from them.
class BodyTiles {
public:
  BodyTiles(mlir::RewriterBase &rewriter, mlir::Location loc,
            const LoopParts &loops)
      : rewriter(rewriter), loc(loc), loops(loops) {}

  void set(mlir::Value scalar, mlir::Value tile) { tiles[scalar] = tile; }
  /// The tile of a scalar that the body computes.
  mlir::Value build(mlir::Value scalar);

private:
  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  const LoopParts &loops;
  llvm::DenseMap<mlir::Value, mlir::Value> tiles;
};

/// Why the body of `op` cannot be that of maps. Collects the scalars from
/// outside that it uses and that are no constants.
WhyNot planScalarBody(mlir::linalg::LinalgOp op,
                      llvm::SmallVectorImpl<mlir::Value> &captured);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_LOOPPARTS_H
