//===- Plugin.cpp - Coda in a stock mlir-opt ------------------------------===//
//
// mlir-opt --load-dialect-plugin=CodaPlugin.so --load-pass-plugin=CodaPlugin.so
//
//===----------------------------------------------------------------------===//

#include "coda/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

// A tool that has Coda already, built in or from another plugin, keeps it: MLIR
// ends the process where a name comes a second time with another class.

static void warn(llvm::StringRef what) {
  llvm::errs() << "warning: CodaPlugin: the tool has the " << what
               << " of Coda already; the plugin adds none\n";
}

static void registerDialects(mlir::DialectRegistry *registry) {
  if (registry->getDialectAllocator("coda"))
    return warn("dialect");
  coda::registerAllDialects(*registry);
}

static void registerPasses() {
  if (mlir::PassInfo::lookup("coda-fuse"))
    return warn("passes");
  coda::registerAllPasses();
}

extern "C" mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Coda", CODA_VERSION, registerDialects};
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Coda", CODA_VERSION, registerPasses};
}
