//===- HostEmitter.cpp - Host code around the launch of a kernel ----------===//

#include "HostEmitter.h"

#include "Kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

HostEmitter::HostEmitter(ImplicitLocOpBuilder &b, GemmOp gemm)
    : HostValues(b), gemm(gemm) {}

//===----------------------------------------------------------------------===//
// Sizes, strides, addresses
//===----------------------------------------------------------------------===//

DimsAttr HostEmitter::dimsOf(unsigned number) {
  unsigned rhs = gemm.getRhs().size();
  unsigned operands = gemm.getEpilogueOperands().size();
  if (number == 0)
    return gemm.getLhsDims();
  if (number <= rhs)
    return gemm.getRhsDims();
  if (number <= rhs + operands)
    return gemm.getOperandDims(number - rhs - 1);
  return gemm.getOutDims(number - rhs - operands - 1);
}

Value HostEmitter::sizeOf(Value memref, DimsAttr dims, Dim dim) {
  return sizeAt(memref, dims.indexOf(dim));
}

Value HostEmitter::size(Dim dim) {
  int64_t known = dim == Dim::m   ? gemm.getStaticM()
                  : dim == Dim::n ? gemm.getStaticN()
                                  : gemm.getStaticK();
  if (ShapedType::isStatic(known))
    return constant(known);
  return dim == Dim::n ? sizeOf(gemm.getRhs().front(), gemm.getRhsDims(), dim)
                       : sizeOf(gemm.getLhs(), gemm.getLhsDims(), dim);
}

//===----------------------------------------------------------------------===//
// Checks and choice
//===----------------------------------------------------------------------===//

void HostEmitter::emitChecks() {
  // The first static size of each dimension is in the types of all others.
  Value expected[3] = {size(Dim::m), size(Dim::n), size(Dim::k)};
  for (OpOperand &operand : gemm->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    DimsAttr dims = dimsOf(operand.getOperandNumber());
    for (Dim dim : dims.getDims()) {
      // Their number is in the type.
      if (dim == Dim::parts)
        continue;
      Value actual = sizeOf(operand.get(), dims, dim);
      Value reference = expected[static_cast<int>(dim)];
      if (dims.isCyclic(dim)) {
        Value fits = both(cmp(arith::CmpIPredicate::sgt, actual, constant(0)),
                          cmp(arith::CmpIPredicate::ult, actual,
                              constant((int64_t(1) << 31) - 1024)));
        check(fits, "size of cyclic dimension " + stringifyDim(dim) +
                        " of operand #" + Twine(operand.getOperandNumber()) +
                        " of coda.gemm must be from 1 to 2^31 - 1025");
        continue;
      }
      if (int64_t divisor = dims.getDivisor(dim); divisor != 1)
        reference =
            b.createOrFold<arith::CeilDivSIOp>(reference, constant(divisor));
      if (actual == reference)
        continue;
      check(cmp(arith::CmpIPredicate::eq, actual, reference),
            "size of dimension " + stringifyDim(dim) + " of operand #" +
                Twine(operand.getOperandNumber()) +
                " of coda.gemm does not agree with its other operands");
    }
  }
  for (Dim dim : {Dim::m, Dim::n, Dim::k})
    check(cmp(arith::CmpIPredicate::ult, expected[static_cast<int>(dim)],
              constant((int64_t(1) << 31) - 1024)),
          "size of dimension " + stringifyDim(dim) +
              " of coda.gemm must be less than 2^31 - 1024");
}

/// Memory that this module allocated, at an alignment that serves everybody.
static bool isAlignedAllocation(Value memref) {
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getAlignment().value_or(0) % 16 == 0 &&
         alloc.getAlignment().value_or(0) > 0;
}

Value HostEmitter::outerStrideBytes(Value memref, Type memoryType) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = getElementBytes(memoryType);
  Value strideBytes =
      b.createOrFold<arith::MulIOp>(stride(memref, 0), constant(bytes));
  if (!type.isDynamicDim(0) && type.getDimSize(0) > 1)
    return strideBytes;
  Value rowBytes =
      b.createOrFold<arith::MulIOp>(sizeAt(memref, 1), constant(bytes));
  Value rounded = b.createOrFold<arith::AndIOp>(
      b.createOrFold<arith::AddIOp>(rowBytes, constant(15)), constant(-16));
  Value many = cmp(arith::CmpIPredicate::sgt, sizeAt(memref, 0), constant(1));
  return b.createOrFold<arith::SelectOp>(many, strideBytes, rounded);
}

Value HostEmitter::canUse(const KernelPlan &plan) {
  Value ok = arith::ConstantOp::create(b, b.getBoolAttr(true));
  if (plan.simple)
    return ok;
  for (Dim dim : {Dim::m, Dim::n, Dim::k})
    ok = both(ok, cmp(arith::CmpIPredicate::sgt, size(dim), constant(0)));
  for (const KernelArgument &argument : plan.arguments) {
    if (argument.kind != KernelArgument::Kind::TensorMap)
      continue;
    Value memref = gemm->getOperand(argument.value);
    auto type = cast<MemRefType>(memref.getType());
    Value one = constant(1);
    Value innerStride = stride(memref, 1);
    Value innerOk = cmp(arith::CmpIPredicate::eq, innerStride, one);
    if (!matchPattern(innerOk, m_One())) {
      // The stride of a single element means nothing.
      Value innerSize = sizeOf(memref, dimsOf(argument.value),
                               dimsOf(argument.value).getDims()[1]);
      innerOk = b.createOrFold<arith::OrIOp>(
          innerOk, cmp(arith::CmpIPredicate::sle, innerSize, one));
    }
    ok = both(ok, innerOk);
    Value outer = outerStrideBytes(memref, type.getElementType());
    Value rest = b.createOrFold<arith::AndIOp>(outer, constant(15));
    ok = both(ok, cmp(arith::CmpIPredicate::eq, rest, constant(0)));
    ok = both(ok, cmp(arith::CmpIPredicate::sgt, outer, constant(0)));
    ok = both(
        ok, cmp(arith::CmpIPredicate::slt, outer, constant(int64_t(1) << 40)));
    if (isAlignedAllocation(memref))
      continue;
    Value misaligned =
        b.createOrFold<arith::AndIOp>(address(memref), constant(15));
    ok = both(ok, cmp(arith::CmpIPredicate::eq, misaligned, constant(0)));
  }
  return ok;
}

Value HostEmitter::tileCount(const KernelPlan &plan, Dim dim, int64_t tile) {
  Value count = b.createOrFold<arith::CeilDivSIOp>(size(dim), constant(tile));
  if (!needsTilesWithout(plan, dim))
    return count;
  return b.createOrFold<arith::MaxSIOp>(count, constant(1));
}

Value HostEmitter::hasTiles(const KernelPlan &plan) {
  Value rows = tileCount(plan, Dim::m, plan.rowsPerStep());
  Value columns = tileCount(plan, Dim::n, plan.columns);
  return both(cmp(arith::CmpIPredicate::sgt, rows, constant(0)),
              cmp(arith::CmpIPredicate::sgt, columns, constant(0)));
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

Value HostEmitter::argument(const KernelPlan &plan,
                            const KernelArgument &argument) {
  using Kind = KernelArgument::Kind;
  if (argument.kind == Kind::Size)
    return b.createOrFold<arith::TruncIOp>(b.getI32Type(), size(argument.dim));
  Value value = gemm->getOperand(argument.value);
  DimsAttr dims = dimsOf(argument.value);
  switch (argument.kind) {
  case Kind::Scalar:
    return value;
  case Kind::Pointer:
    return address(value);
  case Kind::Stride:
    return stride(value, dims.indexOf(argument.dim));
  case Kind::Period:
    return b.createOrFold<arith::TruncIOp>(b.getI32Type(),
                                           sizeOf(value, dims, argument.dim));
  case Kind::TensorMap: {
    Type element = cast<MemRefType>(value.getType()).getElementType();
    SmallVector<Value> sizes = {sizeOf(value, dims, dims.getDims()[1]),
                                sizeOf(value, dims, dims.getDims()[0])};
    return TensorMapOp::create(
        b, TensorMapType::get(b.getContext()), address(value), sizes,
        ValueRange{outerStrideBytes(value, element)}, argument.box, element);
  }
  case Kind::Size:
    break;
  }
  return {};
}

SmallVector<Value> HostEmitter::arguments(const KernelPlan &plan) {
  return llvm::map_to_vector(plan.arguments,
                             [&](const KernelArgument &kernelArgument) {
                               return argument(plan, kernelArgument);
                             });
}

Value HostEmitter::tileSteps(const KernelPlan &plan) {
  return b.createOrFold<arith::MulIOp>(
      tileCount(plan, Dim::m, plan.rowsPerStep()),
      tileCount(plan, Dim::n, plan.columns));
}

void HostEmitter::emitLaunch(const KernelPlan &plan, SymbolRefAttr kernel) {
  SmallVector<Value> values = arguments(plan);
  Value tiles = tileSteps(plan);
  Value grid = tiles;
  if (!plan.simple) {
    Value count = MultiprocessorCountOp::create(b);
    Value clusters =
        b.createOrFold<arith::DivSIOp>(count, constant(plan.cluster));
    grid = b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::MinSIOp>(tiles, clusters),
        constant(plan.cluster));
  }
  auto index = [&](Value value) {
    return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
  };
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value bytes = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(plan.sharedBytes)));
  gpu::LaunchFuncOp::create(
      b, kernel, gpu::KernelDim3{index(grid), one, one},
      gpu::KernelDim3{arith::ConstantIndexOp::create(b, plan.threads), one,
                      one},
      bytes, values);
}
