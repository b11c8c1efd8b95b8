//===- CodaTypes.td - Types of the coda dialect ------------*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODATYPES_TD
#define CODA_DIALECT_CODA_IR_CODATYPES_TD

include "coda/Dialect/Coda/IR/CodaDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Coda_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Coda_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Coda_TileType : Coda_Type<"Tile", "tile"> {
  let summary = "a value of an epilogue: a logical matrix held tile by tile";
  let description = [{
    `!coda.tile<RxCxT>` is a matrix of `R` rows and `C` columns of scalars `T`
    (a signless integer, index or float type). It stands for the whole matrix that a
    `coda.gemm` computes; a kernel holds one tile of it at a time. `?` is a size
    known at run time.

    A size of 1 broadcasts: `tile<1xNxT>` is a row vector (a bias, a norm
    weight), `tile<Mx1xT>` a column vector (1/rms, a target), `tile<1x1xT>` a
    scalar.

    It is no tensor on purpose: bufferization walks into regions and must find
    nothing to bufferize there.

    Example:

    ```mlir
    !coda.tile<?x4096xf32>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$columns,
                                        "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), rows, columns, elementType);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// Whether `type` may be the type of a tile's elements.
    static bool isValidElementType(::mlir::Type type) {
      return type.isSignlessIntOrIndexOrFloat();
    }
    /// The same matrix with elements of `type`.
    TileType cloneWith(::mlir::Type type) const {
      return TileType::get(getRows(), getColumns(), type);
    }
  }];
}

def Coda_TensorMapType : Coda_Type<"TensorMap", "tensor_map"> {
  let summary = "a descriptor by which the tensor memory accelerator addresses "
                "a matrix (128 bytes, passed to kernels by value)";
}

#endif // CODA_DIALECT_CODA_IR_CODATYPES_TD
