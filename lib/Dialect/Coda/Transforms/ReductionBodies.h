//===- ReductionBodies.h - What a linalg op reduces to what -----*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_REDUCTIONBODIES_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_REDUCTIONBODIES_H

#include "FusionUtils.h"

namespace coda {

/// A reduction over one loop of a linalg op as a primitive of an epilogue.
struct ReductionBody {
  /// Unused where `index` is set.
  Reduction kind = Reduction::add;
  /// The scalar of the body that is reduced.
  mlir::Value element;
  /// For a selection: the scalar that says which element of the loop it is.
  mlir::Value index;
  /// Whether the init changes nothing. Otherwise it is combined with the
  /// reduced value by `kind`.
  bool isInitNeutral = true;
};

/// Why result number `result` of `op`, which reduces over `loop` alone, is none
/// of the reductions that coda.reduce and coda.select_column know; fills `body`
/// if it is.
WhyNot matchReductionBody(mlir::linalg::LinalgOp op, unsigned result,
                          unsigned loop, ReductionBody &body);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_REDUCTIONBODIES_H
