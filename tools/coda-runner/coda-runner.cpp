//===- coda-runner.cpp - Runs functions, and compares forms of them -------===//

#include "Comparison.h"
#include "DataGenerator.h"
#include "Executor.h"
#include "Options.h"

#include "coda/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace coda::runner;

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coda-runner") << message << '\n';
  return failure();
}

static OwningOpRef<ModuleOp> parse(const std::string &path,
                                   MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    (void)fail(message);
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  return parseSourceFile<ModuleOp>(sources, &context);
}

/// The function called `name`, or the first public one that has a body.
static func::FuncOp findFunction(ModuleOp module, StringRef name) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() &&
        (name.empty() ? function.isPublic() : function.getName() == name))
      return function;
  (void)fail(name.empty()
                 ? Twine("the module has no public func.func with a body")
                 : "the module has no func.func '" + name + "' with a body");
  return {};
}

/// Decides where the function runs, and says so where the user left it open.
static FailureOr<Backend> chooseBackend(const Options &options) {
  if (options.backend == Backend::cpu)
    return Backend::cpu;
  std::string reason;
  GpuState state = checkGpu(options.chip, reason);
  if (state == GpuState::noChip)
    return fail("--chip: " + reason);
  if (options.backend == Backend::gpu) {
    if (state != GpuState::usable)
      return fail("--backend=gpu: " + reason);
    return Backend::gpu;
  }
  if (state == GpuState::usable) {
    llvm::outs() << "backend: GPU (it runs " << options.chip << ")\n";
    return Backend::gpu;
  }
  llvm::outs() << "backend: CPU (" << reason << ")\n";
  return Backend::cpu;
}

/// Runs `function` of a copy of `module`, after `pipeline` where one is given,
/// on a copy of the arguments. Memref arguments count as results, after those
/// that are returned.
static LogicalResult run(Executor &executor, ModuleOp module,
                         StringRef function, StringRef pipeline,
                         ArrayRef<HostArray> arguments,
                         SmallVectorImpl<HostArray> &results) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FunctionType type = findFunction(*copy, function).getFunctionType();
  if (!pipeline.empty()) {
    PassManager manager(module.getContext());
    std::string message;
    llvm::raw_string_ostream os(message);
    FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
    if (failed(parsed))
      return fail("--compare-pipeline: " + message);
    if (parsed->getOpAnchorName() != ModuleOp::getOperationName())
      return fail(
          "--compare-pipeline: expected 'builtin.module(...)', but got '" +
          pipeline + "'");
    static_cast<OpPassManager &>(manager) = std::move(*parsed);
    if (failed(manager.run(*copy)))
      return failure();
  }
  // Arguments that share a buffer share the copy too.
  DenseMap<char *, HostArray> clones;
  SmallVector<HostArray> cloned;
  for (const HostArray &argument : arguments)
    cloned.push_back(
        clones.try_emplace(argument.data(), argument.clone()).first->second);
  if (failed(executor.run(*copy, function, type, cloned, results)))
    return failure();
  for (const HostArray &argument : cloned)
    if (isa<MemRefType>(argument.getType()))
      results.push_back(argument);
  return success();
}

static std::string getResultName(size_t i, size_t returned) {
  return i < returned ? "result #" + std::to_string(i)
                      : "memref argument #" + std::to_string(i - returned);
}

static LogicalResult runAll(ModuleOp module, const Options &options) {
  FailureOr<Backend> backend = chooseBackend(options);
  if (failed(backend))
    return failure();
  func::FuncOp function = findFunction(module, options.function);
  if (!function)
    return failure();
  FunctionType type = function.getFunctionType();
  if (!options.compareFunction.empty()) {
    func::FuncOp other = findFunction(module, options.compareFunction);
    if (!other)
      return failure();
    if (other.getFunctionType() != type)
      return other.emitError("must have the type of the function it is "
                             "compared with, ")
             << type << ", but has " << other.getFunctionType();
  }
  auto arguments = generateArguments(type.getInputs(), options.data);
  if (!arguments)
    return fail(llvm::toString(arguments.takeError()));

  // With a comparison the first form is the reference, which the CPU computes.
  // The GPU takes fused forms only.
  std::unique_ptr<Executor> cpu = createCpuExecutor();
  std::unique_ptr<Executor> gpu;
  StringRef fusion;
  if (*backend == Backend::gpu) {
    gpu = createGpuExecutor(options.chip);
    fusion = "builtin.module(coda-fusion)";
  }
  bool firstOnGpu = gpu && !options.compare;
  SmallVector<HostArray> expected, actual;
  if (failed(run(firstOnGpu ? *gpu : *cpu, module, function.getName(),
                 firstOnGpu ? fusion : StringRef(), *arguments, expected)))
    return failure();
  for (auto [i, result] : llvm::enumerate(expected))
    print(llvm::outs(), getResultName(i, type.getNumResults()), result,
          options.print);
  if (!options.compare)
    return success();
  bool byFunction = !options.compareFunction.empty();
  if (failed(run(gpu ? *gpu : *cpu, module,
                 byFunction ? StringRef(options.compareFunction)
                            : function.getName(),
                 byFunction ? fusion : StringRef(options.comparePipeline),
                 *arguments, actual)))
    return failure();
  bool same = true;
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(expected, actual)))
    same &= compare(llvm::outs(),
                    "compare " + getResultName(i, type.getNumResults()),
                    std::get<0>(pair), std::get<1>(pair), options.comparison);
  llvm::outs() << (same ? "PASS\n" : "FAIL\n");
  return success(same);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  registerAllPasses();
  coda::registerAllPasses();
  Options options = parseOptions(argc, argv);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  coda::registerAllDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parse(options.input, context);
  return !module || failed(runAll(*module, options));
}
