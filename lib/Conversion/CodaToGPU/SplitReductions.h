//===- SplitReductions.h - Reductions over more than a tile -----*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_SPLITREDUCTIONS_H
#define CODA_LIB_CONVERSION_CODATOGPU_SPLITREDUCTIONS_H

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "mlir/IR/PatternMatch.h"

namespace coda {

/// Replaces each coda.select_column by what it means: the sum over the columns
/// of the element in the wanted column and zeros, which is exact.
void expandSelectColumns(mlir::RewriterBase &rewriter, GemmOp gemm);

/// Takes reductions of whole rows or columns apart, for kernels with tiles of
/// `columns` columns: `gemm` (on tensors) stores one partial result for each
/// tile of columns, or for each 16 rows, and linalg ops after it combine them
/// and compute what was computed from the results. Partial results of rows lie
/// in memory side by side: neighbouring threads finish neighbouring rows. The
/// vectors finished of rows are added to `finished`, if given.
mlir::LogicalResult
splitReductions(mlir::RewriterBase &rewriter, GemmOp &gemm, int64_t columns,
                llvm::SmallVectorImpl<FinishedRows> *finished,
                std::string &why);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_SPLITREDUCTIONS_H
