//===- InitAll.h - Registration of everything in Coda -----------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_INITALL_H
#define CODA_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coda {

/// Adds Coda's dialect, and its interface implementations for others, to
/// `registry`. Upstream dialects that Coda's passes make are loaded by them.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes Coda's passes and pipelines known by name, for tools with a command
/// line. Programs that build pipelines in C++ do not need it.
void registerAllPasses();

} // namespace coda

#endif // CODA_INITALL_H
