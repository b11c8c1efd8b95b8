//===- KernelBuilderHopper.cpp - Tensor copies and matrix products --------===//

#include "KernelBuilder.h"

#include "KernelPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Tensor memory accelerator
//===----------------------------------------------------------------------===//

/// The policy that createpolicy.fractional.L2::evict_first.b64 gives.
static constexpr int64_t kEvictFirst = 0x12F0000000000000;

void KernelBuilder::tensorLoad(Value destination, Value map,
                               ValueRange coordinates, Value barrier,
                               Value mask, bool streaming) {
  Value cluster = LLVM::AddrSpaceCastOp::create(
      *this, LLVM::LLVMPointerType::get(getContext(), 7), destination);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      *this, cluster, map, coordinates, barrier, /*im2colOffsets=*/ValueRange(),
      mask, streaming ? i64(kEvictFirst) : Value(), NVVM::TMALoadMode::TILE,
      /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}
void KernelBuilder::tensorStore(Value map, Value source, ValueRange coordinates,
                                bool streaming) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      *this, map, source, coordinates, streaming ? i64(kEvictFirst) : Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
}
void KernelBuilder::storeCommit() {
  NVVM::CpAsyncBulkCommitGroupOp::create(*this);
}
void KernelBuilder::storeWait(int64_t pending, bool readOnly) {
  NVVM::CpAsyncBulkWaitGroupOp::create(*this, static_cast<uint32_t>(pending),
                                       readOnly ? getUnitAttr() : UnitAttr());
}
void KernelBuilder::sharedStoreFence() {
  NVVM::FenceProxyOp::create(
      *this,
      NVVM::ProxyKindAttr::get(getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(getContext(), NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static NVVM::LdStMatrixShapeAttr getMatrixShape(MLIRContext *context) {
  return NVVM::LdStMatrixShapeAttr::get(context, 8, 8);
}

SmallVector<Value> KernelBuilder::loadMatrix(Value pointer) {
  Type type = LLVM::LLVMStructType::getLiteral(
      getContext(), SmallVector<Type>(4, getI32Type()));
  Value loaded = NVVM::LdMatrixOp::create(
      *this, type, pointer, static_cast<uint32_t>(4), NVVM::MMALayout::row,
      getMatrixShape(getContext()), NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i)
    registers.push_back(field(loaded, i));
  return registers;
}
void KernelBuilder::storeMatrix(Value pointer, ValueRange registers) {
  NVVM::StMatrixOp::create(*this, pointer, registers, NVVM::MMALayout::row,
                           getMatrixShape(getContext()),
                           NVVM::LdStMatrixEltType::B16);
}
void KernelBuilder::wgmmaFence() { NVVM::WgmmaFenceAlignedOp::create(*this); }
void KernelBuilder::wgmmaCommit() {
  NVVM::WgmmaGroupSyncAlignedOp::create(*this);
}
void KernelBuilder::wgmmaWait(int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(*this, static_cast<uint64_t>(pending));
}

SmallVector<Value> KernelBuilder::wgmmaWaitFor(Value accumulator,
                                               int64_t count) {
  SmallVector<Value> sums;
  std::string constraints;
  for (int64_t i = 0; i < count; ++i) {
    sums.push_back(field(accumulator, i));
    constraints += sums.back().getType().isF32() ? "=f," : "=r,";
  }
  for (int64_t i = 0; i < count; ++i)
    constraints += std::to_string(i) + (i + 1 < count ? "," : "");
  Value waited =
      LLVM::InlineAsmOp::create(
          *this, accumulator.getType(), sums,
          "wgmma.wait_group.sync.aligned 0;", constraints,
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::tailcallkind::TailCallKind::None,
          LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
          ArrayAttr())
          .getRes();
  for (int64_t i = 0; i < count; ++i)
    sums[i] = field(waited, i);
  return sums;
}

static NVVM::WGMMATypes getWgmmaType(Type type) {
  return llvm::TypeSwitch<Type, NVVM::WGMMATypes>(type)
      .Case<BFloat16Type>([](auto) { return NVVM::WGMMATypes::bf16; })
      .Case<Float8E4M3FNType>([](auto) { return NVVM::WGMMATypes::e4m3; })
      .Case<Float8E5M2Type>([](auto) { return NVVM::WGMMATypes::e5m2; })
      .Case<IntegerType>([](auto) { return NVVM::WGMMATypes::s8; })
      .Default(NVVM::WGMMATypes::f16);
}

Value KernelBuilder::wgmma(Value accumulator, Value lhsDescriptor,
                           Value rhsDescriptor, Type lhs, Type rhs,
                           int64_t columns, bool zeroFirst, bool lhsTransposed,
                           bool rhsTransposed) {
  constexpr int64_t kProductBits = 256;
  // The product wants A row-major and B column-major: both along k.
  return NVVM::WgmmaMmaAsyncOp::create(
      *this, accumulator.getType(), accumulator, lhsDescriptor, rhsDescriptor,
      NVVM::MMAShapeAttr::get(getContext(), 64, columns,
                              kProductBits / lhs.getIntOrFloatBitWidth()),
      getWgmmaType(lhs), getWgmmaType(rhs),
      isa<IntegerType>(lhs) ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32,
      zeroFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
      NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
      lhsTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      rhsTransposed ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      NVVM::MMAIntOverflowAttr());
}

SmallVector<Value> KernelBuilder::mma(Type input, ValueRange lhs,
                                      ValueRange rhs, ValueRange sums) {
  // f16 operands are passed as pairs, bf16 ones as the bits of a pair.
  SmallVector<Value> lhsRegisters(lhs), rhsRegisters(rhs);
  if (input.isF16())
    for (auto *registers : {&lhsRegisters, &rhsRegisters})
      for (Value &value : *registers)
        value = bitcast(value, VectorType::get({2}, input));
  NVVM::MMATypes type =
      input.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value product = NVVM::MmaOp::create(
      *this, accumulatorType(getF32Type(), 4), lhsRegisters, rhsRegisters, sums,
      ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  SmallVector<Value> results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(field(product, i));
  return results;
}

Type KernelBuilder::accumulatorType(Type sum, int64_t count) {
  return LLVM::LLVMStructType::getLiteral(getContext(),
                                          SmallVector<Type>(count, sum));
}
