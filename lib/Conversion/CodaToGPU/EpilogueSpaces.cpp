//===- EpilogueSpaces.cpp - Which columns a tile's columns stand for ------===//

#include "EpilogueSpaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

using Kind = ColumnSpace::Kind;

bool coda::needsFinish(ReduceOp reduce, int64_t columns) {
  if (reduce.getGroup() || reduce.combinesParts())
    return false;
  if (reduce.getAxis() == Axis::rows)
    return true;
  int64_t size = reduce.getInput().getType().getColumns();
  return ShapedType::isDynamic(size) || size > columns;
}

namespace {
/// Finds the space of one tile after the other; false, with a reason, where
/// there is none.
class SpaceFinder {
public:
  SpaceFinder(DenseMap<Value, ColumnSpace> &spaces, DenseMap<Value, bool> &rows,
              int64_t columns, llvm::raw_ostream &why)
      : spaces(spaces), rows(rows), columns(columns), why(why) {}

  bool visit(MapOp map) {
    ColumnSpace space;
    bool alongRows = false;
    for (Value input : map.getInputs()) {
      alongRows |= rows.lookup(input);
      if (!unite(space, spaces.lookup(input)))
        return false;
    }
    return set(map, space, alongRows);
  }

  bool visit(IndexOp index) {
    bool isRows = index.getAxis() == Axis::rows;
    return set(index, {isRows ? Kind::One : Kind::Full, 0}, isRows);
  }

  bool visit(ReduceOp reduce) {
    Type element = reduce.getType().getElementType();
    if (!element.isF32() && !element.isSignlessInteger(32))
      return (why << "it reduces elements of type " << element
                  << "; expected f32 or i32",
              false);
    ColumnSpace input = spaces.lookup(reduce.getInput());
    if (input.kind == Kind::Parts)
      return set(reduce, {}, /*alongRows=*/true);
    if (input.kind != Kind::Full && input.kind != Kind::One)
      return (why << "it reduces groups or halves of columns", false);
    bool alongRows = rows.lookup(reduce.getInput());
    if (reduce.getAxis() == Axis::rows) {
      if (reduce.getKind() == Reduction::logsumexp)
        return (why << "it takes a logsumexp of rows", false);
      if (reduce.getGroup() != kWarpRows)
        return (why << "it reduces rows in groups of other than " << kWarpRows,
                false);
      for (Operation *user : reduce->getUsers())
        if (!isa<YieldOp>(user))
          return (why << "it computes with a reduction of rows", false);
      return set(reduce, {Kind::Full, 0}, /*alongRows=*/true);
    }
    if (!reduce.getGroup())
      return set(reduce, {}, alongRows);
    int64_t group = *reduce.getGroup();
    if (group % 8 || columns % group)
      return (why << "groups of " << group
                  << " columns must be of a multiple of 8 and divide a tile of "
                  << columns << " columns",
              false);
    return set(reduce, {Kind::Group, group}, alongRows);
  }

  bool visit(RepeatOp repeat) {
    ColumnSpace input = spaces.lookup(repeat.getInput());
    bool alongRows = rows.lookup(repeat.getInput());
    if (input.kind == Kind::One)
      return set(repeat, input, alongRows);
    int64_t count = repeat.getCount();
    ColumnSpace group = {Kind::Group, count};
    if (!unite(input, group))
      return false;
    if (count % 8 || columns % count)
      return (why << "groups of " << count
                  << " columns must be of a multiple of 8 and divide a tile of "
                  << columns << " columns",
              false);
    return set(repeat, {Kind::Full, 0}, alongRows);
  }

  bool visit(UnpairOp unpair) {
    ColumnSpace input = spaces.lookup(unpair.getInput());
    bool alongRows = rows.lookup(unpair.getInput());
    if (input.kind != Kind::Full && input.kind != Kind::One)
      return (why << "it pairs groups or halves of columns", false);
    if (!fits(unpair.getStride()))
      return false;
    ColumnSpace space =
        input.kind == Kind::One
            ? input
            : ColumnSpace{Kind::Half, int64_t(unpair.getStride())};
    return set(unpair.getFirst(), space, alongRows) &&
           set(unpair.getSecond(), space, alongRows);
  }

  bool visit(PairOp pair) {
    ColumnSpace space = {Kind::Half, int64_t(pair.getStride())};
    bool alongRows = false;
    if (!fits(pair.getStride()))
      return false;
    for (Value half : {pair.getFirst(), pair.getSecond()}) {
      alongRows |= rows.lookup(half);
      if (!unite(space, spaces.lookup(half)))
        return false;
    }
    return set(pair, {Kind::Full, 0}, alongRows);
  }

  bool visit(SelectColumnOp) {
    why << "it selects a column; coda-schedule makes that a reduction";
    return false;
  }

private:
  bool set(Value tile, ColumnSpace space, bool alongRows) {
    spaces[tile] = space;
    rows[tile] = alongRows;
    return true;
  }

  bool fits(int64_t stride) {
    if ((stride == 1 || stride % 8 == 0) && columns % (2 * stride) == 0)
      return true;
    why << "pairs of stride " << stride
        << " need a stride of 1 or a multiple of 8, and twice it must divide a "
           "tile of "
        << columns << " columns";
    return false;
  }

  /// `space` and what is computed with it must agree; what is open is settled.
  bool unite(ColumnSpace &space, ColumnSpace other) {
    if (other.kind == Kind::One || other == space)
      return true;
    if (space.kind == Kind::One) {
      space = other;
      return true;
    }
    auto opens = [](ColumnSpace open, ColumnSpace known) {
      int64_t divisor = known.kind == Kind::Half    ? 2
                        : known.kind == Kind::Group ? known.parameter
                                                    : 0;
      return open.kind == Kind::Open && open.parameter == divisor;
    };
    if (opens(other, space))
      return true;
    if (opens(space, other)) {
      space = other;
      return true;
    }
    why << "it computes with different halves or groups of columns";
    return false;
  }

  DenseMap<Value, ColumnSpace> &spaces;
  DenseMap<Value, bool> &rows;
  int64_t columns;
  llvm::raw_ostream &why;
};
} // namespace

bool EpilogueSpaces::settle(GemmOp gemm, size_t out, int64_t columns,
                            llvm::raw_ostream &why) {
  DimsAttr dims = gemm.getOutDims(out);
  Value yielded = gemm.getYield().getValues()[out];
  ColumnSpace space = spaces.lookup(yielded);
  auto reduce = yielded.getDefiningOp<ReduceOp>();
  bool isRowReduction = reduce && reduce.getAxis() == Axis::rows;
  int64_t divisor = dims.getDivisor(Dim::n);
  if (space.kind == Kind::Open)
    space = divisor == 2 ? ColumnSpace{Kind::Half, 1}
                         : ColumnSpace{Kind::Group, divisor};
  if (space.kind == Kind::Group &&
      (space.parameter % 8 || columns % space.parameter))
    return (why << "groups of " << space.parameter
                << " columns must be of a multiple of 8 and divide a tile of "
                << columns << " columns",
            false);
  int64_t expected = space.kind == Kind::Half    ? 2
                     : space.kind == Kind::Group ? space.parameter
                                                 : 1;
  // A group of all columns is stored as [m] where there is one group.
  if (dims.contains(Dim::n) && space.kind != Kind::One && expected != divisor)
    return (why << "destination #" << out << " has " << dims
                << ", but its tile has one column for every " << expected,
            false);
  if (dims.getDivisor(Dim::m) != (isRowReduction ? kWarpRows : 1))
    return (why << "destination #" << out << " has " << dims
                << ", but its tile has not",
            false);
  if (dims.contains(Dim::n) && space.kind == Kind::One && divisor != 1)
    space = divisor == 2 ? ColumnSpace{Kind::Half, 1}
                         : ColumnSpace{Kind::Group, divisor};
  outs.push_back(space);
  rowReductions.push_back(isRowReduction);
  return true;
}

FailureOr<EpilogueSpaces> EpilogueSpaces::create(GemmOp gemm, int64_t columns,
                                                 bool willSplit,
                                                 std::string &why) {
  llvm::raw_string_ostream reason(why);
  EpilogueSpaces result;
  for (Value accumulator : gemm.getAccumulatorArgs()) {
    result.spaces[accumulator] = {Kind::Full, 0};
    result.rows[accumulator] = true;
  }
  for (auto [i, argument] : llvm::enumerate(gemm.getOperandArgs())) {
    DimsAttr dims = gemm.getOperandDims(i);
    if (dims.getDivisor(Dim::m) != 1)
      return (reason << "operand #" << i << " has one row for every "
                     << dims.getDivisor(Dim::m) << " of the product",
              failure());
    int64_t divisor = dims.getDivisor(Dim::n);
    ColumnSpace space;
    if (dims.hasParts())
      space = {Kind::Parts, 0};
    if (dims.contains(Dim::n))
      space = divisor == 1 ? ColumnSpace{Kind::Full, 0}
                           : ColumnSpace{Kind::Open, divisor};
    result.spaces[argument] = space;
    result.rows[argument] = dims.contains(Dim::m);
  }
  SpaceFinder finder(result.spaces, result.rows, columns, reason);
  llvm::SmallPtrSet<Operation *, 8> later;
  for (Operation &op : gemm.getBody()->without_terminator()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isLater = (reduce && needsFinish(reduce, columns)) ||
                   llvm::any_of(op.getOperands(), [&](Value operand) {
                     return later.contains(operand.getDefiningOp());
                   });
    if (isLater && willSplit) {
      later.insert(&op);
      // What it reduces must be computed all the same.
      if (reduce && reduce.getInput().getDefiningOp() &&
          later.contains(reduce.getInput().getDefiningOp()))
        return (reason << "it reduces what is computed from a reduction",
                failure());
      continue;
    }
    if (isLater)
      return (reason << "it reduces whole rows or columns, which are more than "
                        "a tile; coda-schedule takes that apart on tensors",
              failure());
    bool found =
        llvm::TypeSwitch<Operation *, bool>(&op)
            .Case<MapOp, IndexOp, ReduceOp, RepeatOp, UnpairOp, PairOp,
                  SelectColumnOp>([&](auto op) { return finder.visit(op); })
            .Default([&](Operation *op) {
              reason << "it holds " << op->getName();
              return false;
            });
    if (!found)
      return failure();
  }
  for (size_t i = 0, e = gemm.getOuts().size(); i < e; ++i) {
    if (later.contains(gemm.getYield().getValues()[i].getDefiningOp())) {
      result.outs.push_back({});
      result.rowReductions.push_back(false);
      continue;
    }
    if (!result.settle(gemm, i, columns, reason))
      return failure();
  }
  return result;
}
