//===- PlanLaunches.cpp - Launches and their arguments --------------------===//

#include "Planner.h"

#include "coda/Target/Manifest.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coda;

FailureOr<llvm::json::Object> Planner::planTensorMap(TensorMapOp op,
                                                     Operation *user) {
  const char *element = getManifestTypeName(op.getElementType());
  if (!element) {
    refuse(op) << "its element type is " << op.getElementType();
    return failure();
  }
  SmallVector<int64_t> pointer, sizes, strides;
  if (failed(numbers(op.getPointer(), op, pointer)) ||
      failed(numbers(op.getSizes(), op, sizes)) ||
      failed(numbers(op.getStrides(), op, strides)))
    return failure();
  return llvm::json::Object{
      {"kind", "tensor_map"},
      {"element_type", element},
      {"pointer", pointer.front()},
      {"sizes", llvm::json::Array(ArrayRef<int64_t>(sizes))},
      {"strides", llvm::json::Array(ArrayRef<int64_t>(strides))},
      {"box", llvm::json::Array(op.getBox())}};
}

FailureOr<llvm::json::Object> Planner::planParameter(gpu::LaunchFuncOp op,
                                                     Value operand) {
  Type type = operand.getType();
  if (auto map = operand.getDefiningOp<TensorMapOp>())
    return planTensorMap(map, op);
  if (isPlannedInteger(type)) {
    FailureOr<int64_t> value = number(operand, op);
    if (failed(value))
      return failure();
    return llvm::json::Object{{"kind", "integer"},
                              {"type", getManifestTypeName(type)},
                              {"value", *value}};
  }
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64()) {
    llvm::json::Object entry{{"kind", "float"},
                             {"type", getManifestTypeName(type)}};
    FloatAttr constant;
    if (matchPattern(operand, m_Constant(&constant))) {
      entry["bits"] =
          "0x" +
          llvm::utohexstr(constant.getValue().bitcastToAPInt().getZExtValue());
      return entry;
    }
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      entry["argument"] = argument.getArgNumber();
      return entry;
    }
    refuse(op) << "it passes a " << type
               << " that is neither an argument nor a constant";
    return failure();
  }
  refuse(op) << "it passes a value of type " << type
             << "; expected a tensor map or a number";
  return failure();
}

/// Three sizes that must be known when compiling.
static FailureOr<llvm::json::Array>
constantSizes(gpu::LaunchFuncOp op, gpu::KernelDim3 sizes, StringRef what) {
  llvm::json::Array out;
  for (Value size : {sizes.x, sizes.y, sizes.z}) {
    APInt value;
    if (!matchPattern(size, m_ConstantInt(&value))) {
      op.emitOpError("cannot be put in a manifest: its ")
          << what << " size is not a constant";
      return failure();
    }
    out.push_back(value.getSExtValue());
  }
  return out;
}

/// The sizes that attribute `name` of the kernel requires, if it does.
static std::optional<llvm::json::Array> requiredSizes(Operation *kernel,
                                                      StringRef name) {
  auto sizes =
      kernel ? kernel->getAttrOfType<DenseI32ArrayAttr>(name) : nullptr;
  if (!sizes || sizes.size() > 3)
    return std::nullopt;
  llvm::json::Array out;
  for (size_t i = 0; i < 3; ++i)
    out.push_back(i < size_t(sizes.size()) ? sizes[i] : 1);
  return out;
}

LogicalResult Planner::noteWrites(gpu::LaunchFuncOp op,
                                  const llvm::json::Object &parameter) {
  const llvm::json::Value *value = parameter.get("pointer");
  if (!value)
    value = parameter.get("value");
  if (!value)
    return success();
  for (int64_t argument : plan.values.getPointers(*value->getAsInteger())) {
    if (argument == ExpressionList::kConstant)
      return refuse(op) << "it may store to a constant: a kernel's parameter "
                           "that takes its address must be "
                        << kReadOnlyAttr;
    (*plan.arguments[argument].getAsObject())["written"] = true;
  }
  return success();
}

LogicalResult Planner::planLaunch(gpu::LaunchFuncOp op) {
  if (op.getAsyncToken() || !op.getAsyncDependencies().empty() ||
      op.getAsyncObject())
    return refuse(op) << "it is asynchronous; launches are in stream order";
  Operation *kernel = SymbolTable::lookupNearestSymbolFrom(op, op.getKernel());
  if (!kernel)
    return refuse(op) << "there is no kernel " << op.getKernel();
  FailureOr<llvm::json::Array> block =
      constantSizes(op, op.getBlockSizeOperandValues(), "block");
  if (failed(block))
    return failure();
  std::optional<llvm::json::Array> required =
      requiredSizes(kernel, "nvvm.reqntid");
  if (required && *required != *block)
    return refuse(op)
           << "its block size differs from the kernel's nvvm.reqntid";
  llvm::json::Array cluster{1, 1, 1};
  required = requiredSizes(kernel, "nvvm.cluster_dim");
  if (required)
    cluster = *required;
  if (op.hasClusterSize()) {
    FailureOr<llvm::json::Array> given =
        constantSizes(op, op.getClusterSizeOperandValues(), "cluster");
    if (failed(given))
      return failure();
    if (*given != cluster)
      return refuse(op)
             << "its cluster size differs from the kernel's nvvm.cluster_dim";
  }
  llvm::json::Array grid;
  gpu::KernelDim3 gridSizes = op.getGridSizeOperandValues();
  for (Value size : {gridSizes.x, gridSizes.y, gridSizes.z}) {
    FailureOr<int64_t> value = number(size, op);
    if (failed(value))
      return failure();
    // A grid of i32 is allowed.
    grid.push_back(widthOf(size.getType()) == 64
                       ? *value
                       : plan.values.apply("extsi", {*value}));
  }
  llvm::json::Object entry{{"kind", "launch"},
                           {"kernel", op.getKernelName().getValue()},
                           {"grid", std::move(grid)},
                           {"block", std::move(*block)},
                           {"cluster", std::move(cluster)}};
  if (Value bytes = op.getDynamicSharedMemorySize()) {
    FailureOr<int64_t> value = number(bytes, op);
    if (failed(value))
      return failure();
    entry["shared_memory"] = *value;
  }
  llvm::json::Array parameters;
  auto function = dyn_cast<FunctionOpInterface>(kernel);
  for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
    FailureOr<llvm::json::Object> parameter = planParameter(op, operand);
    if (failed(parameter))
      return failure();
    bool isRead = function && i < function.getNumArguments() &&
                  function.getArgAttr(i, kReadOnlyAttr);
    if (!isRead && failed(noteWrites(op, *parameter)))
      return failure();
    parameters.push_back(std::move(*parameter));
  }
  entry["arguments"] = std::move(parameters);
  entry["when"] = when();
  plan.steps.push_back(std::move(entry));
  return success();
}
