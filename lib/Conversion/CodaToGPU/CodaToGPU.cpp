//===- CodaToGPU.cpp - Scheduled coda.gemm to kernels and launches --------===//

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"

#include "HostEmitter.h"
#include "KernelModule.h"
#include "Kernels.h"
#include "LinalgKernels.h"
#include "coda/Dialect/Coda/IR/Coda.h"
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

static SymbolRefAttr emitKernel(const KernelPlan &plan,
                                gpu::GPUModuleOp kernels, StringRef name) {
  Location loc = GemmOp(plan.gemm).getLoc();
  SmallVector<Type> types;
  for (const KernelArgument &argument : plan.arguments)
    types.push_back(getParameterType(plan, argument));
  auto function = createKernel(kernels, loc, name, types, plan.threads);
  OpBuilder builder(function.getContext());
  if (!plan.simple) {
    // Without a bound on the registers at entry, setmaxregister is ignored.
    function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));
    function->setAttr("nvvm.cluster_dim",
                      builder.getDenseI32ArrayAttr(
                          {static_cast<int32_t>(plan.cluster), 1, 1}));
  }
  // A tensor map is 128 bytes, passed by value and read where it lies.
  Type map = LLVM::LLVMArrayType::get(builder.getI64Type(), 16);
  auto gemm = GemmOp(plan.gemm);
  unsigned firstOut = gemm->getNumOperands() - gemm.getOuts().size();
  for (auto [i, argument] : llvm::enumerate(plan.arguments)) {
    bool isAddress = argument.kind == KernelArgument::Kind::TensorMap ||
                     argument.kind == KernelArgument::Kind::Pointer;
    if (isAddress && argument.value < firstOut)
      function.setArgAttr(i, kReadOnlyAttr, builder.getUnitAttr());
    if (argument.kind != KernelArgument::Kind::TensorMap)
      continue;
    function.setArgAttr(i, "llvm.byval", TypeAttr::get(map));
    function.setArgAttr(i, "llvm.align", builder.getI64IntegerAttr(64));
    function.setArgAttr(i, "nvvm.grid_constant", builder.getUnitAttr());
  }

  Block *entry = function.addEntryBlock(builder);
  KernelBuilder b(loc, entry);
  b.setInsertionPointToEnd(entry);
  KernelParameters parameters(plan, entry);
  if (plan.simple)
    emitSimpleKernel(b, plan, parameters);
  else
    emitHopperKernel(b, plan, parameters);
  LLVM::ReturnOp::create(b, ValueRange());
  return getKernelReference(function);
}

LogicalResult coda::convertGemmToGPU(GemmOp gemm, ModuleOp module,
                                     StringRef chip) {
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
  Type input = gemm.getInputElementType();
  if (isa<Float8E4M3FNType, Float8E5M2Type>(input))
    return gemm.emitOpError()
           << "cannot be compiled for the GPU: inputs of type " << input
           << " are not supported; expected bf16, f16, f32, f64 or i8";
  if (failed(EpilogueEmitter::check(gemm)))
    return failure();

  std::string why;
  FailureOr<KernelPlan> plan = KernelPlan::create(gemm, schedule, why);
  FailureOr<KernelPlan> fallback =
      KernelPlan::create(gemm, getSimpleSchedule(gemm), why);
  if (failed(plan) || failed(fallback))
    return gemm.emitOpError()
           << "schedule " << schedule << " does not fit: " << why;

  gpu::GPUModuleOp kernels = getKernelModule(module, chip);
  auto emit = [&](const KernelPlan &which, StringRef suffix) {
    auto parent = gemm->getParentOfType<FunctionOpInterface>();
    return emitKernel(
        which, kernels,
        ((parent ? parent.getName() : StringRef("kernel")) + suffix).str());
  };

  ImplicitLocOpBuilder b(gemm.getLoc(), gemm);
  HostEmitter host(b, gemm);
  host.emitChecks();
  Value canUse = host.canUse(*plan);
  bool always = matchPattern(canUse, m_One());
  bool never = matchPattern(canUse, m_Zero());
  const KernelPlan &first = never ? *fallback : *plan;
  auto launch = [&](const KernelPlan &which, StringRef suffix) {
    // Launches stand in branches: what they compute is theirs.
    HostEmitter inner(b, gemm);
    inner.emitLaunch(which, emit(which, suffix));
  };
  OpBuilder::InsertionGuard guard(b);
  auto hasWork =
      scf::IfOp::create(b, host.hasTiles(first), /*withElseRegion=*/false);
  b.setInsertionPointToStart(hasWork.thenBlock());
  if (always || never) {
    launch(first, first.simple ? "_gemm_simple" : "_gemm");
  } else {
    auto choice = scf::IfOp::create(b, canUse, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    launch(*plan, "_gemm");
    b.setInsertionPointToStart(choice.elseBlock());
    launch(*fallback, "_gemm_simple");
  }
  gemm.erase();
  return success();
}

namespace {
struct ConvertCodaToGPU
    : coda::impl::ConvertCodaToGPUPassBase<ConvertCodaToGPU> {
  using ConvertCodaToGPUPassBase::ConvertCodaToGPUPassBase;

  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    // First, while the products show what stands between linalg ops.
    if (failed(convertLinalgToGPU(getOperation(), chip)))
      return signalPassFailure();
    for (GemmOp gemm : gemms)
      if (failed(convertGemmToGPU(gemm, getOperation(), chip)))
        return signalPassFailure();
  }
};
} // namespace
