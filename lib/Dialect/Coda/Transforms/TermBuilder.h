//===- TermBuilder.h - Linalg ops that compute terms ------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_TERMBUILDER_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_TERMBUILDER_H

#include "Factorization.h"

namespace coda {

/// Builds linalg ops on terms.
class TermBuilder {
public:
  /// An op over `roles` that computes in `type`.
  TermBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::ArrayRef<Role> roles, mlir::Type type)
      : builder(builder), loc(loc), roles(roles), type(type) {}

  /// Registers what `element` reads as inputs; before `create`.
  void addInputs(const Element &element);
  void addInputs(llvm::ArrayRef<Term> terms);
  void addInput(mlir::Value tensor, mlir::AffineMap map);

  /// In the body, with its block arguments: a scalar in `type`.
  mlir::Value emit(mlir::OpBuilder &body, mlir::ValueRange arguments,
                   const Element &element);
  mlir::Value emit(mlir::OpBuilder &body, mlir::ValueRange arguments,
                   llvm::ArrayRef<Factor> factors);
  /// The same of an integer, in its own type.
  mlir::Value emitIndex(mlir::OpBuilder &body, mlir::ValueRange arguments,
                        const Element &element);

  llvm::ArrayRef<mlir::Value> getInputs() { return inputs; }
  llvm::ArrayRef<mlir::AffineMap> getMaps() { return maps; }
  /// The map that indexes by those loops of the op that have one of `wanted`.
  mlir::AffineMap getMap(llvm::ArrayRef<Role> wanted);

private:
  size_t getInput(mlir::Value tensor, mlir::AffineMap map, bool add);
  mlir::AffineMap getMapFor(const Element &tensor);
  mlir::Value clone(mlir::OpBuilder &body, mlir::ValueRange arguments,
                    const Element &element,
                    llvm::DenseMap<mlir::Value, mlir::Value> &done);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<Role> roles;
  mlir::Type type;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// Converts a scalar between float types, exactly or by rounding once.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type type);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_TERMBUILDER_H
