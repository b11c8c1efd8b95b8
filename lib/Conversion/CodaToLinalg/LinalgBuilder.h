//===- LinalgBuilder.h - Values over the dimensions of a product -*- C++
//-*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H
#define CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// A scalar, tensor or memref and the dimension of the product that each of its
/// dimensions runs over, outermost first. A tile of an epilogue becomes one; it
/// has no dimension for an axis that it broadcasts along.
struct LinalgValue {
  mlir::Value value;
  llvm::SmallVector<Dim, 2> dims;

  mlir::Type getElementType() const;
  bool hasDim(Dim dim) const { return llvm::is_contained(dims, dim); }
};

/// Makes linalg ops whose loops run over dimensions of the product that one
/// `coda.gemm` computes, on tensors or on memrefs as the gemm is.
class LinalgBuilder {
public:
  using Body = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                       mlir::ValueRange)>;

  LinalgBuilder(mlir::RewriterBase &rewriter, GemmOp gemm);

  bool onTensors() { return gemm.hasPureTensorSemantics(); }
  mlir::RewriterBase &getRewriter() { return rewriter; }

  /// Something to write a value into that runs over `dims`. On memrefs it lives
  /// until `deallocateTemporaries`.
  LinalgValue createTemporary(mlir::Location loc, mlir::Type elementType,
                              llvm::ArrayRef<Dim> dims);
  void deallocateTemporaries();

  LinalgValue fillWithZero(mlir::Location loc, LinalgValue init);

  /// A `linalg.generic` over the loops `dims`, of which k is a reduction. An
  /// input that has a dimension which is no loop has size 1 along it. Returns
  /// `init` after the loops.
  LinalgValue createGeneric(mlir::Location loc, llvm::ArrayRef<Dim> dims,
                            llvm::ArrayRef<LinalgValue> inputs,
                            LinalgValue init, Body body);

private:
  mlir::AffineMap getMap(const LinalgValue &value, llvm::ArrayRef<Dim> loops);
  mlir::OpFoldResult getSize(mlir::Location loc, Dim dim);

  mlir::RewriterBase &rewriter;
  GemmOp gemm;
  llvm::SmallVector<mlir::Value> temporaries;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H
