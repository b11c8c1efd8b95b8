//===- Coda.h - The coda dialect --------------------------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_IR_CODA_H
#define CODA_DIALECT_CODA_IR_CODA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "coda/Dialect/Coda/IR/CodaDialect.h.inc"
#include "coda/Dialect/Coda/IR/CodaEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "coda/Dialect/Coda/IR/CodaTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coda/Dialect/Coda/IR/CodaAttributes.h.inc"

namespace coda {
/// The trait of ops that compute a tile from tiles in an epilogue.
template <typename ConcreteOp>
class EpiloguePrimitive
    : public mlir::OpTrait::TraitBase<ConcreteOp, EpiloguePrimitive> {};

/// The trait of ops whose result types are inferred, for one error where they
/// cannot be. It is verified before InferTypeOpInterface, which would follow
/// the reason up with "failed to infer returned types".
template <typename ConcreteOp>
class InferenceGivesReason
    : public mlir::OpTrait::TraitBase<ConcreteOp, InferenceGivesReason> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    llvm::SmallVector<mlir::Type> types(op->getResultTypes());
    return ConcreteOp::refineReturnTypes(
        op->getContext(), op->getLoc(), op->getOperands(),
        op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
        op->getRegions(), types);
  }
};
} // namespace coda

#define GET_OP_CLASSES
#include "coda/Dialect/Coda/IR/CodaOps.h.inc"

namespace coda {

/// Bytes of the dynamic shared memory that one thread block of a Hopper GPU may
/// have.
inline constexpr int64_t kHopperSharedMemoryBytes = 232448;

/// A discardable attribute of a coda.gemm, an i64; the dialect's description
/// says what it means.
inline constexpr llvm::StringLiteral kLaunchGroupAttrName = "coda.launch_group";

} // namespace coda

#endif // CODA_DIALECT_CODA_IR_CODA_H
