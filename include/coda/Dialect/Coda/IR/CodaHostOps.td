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

#endif // CODA_DIALECT_CODA_IR_CODAHOSTOPS_TD
