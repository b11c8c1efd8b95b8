//===- SourceCheck.cpp - Refuses what would break a parser ----------------===//

#include "SourceCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace coda::capi;
using llvm::isAlnum;
using llvm::isDigit;
using llvm::StringRef;

/// Far more than programs have, and few enough for the stack of a thread.
static constexpr unsigned maxNesting = 256;

/// Reading a number takes time that grows faster than its square.
static constexpr size_t maxNumberLength = 1024;

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
  bool isOperator() const;
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

bool NestingScan::isOperator() const {
  char c = text[pos];
  if (c == '+' || c == '*' || (c == '-' && peek() != '>'))
    return true;
  if (pos && (isAlnum(text[pos - 1]) || text[pos - 1] == '_'))
    return false;
  StringRef rest = text.substr(pos);
  for (StringRef word : {"mod", "floordiv", "ceildiv"})
    if (rest.starts_with(word))
      return true;
  return false;
}

std::optional<SourceProblem> NestingScan::run() {
  // Affine expressions recurse with each operator too, in brackets or not.
  unsigned depth = 0, operators = 0;
  for (; pos < text.size(); ++pos) {
    char c = text[pos];
    if (isDigit(c)) {
      StringRef number = text.substr(pos).take_while(isAlnum);
      if (number.size() > maxNumberLength)
        return SourceProblem{line, unsigned(pos - lineStart) + 1,
                             "the source has a number or shape of more than " +
                                 std::to_string(maxNumberLength) +
                                 " characters"};
      pos += number.size() - 1;
      continue;
    }
    if (c == '\n') {
      ++line;
      lineStart = pos + 1;
    } else if (c == '"') {
      skipString();
    } else if (c == '/' && peek() == '/') {
      skipComment();
    } else if (c == '-' && peek() == '>') {
      ++pos;
    } else if (c == ',' || c == '=') {
      operators = 0;
    } else if (isOperator()) {
      ++operators;
    } else if (c == '(' || c == '[' || c == '{' ||
               (c == '<' && peek() != '=')) {
      ++depth;
    } else if (depth && (c == ')' || c == ']' || c == '}' ||
                         (c == '>' && peek() != '='))) {
      --depth;
    }
    if (depth > maxNesting || operators > maxNesting)
      return SourceProblem{line, unsigned(pos - lineStart) + 1,
                           "the source is nested more than " +
                               std::to_string(maxNesting) + " deep"};
  }
  return std::nullopt;
}

/// The parser of linalg.generic crashes on the error that it would give where
/// an iterator type is no string. Where `iterator_types` is not one list of
/// strings, or npos.
static size_t findBadIteratorTypes(StringRef text) {
  const StringRef key = "iterator_types";
  for (size_t at = text.find(key); at != StringRef::npos;
       at = text.find(key, at + 1)) {
    StringRef rest = text.substr(at + key.size()).ltrim();
    // Else it is no attribute, but in a comment or so.
    if (!rest.consume_front("="))
      continue;
    rest = rest.ltrim();
    if (!rest.consume_front("["))
      return at;
    StringRef list = rest.take_until([](char c) { return c == ']'; });
    while (!(list = list.ltrim(" \t\r\n,")).empty()) {
      if (!list.consume_front("\"") && !list.consume_front("#linalg."))
        return at;
      list = list.drop_while([](char c) { return c != ','; });
    }
  }
  return StringRef::npos;
}

std::optional<SourceProblem> coda::capi::findSourceProblem(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return SourceProblem{1, 1,
                         "the source is bytecode; it must be the text of MLIR"};
  size_t at = findBadIteratorTypes(text);
  if (at != StringRef::npos) {
    StringRef before = text.take_front(at);
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return SourceProblem{unsigned(before.count('\n')) + 1,
                         unsigned(at - lineStart) + 1,
                         "'iterator_types' must be a list of strings"};
  }
  return NestingScan(text).run();
}
