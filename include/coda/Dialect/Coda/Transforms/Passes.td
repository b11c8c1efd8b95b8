//===- Passes.td - Transform passes of the coda dialect ----*- tablegen -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_DIALECT_CODA_TRANSFORMS_PASSES_TD
#define CODA_DIALECT_CODA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CodaNormalizePass : Pass<"coda-normalize"> {
  let summary = "brings contractions and what follows them to one form";
  let description = [{
    Exporters spell a linear layer in many ways. After this pass a contraction
    that is one matrix product runs over one M, one N and one K loop, with
    operands of rank 2, and the elementwise ops that follow run over M and N:

    1. Transposes and broadcasts of the inputs, named or generic, fold into the
       contraction's indexing maps; a weight broadcast over a batch is one
       matrix again, and the batch a part of M. So do conversions of both inputs
       from one narrower type. A bias or residual that is converted or
       broadcast by an op of its own is read at its source.
    2. Unit loops are dropped. Several loops of M, N or K become one by
       collapse_shape and expand_shape; a value that is not stored in their
       order is transposed first, or the result afterwards. A batch over both
       inputs stays.
    3. Reshapes that split or merge M or N move below elementwise ops and
       reductions of rows or columns, whose other operands are reshaped instead.
       A reduced dimension that is kept with size 1 is dropped there.
    4. Squares are spelled as multiplications.

    5. A tensor.reshape whose types say which dimensions it splits or merges
       becomes an expand_shape or collapse_shape.
    6. What computes an input of a contraction elementwise in its body, as
       upstream's fusion leaves it, is an op of its own again.

    All of it is exact. A module without contractions
    is not changed at all.

    Before:

    ```mlir
    %1 = linalg.generic { ... } (%w : [K, N]) -> [B, K, N]
    %2 = linalg.batch_matmul ins(%x, %1 : tensor<4x8x64xf32>, tensor<4x64x32xf32>)
                             outs(%0 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    ```

    After:

    ```mlir
    %1 = tensor.collapse_shape %x [[0, 1], [2]]
        : tensor<4x8x64xf32> into tensor<32x64xf32>
    %2 = linalg.generic { ... } ins(%1, %w : tensor<32x64xf32>, tensor<64x32xf32>)
                                outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 8, 32]
        : tensor<32x32xf32> into tensor<4x8x32xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CodaReparameterizePass : Pass<"coda-reparameterize"> {
  let summary = "moves work around contractions to where it can be fused";
  let description = [{
    A product cannot compute in its epilogue what depends on a whole reduction
    of its result: the mean square of a row is known when the last column is.
    This pass rewrites such work, after `coda-normalize` and before `coda-fuse`,
    so that what reads the product needs only the product. The reduction itself,
    a vector, is then applied after the next product.

    Each rule is an option. All are exact in real arithmetic and none is bit for
    bit: values are rounded at other places, and sums are in another order. All
    need the permission `allow-reassoc`.

    - `row-factor` (R1): `(diag(r) X) @ W = diag(r) (X @ W)`. RMSNorm:
      `(h * r * g) @ W` becomes `r * ((h * g) @ W)`. `h * g` is rounded to the
      type of the product's inputs before it is normalised, not after; `r` scales
      the f32 accumulator. Conversions between float types on the way are looked
      through, so that a rounding of `h * r` disappears.
      In f16, `h * g` may overflow where what is normalised does not.
    - `column-factor` (R2): `X @ (W diag(c)) = (X @ W) diag(c)`, for a scaled
      weight whose unscaled form has the type of the product's inputs.
    - `fold-constant-factors` (R2): `(X diag(g)) @ W = X @ (diag(g) W)` for a
      vector g and a matrix W that are constants, where X is a matrix of the type
      of the product's inputs: it is then read itself, and no scaled copy of it
      is stored. Each `g * w`, exact in f64, is rounded once, to the type of W, in
      place of each `x * g`; of LayerNorm, `g @ W` and `b @ W` are computed in f64
      from constants and rounded to f32. A weight stays as it is if an element
      would not be finite, or would lose more below the normal numbers than the
      largest of its column does by rounding; if others read it or the scaled
      input; and if it has more than 2^27 elements.
    - `layer-norm` (R5): the same for a left-hand side of several terms:
      `((x - m) * r * g + b) @ W = r * ((x * g) @ W) - (r * m) * (g @ W) + b @ W`.
      `g @ W` and `b @ W` become one small op. Sums over rows are split in the
      same way, `sum (x - m)^2 = sum x^2 - 2 m sum x + d m^2`, and are accumulated
      in f32 also where the source has f64. What cancels there costs relative
      accuracy: the error of a variance is about 2^-24 (1 + m^2 / variance) of it,
      and the same factor is that of `x - m` in the product, with the unit
      roundoff of the product's inputs. A sum of squares does not become negative.
    - `log-softmax` (R6): `log_softmax(x)[t] = x[t] - logsumexp(x)`, with the
      logsumexp as one pass. Assertions that a target is in range are dropped;
      the element of one that is not, is 0, and so its log-softmax -logsumexp.
      As many targets as rows are expected.

    A contraction or reduction is left alone if it does not wait for a reduction
    of a product's result in the same block.

    Before:

    ```mlir
    // h = x + a @ w0 ; r = rsqrt(mean(h * h) + eps)
    %n = linalg.generic { ... h * r * g } ... -> tensor<?x64xbf16>
    %y = linalg.matmul ins(%n, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) ...
    ```

    After:

    ```mlir
    %s = linalg.generic { ... h * g } ... -> tensor<?x64xbf16>
    %p = linalg.matmul ins(%s, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) ...
    %y = linalg.generic { ... p * r } ... -> tensor<?x32xf32>
    ```
  }];
  let options = [
    Option<"allowReassoc", "allow-reassoc", "bool", /*default=*/"false",
           "Rewrite at all: results are those of the source in real arithmetic "
           "only">,
    Option<"rowFactor", "row-factor", "bool", /*default=*/"true",
           "R1: row factors move through a product (exact in real arithmetic; "
           "needs allow-reassoc)">,
    Option<"columnFactor", "column-factor", "bool", /*default=*/"true",
           "R2: column factors move out of a product (exact in real arithmetic; "
           "needs allow-reassoc)">,
    Option<"layerNorm", "layer-norm", "bool", /*default=*/"true",
           "R5: sums of terms, as in LayerNorm, move through products and sums "
           "(exact in real arithmetic, may cancel; needs allow-reassoc)">,
    Option<"foldConstants", "fold-constant-factors", "bool",
           /*default=*/"true",
           "R2: constant factors of an input go into a constant weight (exact in "
           "real arithmetic; needs allow-reassoc)">,
    Option<"logSoftmax", "log-softmax", "bool", /*default=*/"true",
           "R6: log-softmax at a target from logsumexp (exact in real "
           "arithmetic; needs allow-reassoc)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CodaFusePass : Pass<"coda-fuse"> {
  let summary = "turns contractions into coda.gemm and grows their epilogues";
  let description = [{
    Two steps. Each linalg contraction over one M, one N and one K loop, found
    by its indexing maps and body and not by its name, becomes a `coda.gemm`. An
    init that is not zero becomes an epilogue operand, added to the accumulator.
    Then every all-parallel linalg op over M and N that reads a result of the
    product moves into its epilogue, in program order, until none is left, and
    so does every reduction of rows or columns that `coda.reduce` or
    `coda.select_column` knows (its init, where it is not neutral, is combined
    with the result afterwards; NaN is kept; f32 and f64 sums are in an
    unspecified order, narrower ones stay). What reads such a reduction waits for
    the product and stays outside, but an elementwise op on vectors that only
    products read is computed in their epilogues. A
    fused value that still has other users stays a destination of the product;
    one without is dropped.

    Where the results of two products meet in one op, it joins the later one,
    with the other's result as an operand.

    Numbers: the accumulator is f32 for floats of up to 32 bits, f64 for f64 and
    i32 for i8, in whatever type the source accumulates; where that is narrower
    (a bf16 product into bf16), the epilogue rounds once, at the end, and a
    non-zero init is added before that. Elementwise bodies are taken over as
    they are, with every rounding.

    A result may be read with m and n split into parts and these permuted, as
    [batch, heads, sequence, head width]. Then operands over some of the parts
    are cyclic or over groups (a rotary table is `[m, cyclic n]`, a scale of a
    head `[n / h]`); a sum over each head is a `coda.reduce` in groups, used
    again by `coda.repeat`; the halves of each head, or its even and odd columns,
    taken apart by slices and joined by a concatenation or insertions are
    `coda.unpair` and `coda.pair`. The result stays [m, n] in memory; reshapes
    and a transpose give its readers what they expect.

    Products that share a left-hand side (rule R7):

    - two whose results meet in an elementwise op, as a gate and what it gates,
      become one `coda.gemm` with two right-hand sides, and so does one whose
      result is read only through its two halves, with halves of its weight;
    - one whose result is read only through other ranges of its columns, as a
      query, key and value are, becomes one for each, with part of the weight;
    - others stand next to each other in the end and have an attribute
      `coda.launch_group` with one number, for they may be compiled to one
      launch.

    What stays linalg is left as it is. With remarks enabled for category
    `coda`, each contraction says what joined it (`fused`), each op beside a
    product why it did not (`not-fused`), and each contraction that stayed
    linalg why (`not-a-gemm`). A `summary` counts launches before and after, and
    the bytes less that all of them read and write.

    Before:

    ```mlir
    %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
    %1 = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>)
                       outs(%0 : tensor<?x32xf32>) -> tensor<?x32xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                          affine_map<(d0, d1) -> (d1)>,
                                          affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%1, %b : tensor<?x32xf32>, tensor<32xf32>)
        outs(%e : tensor<?x32xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x32xf32>
    ```

    After:

    ```mlir
    %2 = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>) rhs(%w [k, n] : tensor<64x32xbf16>)
                   operands(%b [n] : tensor<32xf32>) outs(%e [m, n] : tensor<?x32xf32>) {
    ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xf32>):
      %s = coda.map(%p = %acc : !coda.tile<?x32xf32>, %q = %bias : !coda.tile<1x32xf32>)
          -> !coda.tile<?x32xf32> {
        %t = arith.addf %p, %q : f32
        coda.yield %t : f32
      }
      coda.yield %s : !coda.tile<?x32xf32>
    } -> tensor<?x32xf32>
    ```
  }];
  let options = [
    Option<"mergeProductsOption", "merge-products", "bool", "true",
           "R7: one product with two right-hand sides of two with one left-hand "
           "side whose results meet, or of one whose result is read in halves; "
           "products of one that is read in other parts, as query, key and "
           "value are (bitwise exact)">,
    Option<"launchGroups", "launch-groups", "bool", "true",
           "R7: number the products that share a left-hand side, to be compiled "
           "to one launch (bitwise exact)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::coda::CodaDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CodaResolveReshapesPass : Pass<"coda-resolve-reshapes"> {
  let summary = "turns memref.expand_shape with unknown sizes into reinterpret_cast";
  let description = [{
    An expand_shape that splits one dimension into several of which two or more
    have sizes known at run time (a token dimension into batch and sequence)
    becomes arithmetic on strides. Upstream's expand-strided-metadata, which
    does so for all others, does not stand these: run this pass before it.

    ```mlir
    %1 = memref.expand_shape %0 [[0, 1], [2]] output_shape [%b, %s, 64]
        : memref<?x64xf32> into memref<?x?x64xf32>
    // becomes
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %0
    %stride = arith.muli %s, %c64
    %cast = memref.reinterpret_cast %base to offset: [0], sizes: [%b, %s, 64],
        strides: [%stride, 64, 1]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CodaViewArgumentsPass : Pass<"coda-view-arguments"> {
  let summary = "reads a reshaped argument where it is, not from a copy";
  let description = [{
    Bufferization copies an argument of unknown strides before it merges
    dimensions of it, since it cannot know that they are one. Where the argument
    and its copy are only read, and the reshaped copy only by ops that take any
    strides, this pass reads the argument itself, and checks at launch that the
    dimensions can be merged. A call with others is refused.

    ```mlir
    memref.copy %x, %copy : memref<2x16x64xf32, strided<[?, ?, ?], offset: ?>> to memref<2x16x64xf32>
    %1 = memref.collapse_shape %copy [[0, 1], [2]] : memref<2x16x64xf32> into memref<32x64xf32>
    // becomes
    %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %x
    cf.assert %fits, "argument 0 is reshaped: the stride of dimension 0 must be that of the next times its size"
    %1 = memref.reinterpret_cast %base to offset: [%offset], sizes: [32, 64],
        strides: [%strides#1, %strides#2]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CodaOwnResultsPass : Pass<"coda-own-results", "::mlir::ModuleOp"> {
  let summary = "copies returned slices, so that each result has its own memory";
  let description = [{
    A result of a public function that is a slice of another tensor, or the same
    tensor as an earlier result, would be bufferized to a part of a buffer or to
    a shared one. It becomes a `linalg.copy`.

    ```mlir
    %1 = tensor.extract_slice %0[0, 64] [32, 64] [1, 1] : tensor<32x128xf32> to tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
    // becomes
    %2 = tensor.empty() : tensor<32x64xf32>
    %3 = linalg.copy ins(%1 : tensor<32x64xf32>) outs(%2 : tensor<32x64xf32>) -> tensor<32x64xf32>
    return %3 : tensor<32x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // CODA_DIALECT_CODA_TRANSFORMS_PASSES_TD
