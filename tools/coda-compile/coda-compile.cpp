//===- coda-compile.cpp - From MLIR to PTX and a manifest -----------------===//
//
// Runs the pipelines by their builders, level by level, so that each level can
// be printed and the manifest be written while the kernels are still IR.
//
//===----------------------------------------------------------------------===//

#include "coda/InitAll.h"
#include "coda/Pipelines/Pipelines.h"
#include "coda/Target/Levels.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using coda::Level;
namespace cl = llvm::cl;

/// One more than the levels: the PTX assembled.
static constexpr Level kCubin =
    static_cast<Level>(static_cast<unsigned>(Level::host) + 1);

namespace {
struct Options {
  cl::OptionCategory category{"coda-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input .mlir or ->"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<std::string> manifest{
      "manifest",
      cl::desc("Where the manifest goes; by default beside the PTX or cubin, "
               "with the extension .json"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> chip{"chip", cl::desc("GPU to compile for"),
                            cl::init("sm_90a"), cl::cat(category)};
  cl::opt<std::string> tuningFile{
      "tuning-file",
      cl::desc("JSON with schedules for some gemms; docs/tuning.md"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> absorbPartials{
      "absorb-partials",
      cl::desc("Epilogues combine partial results that they alone read; off "
               "for measurements"),
      cl::init(true), cl::cat(category)};
  cl::opt<Level> emit{"emit",
                      cl::desc("What to write; the manifest goes beside PTX or "
                               "a cubin"),
                      cl::init(Level::ptx), cl::cat(category)};

  Options() {
    for (auto [i, level] : llvm::enumerate(coda::getLevelInfos()))
      emit.getParser().addLiteralOption(level.name, static_cast<Level>(i),
                                        level.description);
    emit.getParser().addLiteralOption("cubin", kCubin, "a cubin (needs ptxas)");
  }
};

/// One run of the tool.
class Compilation {
public:
  Compilation(const Options &options, ModuleOp module, TimingScope &timing)
      : options(options), module(module), timing(timing) {}
  LogicalResult run();

private:
  LogicalResult lower(StringRef name,
                      function_ref<void(OpPassManager &)> build);
  LogicalResult write(StringRef path, StringRef text);
  FailureOr<std::string> assemble(StringRef ptx);
  LogicalResult fail(const Twine &message) {
    llvm::errs() << "coda-compile: error: " << message << "\n";
    return failure();
  }

  const Options &options;
  ModuleOp module;
  TimingScope &timing;
};
} // namespace

LogicalResult Compilation::lower(StringRef name,
                                 function_ref<void(OpPassManager &)> build) {
  TimingScope scope = timing.nest(name);
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  manager.enableTiming(scope);
  build(manager);
  return manager.run(module);
}

LogicalResult Compilation::write(StringRef path, StringRef text) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file)
    return fail(error);
  file->os() << text;
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    file->os().clear_error();
    return fail("cannot write '" + path + "': " + code.message());
  }
  file->keep();
  return success();
}

FailureOr<std::string> Compilation::assemble(StringRef ptx) {
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    return fail("--emit=cubin needs ptxas, which is not in PATH; --emit=ptx "
                "does without");
  SmallString<128> source, binary, log;
  std::error_code code =
      llvm::sys::fs::createTemporaryFile("coda", "ptx", source);
  if (!code)
    code = llvm::sys::fs::createTemporaryFile("coda", "cubin", binary);
  if (!code)
    code = llvm::sys::fs::createTemporaryFile("coda", "log", log);
  if (code)
    return fail("cannot make a temporary file: " + code.message());
  llvm::FileRemover removeSource(source), removeBinary(binary), removeLog(log);
  if (failed(write(source, ptx)))
    return failure();
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string arch = "-arch=" + options.chip;
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      *ptxas, {*ptxas, arch, source, "-o", binary}, std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status) {
    auto text = llvm::MemoryBuffer::getFile(log);
    return fail("ptxas failed: " +
                (text ? (*text)->getBuffer() : StringRef(message)));
  }
  auto cubin = llvm::MemoryBuffer::getFile(binary, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return fail("cannot read what ptxas wrote: " + cubin.getError().message());
  return (*cubin)->getBuffer().str();
}

LogicalResult Compilation::run() {
  Level level = options.emit;
  bool hasManifest = level == Level::ptx || level == kCubin;
  // PTX on standard output has no place beside it.
  std::string manifestPath = options.manifest;
  if (manifestPath.empty() && options.output != "-") {
    SmallString<128> path(options.output.getValue());
    llvm::sys::path::replace_extension(path, "json");
    manifestPath = path.str().str();
  }
  if (hasManifest && manifestPath == options.output.getValue())
    return fail("the manifest and the output are both '" + manifestPath + "'");
  coda::LevelSet wanted;
  if (hasManifest)
    wanted = {Level::manifest, Level::ptx};
  else
    wanted = {level};
  coda::ToPtxOptions lowering;
  lowering.chip = options.chip.getValue();
  lowering.tuningFile = options.tuningFile.getValue();
  lowering.absorbPartials = options.absorbPartials.getValue();
  std::string output, manifest;
  if (failed(coda::compileToLevels(
          module, wanted, coda::FusionOptions(), lowering,
          [&](StringRef name, function_ref<void(OpPassManager &)> build) {
            return lower(name, build);
          },
          [&](Level made, std::string text) {
            bool isBeside = hasManifest && made == Level::manifest;
            (isBeside ? manifest : output) = std::move(text);
          })))
    return failure();
  if (level == kCubin && !output.empty()) {
    FailureOr<std::string> cubin = assemble(output);
    if (failed(cubin))
      return failure();
    output = *cubin;
  }
  if (failed(write(options.output, output)))
    return failure();
  if (!hasManifest || manifestPath.empty())
    return success();
  return write(manifestPath, manifest);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  Options options;
  registerPassManagerCLOptions();
  registerMLIRContextCLOptions();
  registerAsmPrinterCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles linalg or coda IR to PTX and a "
                              "manifest that says how to launch it\n");
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openInputFile(options.input, &error);
  if (!file) {
    llvm::errs() << "coda-compile: error: " << error << "\n";
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  coda::registerAllDialects(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);

  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  OwningOpRef<ModuleOp> module;
  {
    TimingScope scope = timing.nest("Parser");
    ParserConfig config(&context);
    module = parseSourceFile<ModuleOp>(sources, config);
  }
  if (!module)
    return 1;
  return failed(Compilation(options, *module, timing).run());
}
