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

static LogicalResult setOption(StringRef name, StringRef value,
                               ArrayRef<coda::capi::OptionSet *> sets,
                               std::string &message) {
  for (coda::capi::OptionSet *set : sets) {
    if (!set->has(name))
      continue;
    if (set->set(name, value))
      return success();
    message = ("option '" + name + "' cannot be '" + value + "'").str();
    return failure();
  }
  std::set<std::string> known;
  for (coda::capi::OptionSet *set : sets)
    set->list(known);
  message = ("unknown option '" + name + "'; there are ").str() +
            llvm::join(known, ", ");
  return failure();
}

LogicalResult coda::capi::readOptions(StringRef text,
                                      ArrayRef<OptionSet *> sets,
                                      std::string &message) {
  for (StringRef rest = text.ltrim(); !rest.empty(); rest = rest.ltrim()) {
    StringRef name =
        rest.take_until([](char c) { return c == '=' || llvm::isSpace(c); });
    rest = rest.drop_front(name.size());
    if (name.empty()) {
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
            ("the braces in the value of option '" + name + "' do not match")
                .str();
        return failure();
      }
      rest = rest.drop_front(value.size());
      if (value.starts_with("{") && value.ends_with("}"))
        value = value.drop_front().drop_back();
    }
    if (failed(setOption(name, value, sets, message)))
      return failure();
  }
  return success();
}

extern "C" const char *codaCompilerVersion(void) { return CODA_VERSION; }

extern "C" const char *codaGetLastErrorMessage(void) {
  return getLastError().c_str();
}
