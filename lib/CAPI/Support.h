//===- Support.h - Errors and options of the C API --------------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CAPI_SUPPORT_H
#define CODA_LIB_CAPI_SUPPORT_H

#include "coda-c/Support.h"
#include "mlir-c/IR.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Support/LLVM.h"

#include <set>
#include <string>

namespace coda::capi {

/// Keeps `message` for codaGetLastErrorMessage on this thread.
void setLastError(const llvm::Twine &message);

/// The same, and emits it as an error at `loc` if there is one. Null.
std::nullptr_t fail(MlirLocation loc, const llvm::Twine &message);

/// The options of a pipeline, to be set by text. MLIR's own reader says nothing
/// to its caller at a bad value, and takes one pipeline's options at a time.
class OptionSet {
public:
  virtual ~OptionSet() = default;
  virtual bool has(llvm::StringRef name) const = 0;
  virtual bool set(llvm::StringRef name, llvm::StringRef value) = 0;
  virtual void list(std::set<std::string> &names) const = 0;
};

template <typename Options>
class OptionsByName : public OptionSet {
  /// Where the options are by name is not for all to see.
  // One base; the check counts that one's virtual base as another.
  // NOLINTNEXTLINE(misc-multiple-inheritance)
  struct Values : Options {
    using Options::OptionsMap;
  };

public:
  bool has(llvm::StringRef name) const override {
    return values.OptionsMap.count(name);
  }
  bool set(llvm::StringRef name, llvm::StringRef value) override {
    std::string ignored;
    llvm::raw_string_ostream os(ignored);
    return succeeded(
        values.parseFromString((name + "={" + value + "}").str(), os));
  }
  void list(std::set<std::string> &names) const override {
    for (const auto &entry : values.OptionsMap)
      names.insert(entry.first.str());
  }

  Values values;
};

/// Reads "a=1 b={c d} e": NAME=VALUE each, where no value means true. Fails
/// with a message on what is no option of any of `sets`.
mlir::LogicalResult readOptions(llvm::StringRef text,
                                llvm::ArrayRef<OptionSet *> sets,
                                std::string &message);

} // namespace coda::capi

#endif // CODA_LIB_CAPI_SUPPORT_H
