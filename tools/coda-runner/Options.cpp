//===- Options.cpp - Command line of coda-runner --------------------------===//

#include "Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace coda::runner;
namespace cl = llvm::cl;

[[noreturn]] static void fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coda-runner") << message << '\n';
  std::exit(1);
}

/// Reads `text` as a list of numbers between `separator`s.
static llvm::SmallVector<int64_t>
parseNumbers(llvm::StringRef option, llvm::StringRef text, char separator) {
  llvm::SmallVector<int64_t> numbers;
  llvm::SmallVector<llvm::StringRef> parts;
  if (!text.empty())
    text.split(parts, separator);
  for (llvm::StringRef part : parts)
    if (part.getAsInteger(10, numbers.emplace_back()) || numbers.back() < 0)
      fail(llvm::Twine(option) + ": expected a number, but got '" + part + "'");
  return numbers;
}

Options coda::runner::parseOptions(int argc, char **argv) {
  cl::OptionCategory category("coda-runner options");
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category));
  cl::opt<std::string> function(
      "function", cl::desc("Function to run; the first public one by default"),
      cl::cat(category));
  cl::opt<Backend> backend(
      "backend", cl::desc("Where it runs"), cl::init(Backend::automatic),
      cl::values(clEnumValN(Backend::automatic, "auto",
                            "GPU where there is one, else CPU"),
                 clEnumValN(Backend::cpu, "cpu", "through coda-to-cpu"),
                 clEnumValN(Backend::gpu, "gpu",
                            "through coda-to-ptx; what is compared with runs "
                            "on the CPU")),
      cl::cat(category));
  cl::opt<std::string> chip("chip", cl::desc("GPU to compile for"),
                            cl::init("sm_90a"), cl::cat(category));
  cl::opt<bool> print("print", cl::desc("Print every element of the results"),
                      cl::cat(category));

  cl::opt<DataKind> kind(
      "data", cl::desc("Data of floating-point arguments"),
      cl::init(DataKind::random),
      cl::values(
          clEnumValN(DataKind::random, "random", "uniform in [-1, 1)"),
          clEnumValN(DataKind::nan, "nan", "with some NaN"),
          clEnumValN(DataKind::inf, "inf", "with some infinities"),
          clEnumValN(DataKind::special, "special",
                     "with zeros, infinities, NaN, denormals and the largest "
                     "numbers")),
      cl::cat(category));
  cl::opt<uint64_t> seed("seed", cl::desc("Seed of the data"), cl::init(0),
                         cl::cat(category));
  cl::opt<int64_t> intMax("int-max",
                          cl::desc("Integer arguments are in [0, int-max]"),
                          cl::init(7), cl::cat(category));
  cl::opt<int64_t> dynamicSize(
      "dynamic-size", cl::desc("Size of dimensions that a type does not give"),
      cl::init(16), cl::cat(category));
  cl::list<std::string> shapes(
      "arg-shape", cl::desc("Sizes of one argument, as in 0:3x5"),
      cl::value_desc("number:sizes"), cl::cat(category));
  cl::list<std::string> aliases(
      "alias", cl::desc("Two arguments of one buffer, as in 0:2"),
      cl::value_desc("number:number"), cl::cat(category));

  cl::opt<bool> compare("compare",
                        cl::desc("Run a second form too and compare results"),
                        cl::cat(category));
  cl::opt<std::string> comparePipeline(
      "compare-pipeline",
      cl::desc("Passes that make the second form from the module"),
      cl::init("builtin.module(coda-fusion)"), cl::cat(category));
  cl::opt<std::string> compareFunction(
      "compare-function",
      cl::desc("The second form is this function of the module"),
      cl::cat(category));
  cl::opt<bool> exact("exact", cl::desc("Results have the same bits"),
                      cl::cat(category));
  cl::opt<double> tolerance("tolerance",
                            cl::desc("Relative tolerance for every result"),
                            cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a function of an MLIR module on generated data, and compares it "
      "with another form of it\n");

  Options options;
  options.input = input;
  options.function = function;
  options.backend = backend;
  options.chip = chip;
  options.print = print;
  options.compare = compare || !compareFunction.empty() ||
                    comparePipeline.getNumOccurrences();
  options.comparePipeline = comparePipeline;
  options.compareFunction = compareFunction;
  options.comparison.exact = exact;
  if (tolerance.getNumOccurrences())
    options.comparison.tolerance = tolerance;
  options.data.kind = kind;
  options.data.seed = seed;
  options.data.intMax = intMax;
  options.data.dynamicSize = dynamicSize;
  if (intMax < 0)
    fail("--int-max: expected a number that is not negative, but got " +
         llvm::Twine(intMax));
  if (dynamicSize < 0)
    fail("--dynamic-size: expected a number that is not negative, but got " +
         llvm::Twine(dynamicSize));
  for (llvm::StringRef text : shapes) {
    auto [number, sizes] = text.split(':');
    auto parsed = parseNumbers("--arg-shape", number, ':');
    if (parsed.size() != 1)
      fail("--arg-shape: expected number:sizes, but got '" + text + "'");
    options.data.shapes[parsed.front()] =
        parseNumbers("--arg-shape", sizes, 'x');
  }
  for (llvm::StringRef text : aliases) {
    auto parsed = parseNumbers("--alias", text, ':');
    if (parsed.size() != 2)
      fail("--alias: expected number:number, but got '" + text + "'");
    options.data.aliases.emplace_back(parsed[0], parsed[1]);
  }
  return options;
}
