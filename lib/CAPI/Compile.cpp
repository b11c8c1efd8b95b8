//===- Compile.cpp - From text to PTX and a manifest ----------------------===//

#include "coda-c/Compile.h"

#include "SourceCheck.h"
#include "Support.h"
#include "coda/InitAll.h"
#include "coda/Pipelines/Pipelines.h"
#include "coda/Target/Levels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <mutex>
#include <vector>

using namespace mlir;
using namespace coda;
using namespace coda::capi;

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

namespace {
/// A diagnostic that owns its strings.
struct Message {
  Message(int32_t severity, std::string text = "")
      : severity(severity), text(std::move(text)) {}
  /// The first place in a file that a fused or named location knows.
  void locate(Location loc) {
    auto place = loc->findInstanceOf<FileLineColLoc>();
    if (!place)
      return;
    file = place.getFilename().str();
    line = place.getLine();
    column = place.getColumn();
  }

  int32_t severity;
  unsigned line = 0, column = 0;
  std::string file, text, kind, name;
};
} // namespace

struct CodaCompileResult {
  std::map<std::string, std::string> texts;
  std::vector<Message> messages;
  std::string report;
};

static StringRef getSeverityName(int32_t severity) {
  switch (severity) {
  case CODA_SEVERITY_ERROR:
    return "error";
  case CODA_SEVERITY_WARNING:
    return "warning";
  case CODA_SEVERITY_NOTE:
    return "note";
  default:
    return "remark";
  }
}

static void writeReport(CodaCompileResult &result) {
  llvm::raw_string_ostream os(result.report);
  for (const Message &message : result.messages) {
    if (message.severity == CODA_SEVERITY_REMARK)
      continue;
    if (!message.file.empty())
      os << message.file << ":" << message.line << ":" << message.column
         << ": ";
    os << getSeverityName(message.severity) << ": " << message.text << "\n";
  }
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// The options of the call itself; the pipelines have their own.
struct CallOptions : PassPipelineOptions<CallOptions> {
  ListOption<std::string> emit{*this, "emit", llvm::cl::desc("Texts to keep")};
  Option<std::string> remarks{
      *this, "remarks", llvm::cl::desc("Categories of remarks to collect"),
      llvm::cl::init("")};
  Option<std::string> sourceName{*this, "source-name",
                                 llvm::cl::desc("File that locations name"),
                                 llvm::cl::init("<source>")};
  Option<bool> threads{*this, "threads",
                       llvm::cl::desc("Let MLIR use threads of its own"),
                       llvm::cl::init(true)};
};
} // namespace

//===----------------------------------------------------------------------===//
// A compilation
//===----------------------------------------------------------------------===//

namespace {
/// Takes remarks into the result. Passes may give them from several threads.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkCollector(std::vector<Message> &remarks) : remarks(remarks) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::mutex mutex;
  std::vector<Message> &remarks;
};

class Compilation {
public:
  Compilation(CodaCompileResult &result) : result(result) {}
  int32_t run(StringRef source, const char *optionText);

private:
  int32_t refuse(const Twine &message);
  LogicalResult readOptions(StringRef text, std::string &message);
  LogicalResult compile(StringRef source);
  LogicalResult lower(ModuleOp module);

  CodaCompileResult &result;
  OptionsByName<FusionOptions> fusion;
  OptionsByName<ToPtxOptions> lowering;
  OptionsByName<CallOptions> options;
  LevelSet levels;
};
} // namespace

void RemarkCollector::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  Message message(CODA_SEVERITY_REMARK);
  for (const auto &part : remark.getArgs()) {
    bool isText = part.key == "Remark" || part.key == "Reason";
    message.text += message.text.empty()   ? ""
                    : part.key == "Reason" ? ": "
                                           : ", ";
    message.text += isText ? part.val : part.key + "=" + part.val;
  }
  message.name = remark.getRemarkName().str();
  message.kind = StringRef(remark.getRemarkTypeString()).lower();
  message.locate(remark.getLocation());
  std::lock_guard<std::mutex> lock(mutex);
  remarks.push_back(std::move(message));
}

int32_t Compilation::refuse(const Twine &message) {
  setLastError("codaCompile: " + message);
  result.messages.emplace_back(CODA_SEVERITY_ERROR, message.str());
  return CODA_COMPILE_INVALID_ARGUMENT;
}

LogicalResult Compilation::readOptions(StringRef text, std::string &message) {
  if (failed(capi::readOptions(text, {&fusion, &lowering, &options}, message)))
    return failure();
  for (const std::string &name : options.values.emit) {
    std::optional<Level> level = symbolizeLevel(name);
    if (!level) {
      auto names = llvm::map_range(
          getLevelInfos(), [](const LevelInfo &info) { return info.name; });
      message = "option 'emit' cannot be '" + name + "'; there are " +
                llvm::join(names, ", ");
      return failure();
    }
    levels.insert(*level);
  }
  if (options.values.emit.empty())
    levels = {Level::manifest, Level::ptx};
  if (lowering.values.stopAfter != PtxStage::ptx) {
    message = "option 'stop-after' cannot be given; 'emit' says how far to go";
    return failure();
  }
  std::string reason;
  if (!options.values.remarks.empty() &&
      !llvm::Regex(options.values.remarks.getValue()).isValid(reason)) {
    message = "option 'remarks' is no regular expression: " + reason;
    return failure();
  }
  return success();
}

LogicalResult Compilation::lower(ModuleOp module) {
  auto run = [&](StringRef, function_ref<void(OpPassManager &)> build) {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    build(manager);
    return manager.run(module);
  };
  return compileToLevels(module, levels, fusion.values, lowering.values, run,
                         [&](Level level, std::string text) {
                           result.texts[stringifyLevel(level).str()] =
                               std::move(text);
                         });
}

/// Kernels of the caller's own would go to LLVM's code generator unchecked,
/// which ends the process at what it does not know.
static LogicalResult refuseKernels(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (op->getName().getDialectNamespace() != "gpu")
      return WalkResult::advance();
    op->emitOpError("is not taken as input: kernels are made from coda.gemm");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Compilation::compile(StringRef source) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  coda::registerAllDialects(registry);
  MLIRContext context(registry, options.values.threads
                                    ? MLIRContext::Threading::ENABLED
                                    : MLIRContext::Threading::DISABLED);
  // A diagnostic is a line; the text of a level shows the op.
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    static constexpr int32_t severities[] = {
        CODA_SEVERITY_NOTE, CODA_SEVERITY_WARNING, CODA_SEVERITY_ERROR,
        CODA_SEVERITY_REMARK};
    auto add = [&](Diagnostic &part) {
      result.messages.emplace_back(severities[unsigned(part.getSeverity())],
                                   part.str());
      result.messages.back().locate(part.getLocation());
    };
    add(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      add(note);
    return success();
  });
  std::vector<Message> remarks;
  if (!options.values.remarks.empty()) {
    remark::RemarkCategories categories;
    // `all` is joined to the others, and nothing by itself.
    categories.passed = categories.missed = categories.analysis =
        categories.failed = options.values.remarks.getValue();
    if (failed(remark::enableOptimizationRemarks(
            context, std::make_unique<RemarkCollector>(remarks),
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
      return emitError(UnknownLoc::get(&context))
             << "remarks of '" << options.values.remarks.getValue()
             << "' cannot be collected";
  }

  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source, options.values.sourceName),
      llvm::SMLoc());
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  LogicalResult status = success(module && succeeded(refuseKernels(*module)) &&
                                 succeeded(lower(*module)));
  // Threads finish in any order.
  llvm::sort(remarks, [](const Message &a, const Message &b) {
    return std::tie(a.file, a.line, a.column, a.name, a.text) <
           std::tie(b.file, b.line, b.column, b.name, b.text);
  });
  std::move(remarks.begin(), remarks.end(),
            std::back_inserter(result.messages));
  return status;
}

int32_t Compilation::run(StringRef source, const char *optionText) {
  std::string message;
  if (!source.data())
    return refuse("'source' is null");
  if (optionText && failed(readOptions(optionText, message)))
    return refuse("'options': " + message);
  if (!optionText && failed(readOptions("", message)))
    return refuse(message);
  if (std::optional<SourceProblem> problem = findSourceProblem(source)) {
    Message &message =
        result.messages.emplace_back(CODA_SEVERITY_ERROR, problem->message);
    message.file = options.values.sourceName;
    message.line = problem->line;
    message.column = problem->column;
  } else if (succeeded(compile(source))) {
    return CODA_COMPILE_OK;
  }
  bool hasError = llvm::any_of(result.messages, [](const Message &message) {
    return message.severity == CODA_SEVERITY_ERROR;
  });
  if (!hasError)
    result.messages.emplace_back(CODA_SEVERITY_ERROR,
                                 "a pass failed and gave no reason");
  for (const Message &message : result.messages)
    if (message.severity == CODA_SEVERITY_ERROR) {
      setLastError("codaCompile: " + message.text);
      break;
    }
  return CODA_COMPILE_FAILED;
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

extern "C" int32_t codaCompile(const char *source, size_t sourceLength,
                               const char *options,
                               CodaCompileResult **result) {
  if (!result) {
    setLastError("codaCompile: 'result' is null");
    return CODA_COMPILE_INVALID_ARGUMENT;
  }
  *result = new CodaCompileResult;
  int32_t status =
      Compilation(**result).run(StringRef(source, sourceLength), options);
  writeReport(**result);
  return status;
}

extern "C" void codaCompileResultDestroy(CodaCompileResult *result) {
  delete result;
}

extern "C" const char *codaCompileResultGetText(const CodaCompileResult *result,
                                                const char *level,
                                                size_t *length) {
  if (length)
    *length = 0;
  if (!result || !level) {
    setLastError(Twine("codaCompileResultGetText: '") +
                 (result ? "level" : "result") + "' is null");
    return nullptr;
  }
  auto text = result->texts.find(level);
  if (text == result->texts.end()) {
    setLastError("codaCompileResultGetText: there is no text of level '" +
                 Twine(level) + "'");
    return nullptr;
  }
  if (length)
    *length = text->second.size();
  return text->second.c_str();
}

extern "C" intptr_t
codaCompileResultGetNumDiagnostics(const CodaCompileResult *result) {
  return result ? intptr_t(result->messages.size()) : 0;
}

extern "C" bool codaCompileResultGetDiagnostic(const CodaCompileResult *result,
                                               intptr_t index,
                                               CodaDiagnostic *diagnostic) {
  if (!result || !diagnostic) {
    setLastError(Twine("codaCompileResultGetDiagnostic: '") +
                 (result ? "diagnostic" : "result") + "' is null");
    return false;
  }
  if (index < 0 || size_t(index) >= result->messages.size()) {
    setLastError("codaCompileResultGetDiagnostic: 'index' is " + Twine(index) +
                 ", but there are " + Twine(result->messages.size()));
    return false;
  }
  const Message &message = result->messages[index];
  *diagnostic = {message.severity,     message.line,
                 message.column,       message.file.c_str(),
                 message.text.c_str(), message.kind.c_str(),
                 message.name.c_str()};
  return true;
}

extern "C" const char *
codaCompileResultGetMessages(const CodaCompileResult *result) {
  return result ? result->report.c_str() : "";
}
