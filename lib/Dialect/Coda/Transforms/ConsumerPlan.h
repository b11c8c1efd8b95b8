//===- ConsumerPlan.h - What joins an epilogue, and as what -----*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSUMERPLAN_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSUMERPLAN_H

#include "EpilogueOperands.h"
#include "ReductionBodies.h"

namespace coda {

/// What a consumer becomes in an epilogue. Making it changes no IR.
struct ConsumerPlan {
  llvm::SmallVector<std::optional<Dim>> loops;
  /// For each operand of the consumer: the product's result that it is, or the
  /// epilogue operand that it becomes, or neither if its body ignores it.
  llvm::SmallVector<std::optional<unsigned>> results;
  llvm::SmallVector<std::optional<EpilogueOperand>> operands;
  llvm::SmallVector<DimsAttr> outDims;
  /// Scalars from outside that the body uses and that are no constants.
  llvm::SmallVector<mlir::Value> captured;
  /// The loop that is reduced, if one is, and what each result that has uses is
  /// then.
  std::optional<unsigned> reducedLoop;
  llvm::SmallVector<ReductionBody> reductions;

  /// Whether the epilogue reads `operand`: what a reduction starts from it does
  /// not, for that is added afterwards.
  bool reads(mlir::linalg::LinalgOp consumer, mlir::OpOperand &operand) const {
    return !(reducedLoop && consumer.isDpsInit(&operand)) &&
           consumer.payloadUsesValueFromOperand(&operand);
  }
};

/// Plans how `consumer` joins the epilogue of `gemm`, or says why it cannot.
WhyNot planConsumer(GemmOp gemm, mlir::linalg::LinalgOp consumer,
                    ConsumerPlan &plan);

/// Whether `op` only renames elements of a product's result: another static
/// shape, or one without unit dimensions.
bool isView(mlir::Operation *op);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_CONSUMERPLAN_H
