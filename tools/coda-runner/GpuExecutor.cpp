//===- GpuExecutor.cpp - Runs a function by coda-to-ptx and the runtime ---===//

#include "Executor.h"

#include "coda/Pipelines/Pipelines.h"
#include "coda/Runtime/coda_runtime.h"
#include "coda/Target/PTX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

#include <cstdio>
#include <cstring>
#include <map>

using namespace mlir;
using namespace coda;
using namespace coda::runner;

/// The runtime's number for an element type, or 0.
static int32_t getRuntimeType(Type type) {
  if (type.isIndex())
    return CODA_I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return CODA_I1;
    case 8:
      return CODA_I8;
    case 16:
      return CODA_I16;
    case 32:
      return CODA_I32;
    case 64:
      return CODA_I64;
    default:
      return 0;
    }
  return isa<Float16Type>(type)        ? CODA_F16
         : isa<BFloat16Type>(type)     ? CODA_BF16
         : isa<Float32Type>(type)      ? CODA_F32
         : isa<Float64Type>(type)      ? CODA_F64
         : isa<Float8E4M3FNType>(type) ? CODA_F8E4M3FN
         : isa<Float8E5M2Type>(type)   ? CODA_F8E5M2
                                       : 0;
}

namespace {
/// A loaded module, and device memory that is freed before it is unloaded.
class Device {
public:
  ~Device() {
    for (void *data : allocated)
      (void)coda_free(module, data, nullptr, nullptr, 0);
    coda_module_unload(module);
  }

  LogicalResult run(const PtxProgram &program, StringRef function,
                    FunctionType type, ArrayRef<HostArray> arguments,
                    SmallVectorImpl<HostArray> &results);
  StringRef getMessage() const { return message; }

private:
  LogicalResult check(coda_status status) { return success(status == CODA_OK); }
  LogicalResult makeArgument(const HostArray &array, coda_value &value);
  LogicalResult readResult(Type type, const coda_result_info &info,
                           const void *source, HostArray &array);

  coda_module *module = nullptr;
  SmallVector<void *> allocated;
  /// Arguments that share a buffer on the host share it on the device.
  std::map<char *, void *> buffers;
  char message[1024] = "";
};

class GpuExecutor : public Executor {
public:
  explicit GpuExecutor(StringRef chip) : chip(chip) {}
  LogicalResult run(ModuleOp module, StringRef function, FunctionType type,
                    ArrayRef<HostArray> arguments,
                    SmallVectorImpl<HostArray> &results) override;

private:
  std::string chip;
};
} // namespace

LogicalResult Device::makeArgument(const HostArray &array, coda_value &value) {
  Type element = array.getElementType();
  value = {};
  value.type = getRuntimeType(element);
  if (array.isScalar()) {
    value.rank = CODA_SCALAR;
    if (isa<FloatType>(element))
      value.u.real = array.get(0);
    else if (element.isInteger(1))
      value.u.integer = array.getBits(0) & 1;
    else
      value.u.integer =
          llvm::SignExtend64(array.getBits(0), array.getNumBytes() * 8);
    return success();
  }
  value.rank = static_cast<int32_t>(array.getShape().size());
  value.shape = array.getShape().data();
  auto [entry, isNew] = buffers.try_emplace(array.data(), nullptr);
  void *&data = entry->second;
  if (isNew) {
    size_t bytes = array.getNumBytes();
    if (failed(check(coda_malloc(module, bytes, &data, nullptr, message,
                                 sizeof message))))
      return failure();
    allocated.push_back(data);
    if (failed(check(coda_copy_to_device(module, data, array.data(), bytes,
                                         nullptr, message, sizeof message))))
      return failure();
  }
  value.u.data = data;
  return success();
}

/// Copies a result, whose strides may be any, to a dense array.
LogicalResult Device::readResult(Type type, const coda_result_info &info,
                                 const void *source, HostArray &array) {
  size_t rank = info.rank;
  ArrayRef<int64_t> shape(info.shape, rank), strides(info.strides, rank);
  array = HostArray(type, shape);
  int64_t size = array.size();
  if (!size)
    return success();
  int64_t last = 0;
  for (size_t d = 0; d < rank; ++d)
    last += (shape[d] - 1) * strides[d];
  size_t width = HostArray::getElementBytes(array.getElementType());
  std::vector<char> bytes((last + 1) * width);
  if (failed(check(coda_copy_to_host(module, bytes.data(), source, bytes.size(),
                                     nullptr, message, sizeof message))))
    return failure();
  SmallVector<int64_t> index(rank, 0);
  for (int64_t i = 0; i < size; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += index[d] * strides[d];
    std::memcpy(array.data() + i * width, bytes.data() + offset * width, width);
    for (size_t d = rank; d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return success();
}

LogicalResult Device::run(const PtxProgram &program, StringRef name,
                          FunctionType type, ArrayRef<HostArray> arguments,
                          SmallVectorImpl<HostArray> &results) {
  const coda_function *function;
  if (failed(check(coda_module_load(
          program.manifest.data(), program.manifest.size(), program.ptx.data(),
          program.ptx.size(), &module, message, sizeof message))) ||
      failed(check(coda_module_find(module, name.str().c_str(), &function,
                                    message, sizeof message))))
    return failure();
  SmallVector<coda_value> values(arguments.size());
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    if (failed(makeArgument(argument, value)))
      return failure();
  // The runtime writes as many results as the function has.
  size_t count = coda_function_result_count(function);
  if (count != type.getNumResults()) {
    std::snprintf(message, sizeof message,
                  "the function has %u results, but the compiled one %zu",
                  type.getNumResults(), count);
    return failure();
  }
  SmallVector<coda_result_info> infos(count);
  SmallVector<void *> addresses(count, nullptr);
  size_t workspace;
  if (failed(check(coda_function_plan(function, values.data(), values.size(),
                                      infos.data(), &workspace, message,
                                      sizeof message))) ||
      failed(check(coda_function_launch(
          function, values.data(), values.size(), addresses.data(),
          /*workspace=*/nullptr, 0, /*stream=*/nullptr, message,
          sizeof message))))
    return failure();
  for (auto [info, address] : llvm::zip_equal(infos, addresses))
    if (info.argument < 0)
      allocated.push_back(address);
  for (auto [result, info, address] :
       llvm::zip_equal(type.getResults(), infos, addresses))
    if (failed(readResult(result, info, address, results.emplace_back())))
      return failure();
  for (const HostArray &argument : arguments)
    if (isa<MemRefType>(argument.getType()) &&
        failed(check(coda_copy_to_host(
            module, argument.data(), buffers[argument.data()],
            argument.getNumBytes(), nullptr, message, sizeof message))))
      return failure();
  return success();
}

LogicalResult GpuExecutor::run(ModuleOp module, StringRef function,
                               FunctionType type, ArrayRef<HostArray> arguments,
                               SmallVectorImpl<HostArray> &results) {
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    auto shaped = dyn_cast<ShapedType>(result);
    if (!shaped || !shaped.hasRank() ||
        !HostArray::getElementBytes(shaped.getElementType()))
      return module.emitError() << "result " << i << " has type " << result
                                << ", which cannot be read back from the GPU";
  }
  // What is not called need not be fit for the GPU.
  for (auto other : module.getOps<func::FuncOp>())
    other.setVisibility(other.getName() == function
                            ? SymbolTable::Visibility::Public
                            : SymbolTable::Visibility::Private);
  auto run = [&](StringRef, function_ref<void(OpPassManager &)> build) {
    PassManager manager(module.getContext());
    build(manager);
    return manager.run(module);
  };
  if (failed(run("Unused", [](OpPassManager &manager) {
        manager.addPass(createSymbolDCEPass());
      })))
    return failure();
  ToPtxOptions options;
  options.chip = chip;
  FailureOr<PtxProgram> program = compileToPtx(module, options, run);
  if (failed(program))
    return failure();
  Device device;
  if (succeeded(device.run(*program, function, type, arguments, results)))
    return success();
  return module.emitError("cannot run on the GPU: ") << device.getMessage();
}

std::unique_ptr<Executor> coda::runner::createGpuExecutor(StringRef chip) {
  return std::make_unique<GpuExecutor>(chip);
}

GpuState coda::runner::checkGpu(const std::string &chip, std::string &message) {
  char buffer[1024] = "";
  coda_status status = coda_check_device(chip.c_str(), buffer, sizeof buffer);
  message = buffer;
  return status == CODA_OK                 ? GpuState::usable
         : status == CODA_INVALID_ARGUMENT ? GpuState::noChip
                                           : GpuState::absent;
}
