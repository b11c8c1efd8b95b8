//===- CodaAttributes.td - Attributes of the coda dialect --*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAATTRIBUTES_TD
#define CODA_DIALECT_CODA_IR_CODAATTRIBUTES_TD

include "coda/Dialect/Coda/IR/CodaDialect.td"
include "coda/Dialect/Coda/IR/CodaEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Coda_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Coda_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Coda_DimsAttr : Coda_Attr<"Dims", "dims"> {
  let summary = "which dimension of the product each dimension of a shaped "
                "value runs over, outermost first";
  let description = [{
    Written `[m, k]` after a value in `coda.gemm`. `[n, k]` on a right-hand side
    says that the weight is stored with one row per output column; `[n]` on an
    epilogue operand that it is a row vector, `[m]` a column vector, `[]` a
    scalar.

    Operands and destinations of an epilogue may also run over

    - `n / 128`: groups of 128 columns, one element a group (the last group may
      be smaller), as `coda.reduce` and `coda.unpair` give them. The tile has
      ceil(N / 128) columns;
    - `cyclic n`: the columns again and again, element `n mod size`, where
      `size` is the value's own: a table for one head that all heads share. Only
      operands may be cyclic. The tile has N columns;

    and the same of `m`.

    An operand `[parts, m]` (or `[m, parts]`) holds partial results of each row,
    as many as it has `parts`: what a reduction of whole rows leaves when each
    tile of another product reduces its own columns. Its tile has a column a
    part, and only `coda.reduce ... along columns`, which combines them, may
    read it.

    Example:

    ```mlir
    #coda.dims[cyclic m, cyclic n / 2]
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::coda::Dim">:$dims,
                        ArrayRefParameter<"int64_t">:$divisors,
                        ArrayRefParameter<"bool">:$cyclic);
  let builders = [
    /// Every dimension as a whole.
    AttrBuilder<(ins "::llvm::ArrayRef<::coda::Dim>":$dims), [{
      return $_get($_ctxt, dims, ::llvm::SmallVector<int64_t>(dims.size(), 1),
                   ::llvm::SmallVector<bool>(dims.size(), false));
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t size() const { return getDims().size(); }
    /// The position of `dim`, or -1.
    int64_t indexOf(::coda::Dim dim) const;
    bool contains(::coda::Dim dim) const { return indexOf(dim) >= 0; }
    /// Whether dimension `i` of the value has an element for each of the
    /// product's, so that their sizes agree.
    bool isWhole(size_t i) const {
      return getDivisors()[i] == 1 && !getCyclic()[i] && !isParts(i);
    }
    /// Whether dimension `i` is of partial results, and none of the product's.
    bool isParts(size_t i) const {
      return getDims()[i] == ::coda::Dim::parts;
    }
    bool hasParts() const { return contains(::coda::Dim::parts); }
    /// The same of all dimensions.
    bool isWhole() const;
    /// Rows or columns of a group, where the value runs over `dim`; else 1.
    int64_t getDivisor(::coda::Dim dim) const {
      return contains(dim) ? getDivisors()[indexOf(dim)] : 1;
    }
    bool isCyclic(::coda::Dim dim) const {
      return contains(dim) && getCyclic()[indexOf(dim)];
    }
  }];
}

def Coda_ScheduleAttr : Coda_Attr<"Schedule", "schedule"> {
  let summary = "how a coda.gemm is mapped to a kernel";
  let description = [{
    - `kernel`: `cooperative`, `pingpong` or `simple`;
    - `tile_m`, `tile_n`, `tile_k`: the tile of one thread block (`cooperative`,
      `simple`) or of one consumer warpgroup (`pingpong`), in elements; `tile_n`
      counts the columns of all right-hand sides together; `tile_k` is 128
      bytes of A (`cooperative`, `pingpong`);
    - `cluster`: thread blocks along M that share the right-hand side by
      multicast, 1 or 2;
    - `stages`: depth of the operand ring in shared memory;
    - `raster`: rows of tiles that are walked together for L2 reuse;
    - `store_buffers`: staging buffers of 8 KiB for each consumer warpgroup.

    Example:

    ```mlir
    #coda.schedule<kernel = cooperative, tile_m = 128, tile_n = 256,
                   tile_k = 64, cluster = 2, stages = 4, raster = 8,
                   store_buffers = 2>
    ```
  }];
  let parameters = (ins
    EnumParameter<Coda_Kernel>:$kernel,
    "int64_t":$tile_m, "int64_t":$tile_n, "int64_t":$tile_k,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"int64_t", "8">:$raster,
    DefaultValuedParameter<"int64_t", "2">:$store_buffers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // CODA_DIALECT_CODA_IR_CODAATTRIBUTES_TD
