//===- SourceCheck.cpp - Refuses what would break a parser ----------------===//

#include "SourceCheck.h"

#include "llvm/ADT/StringRef.h"

using namespace coda::capi;
using llvm::StringRef;

/// Far more than programs have, and few enough for the stack of a thread.
static constexpr unsigned maxNesting = 256;

namespace {
/// Follows brackets, and keeps out of strings and comments. What it counts is
/// no grammar: '<' may be less-than, so closing brackets never go below 0.
class NestingScan {
public:
  explicit NestingScan(StringRef text) : text(text) {}
  std::optional<SourceProblem> run();

private:
  void skipString();
  void skipComment();
  char peek() const { return pos + 1 < text.size() ? text[pos + 1] : '\0'; }

  StringRef text;
  size_t pos = 0, lineStart = 0;
  unsigned line = 1;
};
} // namespace

void NestingScan::skipString() {
  for (++pos; pos < text.size() && text[pos] != '"' && text[pos] != '\n'; ++pos)
    if (text[pos] == '\\')
      ++pos;
}

void NestingScan::skipComment() {
  while (pos + 1 < text.size() && text[pos + 1] != '\n')
    ++pos;
}

std::optional<SourceProblem> NestingScan::run() {
  unsigned depth = 0, signs = 0;
  for (; pos < text.size(); ++pos) {
    char c = text[pos];
    // Affine expressions recurse with each sign.
    bool isSign = c == '-' && peek() != '>';
    if (!isSign && c != ' ' && c != '\n' && c != '\t' && c != '\r')
      signs = 0;
    if (c == '\n') {
      ++line;
      lineStart = pos + 1;
    } else if (c == '"') {
      skipString();
    } else if (c == '/' && peek() == '/') {
      skipComment();
    } else if (c == '-' && peek() == '>') {
      ++pos;
    } else if (isSign) {
      ++signs;
    } else if (c == '(' || c == '[' || c == '{' ||
               (c == '<' && peek() != '=')) {
      ++depth;
    } else if (depth && (c == ')' || c == ']' || c == '}' ||
                         (c == '>' && peek() != '='))) {
      --depth;
    }
    if (depth > maxNesting || signs > maxNesting)
      return SourceProblem{line, unsigned(pos - lineStart) + 1,
                           "the source is nested more than " +
                               std::to_string(maxNesting) + " deep"};
  }
  return std::nullopt;
}

std::optional<SourceProblem> coda::capi::findSourceProblem(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return SourceProblem{1, 1,
                         "the source is bytecode; it must be the text of MLIR"};
  return NestingScan(text).run();
}
