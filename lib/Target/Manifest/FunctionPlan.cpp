//===- FunctionPlan.cpp - From host code to a launch plan -----------------===//

#include "FunctionPlan.h"

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

/// The runtime's limits.
static constexpr int64_t kMaxRank = 8;
/// What the driver's allocator gives.
static constexpr int64_t kBufferAlignment = 256;

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
static bool isPlannedInteger(Type type) {
  return (type.isIndex() || type.isSignlessInteger()) &&
         getManifestTypeName(type);
}

namespace {
class Planner {
public:
  LogicalResult run(func::FuncOp func);
  FunctionPlan plan;

private:
  LogicalResult planArgument(func::FuncOp func, unsigned index);
  LogicalResult planBlock(Block &block);
  LogicalResult planOp(Operation *op);
  LogicalResult planArith(Operation *op);
  LogicalResult planCast(Operation *op);
  LogicalResult planAlloc(memref::AllocOp op);
  LogicalResult planMetadata(memref::ExtractStridedMetadataOp op);
  LogicalResult planReinterpret(memref::ReinterpretCastOp op);
  LogicalResult planCopy(memref::CopyOp op);
  LogicalResult planIf(scf::IfOp op);
  LogicalResult planLaunch(gpu::LaunchFuncOp op);
  FailureOr<llvm::json::Object> planParameter(gpu::LaunchFuncOp op,
                                              Value operand);
  FailureOr<llvm::json::Object> planTensorMap(TensorMapOp op, Operation *user);
  LogicalResult planReturn(func::ReturnOp op);

  /// The number of an integer that an earlier op gave, or an error at `user`.
  FailureOr<int64_t> number(Value value, Operation *user);
  LogicalResult numbers(ValueRange range, Operation *user,
                        SmallVectorImpl<int64_t> &out);
  FailureOr<SmallVector<int64_t>> mixed(ArrayRef<OpFoldResult> range,
                                        Operation *user);
  FailureOr<MemRefPlan *> memref(Value value, Operation *user);
  int64_t baseAddress(const MemRefPlan &memref);
  int64_t address(const MemRefPlan &memref, MemRefType type);
  /// Checks at launch that `memref` has no gaps, where its type does not say.
  void checkContiguous(const MemRefPlan &memref, MemRefType type,
                       StringRef what);
  llvm::json::Value when() {
    if (conditions.empty())
      return nullptr;
    return llvm::json::Array(ArrayRef<int64_t>(conditions));
  }
  InFlightDiagnostic refuse(Operation *op) {
    return op->emitOpError("cannot be put in a manifest: ");
  }

  DenseMap<Value, int64_t> integers;
  DenseMap<Value, MemRefPlan> memrefs;
  /// The conditions under which the current op runs.
  SmallVector<int64_t> conditions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<int64_t> Planner::number(Value value, Operation *user) {
  auto it = integers.find(value);
  if (it != integers.end())
    return it->second;
  refuse(user) << "it uses a value of type " << value.getType()
               << " that is not computed from sizes, strides, addresses and "
                  "integer arguments";
  return failure();
}

LogicalResult Planner::numbers(ValueRange range, Operation *user,
                               SmallVectorImpl<int64_t> &out) {
  for (Value value : range) {
    FailureOr<int64_t> n = number(value, user);
    if (failed(n))
      return failure();
    out.push_back(*n);
  }
  return success();
}

FailureOr<SmallVector<int64_t>> Planner::mixed(ArrayRef<OpFoldResult> range,
                                               Operation *user) {
  SmallVector<int64_t> out;
  for (OpFoldResult entry : range) {
    if (auto attribute = dyn_cast<Attribute>(entry)) {
      out.push_back(
          plan.values.constant(cast<IntegerAttr>(attribute).getInt()));
      continue;
    }
    FailureOr<int64_t> n = number(cast<Value>(entry), user);
    if (failed(n))
      return failure();
    out.push_back(*n);
  }
  return out;
}

FailureOr<MemRefPlan *> Planner::memref(Value value, Operation *user) {
  auto it = memrefs.find(value);
  if (it != memrefs.end())
    return &it->second;
  refuse(user) << "it uses a value of type " << value.getType()
               << " that is neither an argument nor an allocation";
  return failure();
}

int64_t Planner::baseAddress(const MemRefPlan &memref) {
  return memref.isBuffer
             ? plan.values.leaf("buffer",
                                llvm::json::Object{{"buffer", memref.base}})
             : plan.values.leaf("pointer",
                                llvm::json::Object{{"argument", memref.base}});
}

static int64_t elementBytes(MemRefType type) {
  return llvm::divideCeil(widthOf(type.getElementType()), 8);
}

int64_t Planner::address(const MemRefPlan &memref, MemRefType type) {
  int64_t bytes = plan.values.multiply(
      memref.offset, plan.values.constant(elementBytes(type)));
  if (plan.values.asConstant(memref.offset) == 0)
    return baseAddress(memref);
  return plan.values.add(baseAddress(memref), bytes);
}

LogicalResult Planner::planArgument(func::FuncOp func, unsigned index) {
  BlockArgument argument = func.getArgument(index);
  Type type = argument.getType();
  llvm::json::Object entry;
  if (auto name = func.getArgAttrOfType<StringAttr>(index, "coda.name"))
    entry["name"] = name.getValue();
  if (!isa<MemRefType>(type)) {
    const char *typeName = getManifestTypeName(type);
    bool isNumber = isPlannedInteger(type) || type.isF16() || type.isBF16() ||
                    type.isF32() || type.isF64();
    if (!typeName || !isNumber)
      return refuse(func) << "argument " << index << " has type " << type
                          << ", which is neither a memref nor a number";
    entry["kind"] = "scalar";
    entry["type"] = typeName;
    if (isPlannedInteger(type))
      integers[argument] = plan.values.scalarArgument(index, widthOf(type));
    plan.arguments.push_back(std::move(entry));
    return success();
  }
  auto memrefType = cast<MemRefType>(type);
  const char *element = getManifestTypeName(memrefType.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!element || memrefType.getElementType().isIndex() ||
      memrefType.getRank() > kMaxRank ||
      failed(memrefType.getStridesAndOffset(strides, offset)))
    return refuse(func) << "argument " << index << " has type " << type
                        << "; expected a strided memref of rank at most "
                        << kMaxRank << " of i1, i8, i16, i32, i64, f16, bf16, "
                           "f32, f64, f8E4M3FN or f8E5M2";
  if (!ShapedType::isDynamic(offset) && offset != 0)
    return refuse(func) << "argument " << index
                        << " has a static offset, but a caller gives the "
                           "address of the first element";
  MemRefPlan result;
  result.base = index;
  result.offset = plan.values.constant(0);
  llvm::json::Array shape, strideEntries;
  auto extent = [&](StringRef what, int64_t d, int64_t size,
                    llvm::json::Array &array) {
    if (!ShapedType::isDynamic(size)) {
      array.push_back(size);
      return plan.values.constant(size);
    }
    array.push_back(nullptr);
    return plan.values.leaf(
        what, llvm::json::Object{{"argument", index}, {"dimension", d}});
  };
  for (int64_t d = 0; d < memrefType.getRank(); ++d) {
    result.sizes.push_back(
        extent("size", d, memrefType.getDimSize(d), shape));
    result.strides.push_back(extent("stride", d, strides[d], strideEntries));
  }
  memrefs[argument] = std::move(result);
  entry["kind"] = "tensor";
  entry["element_type"] = element;
  entry["shape"] = std::move(shape);
  entry["strides"] = std::move(strideEntries);
  entry["written"] = false;
  plan.arguments.push_back(std::move(entry));
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The manifest's name of an arith op whose operands and result are of one
/// type, or null.
static const char *getSameTypeName(Operation *op) {
  return TypeSwitch<Operation *, const char *>(op)
      .Case([](arith::AddIOp) { return "addi"; })
      .Case([](arith::SubIOp) { return "subi"; })
      .Case([](arith::MulIOp) { return "muli"; })
      .Case([](arith::DivSIOp) { return "divsi"; })
      .Case([](arith::DivUIOp) { return "divui"; })
      .Case([](arith::CeilDivSIOp) { return "ceildivsi"; })
      .Case([](arith::CeilDivUIOp) { return "ceildivui"; })
      .Case([](arith::FloorDivSIOp) { return "floordivsi"; })
      .Case([](arith::RemSIOp) { return "remsi"; })
      .Case([](arith::RemUIOp) { return "remui"; })
      .Case([](arith::AndIOp) { return "andi"; })
      .Case([](arith::OrIOp) { return "ori"; })
      .Case([](arith::XOrIOp) { return "xori"; })
      .Case([](arith::ShLIOp) { return "shli"; })
      .Case([](arith::ShRSIOp) { return "shrsi"; })
      .Case([](arith::ShRUIOp) { return "shrui"; })
      .Case([](arith::MinSIOp) { return "minsi"; })
      .Case([](arith::MaxSIOp) { return "maxsi"; })
      .Case([](arith::MinUIOp) { return "minui"; })
      .Case([](arith::MaxUIOp) { return "maxui"; })
      .Default([](Operation *) { return nullptr; });
}

LogicalResult Planner::planArith(Operation *op) {
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    // A float is looked up where a launch takes it.
    if (isa<FloatType>(type))
      return success();
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (!integer || !isPlannedInteger(type))
      return refuse(op) << "a constant of type " << type;
    const APInt &value = integer.getValue();
    integers[constant] = plan.values.constant(
        value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue(),
        widthOf(type));
    return success();
  }
  const char *name = getSameTypeName(op);
  bool isCompare = isa<arith::CmpIOp>(op), isSelect = isa<arith::SelectOp>(op);
  if (!name && !isCompare && !isSelect) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(op))
      return planCast(op);
    return refuse(op) << "only integer arithmetic is evaluated at launch";
  }
  if (!isPlannedInteger(type) ||
      !isPlannedInteger(op->getOperand(op->getNumOperands() - 1).getType()))
    return refuse(op) << "it has type " << type
                      << "; expected index, i1, i8, i16, i32 or i64";
  SmallVector<int64_t> operands;
  if (failed(numbers(op->getOperands(), op, operands)))
    return failure();
  StringRef predicate;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    name = "cmpi";
    predicate = arith::stringifyCmpIPredicate(compare.getPredicate());
  } else if (isSelect) {
    name = "select";
  }
  integers[op->getResult(0)] =
      plan.values.apply(name, operands, widthOf(type), predicate);
  return success();
}

LogicalResult Planner::planCast(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (!isPlannedInteger(from) || !isPlannedInteger(to))
    return refuse(op) << "it converts " << from << " to " << to
                      << "; expected index, i1, i8, i16, i32 or i64";
  FailureOr<int64_t> source = number(op->getOperand(0), op);
  if (failed(source))
    return failure();
  unsigned fromWidth = widthOf(from), toWidth = widthOf(to);
  int64_t result = *source;
  if (fromWidth > toWidth)
    result = plan.values.apply("trunci", {*source}, toWidth);
  else if (fromWidth < toWidth)
    result = plan.values.apply(
        isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) ? "extui" : "extsi",
        {*source}, toWidth);
  integers[op->getResult(0)] = result;
  return success();
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

LogicalResult Planner::planAlloc(memref::AllocOp op) {
  MemRefType type = op.getType();
  const char *element = getManifestTypeName(type.getElementType());
  if (!element || type.getElementType().isIndex() ||
      !type.getLayout().isIdentity() || type.getRank() > kMaxRank)
    return refuse(op) << "it allocates a " << type
                      << "; expected a row-major memref of rank at most "
                      << kMaxRank << " of numbers of whole bytes";
  int64_t alignment = op.getAlignment().value_or(kBufferAlignment);
  if (alignment > kBufferAlignment || !llvm::isPowerOf2_64(alignment))
    return refuse(op) << "its alignment is " << alignment
                      << "; expected a power of two up to "
                      << kBufferAlignment;
  FailureOr<SmallVector<int64_t>> sizes = mixed(op.getMixedSizes(), op);
  if (failed(sizes))
    return failure();
  MemRefPlan result;
  result.isBuffer = true;
  result.base = plan.buffers.size();
  result.offset = plan.values.constant(0);
  result.sizes = *sizes;
  result.strides.resize(type.getRank());
  int64_t count = plan.values.constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    result.strides[d] = count;
    count = plan.values.multiply(count, result.sizes[d]);
  }
  int64_t bytes =
      plan.values.multiply(count, plan.values.constant(elementBytes(type)));
  plan.buffers.push_back(llvm::json::Object{
      {"bytes", bytes}, {"alignment", alignment}, {"when", when()}});
  memrefs[op] = std::move(result);
  return success();
}

LogicalResult Planner::planMetadata(memref::ExtractStridedMetadataOp op) {
  FailureOr<MemRefPlan *> found = memref(op.getSource(), op);
  if (failed(found))
    return failure();
  // A copy: the map grows below.
  MemRefPlan source = **found;
  integers[op.getOffset()] = source.offset;
  for (auto [value, size] : llvm::zip_equal(op.getSizes(), source.sizes))
    integers[value] = size;
  for (auto [value, stride] : llvm::zip_equal(op.getStrides(), source.strides))
    integers[value] = stride;
  source.offset = plan.values.constant(0);
  source.sizes.clear();
  source.strides.clear();
  memrefs[op.getBaseBuffer()] = std::move(source);
  return success();
}

LogicalResult Planner::planReinterpret(memref::ReinterpretCastOp op) {
  if (!isa<MemRefType>(op.getSource().getType()))
    return refuse(op) << "its source is an unranked memref";
  FailureOr<MemRefPlan *> source = memref(op.getSource(), op);
  if (failed(source))
    return failure();
  MemRefPlan result;
  result.isBuffer = (*source)->isBuffer;
  result.base = (*source)->base;
  FailureOr<SmallVector<int64_t>> offset = mixed(op.getMixedOffsets(), op),
                                  sizes = mixed(op.getMixedSizes(), op),
                                  strides = mixed(op.getMixedStrides(), op);
  if (failed(offset) || failed(sizes) || failed(strides))
    return failure();
  result.offset = offset->front();
  result.sizes = *sizes;
  result.strides = *strides;
  memrefs[op] = std::move(result);
  return success();
}

void Planner::checkContiguous(const MemRefPlan &memref, MemRefType type,
                              StringRef what) {
  if (type.getLayout().isIdentity())
    return;
  ExpressionList &values = plan.values;
  int64_t expected = values.constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    // The stride of a dimension of one element (or none) does not matter.
    int64_t few = values.apply("cmpi", {memref.sizes[d], values.constant(1)},
                               1, "sle");
    int64_t same =
        values.apply("cmpi", {memref.strides[d], expected}, 1, "eq");
    plan.checks.push_back(llvm::json::Object{
        {"value", values.apply("ori", {few, same}, 1)},
        {"message", (what + " of a copy must be contiguous").str()},
        {"when", when()}});
    expected = values.multiply(expected, memref.sizes[d]);
  }
}

LogicalResult Planner::planCopy(memref::CopyOp op) {
  auto sourceType = dyn_cast<MemRefType>(op.getSource().getType());
  auto targetType = dyn_cast<MemRefType>(op.getTarget().getType());
  if (!sourceType || !targetType)
    return refuse(op) << "it copies an unranked memref";
  FailureOr<MemRefPlan *> source = memref(op.getSource(), op),
                          target = memref(op.getTarget(), op);
  if (failed(source) || failed(target))
    return failure();
  checkContiguous(**source, sourceType, "the source");
  checkContiguous(**target, targetType, "the destination");
  int64_t bytes = plan.values.constant(elementBytes(sourceType));
  for (auto [mine, theirs] :
       llvm::zip_equal((*source)->sizes, (*target)->sizes)) {
    if (mine != theirs)
      plan.checks.push_back(llvm::json::Object{
          {"value", plan.values.apply("cmpi", {mine, theirs}, 1, "eq")},
          {"message", "source and destination of a copy must be of one size"},
          {"when", when()}});
    bytes = plan.values.multiply(bytes, mine);
  }
  if (!(*target)->isBuffer)
    (*plan.arguments[(*target)->base].getAsObject())["written"] = true;
  plan.steps.push_back(
      llvm::json::Object{{"kind", "copy"},
                         {"source", address(**source, sourceType)},
                         {"destination", address(**target, targetType)},
                         {"bytes", bytes},
                         {"when", when()}});
  return success();
}

//===----------------------------------------------------------------------===//
// Control and launches
//===----------------------------------------------------------------------===//

LogicalResult Planner::planIf(scf::IfOp op) {
  if (op.getNumResults())
    return refuse(op) << "it has results";
  FailureOr<int64_t> condition = number(op.getCondition(), op);
  if (failed(condition))
    return failure();
  conditions.push_back(*condition);
  llvm::scope_exit restore([&] { conditions.pop_back(); });
  if (failed(planBlock(*op.thenBlock())))
    return failure();
  if (!op.elseBlock())
    return success();
  conditions.back() = plan.values.apply(
      "cmpi", {*condition, plan.values.constant(0, 1)}, 1, "eq");
  return planBlock(*op.elseBlock());
}

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
      entry["bits"] = "0x" + llvm::utohexstr(constant.getValue()
                                                 .bitcastToAPInt()
                                                 .getZExtValue());
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
static FailureOr<llvm::json::Array> constantSizes(gpu::LaunchFuncOp op,
                                                  gpu::KernelDim3 sizes,
                                                  StringRef what) {
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
    return refuse(op) << "its block size differs from the kernel's nvvm.reqntid";
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
  for (Value operand : op.getKernelOperands()) {
    FailureOr<llvm::json::Object> parameter = planParameter(op, operand);
    if (failed(parameter))
      return failure();
    parameters.push_back(std::move(*parameter));
  }
  entry["arguments"] = std::move(parameters);
  entry["when"] = when();
  plan.steps.push_back(std::move(entry));
  return success();
}

LogicalResult Planner::planReturn(func::ReturnOp op) {
  llvm::SmallDenseSet<int64_t> returned;
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return refuse(op) << "result " << index << " has type "
                        << value.getType() << "; expected a memref";
    FailureOr<MemRefPlan *> found = memref(value, op);
    if (failed(found))
      return failure();
    const MemRefPlan &memref = **found;
    if (plan.values.asConstant(memref.offset) != 0)
      return refuse(op) << "result " << index
                        << " does not begin where its buffer or argument does";
    if (memref.isBuffer && !returned.insert(memref.base).second)
      return refuse(op) << "result " << index
                        << " is in the same buffer as an earlier result";
    if (!memref.isBuffer)
      (*plan.arguments[memref.base].getAsObject())["written"] = true;
    plan.results.push_back(llvm::json::Object{
        {memref.isBuffer ? "buffer" : "argument", memref.base},
        {"element_type", getManifestTypeName(type.getElementType())},
        {"shape", llvm::json::Array(ArrayRef<int64_t>(memref.sizes))},
        {"strides", llvm::json::Array(ArrayRef<int64_t>(memref.strides))}});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Planner::planOp(Operation *op) {
  auto view = [&](Value result, Value source) -> LogicalResult {
    FailureOr<MemRefPlan *> found = memref(source, op);
    if (failed(found))
      return failure();
    if (!isa<MemRefType>(result.getType()))
      return refuse(op) << "its result is an unranked memref";
    MemRefPlan copy = **found;
    memrefs[result] = std::move(copy);
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::AllocOp op) { return planAlloc(op); })
      .Case([](memref::DeallocOp) { return success(); })
      .Case([&](memref::CopyOp op) { return planCopy(op); })
      .Case([&](memref::ExtractStridedMetadataOp op) {
        return planMetadata(op);
      })
      .Case([&](memref::ReinterpretCastOp op) { return planReinterpret(op); })
      .Case([&](memref::CastOp op) {
        return view(op.getResult(), op.getSource());
      })
      .Case([&](memref::MemorySpaceCastOp op) {
        return view(op.getResult(), op.getSource());
      })
      .Case([&](memref::AssumeAlignmentOp op) {
        return view(op.getResult(), op.getMemref());
      })
      .Case([&](memref::ExtractAlignedPointerAsIndexOp op) -> LogicalResult {
        FailureOr<MemRefPlan *> found = memref(op.getSource(), op);
        if (failed(found))
          return failure();
        integers[op] = baseAddress(**found);
        return success();
      })
      .Case([&](memref::DimOp op) -> LogicalResult {
        FailureOr<MemRefPlan *> found = memref(op.getSource(), op);
        if (failed(found))
          return failure();
        std::optional<int64_t> index = op.getConstantIndex();
        if (!index || *index < 0 || *index >= int64_t((*found)->sizes.size()))
          return refuse(op) << "it asks for no dimension that is known";
        integers[op] = (*found)->sizes[*index];
        return success();
      })
      .Case([](TensorMapOp) { return success(); }) // read by its launch
      .Case([&](MultiprocessorCountOp op) {
        integers[op] = plan.values.leaf("multiprocessor_count", llvm::json::Object());
        return success();
      })
      .Case([&](cf::AssertOp op) -> LogicalResult {
        FailureOr<int64_t> value = number(op.getArg(), op);
        if (failed(value))
          return failure();
        plan.checks.push_back(llvm::json::Object{
            {"value", *value}, {"message", op.getMsg()}, {"when", when()}});
        return success();
      })
      .Case([&](scf::IfOp op) { return planIf(op); })
      .Case([](scf::YieldOp) { return success(); })
      .Case([&](gpu::LaunchFuncOp op) { return planLaunch(op); })
      .Case([&](func::ReturnOp op) { return planReturn(op); })
      .Default([&](Operation *op) -> LogicalResult {
        if (op->getDialect() &&
            op->getDialect()->getNamespace() ==
                arith::ArithDialect::getDialectNamespace())
          return planArith(op);
        return refuse(op) << "it is none of the host code that launches "
                             "kernels";
      });
}

LogicalResult Planner::planBlock(Block &block) {
  for (Operation &op : block)
    if (failed(planOp(&op)))
      return failure();
  return success();
}

LogicalResult Planner::run(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return refuse(func) << "it has control flow between blocks";
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (failed(planArgument(func, i)))
      return failure();
  return planBlock(func.getBody().front());
}

FailureOr<FunctionPlan> coda::planFunction(func::FuncOp func) {
  Planner planner;
  if (failed(planner.run(func)))
    return failure();
  return std::move(planner.plan);
}
