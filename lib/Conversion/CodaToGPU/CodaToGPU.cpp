//===- CodaToGPU.cpp - Scheduled coda.gemm to kernels and launches --------===//

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"

#include "Float8Casts.h"
#include "HostEmitter.h"
#include "KernelModule.h"
#include "Kernels.h"
#include "LinalgKernels.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "coda/Target/Manifest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

namespace coda {
#define GEN_PASS_DEF_CONVERTCODATOGPUPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

static Type getParameterType(const KernelPlan &plan,
                             const KernelArgument &argument) {
  MLIRContext *context = GemmOp(plan.gemm).getContext();
  switch (argument.kind) {
  case KernelArgument::Kind::Size:
  case KernelArgument::Kind::Period:
    return IntegerType::get(context, 32);
  case KernelArgument::Kind::TensorMap:
    return LLVM::LLVMPointerType::get(context);
  case KernelArgument::Kind::Pointer:
    return LLVM::LLVMPointerType::get(context, 1);
  case KernelArgument::Kind::Stride:
    return IntegerType::get(context, 64);
  case KernelArgument::Kind::Scalar:
    break;
  }
  Type type = GemmOp(plan.gemm)->getOperand(argument.value).getType();
  return type.isIndex() ? Type(IntegerType::get(context, 64)) : type;
}

namespace {
/// A product with its kernel, and the kernel for what tensor copies cannot
/// address.
struct PlannedGemm {
  GemmOp gemm;
  KernelPlan plan, fallback;
};
} // namespace

static void addParameterTypes(const KernelPlan &plan,
                              SmallVectorImpl<Type> &types) {
  for (const KernelArgument &argument : plan.arguments)
    types.push_back(getParameterType(plan, argument));
}

/// Attributes of the parameters of `plan`, which start at `first`.
static void setParameterAttributes(LLVM::LLVMFuncOp function,
                                   const KernelPlan &plan, unsigned first) {
  Builder builder(function.getContext());
  // A tensor map is 128 bytes, passed by value and read where it lies.
  Type map = LLVM::LLVMArrayType::get(builder.getI64Type(), 16);
  auto gemm = GemmOp(plan.gemm);
  unsigned firstOut = gemm->getNumOperands() - gemm.getOuts().size();
  for (auto [i, argument] : llvm::enumerate(plan.arguments)) {
    bool isAddress = argument.kind == KernelArgument::Kind::TensorMap ||
                     argument.kind == KernelArgument::Kind::Pointer;
    if (isAddress && argument.value < firstOut)
      function.setArgAttr(first + i, kReadOnlyAttr, builder.getUnitAttr());
    if (argument.kind != KernelArgument::Kind::TensorMap)
      continue;
    function.setArgAttr(first + i, "llvm.byval", TypeAttr::get(map));
    function.setArgAttr(first + i, "llvm.align", builder.getI64IntegerAttr(64));
    function.setArgAttr(first + i, "nvvm.grid_constant", builder.getUnitAttr());
  }
}

static void setHopperAttributes(LLVM::LLVMFuncOp function, int64_t cluster) {
  Builder builder(function.getContext());
  // Without a bound on the registers at entry, setmaxregister is ignored.
  function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));
  function->setAttr(
      "nvvm.cluster_dim",
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
}

static std::string getKernelName(GemmOp gemm, StringRef suffix) {
  auto parent = gemm->getParentOfType<FunctionOpInterface>();
  return ((parent ? parent.getName() : StringRef("kernel")) + suffix).str();
}

static SymbolRefAttr emitKernel(const KernelPlan &plan,
                                gpu::GPUModuleOp kernels) {
  GemmOp gemm = plan.gemm;
  Location loc = gemm.getLoc();
  SmallVector<Type> types;
  addParameterTypes(plan, types);
  auto function = createKernel(
      kernels, loc, getKernelName(gemm, plan.simple ? "_gemm_simple" : "_gemm"),
      types, plan.threads);
  if (!plan.simple)
    setHopperAttributes(function, plan.cluster);
  setParameterAttributes(function, plan, 0);

  OpBuilder builder(function.getContext());
  Block *entry = function.addEntryBlock(builder);
  KernelBuilder b(loc, entry);
  b.setInsertionPointToEnd(entry);
  KernelParameters parameters(plan, entry);
  if (plan.simple)
    emitSimpleKernel(b, plan, parameters);
  else
    emitHopperKernel(b, plan, parameters, b.blockIdX(), b.gridDimX());
  LLVM::ReturnOp::create(b, ValueRange());
  return getKernelReference(function);
}

static FailureOr<PlannedGemm> planGemm(GemmOp gemm, StringRef chip) {
  std::optional<ChipFeatures> features = getChipFeatures(chip);
  if (!features)
    return gemm.emitOpError() << "cannot be compiled for unsupported chip '"
                              << chip << "'; expected " << kSupportedChips;
  ScheduleAttr schedule = gemm.getScheduleAttr();
  if (!schedule)
    return gemm.emitOpError("has no schedule; run coda-schedule first");
  if (schedule.getKernel() != Kernel::simple && !features->hopper)
    return gemm.emitOpError() << "schedule " << schedule
                              << " does not fit: it needs sm_90a, not " << chip;
  if (!isa<MemRefType>(gemm.getLhs().getType()))
    return gemm.emitOpError("is on tensors; bufferize it first");
  for (Value operand : gemm.getEpilogueOperands())
    if (isFloat8(operand.getType()))
      return gemm.emitOpError()
             << "cannot be compiled for the GPU: a scalar operand is of type "
             << operand.getType() << "; expected a tensor or another type";
  if (failed(EpilogueEmitter::check(gemm)))
    return failure();

  std::string why;
  FailureOr<KernelPlan> plan = KernelPlan::create(gemm, schedule, why);
  FailureOr<KernelPlan> fallback =
      KernelPlan::create(gemm, getSimpleSchedule(gemm), why);
  if (failed(plan) || failed(fallback))
    return gemm.emitOpError()
           << "schedule " << schedule << " does not fit: " << why;
  return PlannedGemm{gemm, std::move(*plan), std::move(*fallback)};
}

/// Host code of one product where `b` stands.
static void emitLaunches(ImplicitLocOpBuilder &b, const PlannedGemm &planned,
                         gpu::GPUModuleOp kernels, bool onlyFallback) {
  HostEmitter host(b, planned.gemm);
  host.emitChecks();
  Value canUse = onlyFallback ? Value() : host.canUse(planned.plan);
  bool always = canUse && matchPattern(canUse, m_One());
  bool never = onlyFallback || matchPattern(canUse, m_Zero());
  const KernelPlan &first = never ? planned.fallback : planned.plan;
  auto launch = [&](const KernelPlan &which) {
    // Launches stand in branches: what they compute is theirs.
    HostEmitter inner(b, planned.gemm);
    inner.emitLaunch(which, emitKernel(which, kernels));
  };
  OpBuilder::InsertionGuard guard(b);
  auto hasWork =
      scf::IfOp::create(b, host.hasTiles(first), /*withElseRegion=*/false);
  b.setInsertionPointToStart(hasWork.thenBlock());
  if (always || never) {
    launch(first);
    return;
  }
  auto choice = scf::IfOp::create(b, canUse, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  launch(planned.plan);
  b.setInsertionPointToStart(choice.elseBlock());
  launch(planned.fallback);
}

static LogicalResult checkOrder(const PlannedGemm &planned) {
  if (!planned.plan.asksOutOfOrder)
    return success();
  return GemmOp(planned.gemm)
      .emitOpError(
          "has an epilogue that needs matrix operands of columns before those "
          "of the columns in front of them are done; schedule it as "
          "cooperative");
}

LogicalResult coda::convertGemmToGPU(GemmOp gemm, ModuleOp module,
                                     StringRef chip) {
  FailureOr<PlannedGemm> planned = planGemm(gemm, chip);
  if (failed(planned))
    return failure();
  ImplicitLocOpBuilder b(gemm.getLoc(), gemm);
  emitLaunches(b, *planned, getKernelModule(module, chip),
               /*onlyFallback=*/false);
  if (failed(checkOrder(*planned)))
    return failure();
  gemm.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// One kernel for all members: each has thread blocks of its own. Its last
/// parameters are the first block and the number of blocks of each.
static SymbolRefAttr emitGroupKernel(ArrayRef<PlannedGemm> members,
                                     gpu::GPUModuleOp kernels) {
  SmallVector<Type> types;
  SmallVector<unsigned> firsts;
  for (const PlannedGemm &member : members) {
    firsts.push_back(types.size());
    addParameterTypes(member.plan, types);
  }
  unsigned shares = types.size();
  types.append(2 * members.size(), IntegerType::get(kernels.getContext(), 32));
  GemmOp gemm = members.front().gemm;
  auto function =
      createKernel(kernels, gemm.getLoc(), getKernelName(gemm, "_gemms"), types,
                   members.front().plan.threads);
  setHopperAttributes(function, members.front().plan.cluster);
  OpBuilder builder(function.getContext());
  Block *entry = function.addEntryBlock(builder);
  KernelBuilder b(gemm.getLoc(), entry);
  b.setInsertionPointToEnd(entry);
  Value block = b.blockIdX();
  for (auto [i, member] : llvm::enumerate(members)) {
    setParameterAttributes(function, member.plan, firsts[i]);
    KernelParameters parameters(member.plan, entry, firsts[i]);
    Value mine = b.sub(block, entry->getArgument(shares + 2 * i));
    Value count = entry->getArgument(shares + 2 * i + 1);
    const KernelPlan &plan = member.plan;
    // As unsigned numbers: blocks before the first are past the last.
    b.ifThen(b.ult(mine, count),
             [&] { emitHopperKernel(b, plan, parameters, mine, count); });
  }
  LLVM::ReturnOp::create(b, ValueRange());
  return getKernelReference(function);
}

/// Shares the multiprocessors by the number of tiles.
static void emitGroupLaunch(ImplicitLocOpBuilder &b,
                            ArrayRef<PlannedGemm> members,
                            SymbolRefAttr kernel) {
  HostValues host(b);
  int64_t cluster = members.front().plan.cluster;
  Value clusters = b.createOrFold<arith::DivSIOp>(
      MultiprocessorCountOp::create(b), host.constant(cluster));
  SmallVector<Value> arguments, tiles;
  Value total = host.constant(0);
  int64_t sharedBytes = 0;
  for (const PlannedGemm &member : members) {
    HostEmitter emitter(b, member.gemm);
    llvm::append_range(arguments, emitter.arguments(member.plan));
    tiles.push_back(emitter.tileSteps(member.plan));
    total = b.createOrFold<arith::AddIOp>(total, tiles.back());
    sharedBytes = std::max(sharedBytes, member.plan.sharedBytes);
  }
  Value grid = host.constant(0);
  auto toI32 = [&](Value value) {
    return b.createOrFold<arith::TruncIOp>(b.getI32Type(), value);
  };
  for (Value count : tiles) {
    Value share = b.createOrFold<arith::DivSIOp>(
        b.createOrFold<arith::MulIOp>(clusters, count), total);
    share = b.createOrFold<arith::MaxSIOp>(share, host.constant(1));
    share = b.createOrFold<arith::MinSIOp>(share, count);
    Value blocks = b.createOrFold<arith::MulIOp>(share, host.constant(cluster));
    arguments.push_back(toI32(grid));
    arguments.push_back(toI32(blocks));
    grid = b.createOrFold<arith::AddIOp>(grid, blocks);
  }
  auto index = [&](Value value) {
    return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
  };
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value bytes = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(sharedBytes)));
  gpu::LaunchFuncOp::create(
      b, kernel, gpu::KernelDim3{index(grid), one, one},
      gpu::KernelDim3{
          arith::ConstantIndexOp::create(b, members.front().plan.threads), one,
          one},
      bytes, arguments);
}

/// Replaces members of a launch group by one launch or, where tensor copies
/// cannot be used for all of them, by one each.
static LogicalResult convertGroup(ArrayRef<PlannedGemm> members,
                                  ModuleOp module, StringRef chip) {
  GemmOp last = members.back().gemm;
  gpu::GPUModuleOp kernels = getKernelModule(module, chip);
  ImplicitLocOpBuilder b(last.getLoc(), last);
  Value canUse = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (const PlannedGemm &member : members) {
    HostEmitter host(b, member.gemm);
    host.emitChecks();
    canUse = host.both(canUse, host.canUse(member.plan));
    canUse = host.both(canUse, host.hasTiles(member.plan));
  }
  auto choice = scf::IfOp::create(b, canUse, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  emitGroupLaunch(b, members, emitGroupKernel(members, kernels));
  b.setInsertionPointToStart(choice.elseBlock());
  for (const PlannedGemm &member : members)
    emitLaunches(b, member, kernels, /*onlyFallback=*/true);
  for (const PlannedGemm &member : members) {
    if (failed(checkOrder(member)))
      return failure();
    GemmOp(member.gemm).erase();
  }
  return success();
}

/// Whether `gemm` can go into one launch with the products of `group` before
/// it: nothing between them, nor one of them, is needed by another.
static bool canJoin(ArrayRef<GemmOp> group, GemmOp gemm) {
  auto number = [](GemmOp op) {
    return op->getAttrOfType<IntegerAttr>(kLaunchGroupAttrName);
  };
  GemmOp first = group.front();
  ScheduleAttr schedule = gemm.getScheduleAttr();
  ScheduleAttr other = first.getScheduleAttr();
  if (!number(gemm) || number(gemm) != number(first) ||
      gemm->getBlock() != first->getBlock() || !schedule || !other ||
      schedule.getKernel() == Kernel::simple ||
      other.getKernel() == Kernel::simple ||
      schedule.getCluster() != other.getCluster())
    return false;
  for (Operation *op = group.back()->getNextNode(); op && op != gemm;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op))
      return false;
  // Each writes to memory of its own that no other sees.
  SmallVector<GemmOp> all(group);
  all.push_back(gemm);
  for (GemmOp writer : all)
    for (Value out : writer.getOuts()) {
      if (!getViewedMemRef(out).getDefiningOp<memref::AllocOp>())
        return false;
      for (GemmOp op : all)
        for (OpOperand &operand : op->getOpOperands())
          if (isa<MemRefType>(operand.get().getType()) &&
              !(op == writer && op.isDpsInit(&operand)) &&
              getViewedMemRef(operand.get()) == getViewedMemRef(out))
            return false;
    }
  return true;
}

namespace {
struct ConvertCodaToGPU
    : coda::impl::ConvertCodaToGPUPassBase<ConvertCodaToGPU> {
  using ConvertCodaToGPUPassBase::ConvertCodaToGPUPassBase;

  void runOnOperation() override {
    // First, while the products show what stands between linalg ops.
    if (failed(convertLinalgToGPU(getOperation(), chip)))
      return signalPassFailure();
    SmallVector<SmallVector<GemmOp>> groups;
    getOperation().walk([&](GemmOp gemm) {
      if (!groups.empty() && canJoin(groups.back(), gemm))
        groups.back().push_back(gemm);
      else
        groups.push_back({gemm});
    });
    for (ArrayRef<GemmOp> group : groups)
      if (failed(convert(group)))
        return signalPassFailure();
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      lowerFloat8Casts(kernels, *getChipFeatures(chip));
  }

  LogicalResult convert(ArrayRef<GemmOp> group) {
    if (group.size() == 1)
      return convertGemmToGPU(group.front(), getOperation(), chip);
    SmallVector<PlannedGemm, 0> members;
    for (GemmOp gemm : group) {
      FailureOr<PlannedGemm> planned = planGemm(gemm, chip);
      if (failed(planned))
        return failure();
      members.push_back(std::move(*planned));
    }
    return convertGroup(members, getOperation(), chip);
  }
};
} // namespace
