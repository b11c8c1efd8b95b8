//===- Schedules.cpp - Choice of kernels and tile sizes -------------------===//

#include "KernelPlan.h"
#include "TuningFile.h"
#include "coda/Conversion/CodaToGPU/CodaToGPU.h"

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
      .Cases({"sm_80", "sm_86", "sm_87"}, ChipFeatures{false, "+ptx78"})
      .Cases({"sm_89", "sm_90"}, ChipFeatures{false, "+ptx78"})
      .Case("sm_90a", ChipFeatures{true, "+ptx80"})
      .Default(std::nullopt);
}

ScheduleAttr coda::getSimpleSchedule(GemmOp gemm) {
  // About 32 columns of all right-hand sides together, 16 sums a thread: every
  // access has code of its own, and a small kernel is soon compiled.
  int64_t rhs = gemm.getRhs().size();
  int64_t columns =
      std::min<int64_t>(256, rhs * std::max<int64_t>(8, 32 / rhs / 8 * 8));
  return ScheduleAttr::get(gemm.getContext(), Kernel::simple, /*tileM=*/64,
                           columns, /*tileK=*/32, /*cluster=*/1, /*stages=*/1,
                           /*raster=*/8, /*storeBuffers=*/1);
}

static ScheduleAttr getHopperSchedule(GemmOp gemm, Kernel kernel,
                                      int64_t stages) {
  bool cooperative = kernel == Kernel::cooperative;
  return ScheduleAttr::get(gemm.getContext(), kernel, /*tileM=*/128,
                           /*tileN=*/cooperative ? 256 : 128, /*tileK=*/64,
                           /*cluster=*/2, stages, /*raster=*/8,
                           /*storeBuffers=*/2);
}

/// Measured on an H200 (docs/benchmarks.md): ping-pong wins by up to 5 %, most
/// of all with a long epilogue, except where the main loop is so long that any
/// epilogue is short beside it; then fewer reads of A and B count.
static Kernel chooseHopperKernel(GemmOp gemm) {
  constexpr int64_t kLongMainLoop = 8192;
  int64_t k = gemm.getStaticK();
  bool longLoop = ShapedType::isStatic(k) && k > kLongMainLoop;
  return longLoop ? Kernel::cooperative : Kernel::pingpong;
}

/// Whether the gemm can be a kernel for such a chip by `schedule`.
static LogicalResult fits(GemmOp gemm, ScheduleAttr schedule, StringRef chip,
                          const ChipFeatures &features, std::string &why) {
  if (schedule.getKernel() == Kernel::simple || features.hopper)
    return success(succeeded(KernelPlan::create(gemm, schedule, why)));
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

LogicalResult coda::scheduleGemm(GemmOp gemm, StringRef chip,
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

  Type input = gemm.getInputElementType();
  bool canUseWgmma = features->hopper && (input.isBF16() || input.isF16());
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
      for (int64_t stages = shallow ? fewest - 1 : most;
           stages >= (shallow ? 2 : fewest); --stages) {
        ScheduleAttr schedule = getHopperSchedule(gemm, kernel, stages);
        why.clear();
        if (failed(KernelPlan::create(gemm, schedule, why)))
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
    WalkResult walk = getOperation()->walk([&](GemmOp gemm) {
      if (tuning && failed(applyTuning(gemm, chip, *tuning)))
        return WalkResult::interrupt();
      return failed(scheduleGemm(gemm, chip, kernel)) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  /// Read once, for all clones of the pass.
  std::shared_ptr<const TuningFile> tuning;
};
} // namespace
