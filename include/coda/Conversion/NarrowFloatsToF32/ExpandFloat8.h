//===- ExpandFloat8.h - Casts of 8-bit floats as arithmetic -----*- C++ -*-===//

#ifndef CODA_CONVERSION_NARROWFLOATSTOF32_EXPANDFLOAT8_H
#define CODA_CONVERSION_NARROWFLOATSTOF32_EXPANDFLOAT8_H

namespace mlir {
class RewritePatternSet;
class Type;
} // namespace mlir

namespace coda {

/// Whether the patterns expand casts of this type: f8E4M3FN or f8E5M2.
bool isExpandedFloat8(mlir::Type type);

/// Adds patterns that replace arith.extf from, and arith.truncf to, an 8-bit
/// float by arithmetic on its bits. The results are those of LLVM's APFloat:
/// rounded to nearest even, once; beyond the largest number an infinity where
/// the type has one, else a NaN.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns);

} // namespace coda

#endif // CODA_CONVERSION_NARROWFLOATSTOF32_EXPANDFLOAT8_H
