//===- CodaHostOps.td - Host code around a launch ----------*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAHOSTOPS_TD
#define CODA_DIALECT_CODA_IR_CODAHOSTOPS_TD

def Coda_TensorMapOp : Coda_Op<"tensor_map", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes a matrix to the tensor memory accelerator";
  let description = [{
    Encodes a tensor map for the matrix at address `pointer`, whose sizes (in
    elements) and strides (in bytes; the innermost one is one element and not
    given) are listed innermost first, as the CUDA driver takes them. `box` is
    what one copy moves, in elements, innermost first. Reads outside the matrix
    give 0, writes are dropped. Shared memory is laid out with the 128-byte
    swizzle.

    The pointer must be a multiple of 16, strides too; sizes are positive.

    Example:

    ```mlir
    %map = coda.tensor_map %pointer sizes [%k, %m] strides [%ld]
        {box = array<i64: 64, 128>, element_type = bf16}
    ```
  }];
  let arguments = (ins I64:$pointer, Variadic<I64>:$sizes,
                       Variadic<I64>:$strides, DenseI64ArrayAttr:$box,
                       TypeAttr:$element_type);
  let results = (outs Coda_TensorMapType:$result);
  let assemblyFormat = [{
    $pointer `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict
  }];
  let hasVerifier = 1;
}

def Coda_MultiprocessorCountOp : Coda_Op<"multiprocessor_count", [Pure]> {
  let summary = "streaming multiprocessors of the current device";
  let description = [{
    Persistent kernels launch one thread block for each of them.

    Example:

    ```mlir
    %count = coda.multiprocessor_count
    ```
  }];
  let results = (outs I64:$result);
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, $_builder.getI64Type());
  }]>];
  let assemblyFormat = "attr-dict";
}

def Coda_ModuleConstantOp : Coda_Op<"module_constant", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "device memory of a constant that lies beside the kernels";
  let description = [{
    The memref of a constant in the module of the kernels, an `llvm.mlir.global`
    of bytes: elements row by row, each as it is in memory (i1 and 8-bit floats
    are one byte). Nothing may store to it.

    1. The symbol is an `llvm.mlir.global`, or in a module that has been compiled
       already.
    2. It has as many bytes as the memref, but one where that has none.
    3. Elements of the memref are whole bytes, row by row.

    Example:

    ```mlir
    %w = coda.module_constant @coda_kernels::@constant_8x6xf32 : memref<8x6xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$constant);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = "$constant attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// The bytes of a constant of `type`, at least one: PTX has no empty
    /// variables. None if it can be no constant.
    static std::optional<int64_t> getBytes(::mlir::MemRefType type);
    int64_t getBytes() { return *getBytes(getType()); }
  }];
  let hasVerifier = 1;
}

#endif // CODA_DIALECT_CODA_IR_CODAHOSTOPS_TD
