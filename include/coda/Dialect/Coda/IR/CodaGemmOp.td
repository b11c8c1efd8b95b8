//===- CodaGemmOp.td - coda.gemm ---------------------------*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAGEMMOP_TD
#define CODA_DIALECT_CODA_IR_CODAGEMMOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Coda_MatrixOrMemRef
    : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or strided memref">;
def Coda_EpilogueOperand
    : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef, AnyFloat, AnySignlessInteger, Index],
                "ranked tensor, strided memref or scalar">;

def Coda_GemmOp : Coda_Op<"gemm", [
    AttrSizedOperandSegments, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "matrix products with an epilogue";
  let description = [{
    For each right-hand side `B_i`, all of one shape and storage,

    ```
    acc_i[m, n] = sum over k of A[m, k] * B_i[k, n]
    ```

    accumulated in the accumulator type (f32 for floats up to 32 bits, f64 for
    f64, i32 for integers), in an unspecified order. The products are exact:
    operands are converted to the accumulator type first. The sum over an empty
    `k` is 0. The region then computes the destinations from the accumulators
    and the epilogue operands, all as tiles: its arguments are one accumulator
    tile a right-hand side, then one tile an operand.

    `[...]` after a value says how it is stored: which dimension of the product
    each of its dimensions runs over, outermost first. A left-hand side is
    `[m, k]` or `[k, m]`, a right-hand side `[k, n]` or `[n, k]`. Operands and
    destinations are `[m, n]`, `[n, m]`, `[n]` (row vector), `[m]` (column
    vector) or `[]` (one element); an operand may also be a scalar. They may run
    over groups of rows or columns, `n / 128`, and operands over the same
    elements again and again, `cyclic n`. An operand may hold several partial
    results of each row, `[parts, m]` (see the attribute `dims`).

    Destinations are written, never read. To accumulate into a buffer, pass it
    as an operand too: an element is read before the same element is written.

    Constraints:

    1. lhs and every rhs have rank 2 and the same element type, a bf16, f16,
       f32, f64, f8E4M3FN, f8E5M2 or i8; a lhs of one 8-bit float also goes with
       rhs of the other. Every rhs has one type.
    2. The dims of each value are as listed above, one for each dimension, and
       its elements are of float, signless integer or index type.
    3. Static sizes of one dimension of the product agree everywhere; along
       `n / G` a value has ceil(N / G).
    4. Block arguments: an accumulator `tile<MxNxacc>` for each rhs, then a tile
       for each operand whose size is 1 along each axis missing in its dims, and
       ceil(size / G) along one in groups of G. That of an operand with parts
       has a column a part.
    5. `coda.yield` gives a tile for each destination, of its element type and
       with the same sizes.
    6. All shaped values are tensors, or all are memrefs; with tensors there is
       one result a destination, of its type; with memrefs none.
    7. The region holds epilogue primitives only.
    8. An operand with `parts` runs over them and over all of `m`, and has a
       static number of them, at least 1. Its tile is read by `coda.reduce`
       along columns without groups only.

    Example:

    ```mlir
    // y = relu(x @ w^T + b)
    %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                   rhs(%w [n, k] : tensor<32x64xbf16>)
                   operands(%b [n] : tensor<32xbf16>)
                   outs(%init [m, n] : tensor<?x32xbf16>) {
    ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xbf16>):
      %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>,
                    %q = %bias : !coda.tile<1x32xbf16>) -> !coda.tile<?x32xbf16> {
        %zero = arith.constant 0.0 : f32
        %e = arith.extf %q : bf16 to f32
        %s = arith.addf %p, %e : f32
        %r = arith.maximumf %s, %zero : f32
        %t = arith.truncf %r : f32 to bf16
        coda.yield %t : bf16
      }
      coda.yield %0 : !coda.tile<?x32xbf16>
    } -> tensor<?x32xbf16>
    ```
  }];

  let arguments = (ins
    Coda_MatrixOrMemRef:$lhs,
    Variadic<Coda_MatrixOrMemRef>:$rhs,
    Variadic<Coda_EpilogueOperand>:$epilogue_operands,
    Variadic<Coda_MatrixOrMemRef>:$outs,
    Coda_DimsAttr:$lhs_dims,
    Coda_DimsAttr:$rhs_dims,
    TypedArrayAttrBase<Coda_DimsAttr, "dims of each operand">:$operand_dims,
    TypedArrayAttrBase<Coda_DimsAttr, "dims of each destination">:$out_dims,
    OptionalAttr<Coda_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue);

  let skipDefaultBuilders = 1;
  let builders = [
    /// Builds the op with the epilogue that `body` makes. It is called with the
    /// block arguments: accumulators, then operands. It must not create the
    /// terminator: the tiles it returns are yielded.
    OpBuilder<(ins "::mlir::Value":$lhs, "::coda::DimsAttr":$lhsDims,
      "::mlir::ValueRange":$rhs, "::coda::DimsAttr":$rhsDims,
      "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::coda::DimsAttr>":$operandDims,
      "::mlir::ValueRange":$outs, "::llvm::ArrayRef<::coda::DimsAttr>":$outDims,
      "::llvm::function_ref<::llvm::SmallVector<::mlir::Value>("
      "::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>,
    /// Builds the op with an empty body block (arguments only) or, where
    /// `withBody` is false, an empty region, for a caller that fills it.
    OpBuilder<(ins "::mlir::Value":$lhs, "::coda::DimsAttr":$lhsDims,
      "::mlir::ValueRange":$rhs, "::coda::DimsAttr":$rhsDims,
      "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::coda::DimsAttr>":$operandDims,
      "::mlir::ValueRange":$outs, "::llvm::ArrayRef<::coda::DimsAttr>":$outDims)>
  ];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutsMutable();
    }
    /// The static size of the product along `dim` that any of the values gives,
    /// or kDynamic.
    int64_t getStaticSize(::coda::Dim dim);
    int64_t getStaticM() { return getStaticSize(::coda::Dim::m); }
    int64_t getStaticN() { return getStaticSize(::coda::Dim::n); }
    int64_t getStaticK() { return getStaticSize(::coda::Dim::k); }
    /// The element type of A and B.
    ::mlir::Type getInputElementType();
    /// The type that products of `input` elements are summed in, or null.
    static ::mlir::Type getAccumulatorType(::mlir::Type input);
    /// The tile of the accumulator of every rhs.
    ::coda::TileType getAccumulatorTile();
    /// The tile that a value of `type` with `dims` has in the epilogue of a
    /// product of `rows` x `columns`.
    static ::coda::TileType getTileFor(::mlir::Type type, ::coda::DimsAttr dims,
                                       int64_t rows, int64_t columns);
    ::coda::DimsAttr getOperandDims(size_t i) {
      return ::llvm::cast<::coda::DimsAttr>(getOperandDimsAttr()[i]);
    }
    ::coda::DimsAttr getOutDims(size_t i) {
      return ::llvm::cast<::coda::DimsAttr>(getOutDimsAttr()[i]);
    }
    ::mlir::Block::BlockArgListType getAccumulatorArgs() {
      return getBody()->getArguments().take_front(getRhs().size());
    }
    ::mlir::Block::BlockArgListType getOperandArgs() {
      return getBody()->getArguments().drop_front(getRhs().size());
    }
    ::coda::YieldOp getYield();
    /// The number of the operand with parts whose tile `tile` is, if it is one.
    static std::optional<size_t> getPartsOperand(::mlir::Value tile);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // CODA_DIALECT_CODA_IR_CODAGEMMOP_TD
