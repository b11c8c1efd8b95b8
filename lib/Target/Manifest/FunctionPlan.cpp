//===- FunctionPlan.cpp - From host code to a launch plan -----------------===//

#include "Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

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

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

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
                        << kMaxRank
                        << " of i1, i8, i16, i32, i64, f16, bf16, "
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
    result.sizes.push_back(extent("size", d, memrefType.getDimSize(d), shape));
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

LogicalResult Planner::planReturn(func::ReturnOp op) {
  llvm::SmallDenseSet<int64_t> returned;
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return refuse(op) << "result " << index << " has type " << value.getType()
                        << "; expected a memref";
    FailureOr<MemRefPlan *> found = memref(value, op);
    if (failed(found))
      return failure();
    const MemRefPlan &memref = **found;
    if (plan.values.asConstant(memref.offset) != 0)
      return refuse(op) << "result " << index
                        << " does not begin where its buffer or argument does";
    if (memref.kind == MemRefPlan::Base::constant)
      return refuse(op) << "result " << index
                        << " is a constant; expected a buffer that the caller "
                           "can own";
    bool isBuffer = memref.kind == MemRefPlan::Base::buffer;
    if (isBuffer && !returned.insert(memref.base).second)
      return refuse(op) << "result " << index
                        << " is in the same buffer as an earlier result";
    if (!isBuffer)
      (*plan.arguments[memref.base].getAsObject())["written"] = true;
    plan.results.push_back(llvm::json::Object{
        {isBuffer ? "buffer" : "argument", memref.base},
        {"element_type", getManifestTypeName(type.getElementType())},
        {"shape", llvm::json::Array(ArrayRef<int64_t>(memref.sizes))},
        {"strides", llvm::json::Array(ArrayRef<int64_t>(memref.strides))}});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Planner::planIf(scf::IfOp op) {
  for (Type type : op.getResultTypes())
    if (!isPlannedInteger(type))
      return refuse(op) << "it has a result of type " << type
                        << "; expected index, i1, i8, i16, i32 or i64";
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
  if (failed(planBlock(*op.elseBlock())))
    return failure();
  for (auto [result, ifTrue, ifFalse] :
       llvm::zip_equal(op.getResults(), op.thenYield().getOperands(),
                       op.elseYield().getOperands())) {
    FailureOr<int64_t> yes = number(ifTrue, op), no = number(ifFalse, op);
    if (failed(yes) || failed(no))
      return failure();
    integers[result] = plan.values.apply("select", {*condition, *yes, *no},
                                         widthOf(result.getType()));
  }
  return success();
}

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
      .Case(
          [&](memref::ExtractStridedMetadataOp op) { return planMetadata(op); })
      .Case([&](memref::ReinterpretCastOp op) { return planReinterpret(op); })
      .Case([&](memref::CastOp op) { return planMemRefCast(op); })
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
      .Case([&](ModuleConstantOp op) { return planModuleConstant(op); })
      .Case([&](memref::GetGlobalOp op) {
        return refuse(op) << "it reads " << op.getNameAttr()
                          << ", which is no constant beside the kernels "
                             "(coda-module-constants)";
      })
      .Case([](TensorMapOp) { return success(); }) // read by its launch
      .Case([&](MultiprocessorCountOp op) {
        integers[op] =
            plan.values.leaf("multiprocessor_count", llvm::json::Object());
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
        if (op->getDialect() && op->getDialect()->getNamespace() ==
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
