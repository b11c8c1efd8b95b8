//===- KernelBuilder.cpp - Short words for kernel code --------------------===//

#include "KernelBuilder.h"

#include "KernelPlan.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

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

/// A value of `type`, or of what that is in memory, as `to`, the other of the
/// two.
static Value convertMemory(KernelBuilder &b, Value value, Type type, Type to) {
  Type result = withElement(value.getType(), to);
  if (result == value.getType())
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(b, result, value);
  if (isFloat8(type))
    return arith::BitcastOp::create(b, result, value);
  if (to == type)
    return arith::TruncIOp::create(b, result, value);
  return arith::ExtUIOp::create(b, result, value);
}

Value KernelBuilder::fromMemory(Value value, Type type) {
  return convertMemory(*this, value, type, type);
}
Value KernelBuilder::toMemory(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return convertMemory(*this, value, type, getMemoryType(type));
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
