//===- FragmentAccess.cpp - Rows, columns and accesses of a thread --------===//

#include "Kernels.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// KernelParameters
//===----------------------------------------------------------------------===//

KernelParameters::KernelParameters(const KernelPlan &plan, Block *entry)
    : plan(plan), entry(entry) {}

Value KernelParameters::find(KernelArgument::Kind kind, unsigned number,
                             Dim dim) const {
  for (auto [i, argument] : llvm::enumerate(plan.arguments))
    if (argument.kind == kind && argument.value == number &&
        argument.dim == dim)
      return entry->getArgument(i);
  return {};
}

Value KernelParameters::size(Dim dim) const {
  return find(KernelArgument::Kind::Size, 0, dim);
}
Value KernelParameters::tensorMap(unsigned number) const {
  return find(KernelArgument::Kind::TensorMap, number, Dim::m);
}
Value KernelParameters::scalar(unsigned number) const {
  return find(KernelArgument::Kind::Scalar, number, Dim::m);
}

Value KernelParameters::elementPointer(KernelBuilder &b, unsigned number,
                                       DimsAttr dims, Type memoryType,
                                       Value row, Value column, Value k) const {
  // 64-bit: there can be more than 2^31 elements.
  Value offset = b.i64(0);
  for (Dim dim : dims.getDims()) {
    Value coordinate = dim == Dim::m ? row : dim == Dim::n ? column : k;
    Value stride = find(KernelArgument::Kind::Stride, number, dim);
    offset = b.add(offset, b.mul(b.extend64(coordinate), stride));
  }
  return b.elementPointer(find(KernelArgument::Kind::Pointer, number, Dim::m),
                          offset, memoryType);
}

//===----------------------------------------------------------------------===//
// FragmentAccess
//===----------------------------------------------------------------------===//

FragmentAccess::FragmentAccess(KernelBuilder &b, const KernelPlan &plan,
                               const KernelParameters &parameters,
                               Value laneInGroup)
    : b(b), plan(plan), parameters(parameters), thread(laneInGroup) {
  lane = b.bitAnd(thread, b.i32(31));
  warp = b.shr(thread, 5);
}

Value FragmentAccess::rowNumber(FragmentPosition position) {
  Value inBlock = b.add(b.shl(warp, 4), b.shr(lane, 2));
  return b.add(firstRow,
               b.add(inBlock, b.i32(64 * position.block + 8 * position.half)));
}

Value FragmentAccess::columnNumber(FragmentPosition position) {
  Value inGroup = b.shl(b.bitAnd(lane, b.i32(3)), 1);
  return b.add(firstColumn, b.add(inGroup, b.i32(8 * position.group)));
}

Value FragmentAccess::fromMemory(const OperandPlan &operand, Value value) {
  if (operand.elementType == operand.memoryType)
    return value;
  Type type = operand.elementType;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = VectorType::get(vector.getShape(), type);
  if (operand.elementType.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

Value FragmentAccess::loadElement(int64_t index, Value row, Value column) {
  const OperandPlan &operand = plan.operands[index];
  Value inside = b.i1(true);
  if (operand.dims.contains(Dim::m))
    inside = b.bitAnd(inside, b.ult(row, parameters.size(Dim::m)));
  if (operand.dims.contains(Dim::n))
    inside = b.bitAnd(inside, b.ult(column, parameters.size(Dim::n)));
  Value pointer =
      parameters.elementPointer(b, plan.operandNumber(index), operand.dims,
                                operand.memoryType, row, column);
  return fromMemory(operand, b.loadIf(inside, pointer, operand.memoryType));
}

Value FragmentAccess::operand(int64_t index, FragmentPosition position) {
  const OperandPlan &operand = plan.operands[index];
  if (operand.access == OperandAccess::Scalar)
    return parameters.scalar(plan.operandNumber(index));
  Value row = rowNumber(position), column = columnNumber(position);
  Value first = loadElement(index, row, column);
  if (!operand.dims.contains(Dim::n))
    return first;
  return b.pair(first, loadElement(index, row, b.add(column, b.i32(1))));
}

void FragmentAccess::storeDirect(int64_t index, FragmentPosition position,
                                 Value pair) {
  const OutPlan &out = plan.outs[index];
  Value row = rowNumber(position);
  for (int64_t i = 0; i < 2; ++i) {
    Value column = b.add(columnNumber(position), b.i32(i));
    // A destination without a dimension is written by its first row or column.
    Value rowInside = out.dims.contains(Dim::m)
                          ? b.ult(row, parameters.size(Dim::m))
                          : b.eq(row, b.i32(0));
    Value columnInside = out.dims.contains(Dim::n)
                             ? b.ult(column, parameters.size(Dim::n))
                             : b.eq(column, b.i32(0));
    b.ifThen(b.bitAnd(rowInside, columnInside), [&] {
      b.store(b.element(pair, i),
              parameters.elementPointer(b, plan.outNumber(index), out.dims,
                                        out.memoryType, row, column));
    });
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::pair<Value, Value> TileOrder::locate(KernelBuilder &b, int64_t raster,
                                          Value index) const {
  Value group = b.i32(raster);
  Value groupTiles = b.mul(group, columnTiles);
  Value firstRow = b.mul(b.divu(index, groupTiles), group);
  Value rowsLeft = b.sub(rowTiles, firstRow);
  Value rows = b.select(b.ult(rowsLeft, group), rowsLeft, group);
  Value inGroup = b.remu(index, groupTiles);
  return {b.add(firstRow, b.remu(inGroup, rows)), b.divu(inGroup, rows)};
}

bool coda::needsTilesWithout(const KernelPlan &plan, Dim dim) {
  return llvm::any_of(
      plan.outs, [&](const OutPlan &out) { return !out.dims.contains(dim); });
}
