//===- BufferizableOpInterfaceImpl.h - Bufferization of coda ----*- C++ -*-===//

#ifndef CODA_DIALECT_CODA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define CODA_DIALECT_CODA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coda {

/// Lets one-shot bufferization take `coda.gemm` from tensors to memrefs.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace coda

#endif // CODA_DIALECT_CODA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
