//===- other-user.cpp - A library of its own that uses Coda ---------------===//

#include "coda/InitAll.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"

/// Adds this copy of Coda's dialect to a registry.
extern "C" void otherAddDialect(void *registry) {
  coda::registerAllDialects(*static_cast<mlir::DialectRegistry *>(registry));
}

/// Loads this copy into a context of its own.
extern "C" bool otherLoad() {
  mlir::DialectRegistry registry;
  coda::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return context.getOrLoadDialect("coda");
}

extern "C" void otherRegisterPasses() { coda::registerAllPasses(); }
