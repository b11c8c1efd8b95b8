//===- HostValues.cpp - Sizes, strides and addresses on the host ----------===//

#include "HostValues.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

Value HostValues::constant(int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}
Value HostValues::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(predicate, x, y);
}
Value HostValues::both(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(x, y);
}

void HostValues::check(Value condition, const Twine &message) {
  if (matchPattern(condition, m_One()))
    return;
  cf::AssertOp::create(b, condition, message.str());
}

Value HostValues::sizeAt(Value memref, int64_t position) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(position))
    return constant(type.getDimSize(position));
  Value &known = sizes[{memref, position}];
  if (!known)
    known = b.createOrFold<arith::IndexCastOp>(
        b.getI64Type(), b.createOrFold<memref::DimOp>(memref, position));
  return known;
}

memref::ExtractStridedMetadataOp HostValues::getMetadata(Value memref) {
  Operation *&op = metadata[memref];
  if (!op)
    op = memref::ExtractStridedMetadataOp::create(b, memref);
  return cast<memref::ExtractStridedMetadataOp>(op);
}

Value HostValues::stride(Value memref, int64_t position) {
  auto [strides, offset] =
      cast<MemRefType>(memref.getType()).getStridesAndOffset();
  if (ShapedType::isStatic(strides[position]))
    return constant(strides[position]);
  return b.createOrFold<arith::IndexCastOp>(
      b.getI64Type(), getMetadata(memref).getStrides()[position]);
}

Value HostValues::address(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  Value base = b.createOrFold<arith::IndexCastOp>(
      b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, memref).getResult());
  Value elements = ShapedType::isStatic(offset)
                       ? constant(offset)
                       : b.createOrFold<arith::IndexCastOp>(
                             b.getI64Type(), getMetadata(memref).getOffset());
  Type element = type.getElementType();
  int64_t bytes = element.isIndex()
                      ? 8
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return b.createOrFold<arith::AddIOp>(
      base, b.createOrFold<arith::MulIOp>(elements, constant(bytes)));
}
