//===- Pipelines.cpp - Passes and pipelines in C --------------------------===//

#include "coda-c/Pipelines.h"

#include "Support.h"
#include "coda/InitAll.h"
#include "coda/Pipelines/Pipelines.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace coda;
using namespace coda::capi;

extern "C" MlirLogicalResult codaRegisterAllPasses(void) {
  // MLIR's table of names is one for the process, and it ends the process where
  // a name comes again with another class. Ours once, and not after another's.
  static const bool isRegistered = [] {
    if (PassInfo::lookup("coda-fuse"))
      return false;
    coda::registerAllPasses();
    return true;
  }();
  if (isRegistered)
    return mlirLogicalResultSuccess();
  setLastError("codaRegisterAllPasses: another copy of Coda in this process "
               "has registered passes of these names; codaAdd...Pipeline need "
               "none");
  return mlirLogicalResultFailure();
}

/// Reads the options and adds the pipeline that they are for.
template <typename Options>
static MlirLogicalResult add(const char *function, MlirOpPassManager manager,
                             MlirStringRef text, MlirStringCallback callback,
                             void *userData,
                             void (*build)(OpPassManager &, const Options &)) {
  std::string message;
  OptionsByName<Options> options;
  if (!manager.ptr) {
    message = "'manager' is null";
  } else if (text.length && !text.data) {
    message = "'options' is null, but has a length";
  } else if (failed(readOptions(unwrap(text), {&options}, message))) {
    message = "'options': " + message;
  } else {
    build(*unwrap(manager), options.values);
    return mlirLogicalResultSuccess();
  }
  message = std::string(function) + ": " + message;
  setLastError(message);
  if (callback)
    callback(wrap(StringRef(message)), userData);
  return mlirLogicalResultFailure();
}

extern "C" MlirLogicalResult codaAddFusionPipeline(MlirOpPassManager manager,
                                                   MlirStringRef options,
                                                   MlirStringCallback callback,
                                                   void *userData) {
  return add("codaAddFusionPipeline", manager, options, callback, userData,
             buildFusionPipeline);
}

extern "C" MlirLogicalResult codaAddToPtxPipeline(MlirOpPassManager manager,
                                                  MlirStringRef options,
                                                  MlirStringCallback callback,
                                                  void *userData) {
  return add("codaAddToPtxPipeline", manager, options, callback, userData,
             buildToPtxPipeline);
}

extern "C" MlirLogicalResult
codaAddKernelsToPtxPipeline(MlirOpPassManager manager, MlirStringRef options,
                            MlirStringCallback callback, void *userData) {
  return add("codaAddKernelsToPtxPipeline", manager, options, callback,
             userData, buildKernelsToPtxPipeline);
}

extern "C" MlirLogicalResult codaAddToCpuPipeline(MlirOpPassManager manager,
                                                  MlirStringRef options,
                                                  MlirStringCallback callback,
                                                  void *userData) {
  return add("codaAddToCpuPipeline", manager, options, callback, userData,
             buildToCpuPipeline);
}
