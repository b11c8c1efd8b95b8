//===- LinalgBuilder.h - Values over the product's dimensions ---*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H
#define CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// A scalar, tensor or memref and the dimension of the product (or of groups
/// of it) that each of its dimensions runs over, outermost first. A tile of an
/// epilogue becomes one; it has no dimension for an axis that it broadcasts
/// along.
struct LinalgValue {
  mlir::Value value;
  llvm::SmallVector<Dim, 2> dims;

  mlir::Type getElementType() const;
  bool hasDim(Dim dim) const { return llvm::is_contained(dims, dim); }
};

/// An input of a `linalg.generic`: how it is indexed by the loops.
struct LinalgInput {
  mlir::Value value;
  mlir::AffineMap map;
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

  /// The size of the product along m or n.
  mlir::OpFoldResult getSize(mlir::Location loc, Dim dim);
  /// The size of a value along one of its dimensions.
  mlir::OpFoldResult getSize(mlir::Location loc, const LinalgValue &value,
                             Dim dim);
  /// ceil(size * numerator / divisor).
  mlir::OpFoldResult scaleSize(mlir::Location loc, mlir::OpFoldResult size,
                               int64_t numerator, int64_t divisor);

  /// Something to write a value into that runs over `dims`, of sizes `sizes`.
  /// On memrefs it lives until `deallocateTemporaries`.
  LinalgValue createTemporary(mlir::Location loc, mlir::Type elementType,
                              llvm::ArrayRef<Dim> dims,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The same with the product's sizes.
  LinalgValue createTemporary(mlir::Location loc, mlir::Type elementType,
                              llvm::ArrayRef<Dim> dims);
  void deallocateTemporaries();

  /// `init`, every element being `value`.
  LinalgValue fill(mlir::Location loc, mlir::TypedAttr value, LinalgValue init);

  /// A `linalg.generic` over the loops `dims`, of which k is a reduction. An
  /// input that has a dimension which is no loop has size 1 along it. Returns
  /// `init` after the loops.
  LinalgValue createGeneric(mlir::Location loc, llvm::ArrayRef<Dim> dims,
                            llvm::ArrayRef<LinalgValue> inputs,
                            LinalgValue init, Body body);
  /// A `linalg.generic` over the loops `dims`, indexed as the maps say;
  /// `reduced` is a reduction.
  LinalgValue createGeneric(mlir::Location loc, llvm::ArrayRef<Dim> dims,
                            llvm::ArrayRef<LinalgInput> inputs,
                            LinalgValue init, mlir::AffineMap initMap,
                            std::optional<Dim> reduced, Body body);

  /// How `value` is indexed by the loops `dims`.
  mlir::AffineMap getMap(const LinalgValue &value, llvm::ArrayRef<Dim> loops);

private:
  mlir::RewriterBase &rewriter;
  GemmOp gemm;
  llvm::SmallVector<mlir::Value> temporaries;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOLINALG_LINALGBUILDER_H
