//===- SimpleKernel.cpp - Main loop with ordinary loads -------------------===//
//
// One warpgroup computes one tile of 64 rows. Every access is guarded and takes
// any stride: this is the kernel for what tensor copies cannot address, for
// empty dimensions, and for element types without wgmma here. 16-bit inputs,
// and 8-bit floats as f16, are multiplied by mma.sync, all others by scalar
// multiply-adds in the same fragment layout.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"

using namespace mlir;
using namespace coda;

namespace {
class SimpleKernel : public FragmentAccess {
public:
  SimpleKernel(KernelBuilder &b, const KernelPlan &plan,
               const KernelParameters &parameters)
      : FragmentAccess(b, plan, parameters, b.threadIdX()),
        tileK(plan.schedule.getTileK()),
        elementBytes(getElementBytes(plan.multipliedType())),
        // Padding: rows start in different banks.
        pitch((tileK + 8) * elementBytes), groups(plan.totalColumns / 8) {}

  void emit() {
    TileOrder order;
    order.rowTiles = tileCount(Dim::m, plan.tileRows);
    order.columnTiles = tileCount(Dim::n, plan.columns);
    auto [row, column] =
        order.locate(b, plan.schedule.getRaster(), b.blockIdX());
    firstRow = b.mul(row, b.i32(plan.tileRows));
    firstColumn = b.mul(column, b.i32(plan.columns));

    Value zero = arith::ConstantOp::create(
        b, cast<TypedAttr>(b.getZeroAttr(plan.accumulatorType)));
    SmallVector<Value> initial(4 * groups, zero);
    sums = b.loop(b.i32(0), parameters.size(Dim::k), b.i32(tileK), initial,
                  [&](Value k, ValueRange carried) {
                    b.barrierAll();
                    loadTiles(k);
                    b.barrierAll();
                    SmallVector<Value> current(carried);
                    multiply(current);
                    return current;
                  });

    EpilogueEmitter emitter(b, plan, *this);
    for (int64_t i = 0, e = plan.outs.size(); i < e; ++i)
      storeGroups(emitter, i, /*block=*/0, /*firstGroup=*/0, plan.columns / 8);
  }

  Value accumulator(int64_t rhs, FragmentPosition position) override {
    int64_t first =
        4 * (position.group + rhs * plan.columns / 8) + 2 * position.half;
    return b.pair(sums[first], sums[first + 1]);
  }

private:
  Value tileCount(Dim dim, int64_t tile) {
    Value count = b.ceilDivU(parameters.size(dim), tile);
    if (!needsTilesWithout(plan, dim))
      return count;
    return b.select(b.eq(count, b.i32(0)), b.i32(1), count);
  }

  void loadTiles(Value k) {
    loadTile(0, GemmOp(plan.gemm).getLhsDims(), Dim::m, firstRow, plan.tileRows,
             k, 0);
    for (int64_t rhs = 0; rhs < plan.rhsCount; ++rhs)
      loadTile(1 + rhs, GemmOp(plan.gemm).getRhsDims(), Dim::n, firstColumn,
               plan.columns, k, plan.lhsBytes + rhs * plan.columns * pitch);
  }

  /// Brings `count` rows along `dim` (m or n), each of tileK elements, to
  /// `offset` in shared memory; zeros where there are none.
  void loadTile(unsigned number, DimsAttr dims, Dim dim, Value first,
                int64_t count, Value k, int64_t offset) {
    // Neighbouring threads load along the inner dimension of the storage.
    Type type = number == 0 ? plan.lhsType : plan.rhsType;
    bool innerIsK = dims.getDims().back() == Dim::k;
    Value inner = b.i32(innerIsK ? tileK : count);
    b.loop(thread, b.i32(count * tileK), b.i32(128), {},
           [&](Value index, ValueRange) {
             Value in = b.remu(index, inner), out = b.divu(index, inner);
             Value row = innerIsK ? out : in, inK = innerIsK ? in : out;
             Value globalRow = b.add(first, row), globalK = b.add(k, inK);
             Value inside = b.bitAnd(b.ult(globalRow, parameters.size(dim)),
                                     b.ult(globalK, parameters.size(Dim::k)));
             Value pointer = parameters.elementPointer(
                 b, number, dims, plan.inputMemoryType, globalRow, globalRow,
                 globalK);
             Value value = b.loadIf(inside, pointer, plan.inputMemoryType);
             if (isFloat8(type))
               value = arith::ExtFOp::create(b, plan.multipliedType(),
                                             b.fromMemory(value, type));
             b.store(value, shared(offset, row, inK));
             return SmallVector<Value>();
           });
  }

  Value shared(int64_t offset, Value row, Value k) {
    return b.shared(b.add(b.add(b.i32(offset), b.mul(row, b.i32(pitch))),
                          b.mul(k, b.i32(elementBytes))));
  }

  void multiply(SmallVector<Value> &current) {
    Type type = plan.multipliedType();
    if (type.isBF16() || type.isF16())
      multiplyMatrices(current);
    else
      multiplyScalars(current);
  }

  void multiplyMatrices(SmallVector<Value> &current) {
    Value eighth = b.shr(lane, 2);
    Value pair = b.shl(b.bitAnd(lane, b.i32(3)), 1);
    Value row = b.add(b.shl(warp, 4), eighth);
    for (int64_t k = 0; k < tileK; k += 16) {
      SmallVector<Value> lhs;
      for (int64_t high : {0, 8})
        for (int64_t half : {0, 8})
          lhs.push_back(b.load(
              shared(0, b.add(row, b.i32(half)), b.add(pair, b.i32(k + high))),
              b.getI32Type()));
      for (int64_t group = 0; group < groups; ++group) {
        SmallVector<Value> rhs;
        for (int64_t high : {0, 8})
          rhs.push_back(
              b.load(shared(plan.lhsBytes, b.add(eighth, b.i32(8 * group)),
                            b.add(pair, b.i32(k + high))),
                     b.getI32Type()));
        SmallVector<Value> product =
            b.mma(plan.multipliedType(), lhs, rhs,
                  ArrayRef<Value>(current).slice(4 * group, 4));
        llvm::copy(product, current.begin() + 4 * group);
      }
    }
  }

  void multiplyScalars(SmallVector<Value> &current) {
    Value row = b.add(b.shl(warp, 4), b.shr(lane, 2));
    Value pair = b.shl(b.bitAnd(lane, b.i32(3)), 1);
    current =
        b.loop(b.i32(0), b.i32(tileK), b.i32(1), current,
               [&](Value k, ValueRange carried) {
                 SmallVector<Value> next(carried);
                 Value lhs[2];
                 for (int64_t half : {0, 1})
                   lhs[half] = loadShared(0, b.add(row, b.i32(8 * half)), k);
                 for (int64_t group = 0; group < groups; ++group)
                   for (int64_t i : {0, 1}) {
                     Value rhs = loadShared(
                         plan.lhsBytes, b.add(pair, b.i32(8 * group + i)), k);
                     for (int64_t half : {0, 1}) {
                       Value &sum = next[4 * group + 2 * half + i];
                       sum = multiplyAdd(lhs[half], rhs, sum);
                     }
                   }
                 return next;
               });
  }

  Value loadShared(int64_t offset, Value row, Value k) {
    Value value = b.load(shared(offset, row, k), plan.inputMemoryType);
    if (value.getType() == plan.accumulatorType)
      return value;
    return arith::ExtSIOp::create(b, plan.accumulatorType, value);
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(plan.accumulatorType)) {
      auto contract = arith::FastMathFlags::contract;
      return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, contract),
                                   sum, contract);
    }
    return b.add(b.mul(x, y), sum);
  }

  int64_t tileK, elementBytes, pitch, groups;
  SmallVector<Value> sums;
};
} // namespace

void coda::emitSimpleKernel(KernelBuilder &b, const KernelPlan &plan,
                            const KernelParameters &parameters) {
  SimpleKernel(b, plan, parameters).emit();
}
