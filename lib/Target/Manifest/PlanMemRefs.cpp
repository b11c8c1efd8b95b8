//===- PlanMemRefs.cpp - Buffers, views and copies ------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace coda;

/// What the driver's allocator gives.
static constexpr int64_t kBufferAlignment = 256;

FailureOr<MemRefPlan *> Planner::memref(Value value, Operation *user) {
  auto it = memrefs.find(value);
  if (it != memrefs.end())
    return &it->second;
  refuse(user) << "it uses a value of type " << value.getType()
               << " that is neither an argument, an allocation nor a constant";
  return failure();
}

int64_t Planner::baseAddress(const MemRefPlan &memref) {
  switch (memref.kind) {
  case MemRefPlan::Base::argument:
    return plan.values.pointer(memref.base);
  case MemRefPlan::Base::buffer:
    return plan.values.leaf("buffer",
                            llvm::json::Object{{"buffer", memref.base}});
  case MemRefPlan::Base::constant:
    return memref.base;
  }
  llvm_unreachable("unknown base of a memref");
}

static int64_t elementBytes(MemRefType type) {
  return llvm::divideCeil(widthOf(type.getElementType()), 8);
}

int64_t Planner::address(const MemRefPlan &memref, MemRefType type) {
  return plan.values.add(
      baseAddress(memref),
      plan.values.multiply(memref.offset,
                           plan.values.constant(elementBytes(type))));
}

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
                      << "; expected a power of two up to " << kBufferAlignment;
  FailureOr<SmallVector<int64_t>> sizes = mixed(op.getMixedSizes(), op);
  if (failed(sizes))
    return failure();
  MemRefPlan result;
  result.kind = MemRefPlan::Base::buffer;
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

LogicalResult Planner::planModuleConstant(ModuleConstantOp op) {
  MemRefType type = op.getType();
  MemRefPlan result;
  result.kind = MemRefPlan::Base::constant;
  result.base = plan.values.moduleConstant(
      op.getConstant().getLeafReference().getValue(), op.getBytes());
  result.offset = plan.values.constant(0);
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    result.sizes.push_back(plan.values.constant(type.getDimSize(d)));
    result.strides.push_back(plan.values.constant(strides[d]));
  }
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
  result.kind = (*source)->kind;
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

void Planner::checkEqual(int64_t a, int64_t b, StringRef message) {
  if (a == b)
    return;
  plan.checks.push_back(
      llvm::json::Object{{"value", plan.values.apply("cmpi", {a, b}, 1, "eq")},
                         {"message", message.str()},
                         {"when", when()}});
}

void Planner::checkStride(int64_t size, int64_t stride, int64_t expected,
                          StringRef message) {
  if (stride == expected)
    return;
  ExpressionList &values = plan.values;
  // The stride of a dimension of one element (or none) does not matter.
  int64_t few = values.apply("cmpi", {size, values.constant(1)}, 1, "sle");
  int64_t same = values.apply("cmpi", {stride, expected}, 1, "eq");
  plan.checks.push_back(
      llvm::json::Object{{"value", values.apply("ori", {few, same}, 1)},
                         {"message", message.str()},
                         {"when", when()}});
}

LogicalResult Planner::planMemRefCast(memref::CastOp op) {
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!type)
    return refuse(op) << "its result is an unranked memref";
  FailureOr<MemRefPlan *> source = memref(op.getSource(), op);
  if (failed(source))
    return failure();
  MemRefPlan result = **source;
  // What the new type says and the old one does not was promised, not proved.
  auto [strides, offset] = type.getStridesAndOffset();
  auto settle = [&](int64_t known, int64_t &value,
                    function_ref<void(int64_t)> check) {
    if (ShapedType::isDynamic(known))
      return;
    int64_t constant = plan.values.constant(known);
    check(constant);
    value = constant;
  };
  for (int64_t d = 0; d < type.getRank(); ++d) {
    settle(type.getDimSize(d), result.sizes[d], [&](int64_t expected) {
      checkEqual(result.sizes[d], expected,
                 "a memref.cast must find the size that it casts to");
    });
    settle(strides[d], result.strides[d], [&](int64_t expected) {
      checkStride(result.sizes[d], result.strides[d], expected,
                  "a memref.cast must find the stride that it casts to");
    });
  }
  settle(offset, result.offset, [&](int64_t expected) {
    checkEqual(result.offset, expected,
               "a memref.cast must find the offset that it casts to");
  });
  memrefs[op] = std::move(result);
  return success();
}

void Planner::checkContiguous(const MemRefPlan &memref, MemRefType type,
                              StringRef what) {
  if (type.getLayout().isIdentity())
    return;
  int64_t expected = plan.values.constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    checkStride(memref.sizes[d], memref.strides[d], expected,
                (what + " of a copy must be contiguous").str());
    expected = plan.values.multiply(expected, memref.sizes[d]);
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
    checkEqual(mine, theirs,
               "source and destination of a copy must be of one size");
    bytes = plan.values.multiply(bytes, mine);
  }
  if ((*target)->kind == MemRefPlan::Base::constant)
    return refuse(op) << "it stores to a constant";
  if ((*target)->kind == MemRefPlan::Base::argument)
    (*plan.arguments[(*target)->base].getAsObject())["written"] = true;
  plan.steps.push_back(
      llvm::json::Object{{"kind", "copy"},
                         {"source", address(**source, sourceType)},
                         {"destination", address(**target, targetType)},
                         {"bytes", bytes},
                         {"when", when()}});
  return success();
}
