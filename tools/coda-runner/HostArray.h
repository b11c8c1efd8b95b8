//===- HostArray.h - Arguments and results on the host ----------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CODA_RUNNER_HOSTARRAY_H
#define CODA_TOOLS_CODA_RUNNER_HOSTARRAY_H

#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <string>
#include <vector>

namespace coda::runner {

/// An argument or result of a function: a dense row-major array, or a scalar as
/// an array of rank 0. Copies share the elements; `clone` does not.
class HostArray {
public:
  HostArray() = default;
  /// With elements that are not set. `type` is a ranked tensor, a memref or a
  /// scalar type; `shape` has a size for each dimension.
  HostArray(mlir::Type type, llvm::ArrayRef<int64_t> shape);

  /// Bytes of an element of `type` in memory, or 0 for an unsupported type.
  static unsigned getElementBytes(mlir::Type type);

  HostArray clone() const;

  mlir::Type getType() const { return type; }
  mlir::Type getElementType() const;
  bool isScalar() const { return !llvm::isa<mlir::ShapedType>(type); }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t size() const;
  char *data() const { return bytes->data(); }
  size_t getNumBytes() const { return bytes->size(); }

  /// Element `i` rounded to what a double holds; exact but for i64.
  double get(int64_t i) const;
  /// Sets element `i` to `value` rounded to the element type.
  void set(int64_t i, double value);
  /// The bits of element `i`.
  uint64_t getBits(int64_t i) const;

  /// The type with its sizes filled in, as in tensor<3x5xf32>.
  std::string describe() const;

private:
  mlir::Type type;
  llvm::SmallVector<int64_t> shape;
  std::shared_ptr<std::vector<char>> bytes;
};

/// A line with checksum, range and first values. With `all`, every value too.
void print(llvm::raw_ostream &os, llvm::StringRef name, const HostArray &array,
           bool all);

} // namespace coda::runner

#endif // CODA_TOOLS_CODA_RUNNER_HOSTARRAY_H
