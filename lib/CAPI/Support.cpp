//===- Support.cpp - Errors and options of the C API ----------------------===//

#include "Support.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static std::string &getLastError() {
  static thread_local std::string message;
  return message;
}

void coda::capi::setLastError(const Twine &message) {
  getLastError() = message.str();
}

std::nullptr_t coda::capi::fail(MlirLocation loc, const Twine &message) {
  setLastError(message);
  if (!mlirLocationIsNull(loc))
    emitError(unwrap(loc)) << getLastError();
  return nullptr;
}

LogicalResult coda::capi::splitOptions(
    StringRef text, function_ref<LogicalResult(StringRef, StringRef)> handle,
    std::string &message) {
  for (StringRef rest = text.ltrim(); !rest.empty(); rest = rest.ltrim()) {
    StringRef key =
        rest.take_until([](char c) { return c == '=' || llvm::isSpace(c); });
    rest = rest.drop_front(key.size());
    if (key.empty()) {
      message = ("expected NAME=VALUE at '" + rest.take_front(16) + "'").str();
      return failure();
    }
    StringRef value = "true";
    if (rest.consume_front("=")) {
      int depth = 0;
      value = rest.take_until([&](char c) {
        depth += (c == '{') - (c == '}');
        return depth == 0 && llvm::isSpace(c);
      });
      if (depth != 0) {
        message =
            ("the braces in the value of option '" + key + "' do not match")
                .str();
        return failure();
      }
      rest = rest.drop_front(value.size());
      if (value.starts_with("{") && value.ends_with("}"))
        value = value.drop_front().drop_back();
    }
    if (failed(handle(key, value)))
      return failure();
  }
  return success();
}

extern "C" const char *codaCompilerVersion(void) { return CODA_VERSION; }

extern "C" const char *codaGetLastErrorMessage(void) {
  return getLastError().c_str();
}
