//===- Schedules.cpp - Choice of kernels and tile sizes -------------------===//

#include "KernelPlan.h"
#include "SplitReductions.h"
#include "TuningFile.h"
#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "coda/Conversion/CodaToLinalg/CodaToLinalg.h"
#include "coda/Dialect/Coda/Transforms/AbsorbOperands.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSwitch.h"

namespace coda {
#define GEN_PASS_DEF_CODASCHEDULEPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

std::optional<ChipFeatures> coda::getChipFeatures(StringRef chip) {
  return llvm::StringSwitch<std::optional<ChipFeatures>>(chip)
      .Cases({"sm_80", "sm_86", "sm_87"}, ChipFeatures{false, false, "+ptx78"})
      // It converts 8-bit floats, but only PTX 8.1 says so.
      .Case("sm_89", ChipFeatures{false, false, "+ptx78"})
      .Case("sm_90", ChipFeatures{false, true, "+ptx78"})
      .Case("sm_90a", ChipFeatures{true, true, "+ptx80"})
      .Default(std::nullopt);
}

ScheduleAttr coda::getSimpleSchedule(GemmOp gemm) {
  // About 32 columns of all right-hand sides together, 16 sums a thread: every
  // access has code of its own, and a small kernel is soon compiled. More only
  // where the epilogue needs more in one tile.
  int64_t rhs = gemm.getRhs().size();
  int64_t columns = std::max<int64_t>(8, 32 / rhs / 8 * 8);
  std::string why;
  bool willSplit = gemm.hasPureTensorSemantics();
  for (int64_t wider = columns; wider * rhs <= 256; wider *= 2)
    if (succeeded(EpilogueSpaces::create(gemm, wider, willSplit, why))) {
      columns = wider;
      break;
    }
  columns = std::min<int64_t>(256, rhs * columns);
  return ScheduleAttr::get(gemm.getContext(), Kernel::simple, /*tileM=*/64,
                           columns, /*tileK=*/32, /*cluster=*/1, /*stages=*/1,
                           /*raster=*/8, /*storeBuffers=*/1);
}

static ScheduleAttr getHopperSchedule(GemmOp gemm, Kernel kernel,
                                      int64_t stages, int64_t storeBuffers) {
  bool cooperative = kernel == Kernel::cooperative;
  int64_t tileK = getRowElements(getMemoryType(gemm.getInputElementType()));
  return ScheduleAttr::get(gemm.getContext(), kernel, /*tileM=*/128,
                           /*tileN=*/cooperative ? 256 : 128, tileK,
                           /*cluster=*/2, stages, /*raster=*/8, storeBuffers);
}

static FailureOr<KernelPlan> createPlan(GemmOp gemm, ScheduleAttr schedule,
                                        std::string &why) {
  return KernelPlan::create(gemm, schedule, why,
                            /*willSplit=*/gemm.hasPureTensorSemantics());
}

/// Measured on an H200 (docs/benchmarks.md): ping-pong wins by up to 5 %, most
/// of all with a long epilogue, except where the main loop is so long that any
/// epilogue is short beside it; then fewer reads of A and B count. With several
/// right-hand sides there are half as many columns of each, and they count from
/// above 4096 on.
static Kernel chooseHopperKernel(GemmOp gemm) {
  int64_t longMainLoop = gemm.getRhs().size() > 1 ? 4096 : 8192;
  // An instruction takes 32 bytes along k of any type, in the same time.
  int64_t perInstruction =
      getRowElements(getMemoryType(gemm.getInputElementType())) / 4;
  int64_t k = gemm.getStaticK();
  bool longLoop =
      ShapedType::isStatic(k) && k / perInstruction > longMainLoop / 16;
  return longLoop ? Kernel::cooperative : Kernel::pingpong;
}

/// Whether the gemm can be a kernel for such a chip by `schedule`.
static LogicalResult fits(GemmOp gemm, ScheduleAttr schedule, StringRef chip,
                          const ChipFeatures &features, std::string &why) {
  if (schedule.getKernel() == Kernel::simple || features.hopper)
    return success(succeeded(createPlan(gemm, schedule, why)));
  why = "it needs sm_90a, not " + chip.str();
  return failure();
}

/// Gives `gemm` what `file` has for it, if anything.
static LogicalResult applyTuning(GemmOp gemm, StringRef chip,
                                 const TuningFile &file) {
  const TuningEntry *entry = file.find(gemm, chip);
  std::optional<ChipFeatures> features = getChipFeatures(chip);
  if (!entry || !features)
    return success();
  std::string why;
  if (failed(fits(gemm, entry->schedule, chip, *features, why)))
    return gemm.emitOpError()
           << "schedule " << entry->schedule << " of " << entry->label
           << " in tuning file '" << file.path << "' does not fit: " << why;
  gemm.setScheduleAttr(entry->schedule);
  return success();
}

static LogicalResult chooseSchedule(GemmOp gemm, StringRef chip,
                                    StringRef kernelName) {
  std::optional<ChipFeatures> features = getChipFeatures(chip);
  if (!features)
    return gemm.emitOpError() << "cannot be scheduled for unsupported chip '"
                              << chip << "'; expected " << kSupportedChips;
  std::optional<Kernel> wanted = symbolizeKernel(kernelName);
  if (!wanted && kernelName != "auto")
    return gemm.emitOpError()
           << "cannot be scheduled as unknown kernel '" << kernelName
           << "'; expected auto, cooperative, pingpong or simple";

  std::string why;
  if (ScheduleAttr given = gemm.getScheduleAttr()) {
    if (failed(fits(gemm, given, chip, *features, why)))
      return gemm.emitOpError()
             << "schedule " << given << " does not fit: " << why;
    return success();
  }

  bool canUseWgmma = features->hopper && hasWgmma(gemm.getInputElementType());
  if (wanted == Kernel::simple || (!wanted && !canUseWgmma)) {
    gemm.setScheduleAttr(getSimpleSchedule(gemm));
    return success();
  }
  if (!features->hopper)
    return gemm.emitOpError() << "cannot be scheduled as kernel '" << kernelName
                              << "' for " << chip << "; it needs sm_90a";
  Kernel first = wanted ? *wanted : chooseHopperKernel(gemm);
  SmallVector<Kernel> candidates = {first};
  if (!wanted)
    candidates.push_back(first == Kernel::pingpong ? Kernel::cooperative
                                                   : Kernel::pingpong);
  // The deepest ring that leaves room for the epilogue; a shallow one only
  // where no other kernel has a deep one.
  for (bool shallow : {false, true})
    for (Kernel kernel : candidates) {
      bool pingpong = kernel == Kernel::pingpong;
      int64_t most = pingpong ? 6 : 4, fewest = pingpong ? 4 : 3;
      // Of a ping-pong kernel the other main loop hides a wait for a store
      // buffer, not one for A and B: stages first, then buffers.
      SmallVector<int64_t> perStage = {2};
      if (pingpong)
        perStage.push_back(1);
      for (int64_t stages = shallow ? fewest - 1 : most;
           stages >= (shallow ? 2 : fewest); --stages)
        for (int64_t buffers : perStage) {
          ScheduleAttr schedule =
              getHopperSchedule(gemm, kernel, stages, buffers);
          why.clear();
          if (failed(createPlan(gemm, schedule, why)))
            continue;
          gemm.setScheduleAttr(schedule);
          return success();
        }
    }
  if (wanted)
    return gemm.emitOpError()
           << "cannot be scheduled as kernel '" << kernelName << "': " << why;
  gemm.setScheduleAttr(getSimpleSchedule(gemm));
  return success();
}

/// Whether the kernel of `gemm`'s schedule, and the one that stands in where
/// tensor copies cannot be used, have room for its epilogue.
static LogicalResult fitsEpilogue(GemmOp gemm, std::string &why) {
  return success(succeeded(createPlan(gemm, gemm.getScheduleAttr(), why)) &&
                 succeeded(createPlan(gemm, getSimpleSchedule(gemm), why)));
}

LogicalResult coda::scheduleGemm(RewriterBase &rewriter, GemmOp gemm,
                                 StringRef chip, StringRef kernelName,
                                 SmallVectorImpl<FinishedRows> *finished) {
  expandSelectColumns(rewriter, gemm);
  if (failed(chooseSchedule(gemm, chip, kernelName)))
    return failure();
  std::string why;
  bool onTensors = gemm.hasPureTensorSemantics();
  if (succeeded(fitsEpilogue(gemm, why))) {
    int64_t columns =
        gemm.getScheduleAttr().getTileN() / int64_t(gemm.getRhs().size());
    if (!onTensors ||
        succeeded(splitReductions(rewriter, gemm, columns, finished, why)))
      return success();
  }
  if (!onTensors)
    return gemm.emitOpError() << "has an epilogue that does not fit: " << why;
  remark::missed(gemm.getLoc(),
                 remark::RemarkOpts::name("not-in-tile").category("coda"))
      << remark::add("this epilogue is computed after the product")
      << remark::reason("{0}", why);
  // What the rest is scheduled as depends on the smaller epilogue.
  OpBuilder::InsertionGuard guard(rewriter);
  gemm.removeScheduleAttr();
  GemmOp product = unfuseEpilogue(rewriter, gemm);
  return chooseSchedule(product, chip, kernelName);
}

namespace {
struct Schedule : coda::impl::CodaSchedulePassBase<Schedule> {
  using CodaSchedulePassBase::CodaSchedulePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (tuningFile.empty())
      return success();
    FailureOr<TuningFile> file = TuningFile::read(context, tuningFile);
    if (failed(file))
      return failure();
    tuning = std::make_shared<TuningFile>(std::move(*file));
    return success();
  }

  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation()->walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    IRRewriter rewriter(&getContext());
    SmallVector<FinishedRows> finished;
    for (GemmOp gemm : gemms) {
      // What a product before has left to compute from its finished reductions;
      // a schedule that was given may have no room for more operands.
      if (absorbPartials && gemm.hasPureTensorSemantics() &&
          !gemm.getScheduleAttr())
        absorbOperands(rewriter, gemm);
      if (tuning && failed(applyTuning(gemm, chip, *tuning)))
        return signalPassFailure();
      if (failed(scheduleGemm(rewriter, gemm, chip, kernel, &finished)))
        return signalPassFailure();
    }
    if (absorbPartials)
      coda::absorbPartials(rewriter, finished);
  }

  /// Read once, for all clones of the pass.
  std::shared_ptr<const TuningFile> tuning;
};
} // namespace
