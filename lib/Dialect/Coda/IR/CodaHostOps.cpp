//===- CodaHostOps.cpp - Host code around a launch ------------------------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace coda;

#define GET_OP_CLASSES
#include "coda/Dialect/Coda/IR/CodaOps.cpp.inc"

LogicalResult TensorMapOp::verify() {
  // The generic form can give any number, and getPointer() relies on it.
  if (unsigned count = getODSOperandIndexAndLength(0).second; count != 1)
    return emitOpError() << "must have 1 pointer, but has " << count;
  size_t rank = getSizes().size();
  if (rank < 1 || rank > 5)
    return emitOpError() << "must have 1 to 5 sizes, but has " << rank;
  if (getStrides().size() + 1 != rank)
    return emitOpError() << "must have a stride for each size but the "
                            "innermost, "
                         << rank - 1 << ", but has " << getStrides().size();
  if (getBox().size() != rank)
    return emitOpError() << "must have a box size for each of " << rank
                         << " sizes, but has " << getBox().size();
  Type element = getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return emitOpError() << "must have elements of whole bytes, but has "
                         << element;
  for (int64_t size : getBox())
    if (size < 1 || size > 256)
      return emitOpError() << "box sizes must be from 1 to 256, but one is "
                           << size;
  int64_t bytes = getBox()[0] * (element.getIntOrFloatBitWidth() / 8);
  if (bytes % 16 || bytes > 128)
    return emitOpError() << "a box row must be a multiple of 16 bytes up to "
                            "128, but is "
                         << bytes;
  return success();
}

std::optional<int64_t> ModuleConstantOp::getBytes(MemRefType type) {
  Type element = type.getElementType();
  unsigned width = element.isIndex()        ? 64
                   : element.isInteger(1)   ? 8
                   : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                            : 0;
  if (!width || width % 8 || !type.hasStaticShape() ||
      !type.getLayout().isIdentity())
    return std::nullopt;
  int64_t bytes = width / 8;
  if (llvm::is_contained(type.getShape(), 0))
    return 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

LogicalResult ModuleConstantOp::verify() {
  // Constraint 3.
  if (!getBytes(getType()))
    return emitOpError() << "must give a row-major memref of elements of whole "
                            "bytes, but gives "
                         << getType();
  return success();
}

LogicalResult
ModuleConstantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto name = getConstantAttr();
  Operation *module =
      symbols.lookupNearestSymbolFrom(*this, name.getRootReference());
  // Constraint 1. A gpu.binary does not say what is in it.
  if (module && !name.getNestedReferences().empty() &&
      !module->hasTrait<OpTrait::SymbolTable>())
    return success();
  auto global = symbols.lookupNearestSymbolFrom<LLVM::GlobalOp>(*this, name);
  if (!global)
    return emitOpError() << "refers to " << name
                         << ", which is no llvm.mlir.global";
  // Constraint 2.
  auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
  int64_t expected = getBytes();
  if (!type || !type.getElementType().isInteger(8) ||
      static_cast<int64_t>(type.getNumElements()) != expected)
    return emitOpError() << "of type " << getType() << " needs " << expected
                         << " bytes, but " << name << " is "
                         << global.getGlobalType();
  return success();
}
