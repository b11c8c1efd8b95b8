//===- CodaToGPU.h - Scheduled coda.gemm to kernels and launches -*- C++
//-*-===//

#ifndef CODA_CONVERSION_CODATOGPU_CODATOGPU_H
#define CODA_CONVERSION_CODATOGPU_CODATOGPU_H

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace coda {

#define GEN_PASS_DECL_CODAKERNELSTOPTXPASS
#define GEN_PASS_DECL_CODAMODULECONSTANTSPASS
#define GEN_PASS_DECL_CODASCHEDULEPASS
#define GEN_PASS_DECL_CONVERTCODATOGPUPASS
#include "coda/Conversion/Passes.h.inc"

/// The gpu.module that takes all kernels of a module.
inline constexpr llvm::StringLiteral kKernelModuleName = "coda_kernels";

/// Replaces `gemm` (on memrefs, with a schedule) by host code that launches a
/// kernel made for it and for `chip` in `module`. Emits an error and leaves
/// `gemm` alone where its types, epilogue or schedule are not supported.
mlir::LogicalResult convertGemmToGPU(GemmOp gemm, mlir::ModuleOp module,
                                     llvm::StringRef chip);

/// What is known of a chip, or nullopt for one that no kernel is made for.
struct ChipFeatures {
  /// Tensor copies, clusters and wgmma.
  bool hopper;
  /// Instructions that convert to and from 8-bit floats.
  bool float8;
  /// The oldest PTX version that has all the instructions used.
  llvm::StringRef ptxFeature;
};
std::optional<ChipFeatures> getChipFeatures(llvm::StringRef chip);
/// The names of all chips that kernels are made for, for messages.
inline constexpr llvm::StringLiteral kSupportedChips =
    "sm_80, sm_86, sm_87, sm_89, sm_90 or sm_90a";

/// A vector with an element a row that linalg ops finish from `partials`
/// ([parts, m]) by `kind`.
struct FinishedRows {
  mlir::Value vector, partials;
  Reduction kind;
};

/// Gives `gemm` a schedule for `chip`, or an error that says what does not fit.
/// `kernel` is "auto" or the name of a Kernel. On tensors, reductions of more
/// than a tile are taken apart into partial results and linalg ops that finish
/// them, and an epilogue that fits no tile becomes linalg ops after the
/// product; `gemm` is replaced then. What is finished of rows is added to
/// `finished`, if given, for `absorbPartials`.
mlir::LogicalResult
scheduleGemm(mlir::RewriterBase &rewriter, GemmOp gemm, llvm::StringRef chip,
             llvm::StringRef kernel,
             llvm::SmallVectorImpl<FinishedRows> *finished = nullptr);

/// Partial results of a row that an epilogue combines itself; a finish is a
/// launch, but its result is read by every tile of the row once.
inline constexpr int64_t kMostAbsorbedParts = 64;

/// Where coda.gemm ops alone read a finished vector, as operands `[m]`, and it
/// has few enough parts, their epilogues combine the parts instead, and the
/// linalg ops go. The products may be scheduled already: nothing of their
/// kernels grows.
void absorbPartials(mlir::RewriterBase &rewriter,
                    llvm::ArrayRef<FinishedRows> finished);

/// The schedule of the kernel with ordinary loads, which runs any gemm.
ScheduleAttr getSimpleSchedule(GemmOp gemm);

} // namespace coda

#endif // CODA_CONVERSION_CODATOGPU_CODATOGPU_H
