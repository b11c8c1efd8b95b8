//===- CodaHostOps.cpp - Host code around a launch ------------------------===//

#include "coda/Dialect/Coda/IR/Coda.h"

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
