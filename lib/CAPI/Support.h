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

#include <map>
#include <string>

namespace coda::capi {

/// Keeps `message` for codaGetLastErrorMessage on this thread.
void setLastError(const llvm::Twine &message);

/// The same, and emits it as an error at `loc` if there is one. Null.
std::nullptr_t fail(MlirLocation loc, const llvm::Twine &message);

/// Splits "a=1 b={c d} e" into keys and values; a key without a value means
/// true. Fails with a message on what cannot be split.
mlir::LogicalResult splitOptions(
    llvm::StringRef text,
    llvm::function_ref<mlir::LogicalResult(llvm::StringRef, llvm::StringRef)>
        handle,
    std::string &message);

/// Sets the options of a pipeline by text. MLIR's own reader stops without a
/// word at a bad value, and calls an unknown option by its name alone.
template <typename Options>
struct OptionReader : Options {
  mlir::LogicalResult read(llvm::StringRef text, std::string &message) {
    return splitOptions(
        text,
        [&](llvm::StringRef key, llvm::StringRef value) {
          if (!this->OptionsMap.count(key)) {
            // Sorted: the map's order is none.
            std::map<std::string, int> known;
            for (const auto &entry : this->OptionsMap)
              known[entry.first.str()] = 0;
            message = "unknown option '" + key.str() + "'; there are";
            const char *separator = " ";
            for (const auto &entry : known) {
              message += separator + entry.first;
              separator = ", ";
            }
            return mlir::failure();
          }
          std::string ignored;
          llvm::raw_string_ostream os(ignored);
          std::string item = (key + "={" + value + "}").str();
          if (succeeded(this->parseFromString(item, os)))
            return mlir::success();
          message =
              "option '" + key.str() + "' cannot be '" + value.str() + "'";
          return mlir::failure();
        },
        message);
  }
};

} // namespace coda::capi

#endif // CODA_LIB_CAPI_SUPPORT_H
