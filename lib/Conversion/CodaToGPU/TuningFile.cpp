//===- TuningFile.cpp - Schedules that somebody measured ------------------===//

#include "TuningFile.h"

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace coda;

bool SizeRange::contains(int64_t size) const {
  if (isAny)
    return true;
  if (ShapedType::isDynamic(size))
    return isUnknown;
  return !isUnknown && low <= size && size <= high;
}

bool TuningEntry::matches(GemmOp gemm, StringRef forChip) const {
  if (chip && *chip != forChip)
    return false;
  if (inputType && inputType != gemm.getInputElementType())
    return false;
  if ((lhs && lhs != gemm.getLhsDims()) || (rhs && rhs != gemm.getRhsDims()))
    return false;
  if (rhsCount && *rhsCount != static_cast<int64_t>(gemm.getRhs().size()))
    return false;
  auto elementType = [](Value out) {
    return cast<ShapedType>(out.getType()).getElementType();
  };
  if (outTypes &&
      !llvm::equal(*outTypes, llvm::map_range(gemm.getOuts(), elementType)))
    return false;
  return m.contains(gemm.getStaticM()) && n.contains(gemm.getStaticN()) &&
         k.contains(gemm.getStaticK());
}

const TuningEntry *TuningFile::find(GemmOp gemm, StringRef chip) const {
  auto it = llvm::find_if(entries, [&](const TuningEntry &entry) {
    return entry.matches(gemm, chip);
  });
  return it == entries.end() ? nullptr : &*it;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads one file. The first error is emitted, and names the place.
class Reader {
public:
  Reader(MLIRContext *context, StringRef path) : context(context), path(path) {}
  FailureOr<TuningFile> read();

private:
  LogicalResult readEntry(const llvm::json::Value &value, TuningEntry &entry);
  LogicalResult readMember(StringRef name, const llvm::json::Value &value,
                           TuningEntry &entry);
  LogicalResult readSize(const llvm::json::Value &value, SizeRange &range);
  LogicalResult readDims(const llvm::json::Value &value, DimsAttr &dims);
  LogicalResult readType(const llvm::json::Value &value, Type &type);
  LogicalResult readSchedule(const llvm::json::Value &value,
                             ScheduleAttr &schedule);
  /// Emits an error at the current place.
  LogicalResult fail(const Twine &message) {
    return emitError(UnknownLoc::get(context))
           << "tuning file '" << path << "': " << place << message;
  }
  LogicalResult expected(StringRef what, const llvm::json::Value &value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return fail("expected " + what + ", but got " + text);
  }

  MLIRContext *context;
  StringRef path;
  std::string place;
};
} // namespace

LogicalResult Reader::readSize(const llvm::json::Value &value,
                               SizeRange &range) {
  constexpr StringLiteral what =
      "a size, [low, high] with null for no limit, or \"?\"";
  range.isAny = false;
  if (value.getAsString() == StringRef("?")) {
    range.isUnknown = true;
    return success();
  }
  if (std::optional<int64_t> size = value.getAsInteger()) {
    range.low = range.high = *size;
    return success();
  }
  const llvm::json::Array *limits = value.getAsArray();
  if (!limits || limits->size() != 2)
    return expected(what, value);
  auto readLimit = [&](size_t i, int64_t &limit) {
    std::optional<int64_t> given = (*limits)[i].getAsInteger();
    if (given)
      limit = *given;
    return given || (*limits)[i].getAsNull();
  };
  if (!readLimit(0, range.low) || !readLimit(1, range.high))
    return expected(what, value);
  if (range.low > range.high)
    return fail("no size is from " + Twine(range.low) + " to " +
                Twine(range.high));
  return success();
}

LogicalResult Reader::readDims(const llvm::json::Value &value, DimsAttr &dims) {
  SmallVector<Dim> list;
  for (char letter : value.getAsString().value_or("")) {
    std::optional<Dim> dim = symbolizeDim(StringRef(&letter, 1));
    if (!dim)
      break;
    list.push_back(*dim);
  }
  if (list.size() != 2 || list.size() != value.getAsString()->size() ||
      list[0] == list[1])
    return expected("two of m, n and k, outermost first, as \"nk\"", value);
  dims = DimsAttr::get(context, list);
  return success();
}

LogicalResult Reader::readType(const llvm::json::Value &value, Type &type) {
  std::optional<StringRef> name = value.getAsString();
  if (name) {
    // The parser's own message has no place in the file.
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
    type = parseType(*name, context);
  }
  if (!type || !(type.isIntOrFloat() || type.isIndex()))
    return expected("an element type, as \"bf16\"", value);
  return success();
}

LogicalResult Reader::readSchedule(const llvm::json::Value &value,
                                   ScheduleAttr &schedule) {
  std::optional<StringRef> text = value.getAsString();
  if (!text)
    return expected("a schedule, as \"#coda.schedule<kernel = simple, ...>\"",
                    value);
  std::string message;
  Attribute attribute;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
    });
    attribute = parseAttribute(*text, context);
  }
  if (!attribute)
    return fail("'" + *text + "' is no schedule: " + message);
  schedule = dyn_cast<ScheduleAttr>(attribute);
  if (!schedule)
    return fail("'" + *text + "' is no schedule, but another attribute");
  return success();
}

LogicalResult Reader::readMember(StringRef name, const llvm::json::Value &value,
                                 TuningEntry &entry) {
  if (name == "name")
    return value.getAsString() ? success() : expected("a string", value);
  if (name == "chip") {
    if (std::optional<StringRef> chip = value.getAsString())
      entry.chip = chip->str();
    // A chip that is never asked for would hide an entry.
    if (!entry.chip || !getChipFeatures(*entry.chip))
      return expected(kSupportedChips, value);
    return success();
  }
  if (name == "inputs")
    return readType(value, entry.inputType);
  if (name == "lhs")
    return readDims(value, entry.lhs);
  if (name == "rhs")
    return readDims(value, entry.rhs);
  if (name == "rhs_count") {
    entry.rhsCount = value.getAsInteger();
    if (!entry.rhsCount || *entry.rhsCount < 1)
      return expected("a number above 0", value);
    return success();
  }
  if (name == "outs") {
    const llvm::json::Array *types = value.getAsArray();
    if (!types)
      return expected("a list of element types", value);
    entry.outTypes.emplace();
    for (const llvm::json::Value &type : *types)
      if (failed(readType(type, entry.outTypes->emplace_back())))
        return failure();
    return success();
  }
  if (name == "m")
    return readSize(value, entry.m);
  if (name == "n")
    return readSize(value, entry.n);
  if (name == "k")
    return readSize(value, entry.k);
  if (name == "schedule")
    return readSchedule(value, entry.schedule);
  return fail("unknown member; expected name, chip, inputs, lhs, rhs, "
              "rhs_count, outs, m, n, k or schedule");
}

LogicalResult Reader::readEntry(const llvm::json::Value &value,
                                TuningEntry &entry) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return expected("an object", value);
  if (std::optional<StringRef> name = object->getString("name"))
    entry.label += " ('" + name->str() + "')";
  // In the order of their names, so that the first error is always the same.
  SmallVector<const llvm::json::Object::value_type *> members;
  for (const auto &member : *object)
    members.push_back(&member);
  llvm::sort(members, [](const auto *a, const auto *b) {
    return StringRef(a->first) < StringRef(b->first);
  });
  for (const auto *member : members) {
    place = entry.label + ": " + member->first.str() + ": ";
    if (failed(readMember(member->first, member->second, entry)))
      return failure();
  }
  place = entry.label + ": ";
  if (!entry.schedule)
    return fail("it has no schedule");
  return success();
}

FailureOr<TuningFile> Reader::read() {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail("cannot be read: " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return fail("not JSON: " + llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Array *list =
      object ? object->getArray("entries") : nullptr;
  if (!list || object->size() != 1)
    return fail("expected an object with the one member 'entries', a list");
  TuningFile file;
  file.path = path.str();
  for (auto [i, value] : llvm::enumerate(*list)) {
    TuningEntry &entry = file.entries.emplace_back();
    entry.label = "entry " + std::to_string(i);
    place = entry.label + ": ";
    if (failed(readEntry(value, entry)))
      return failure();
  }
  return file;
}

FailureOr<TuningFile> TuningFile::read(MLIRContext *context, StringRef path) {
  return Reader(context, path).read();
}
