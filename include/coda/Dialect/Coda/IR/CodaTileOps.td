//===- CodaTileOps.td - Primitives that combine columns ----*- tablegen -*-===//
//
// Unlike coda.map these move values between rows or columns.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_IR_CODATILEOPS_TD
#define CODA_DIALECT_CODA_IR_CODATILEOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"

/// Makes the reason why result types cannot be inferred the only error.
def Coda_InferenceGivesReason : NativeOpTrait<"InferenceGivesReason"> {
  let cppNamespace = "::coda";
}

/// An epilogue primitive whose result types follow from its operands.
class Coda_InferredOp<string mnemonic, list<Trait> traits = []>
    : Coda_EpilogueOp<mnemonic,
                      !listconcat([Coda_InferenceGivesReason, InferTypeOpAdaptor],
                                  traits)>;

def Coda_ReduceOp : Coda_InferredOp<"reduce"> {
  let summary = "reduces the elements along an axis to one, or to one a group";
  let description = [{
    `along columns` reduces the columns of each row to one element: a column
    vector. `along rows` reduces the rows of each column: a row vector. With
    `in groups of G` every G neighbours give one element, and the result has
    ceil(size / G) of them along the axis; the last group may be smaller.

    | kind        | result                          | of no elements   |
    |-------------|---------------------------------|------------------|
    | `add`       | sum                             | 0                |
    | `mul`       | product                         | 1                |
    | `max`       | greatest, NaN if one is         | least value      |
    | `min`       | least, NaN if one is            | greatest value   |
    | `absmax`    | greatest absolute value         | 0                |
    | `logsumexp` | log of the sum of exponentials  | -infinity        |

    The order in which elements are combined is unspecified, but the same in
    every execution. A `logsumexp` does not overflow where its result does not,
    and that of -infinities only is -infinity.

    A whole reduction may be stored, and on Hopper then becomes one partial
    result a tile and a small finish after the product. Where its elements lie
    in one tile of the kernel, as a group of columns (an attention head), the
    result may be used again in the epilogue. So may the combined parts of an
    operand `[parts, m]`.

    Elements are floats (f32 or f64 for `add`, `mul` and `logsumexp`) or signless
    integers of 32 or 64 bits (not for `logsumexp`; compared as signed).

    Example:

    ```mlir
    %0 = coda.reduce add %sq along columns
        : !coda.tile<?x4096xf32> -> !coda.tile<?x1xf32>
    %1 = coda.reduce add %sq along columns in groups of 128
        : !coda.tile<?x4096xf32> -> !coda.tile<?x32xf32>
    ```
  }];
  let arguments = (ins EnumProp<Coda_Reduction>:$kind, Coda_TileType:$input,
                       EnumProp<Coda_Axis>:$axis,
                       OptionalAttr<I64Attr>:$group);
  let results = (outs Coda_TileType:$result);
  let assemblyFormat = [{
    $kind $input `along` $axis (`in` `groups` `of` $group^)? attr-dict `:`
    qualified(type($input)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// Whether it combines the parts of an operand `[parts, m]`: a value of
    /// each row that does not depend on the product.
    bool combinesParts();
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Coda_RepeatOp : Coda_EpilogueOp<"repeat"> {
  let summary = "repeats each column";
  let description = [{
    Column `j` of the result is column `j / count` of the input: it gives a
    value of each group of columns back to the columns of the group. The input
    has ceil(columns / count) columns, `columns` being the result's.

    Example:

    ```mlir
    %1 = coda.repeat %0 by 128 : !coda.tile<?x32xf32> -> !coda.tile<?x4096xf32>
    ```
  }];
  let arguments = (ins Coda_TileType:$input, I64Attr:$count);
  let results = (outs Coda_TileType:$result);
  let assemblyFormat = [{
    $input `by` $count attr-dict `:` qualified(type($input)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Coda_UnpairOp : Coda_InferredOp<"unpair", [AllTypesMatch<["first", "second"]>]> {
  let summary = "splits the columns into the first and second ones of pairs";
  let description = [{
    With stride `s`, column `c` is paired with column `c + s` within every
    `2 s` columns: (j, j + s). Stride 1 pairs neighbours (2j, 2j + 1): an
    interleaved gate and up projection, or rotary embedding in GPT-J's form.
    Stride h/2 pairs the halves of heads of width h: the form of Hugging Face's
    `rotate_half`. `2 s` divides the number of columns.

    Column `j` of a result is the first (second) column of the j-th pair, pairs
    being counted by their first column: `(j / s) * 2 s + j mod s`, and `s` more
    for the second.

    On a GPU a stride is 1 or a multiple of 8, and a tile holds both of a pair.

    Example:

    ```mlir
    %first, %second = coda.unpair %0 stride 64
        : !coda.tile<?x4096xf32> -> !coda.tile<?x2048xf32>
    ```
  }];
  let arguments = (ins Coda_TileType:$input, I64Attr:$stride);
  let results = (outs Coda_TileType:$first, Coda_TileType:$second);
  let assemblyFormat = [{
    $input `stride` $stride attr-dict `:` qualified(type($input)) `->`
    qualified(type($first))
  }];
  let hasFolder = 1;
}

def Coda_PairOp : Coda_InferredOp<"pair", [AllTypesMatch<["first", "second"]>]> {
  let summary = "joins the first and second columns of pairs";
  let description = [{
    The inverse of `coda.unpair` of the same stride.

    Example:

    ```mlir
    %1 = coda.pair %first, %second stride 64
        : !coda.tile<?x2048xf32> -> !coda.tile<?x4096xf32>
    ```
  }];
  let arguments = (ins Coda_TileType:$first, Coda_TileType:$second,
                       I64Attr:$stride);
  let results = (outs Coda_TileType:$result);
  let assemblyFormat = [{
    $first `,` $second `stride` $stride attr-dict `:` qualified(type($first))
    `->` qualified(type($result))
  }];
  let hasFolder = 1;
}

def Coda_SelectColumnOp : Coda_InferredOp<"select_column"> {
  let summary = "the element of each row in a column of its own";
  let description = [{
    For each row `m` the element in column `index[m]`, or 0 where that is no
    column: a negative index does not count from the end. It takes the logit of
    a target from a row of logits.

    Example:

    ```mlir
    %1 = coda.select_column %0[%target]
        : !coda.tile<?x32768xf32>[!coda.tile<?x1xi64>] -> !coda.tile<?x1xf32>
    ```
  }];
  let arguments = (ins Coda_TileType:$input, Coda_TileType:$index);
  let results = (outs Coda_TileType:$result);
  let assemblyFormat = [{
    $input `[` $index `]` attr-dict `:` qualified(type($input))
    `[` qualified(type($index)) `]` `->` qualified(type($result))
  }];
}

#endif // CODA_DIALECT_CODA_IR_CODATILEOPS_TD
