//===- CodaEnums.td - Enumerations of the coda dialect -----*- tablegen -*-===//

#ifndef CODA_DIALECT_CODA_IR_CODAENUMS_TD
#define CODA_DIALECT_CODA_IR_CODAENUMS_TD

include "mlir/IR/EnumAttr.td"

/// A dimension of the product D[m, n] = sum over k of A[m, k] * B[k, n], or one
/// beside it: an epilogue operand's partial results of each row.
def Coda_Dim : I32Enum<"Dim", "a dimension of a matrix product", [
    I32EnumCase<"m", 0>, I32EnumCase<"n", 1>, I32EnumCase<"k", 2>,
    I32EnumCase<"parts", 3>]> {
  let cppNamespace = "::coda";
}

/// An axis of a tile.
def Coda_Axis : I32Enum<"Axis", "an axis of a tile", [
    I32EnumCase<"rows", 0>, I32EnumCase<"columns", 1>]> {
  let cppNamespace = "::coda";
}

/// What a coda.reduce makes of the elements; each is associative and
/// commutative in real arithmetic.
def Coda_Reduction : I32Enum<"Reduction", "a way to reduce elements to one", [
    I32EnumCase<"add", 0>, I32EnumCase<"mul", 1>, I32EnumCase<"max", 2>,
    I32EnumCase<"min", 3>, I32EnumCase<"absmax", 4>,
    I32EnumCase<"logsumexp", 5>]> {
  let cppNamespace = "::coda";
}

/// How the output tiles of a kernel are shared between its warpgroups.
///  - cooperative: the consumer warpgroups split the rows of one tile;
///  - pingpong: each consumer has a tile of its own, and one's epilogue runs
///    beside the other's main loop;
///  - simple: one warpgroup, ordinary loads and mma.sync, for operands that the
///    tensor memory accelerator cannot address.
def Coda_Kernel : I32Enum<"Kernel", "the main loop of a kernel", [
    I32EnumCase<"cooperative", 0>, I32EnumCase<"pingpong", 1>,
    I32EnumCase<"simple", 2>]> {
  let cppNamespace = "::coda";
}

#endif // CODA_DIALECT_CODA_IR_CODAENUMS_TD
