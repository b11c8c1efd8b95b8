//===- Target.cpp - PTX and manifests of modules in C ---------------------===//

#include "coda-c/Target.h"

#include "Support.h"
#include "coda/Pipelines/Pipelines.h"
#include "coda/Target/PTX.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace coda;
using namespace coda::capi;

namespace {
/// Keeps the first error for codaGetLastErrorMessage; others see it too.
class ErrorKeeper {
public:
  ErrorKeeper(const char *function, MLIRContext *context)
      : function(function), handler(context, [this](Diagnostic &diagnostic) {
          if (message.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            message = diagnostic.str();
          return failure();
        }) {}
  MlirLogicalResult fail() {
    setLastError(Twine(function) + ": " +
                 (message.empty() ? "a pass failed" : message));
    return mlirLogicalResultFailure();
  }

private:
  const char *function;
  std::string message;
  ScopedDiagnosticHandler handler;
};
} // namespace

static MlirLogicalResult refuse(const char *function, const Twine &message) {
  setLastError(Twine(function) + ": " + message);
  return mlirLogicalResultFailure();
}

static void give(StringRef text, MlirStringCallback callback, void *userData) {
  if (callback)
    callback(wrap(text), userData);
}

extern "C" MlirLogicalResult
codaTranslateModuleToPtx(MlirModule module, MlirStringRef options,
                         MlirStringCallback ptx, MlirStringCallback manifest,
                         void *userData) {
  const char *function = "codaTranslateModuleToPtx";
  if (mlirModuleIsNull(module))
    return refuse(function, "'module' is null");
  if (options.length && !options.data)
    return refuse(function, "'options' is null, but has a length");
  std::string message;
  OptionsByName<ToPtxOptions> parsed;
  if (failed(readOptions(unwrap(options), {&parsed}, message)))
    return refuse(function, "'options': " + message);
  ModuleOp op = unwrap(module);
  ErrorKeeper keeper(function, op.getContext());
  auto run = [&](StringRef, function_ref<void(OpPassManager &)> build) {
    PassManager manager(op.getContext(), ModuleOp::getOperationName());
    build(manager);
    return manager.run(op);
  };
  FailureOr<PtxProgram> program = compileToPtx(op, parsed.values, run);
  if (failed(program))
    return keeper.fail();
  give(program->ptx, ptx, userData);
  give(program->manifest, manifest, userData);
  return mlirLogicalResultSuccess();
}

extern "C" MlirLogicalResult
codaTranslateModuleToManifest(MlirModule module, MlirStringCallback manifest,
                              void *userData) {
  const char *function = "codaTranslateModuleToManifest";
  if (mlirModuleIsNull(module))
    return refuse(function, "'module' is null");
  ModuleOp op = unwrap(module);
  ErrorKeeper keeper(function, op.getContext());
  auto run = [&](StringRef, function_ref<void(OpPassManager &)> build) {
    PassManager manager(op.getContext(), ModuleOp::getOperationName());
    build(manager);
    return manager.run(op);
  };
  FailureOr<std::string> text = makeManifest(op, run);
  if (failed(text))
    return keeper.fail();
  give(*text, manifest, userData);
  return mlirLogicalResultSuccess();
}
