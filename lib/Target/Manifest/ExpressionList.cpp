//===- ExpressionList.cpp - Integer expressions of a manifest -------------===//

#include "FunctionPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coda;

static std::string integerType(unsigned width) {
  return "i" + std::to_string(width);
}

const char *coda::getManifestTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return "i1";
    case 8:
      return "i8";
    case 16:
      return "i16";
    case 32:
      return "i32";
    case 64:
      return "i64";
    default:
      return nullptr;
    }
  }
  if (type.isIndex())
    return "i64";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  if (isa<Float8E4M3FNType>(type))
    return "f8E4M3FN";
  if (isa<Float8E5M2Type>(type))
    return "f8E5M2";
  return nullptr;
}

int64_t ExpressionList::append(llvm::json::Object entry) {
  std::string key;
  llvm::raw_string_ostream(key) << llvm::json::Value(llvm::json::Object(entry));
  auto [it, isNew] = known.try_emplace(key, entries.size());
  if (isNew) {
    entries.push_back(std::move(entry));
    pointers.emplace_back();
  }
  return it->second;
}

int64_t ExpressionList::constant(int64_t value, unsigned width) {
  llvm::json::Object entry{{"op", "constant"}, {"type", integerType(width)}};
  // What a double cannot hold goes as a string: most JSON readers have doubles.
  constexpr int64_t exact = int64_t(1) << 53;
  if (value > exact || value < -exact)
    entry["value"] = std::to_string(value);
  else
    entry["value"] = value;
  int64_t number = append(std::move(entry));
  constants[number] = value;
  return number;
}

int64_t ExpressionList::leaf(StringRef op, llvm::json::Object fields) {
  fields["op"] = op;
  fields["type"] = "i64";
  return append(std::move(fields));
}

int64_t ExpressionList::pointer(int64_t argument) {
  int64_t number = leaf("pointer", llvm::json::Object{{"argument", argument}});
  pointers[number].assign(1, argument);
  return number;
}

int64_t ExpressionList::moduleConstant(StringRef symbol, int64_t bytes) {
  int64_t number =
      leaf("module_constant",
           llvm::json::Object{{"symbol", symbol}, {"bytes", bytes}});
  pointers[number].assign(1, kConstant);
  return number;
}

int64_t ExpressionList::scalarArgument(int64_t argument, unsigned width) {
  return append(llvm::json::Object{
      {"op", "scalar"}, {"type", integerType(width)}, {"argument", argument}});
}

int64_t ExpressionList::apply(StringRef op, ArrayRef<int64_t> operands,
                              unsigned width, StringRef predicate) {
  llvm::json::Object entry{{"op", op},
                           {"type", integerType(width)},
                           {"operands", llvm::json::Array(operands)}};
  if (!predicate.empty())
    entry["predicate"] = predicate;
  int64_t number = append(std::move(entry));
  for (int64_t operand : operands)
    for (int64_t argument : pointers[operand])
      if (!llvm::is_contained(pointers[number], argument))
        pointers[number].push_back(argument);
  return number;
}

std::optional<int64_t> ExpressionList::asConstant(int64_t number) const {
  auto it = constants.find(number);
  if (it == constants.end())
    return std::nullopt;
  return it->second;
}

int64_t ExpressionList::multiply(int64_t a, int64_t b) {
  if (asConstant(a) == 1 || asConstant(b) == 0)
    return b;
  if (asConstant(b) == 1 || asConstant(a) == 0)
    return a;
  return apply("muli", {a, b});
}

int64_t ExpressionList::add(int64_t a, int64_t b) {
  if (asConstant(a) == 0)
    return b;
  if (asConstant(b) == 0)
    return a;
  return apply("addi", {a, b});
}
