//===- FunctionPlan.h - The plan of one function ----------------*- C++ -*-===//

#ifndef CODA_LIB_TARGET_MANIFEST_FUNCTIONPLAN_H
#define CODA_LIB_TARGET_MANIFEST_FUNCTIONPLAN_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir {
class MemRefType;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace coda {

/// The name of an element type or scalar in a manifest, or null.
const char *getManifestTypeName(mlir::Type type);

/// The integer expressions of a function, each an entry of `values` in the
/// manifest. A value is referred to by its number; equal entries share one.
class ExpressionList {
public:
  int64_t constant(int64_t value, unsigned width = 64);
  int64_t leaf(llvm::StringRef op, llvm::json::Object fields);
  int64_t scalarArgument(int64_t argument, unsigned width);
  /// The address of the first element of tensor `argument`.
  int64_t pointer(int64_t argument);
  /// The address of a constant of the image.
  int64_t moduleConstant(llvm::StringRef symbol, int64_t bytes);
  /// `op` of `operands`, all known; `width` is of the result.
  int64_t apply(llvm::StringRef op, llvm::ArrayRef<int64_t> operands,
                unsigned width = 64, llvm::StringRef predicate = {});
  /// The value of constant `number`, if it is one.
  std::optional<int64_t> asConstant(int64_t number) const;
  /// The arguments whose addresses `number` is computed from, and kConstant
  /// where it is from a constant's.
  llvm::ArrayRef<int64_t> getPointers(int64_t number) const {
    return pointers[number];
  }
  /// Products and sums with 1 and 0 folded.
  int64_t multiply(int64_t a, int64_t b);
  int64_t add(int64_t a, int64_t b);

  llvm::json::Array entries;
  static constexpr int64_t kConstant = -1;

private:
  int64_t append(llvm::json::Object entry);
  llvm::StringMap<int64_t> known;
  llvm::DenseMap<int64_t, int64_t> constants;
  std::vector<llvm::SmallVector<int64_t, 1>> pointers; // of each entry
};

/// A memref as host code sees it: a base address with numbers of values.
struct MemRefPlan {
  enum class Base { argument, buffer, constant };
  Base kind = Base::argument;
  int64_t base = 0; // its number; a constant's is the value of its address
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, strides;
};

/// The function's part of the manifest.
struct FunctionPlan {
  llvm::json::Array arguments, buffers, results, checks, steps;
  ExpressionList values;
};

/// Plans `func`, whose body is straight-line host code.
mlir::FailureOr<FunctionPlan> planFunction(mlir::func::FuncOp func);

} // namespace coda

#endif // CODA_LIB_TARGET_MANIFEST_FUNCTIONPLAN_H
