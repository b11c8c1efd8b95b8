//===- CodaDialect.td - The coda dialect -------------------*- tablegen -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_IR_CODADIALECT_TD
#define CODA_DIALECT_CODA_IR_CODADIALECT_TD

include "mlir/IR/DialectBase.td"

def Coda_Dialect : Dialect {
  let name = "coda";
  let cppNamespace = "::coda";
  let summary = "Matrix products with everything around them in the epilogue";
  let description = [{
    The dialect says what a GEMM kernel computes: one matrix product and an
    epilogue, a region of tile primitives that runs on the output tile while it
    is still on the chip. `coda.gemm` works on tensors (fused level) and, after
    bufferization, on memrefs (scheduled level).

    Inside the epilogue a value is a `!coda.tile`: the whole logical output
    matrix, of which a kernel holds one tile at a time. Element arithmetic lives
    in scalar bodies of `coda.map`, taken over from `linalg` as they are.

    A `coda.gemm` may carry `coda.launch_group = N : i64`. Products that share a
    left-hand side, stand next to each other and carry the same number may be
    compiled to one launch. It is a hint: leaving it out, or not following it,
    changes no result.

    `coda.tensor_map` and `coda.multiprocessor_count` belong to the host code
    around a launch (kernel level).
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // CODA_DIALECT_CODA_IR_CODADIALECT_TD
