//===- CpuExecutor.cpp - Runs a function by coda-to-cpu and the JIT -------===//

#include "Executor.h"

#include "coda/Pipelines/Pipelines.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <set>

using namespace mlir;
using namespace coda;
using namespace coda::runner;

//===----------------------------------------------------------------------===//
// Memref descriptors
//===----------------------------------------------------------------------===//

/// Words of a descriptor: two pointers, the offset, sizes, strides.
static size_t getDescriptorWords(size_t rank) { return 3 + 2 * rank; }

static std::vector<int64_t> makeDescriptor(const HostArray &array) {
  ArrayRef<int64_t> shape = array.getShape();
  std::vector<int64_t> words(getDescriptorWords(shape.size()));
  words[0] = words[1] = reinterpret_cast<int64_t>(array.data());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    words[3 + i] = shape[i];
    words[3 + shape.size() + i] = stride;
    stride *= shape[i];
  }
  return words;
}

/// Copies what a descriptor describes to a dense array.
static HostArray readDescriptor(Type type, const int64_t *words) {
  size_t rank = cast<ShapedType>(type).getRank();
  ArrayRef<int64_t> shape(words + 3, rank), strides(words + 3 + rank, rank);
  HostArray array(type, shape);
  size_t width = HostArray::getElementBytes(array.getElementType());
  const char *source = reinterpret_cast<const char *>(words[1]);
  SmallVector<int64_t> index(rank, 0);
  for (int64_t i = 0, size = array.size(); i < size; ++i) {
    int64_t offset = words[2];
    for (size_t d = 0; d < rank; ++d)
      offset += index[d] * strides[d];
    std::memcpy(array.data() + i * width, source + offset * width, width);
    for (size_t d = rank; d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return array;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
/// Where the results lie in the struct that the C interface returns.
struct ResultLayout {
  explicit ResultLayout(TypeRange types) {
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      size_t bytes = shaped ? 8 * getDescriptorWords(shaped.getRank())
                            : HostArray::getElementBytes(type);
      size = llvm::alignTo(size, shaped ? 8 : bytes);
      offsets.push_back(size);
      size += bytes;
    }
  }
  SmallVector<size_t> offsets;
  size_t size = 0;
};

class CpuExecutor : public Executor {
public:
  LogicalResult run(ModuleOp module, StringRef function, FunctionType type,
                    ArrayRef<HostArray> arguments,
                    SmallVectorImpl<HostArray> &results) override;

private:
  static LogicalResult checkResults(ModuleOp module, FunctionType type);
  static llvm::Error call(ExecutionEngine &engine, StringRef function,
                          FunctionType type, ArrayRef<HostArray> arguments,
                          SmallVectorImpl<HostArray> &results);
};
} // namespace

LogicalResult CpuExecutor::checkResults(ModuleOp module, FunctionType type) {
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    auto shaped = dyn_cast<ShapedType>(result);
    if ((shaped && !shaped.hasRank()) ||
        !HostArray::getElementBytes(getElementTypeOrSelf(result)))
      return module.emitError() << "result " << i << " has type " << result
                                << ", which cannot be read back";
  }
  return success();
}

llvm::Error CpuExecutor::call(ExecutionEngine &engine, StringRef function,
                              FunctionType type, ArrayRef<HostArray> arguments,
                              SmallVectorImpl<HostArray> &results) {
  // The packed interface takes the address of each argument; those of shaped
  // ones are pointers to descriptors.
  std::vector<std::vector<int64_t>> descriptors(arguments.size());
  std::vector<void *> pointers(arguments.size());
  std::set<int64_t> owned;
  SmallVector<void *> packed;
  ResultLayout layout(type.getResults());
  std::vector<int64_t> storage(layout.size / 8 + 1);
  void *resultPointer = storage.data();
  // A lone scalar is returned by value, anything else through a pointer that
  // comes first.
  bool byValue =
      type.getNumResults() == 1 && !isa<ShapedType>(type.getResult(0));
  if (type.getNumResults() && !byValue)
    packed.push_back(&resultPointer);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (argument.isScalar()) {
      packed.push_back(argument.data());
      continue;
    }
    descriptors[i] = makeDescriptor(argument);
    pointers[i] = descriptors[i].data();
    owned.insert(descriptors[i][0]);
    packed.push_back(&pointers[i]);
  }
  if (byValue)
    packed.push_back(resultPointer);
  if (llvm::Error error =
          engine.invokePacked(("_mlir_ciface_" + function).str(), packed))
    return error;

  for (auto [result, offset] :
       llvm::zip_equal(type.getResults(), layout.offsets)) {
    const char *source = static_cast<const char *>(resultPointer) + offset;
    if (!isa<ShapedType>(result)) {
      results.emplace_back(result, ArrayRef<int64_t>());
      std::memcpy(results.back().data(), source, results.back().getNumBytes());
      continue;
    }
    auto *words = reinterpret_cast<const int64_t *>(source);
    results.push_back(readDescriptor(result, words));
  }
  // A result may be an argument, or the same buffer as another result.
  for (auto [result, offset] :
       llvm::zip_equal(type.getResults(), layout.offsets)) {
    if (!isa<ShapedType>(result))
      continue;
    int64_t allocated = *reinterpret_cast<const int64_t *>(
        static_cast<const char *>(resultPointer) + offset);
    if (allocated != 0xdeadbeef && owned.insert(allocated).second)
      std::free(reinterpret_cast<void *>(allocated));
  }
  return llvm::Error::success();
}

LogicalResult CpuExecutor::run(ModuleOp module, StringRef function,
                               FunctionType type, ArrayRef<HostArray> arguments,
                               SmallVectorImpl<HostArray> &results) {
  if (failed(checkResults(module, type)))
    return failure();
  PassManager manager(module.getContext());
  buildToCpuPipeline(manager, ToCpuOptions());
  if (failed(manager.run(module)))
    return failure();

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions options;
  auto transformer = makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto engine = ExecutionEngine::create(module, options);
  llvm::Error error = engine
                          ? call(**engine, function, type, arguments, results)
                          : engine.takeError();
  if (!error)
    return success();
  return module.emitError("cannot run on the CPU: ")
         << llvm::toString(std::move(error));
}

std::unique_ptr<Executor> coda::runner::createCpuExecutor() {
  return std::make_unique<CpuExecutor>();
}
