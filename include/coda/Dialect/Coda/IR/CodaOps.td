//===- CodaOps.td - Operations of the coda dialect ---------*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAOPS_TD
#define CODA_DIALECT_CODA_IR_CODAOPS_TD

include "coda/Dialect/Coda/IR/CodaDialect.td"
include "coda/Dialect/Coda/IR/CodaTypes.td"
include "coda/Dialect/Coda/IR/CodaAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Coda_Op<string mnemonic, list<Trait> traits = []>
    : Op<Coda_Dialect, mnemonic, traits>;

/// Marks the ops that compute a tile from tiles in an epilogue.
def Coda_EpiloguePrimitive : NativeOpTrait<"EpiloguePrimitive"> {
  let cppNamespace = "::coda";
}

/// A primitive of an epilogue; its results are tiles.
class Coda_EpilogueOp<string mnemonic, list<Trait> traits = []>
    : Coda_Op<mnemonic,
              !listconcat([Pure, Coda_EpiloguePrimitive, HasParent<"GemmOp">],
                          traits)>;

def Coda_YieldOp : Coda_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["GemmOp", "MapOp"]>]> {
  let summary = "ends an epilogue or a scalar body";
  let description = [{
    In a `coda.gemm` it gives one tile for each destination, in order; in a
    `coda.map` one scalar.

    Example:

    ```mlir
    coda.yield %0, %1 : !coda.tile<?x64xbf16>, !coda.tile<?x64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

include "coda/Dialect/Coda/IR/CodaGemmOp.td"
include "coda/Dialect/Coda/IR/CodaEpilogueOps.td"
include "coda/Dialect/Coda/IR/CodaTileOps.td"
include "coda/Dialect/Coda/IR/CodaHostOps.td"

#endif // CODA_DIALECT_CODA_IR_CODAOPS_TD
