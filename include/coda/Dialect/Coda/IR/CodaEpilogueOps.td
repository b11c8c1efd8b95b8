//===- CodaEpilogueOps.td - Epilogue primitives ------------*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAEPILOGUEOPS_TD
#define CODA_DIALECT_CODA_IR_CODAEPILOGUEOPS_TD

def Coda_MapOp : Coda_EpilogueOp<"map", [IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
                              ["getAsmBlockArgumentNames"]>]> {
  let summary = "elementwise function of tiles";
  let description = [{
    Applies a scalar body to corresponding elements of its inputs. An input of
    size 1 along an axis is broadcast along it; the result has the larger size
    of each axis.

    The body holds side-effect-free scalar ops of the `arith` and `math`
    dialects. They mean what they mean elsewhere: a rounding (`arith.truncf`) is
    kept, an operation in bf16 rounds its result to bf16, `arith.maximumf`
    keeps NaN.

    Constraints:

    1. Along each axis every input has the result's size or 1.
    2. The body's arguments are the inputs' element types, and it yields the
       result's element type.
    3. The body holds only side-effect-free arith and math ops on scalars.

    Example:

    ```mlir
    %1 = coda.map(%a = %0 : !coda.tile<?x64xf32>, %b = %bias : !coda.tile<1x64xf32>)
        -> !coda.tile<?x64xf32> {
      %s = arith.addf %a, %b : f32
      coda.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Coda_TileType>:$inputs);
  let results = (outs Coda_TileType:$result);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [
    /// `body` is called with the scalars and returns the one to yield; the
    /// result's sizes are the inputs' broadcast together.
    OpBuilder<(ins "::mlir::ValueRange":$inputs,
      "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, "
      "::mlir::Location, ::mlir::ValueRange)>":$body)>,
    /// With a body block that holds the arguments only.
    OpBuilder<(ins "::coda::TileType":$result, "::mlir::ValueRange":$inputs)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::coda::YieldOp getYield();
    /// Why `op` may not stand in a body, or null if it may.
    static const char *whyNotScalarBodyOp(::mlir::Operation *op);
  }];
}

def Coda_IndexOp : Coda_EpilogueOp<"index", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "row or column numbers";
  let description = [{
    The number of each row (`tile<Mx1xT>`) or column (`tile<1xNxT>`) of the
    output matrix, counted from 0, for masks and positions. `T` is an integer
    type of at least 32 bits or index.

    Example:

    ```mlir
    %row = coda.index rows : !coda.tile<?x1xi64>
    %column = coda.index columns : !coda.tile<1x64xindex>
    ```
  }];
  let arguments = (ins EnumProp<Coda_Axis>:$axis);
  let results = (outs Coda_TileType:$result);
  let assemblyFormat = "$axis attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // CODA_DIALECT_CODA_IR_CODAEPILOGUEOPS_TD
