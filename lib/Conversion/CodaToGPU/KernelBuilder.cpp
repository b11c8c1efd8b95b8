//===- KernelBuilder.cpp - Short words for kernel code --------------------===//

#include "KernelBuilder.h"

#include "KernelPlan.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

KernelBuilder::KernelBuilder(Location loc, Block *entry)
    : ImplicitLocOpBuilder(loc, entry, entry->begin()), entry(entry) {
  sharedBase = LLVM::AddressOfOp::create(
      *this, LLVM::LLVMPointerType::get(getContext(), 3), kSharedMemoryName);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value KernelBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(*this, value);
  }
  return known;
}

Value KernelBuilder::i1(bool value) { return constant(getBoolAttr(value)); }
Value KernelBuilder::i16(int64_t value) {
  return constant(getI16IntegerAttr(value));
}
Value KernelBuilder::i32(int64_t value) {
  return constant(getI32IntegerAttr(value));
}
Value KernelBuilder::i64(int64_t value) {
  return constant(getI64IntegerAttr(value));
}
Value KernelBuilder::f32(float value) {
  return constant(getF32FloatAttr(value));
}
Value KernelBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value KernelBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}
Value KernelBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}
Value KernelBuilder::divu(Value a, Value b) {
  return createOrFold<arith::DivUIOp>(a, b);
}
Value KernelBuilder::remu(Value a, Value b) {
  return createOrFold<arith::RemUIOp>(a, b);
}
Value KernelBuilder::ceilDivU(Value a, int64_t b) {
  return divu(add(a, i32(b - 1)), i32(b));
}
Value KernelBuilder::shl(Value a, int64_t bits) {
  return createOrFold<arith::ShLIOp>(a, i32(bits));
}
Value KernelBuilder::shr(Value a, int64_t bits) {
  return createOrFold<arith::ShRUIOp>(a, i32(bits));
}
Value KernelBuilder::bitAnd(Value a, Value b) {
  return createOrFold<arith::AndIOp>(a, b);
}
Value KernelBuilder::bitOr(Value a, Value b) {
  return createOrFold<arith::OrIOp>(a, b);
}
Value KernelBuilder::bitXor(Value a, Value b) {
  return createOrFold<arith::XOrIOp>(a, b);
}
Value KernelBuilder::cmp(arith::CmpIPredicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpIOp>(predicate, a, b);
}
Value KernelBuilder::select(Value condition, Value a, Value b) {
  return createOrFold<arith::SelectOp>(condition, a, b);
}
Value KernelBuilder::extend64(Value value) {
  return createOrFold<arith::ExtUIOp>(getI64Type(), value);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void KernelBuilder::ifThen(Value condition, function_ref<void()> then,
                           function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(*this, condition,
                              /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  if (otherwise) {
    setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
}

SmallVector<Value>
KernelBuilder::loop(Value from, Value to, Value step, ValueRange carried,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, from, to, step, carried);
  OpBuilder::InsertionGuard guard(*this);
  // Without carried values the terminator is there already.
  setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return op.getResults();
}

//===----------------------------------------------------------------------===//
// Vectors and structs
//===----------------------------------------------------------------------===//

/// LLVM's vector ops take neither.
static bool isNotInLLVM(Type element) {
  return element.isIndex() || isFloat8(element);
}

Value KernelBuilder::pair(Value first, Value second) {
  Type element = first.getType();
  if (isNotInLLVM(element))
    return fromMemory(pair(toMemory(first), toMemory(second)), element);
  Value vector = poison(VectorType::get({2}, first.getType()));
  vector = LLVM::InsertElementOp::create(*this, vector, first, i32(0));
  return LLVM::InsertElementOp::create(*this, vector, second, i32(1));
}
Value KernelBuilder::element(Value vector, int64_t index) {
  Type type = cast<VectorType>(vector.getType()).getElementType();
  if (isNotInLLVM(type))
    return fromMemory(element(toMemory(vector), index), type);
  return LLVM::ExtractElementOp::create(*this, vector, i32(index));
}
Value KernelBuilder::splat(Value scalar) { return pair(scalar, scalar); }
Value KernelBuilder::field(Value structure, int64_t index) {
  return LLVM::ExtractValueOp::create(*this, structure, index);
}
Value KernelBuilder::poison(Type type) {
  return LLVM::PoisonOp::create(*this, type);
}
Value KernelBuilder::bitcast(Value value, Type type) {
  return LLVM::BitcastOp::create(*this, type, value);
}

static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

Value KernelBuilder::fromMemory(Value value, Type type) {
  Type result = withElement(value.getType(), type);
  if (result == value.getType())
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(*this, result, value);
  if (isFloat8(type))
    return arith::BitcastOp::create(*this, result, value);
  return arith::TruncIOp::create(*this, result, value);
}
Value KernelBuilder::toMemory(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  Type result = withElement(value.getType(), getMemoryType(type));
  if (result == value.getType())
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(*this, result, value);
  if (isFloat8(type))
    return arith::BitcastOp::create(*this, result, value);
  return arith::ExtUIOp::create(*this, result, value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::shared(Value offset) {
  return LLVM::GEPOp::create(*this, sharedBase.getType(), getI8Type(),
                             sharedBase, ArrayRef<LLVM::GEPArg>{offset});
}
Value KernelBuilder::sharedAddress() {
  return LLVM::PtrToIntOp::create(*this, getI32Type(), sharedBase);
}
Value KernelBuilder::elementPointer(Value base, Value index, Type type) {
  return LLVM::GEPOp::create(*this, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{index});
}
Value KernelBuilder::load(Value pointer, Type type, bool readOnly) {
  auto op = LLVM::LoadOp::create(*this, type, pointer);
  op.setInvariant(readOnly);
  return op;
}
Value KernelBuilder::loadIf(Value condition, Value pointer, Type type) {
  Value zero = constant(cast<TypedAttr>(getZeroAttr(type)));
  auto op = scf::IfOp::create(*this, TypeRange{type}, condition,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(*this, load(pointer, type));
  setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(*this, zero);
  return op.getResult(0);
}
void KernelBuilder::store(Value value, Value pointer) {
  LLVM::StoreOp::create(*this, value, pointer);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value KernelBuilder::threadIdX() {
  return NVVM::ThreadIdXOp::create(*this, getI32Type());
}
Value KernelBuilder::blockIdX() {
  return NVVM::BlockIdXOp::create(*this, getI32Type());
}
Value KernelBuilder::gridDimX() {
  return NVVM::GridDimXOp::create(*this, getI32Type());
}
Value KernelBuilder::clusterRank() {
  return NVVM::ClusterId::create(*this, getI32Type());
}
Value KernelBuilder::warpUniform(Value value) {
  return NVVM::ShflOp::create(*this, value.getType(), i32(-1), value, i32(0),
                              i32(31), NVVM::ShflKind::idx, UnitAttr());
}
Value KernelBuilder::shuffleXor(Value value, int64_t mask) {
  return NVVM::ShflOp::create(*this, value.getType(), i32(-1), value, i32(mask),
                              i32(31), NVVM::ShflKind::bfly, UnitAttr());
}
Value KernelBuilder::electOne() {
  return NVVM::ElectSyncOp::create(*this, getI1Type(), Value());
}
void KernelBuilder::setMaxRegisters(int64_t count, bool increase) {
  NVVM::SetMaxRegisterOp::create(*this, static_cast<uint32_t>(count),
                                 increase
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
}
void KernelBuilder::barrier(Value id, int64_t threads) {
  NVVM::BarrierOp::create(*this, Type(), id, i32(threads),
                          NVVM::BarrierReductionAttr(), Value());
}
void KernelBuilder::barrierArrive(Value id, int64_t threads) {
  NVVM::BarrierArriveOp::create(*this, id, i32(threads));
}
void KernelBuilder::barrierAll() { NVVM::BarrierOp::create(*this); }
void KernelBuilder::clusterBarrier() {
  NVVM::ClusterArriveOp::create(*this, getUnitAttr());
  NVVM::ClusterWaitOp::create(*this, getUnitAttr());
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void KernelBuilder::mbarrierInit(Value pointer, int64_t count) {
  NVVM::MBarrierInitOp::create(*this, pointer, i32(count), Value());
}
void KernelBuilder::mbarrierInitFence() {
  NVVM::FenceMbarrierInitOp::create(*this);
}
void KernelBuilder::mbarrierWait(Value pointer, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(*this, pointer, parity, i32(10000000));
}
void KernelBuilder::mbarrierExpect(Value pointer, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(*this, Type(), pointer, i32(bytes),
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}
void KernelBuilder::mbarrierArrive(Value pointer) {
  NVVM::MBarrierArriveOp::create(*this, getI64Type(), pointer, Value());
}
void KernelBuilder::mbarrierArriveRemote(Value pointer, Value rank) {
  // The nvvm op would add a cluster-scope release fence, which costs a quarter
  // of a whole GEMM; what is released here was read by the tensor cores only.
  Type clusterPointer = LLVM::LLVMPointerType::get(getContext(), 7);
  Value mapped = NVVM::MapaOp::create(*this, clusterPointer, pointer, rank);
  Value address = LLVM::PtrToIntOp::create(*this, getI32Type(), mapped);
  LLVM::InlineAsmOp::create(
      *this, /*res=*/Type(), ValueRange{address},
      "mbarrier.arrive.shared::cluster.b64 _, [$0];", "r",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

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

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value KernelBuilder::instruction(StringRef text, StringRef constraints,
                                 Type type, ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             *this, type, operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      .getRes();
}
