//===- FragmentAccess.cpp - Rows, columns and accesses of a thread --------===//

#include "Kernels.h"
#include "RowParts.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// KernelParameters
//===----------------------------------------------------------------------===//

KernelParameters::KernelParameters(const KernelPlan &plan, Block *entry,
                                   unsigned first)
    : plan(plan), entry(entry), first(first) {}

Value KernelParameters::find(KernelArgument::Kind kind, unsigned number,
                             Dim dim) const {
  for (auto [i, argument] : llvm::enumerate(plan.arguments))
    if (argument.kind == kind && argument.value == number &&
        argument.dim == dim)
      return entry->getArgument(first + i);
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

Value KernelParameters::stride(unsigned number, Dim dim) const {
  return find(KernelArgument::Kind::Stride, number, dim);
}

Value KernelParameters::inCycle(KernelBuilder &b, unsigned number,
                                DimsAttr dims, Dim dim,
                                Value coordinate) const {
  if (!dims.isCyclic(dim))
    return coordinate;
  return b.remu(coordinate, find(KernelArgument::Kind::Period, number, dim));
}

Value KernelParameters::elementPointer(KernelBuilder &b, unsigned number,
                                       DimsAttr dims, Type memoryType,
                                       Value row, Value column,
                                       Value other) const {
  // 64-bit: there can be more than 2^31 elements.
  Value offset = b.i64(0);
  for (Dim dim : dims.getDims()) {
    Value coordinate = dim == Dim::m ? row : dim == Dim::n ? column : other;
    coordinate = inCycle(b, number, dims, dim, coordinate);
    offset = b.add(offset, b.mul(b.extend64(coordinate), stride(number, dim)));
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

Value FragmentAccess::productSize(Dim dim) { return parameters.size(dim); }

std::pair<Value, Value> FragmentAccess::spaceColumn(FragmentPosition position,
                                                    ColumnSpace space) {
  Value column = columnNumber(position);
  Value size = parameters.size(Dim::n);
  switch (space.kind) {
  case ColumnSpace::Kind::Half: {
    // (c / 2s) * s + c mod s, where c is the first of its pair.
    Value stride = b.i32(space.parameter);
    Value pairs = b.divu(column, b.i32(2 * space.parameter));
    return {b.add(b.mul(pairs, stride), b.remu(column, stride)),
            b.shr(size, 1)};
  }
  case ColumnSpace::Kind::Group:
    return {b.divu(column, b.i32(space.parameter)),
            b.ceilDivU(size, space.parameter)};
  case ColumnSpace::Kind::One:
  case ColumnSpace::Kind::Full:
  case ColumnSpace::Kind::Open:
  case ColumnSpace::Kind::Parts:
    break;
  }
  return {column, size};
}

Value FragmentAccess::loadElement(int64_t index, Value row, Value column,
                                  Value columnEnd) {
  const OperandPlan &operand = plan.operands[index];
  Value inside = b.i1(true);
  if (operand.dims.contains(Dim::m))
    inside = b.bitAnd(inside, b.ult(row, parameters.size(Dim::m)));
  if (operand.dims.contains(Dim::n))
    inside = b.bitAnd(inside, b.ult(column, columnEnd));
  Value pointer =
      parameters.elementPointer(b, plan.operandNumber(index), operand.dims,
                                operand.memoryType, row, column);
  return b.fromMemory(b.loadIf(inside, pointer, operand.memoryType),
                      operand.elementType);
}

Value FragmentAccess::operand(int64_t index, FragmentPosition position,
                              ColumnSpace space) {
  const OperandPlan &operand = plan.operands[index];
  if (operand.access == OperandAccess::Scalar)
    return parameters.scalar(plan.operandNumber(index));
  Value row = rowNumber(position);
  auto [column, end] = spaceColumn(position, space);
  Value first = loadElement(index, row, column, end);
  if (!operand.dims.contains(Dim::n) || !space.inPairs())
    return first;
  return b.pair(first, loadElement(index, row, b.add(column, b.i32(1)), end));
}

Value FragmentAccess::combinedParts(int64_t index, FragmentPosition position,
                                    Reduction kind) {
  Value row = rowNumber(position);
  return RowParts(b, plan, parameters, index, kind).combineInLoop(row);
}

//===----------------------------------------------------------------------===//
// Direct stores
//===----------------------------------------------------------------------===//

void FragmentAccess::storeElement(int64_t index, Value value, Value row,
                                  Value rowEnd, Value column, Value columnEnd) {
  const OutPlan &out = plan.outs[index];
  // A destination without a dimension is written by its first row or column.
  Value rowInside =
      out.dims.contains(Dim::m) ? b.ult(row, rowEnd) : b.eq(row, b.i32(0));
  Value columnInside = out.dims.contains(Dim::n) ? b.ult(column, columnEnd)
                                                 : b.eq(column, b.i32(0));
  b.ifThen(b.bitAnd(rowInside, columnInside), [&] {
    b.store(value, parameters.elementPointer(b, plan.outNumber(index), out.dims,
                                             out.memoryType, row, column));
  });
}

void FragmentAccess::storeGroups(EpilogueEmitter &emitter, int64_t index,
                                 int64_t block, int64_t firstGroup,
                                 int64_t count) {
  for (int64_t group = firstGroup; group < firstGroup + count; ++group)
    storePosition(emitter, index, {block, 0, group});
}

void FragmentAccess::storePosition(EpilogueEmitter &emitter, int64_t index,
                                   FragmentPosition position) {
  const OutPlan &out = plan.outs[index];
  ColumnSpace space = plan.spaces.out(index);
  int64_t group = position.group;
  // What stands for several columns is stored once they are all there.
  if (space.kind == ColumnSpace::Kind::Group &&
      8 * (group + 1) % space.parameter != 0)
    return;
  if (space.kind == ColumnSpace::Kind::Half && space.parameter > 1 &&
      8 * group % (2 * space.parameter) >= space.parameter)
    return;
  // What has no columns is stored by the last group: a value of a whole row is
  // complete then, and asked for earlier it would need matrix operands that do
  // not come before those of the columns up to here are released.
  bool oncePerTile =
      !out.dims.contains(Dim::n) && space.kind != ColumnSpace::Kind::Group;
  if (oncePerTile && group + 1 != plan.columns / 8)
    return;
  bool rowReduction = plan.spaces.isRowReduction(index);
  for (int64_t half = 0; half < (rowReduction ? 1 : 2); ++half) {
    FragmentPosition at = {position.block, half, group};
    Value value = emitter.result(index, at);
    Value row = rowNumber(at), rowEnd = parameters.size(Dim::m);
    std::pair<Value, Value> columns =
        spaceColumn(oncePerTile ? at.at(0) : at, space);
    Value column = columns.first, columnEnd = columns.second;
    // One lane of those that share the row group or the columns.
    Value isStoring = b.i1(true);
    if (rowReduction) {
      isStoring = b.ult(lane, b.i32(4));
      row = b.divu(row, b.i32(kWarpRows));
      rowEnd = b.ceilDivU(rowEnd, kWarpRows);
    }
    bool onePerRow = space.kind == ColumnSpace::Kind::Group ||
                     space.kind == ColumnSpace::Kind::One;
    // A row-only value that is stored to all columns is stored by all lanes.
    bool spread =
        space.kind == ColumnSpace::Kind::One && out.dims.contains(Dim::n);
    if (onePerRow && !spread)
      isStoring = b.eq(b.bitAnd(lane, b.i32(3)), b.i32(0));
    auto store = [&] {
      if (spread || space.inPairs()) {
        for (int64_t i = 0; i < 2; ++i)
          storeElement(index,
                       isa<VectorType>(value.getType()) ? b.element(value, i)
                                                        : value,
                       row, rowEnd, b.add(column, b.i32(i)), columnEnd);
        return;
      }
      storeElement(index, value, row, rowEnd, column, columnEnd);
    };
    if (space.kind == ColumnSpace::Kind::Group) {
      // The last position of a group is no column of its own.
      column = b.divu(columnNumber(at.at((8 * group / space.parameter) *
                                         space.parameter / 8)),
                      b.i32(space.parameter));
    }
    if (onePerRow || rowReduction)
      b.ifThen(isStoring, store);
    else
      store();
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
