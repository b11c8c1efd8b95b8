//===- Operations.cpp - coda.gemm and its epilogue in C -------------------===//

#include "Support.h"
#include "coda-c/Dialect.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;
using namespace coda::capi;

namespace {
/// Looks at the arguments of a function that makes an op. The builders of the
/// dialect trust theirs.
class Arguments {
public:
  Arguments(const char *function, MlirLocation loc)
      : function(function), loc(loc) {
    if (mlirLocationIsNull(loc)) {
      refuse("'loc' is null");
    } else if (mlirDialectIsNull(
                   mlirDialectHandleLoadDialect(mlirGetDialectHandle__coda__(),
                                                mlirLocationGetContext(loc)))) {
      refuse("the context has the dialect of another copy of Coda");
    }
  }
  bool isValid() const { return valid; }
  void refuse(const Twine &message) {
    if (valid)
      fail(loc, Twine(function) + ": " + message);
    valid = false;
  }
  bool notNull(const void *pointer, const Twine &name) {
    if (!pointer)
      refuse("'" + name + "' is null");
    return pointer;
  }
  /// A list of handles, none of them null.
  template <typename Handle>
  auto list(intptr_t count, const Handle *handles, const char *name) {
    SmallVector<decltype(unwrap(*handles))> result;
    if (count < 0)
      refuse("the number of '" + Twine(name) + "' is negative");
    else if (count && notNull(handles, name))
      for (intptr_t i = 0; i < count; ++i)
        if (notNull(handles[i].ptr, Twine(name) + "[" + Twine(i) + "]"))
          result.push_back(unwrap(handles[i]));
    return result;
  }
  DimsAttr dims(MlirAttribute attr, const Twine &name) {
    if (!notNull(attr.ptr, name))
      return {};
    auto dims = dyn_cast<DimsAttr>(unwrap(attr));
    if (!dims)
      refuse("'" + name + "' must be an attribute of codaDimsAttrGet");
    return dims;
  }
  /// One for each of `values`.
  SmallVector<DimsAttr> dims(ArrayRef<Value> values, const MlirAttribute *attrs,
                             const char *name, const char *valueName,
                             bool mayBeScalar);
  /// Whether dims fit a value, before a builder combines them.
  void fit(Value value, DimsAttr dims, const Twine &name, bool mayBeScalar);

private:
  const char *function;
  MlirLocation loc;
  bool valid = true;
};
} // namespace

SmallVector<DimsAttr> Arguments::dims(ArrayRef<Value> values,
                                      const MlirAttribute *attrs,
                                      const char *name, const char *valueName,
                                      bool mayBeScalar) {
  SmallVector<DimsAttr> result;
  if (values.empty() || !notNull(attrs, name))
    return result;
  for (auto [i, value] : llvm::enumerate(values)) {
    result.push_back(dims(attrs[i], Twine(name) + "[" + Twine(i) + "]"));
    fit(value, result.back(), Twine(valueName) + "[" + Twine(i) + "]",
        mayBeScalar);
  }
  return result;
}

void Arguments::fit(Value value, DimsAttr dims, const Twine &name,
                    bool mayBeScalar) {
  if (!valid)
    return;
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (!shaped && !mayBeScalar)
    return refuse("'" + name + "' must be a tensor or memref");
  if (shaped && !shaped.hasRank())
    return refuse("'" + name + "' must have a rank");
  size_t rank = shaped ? shaped.getRank() : 0;
  if (rank != dims.size())
    return refuse("'" + name + "' has rank " + Twine(rank) + ", but " +
                  Twine(dims.size()) + " dims");
  if (!TileType::isValidElementType(getElementTypeOrSelf(value.getType())))
    return refuse("'" + name +
                  "' must have elements of signless integer, index or float "
                  "type");
}

extern "C" MlirOperation codaGemmCreate(MlirLocation loc,
                                        const CodaGemmDescription *gemm) {
  Arguments arguments("codaGemmCreate", loc);
  if (!arguments.isValid() || !arguments.notNull(gemm, "gemm"))
    return {nullptr};
  Value lhs;
  if (arguments.notNull(gemm->lhs.ptr, "lhs"))
    lhs = unwrap(gemm->lhs);
  DimsAttr lhsDims = arguments.dims(gemm->lhsDims, "lhsDims");
  SmallVector<Value> rhs = arguments.list(gemm->numRhs, gemm->rhs, "rhs");
  if (rhs.empty())
    arguments.refuse("'rhs' is empty");
  DimsAttr rhsDims = arguments.dims(gemm->rhsDims, "rhsDims");
  SmallVector<Value> operands =
      arguments.list(gemm->numOperands, gemm->operands, "operands");
  SmallVector<DimsAttr> operandDims =
      arguments.dims(operands, gemm->operandDims, "operandDims", "operands",
                     /*mayBeScalar=*/true);
  SmallVector<Value> outs = arguments.list(gemm->numOuts, gemm->outs, "outs");
  SmallVector<DimsAttr> outDims =
      arguments.dims(outs, gemm->outDims, "outDims", "outs",
                     /*mayBeScalar=*/false);
  ScheduleAttr schedule;
  if (!mlirAttributeIsNull(gemm->schedule)) {
    schedule = dyn_cast<ScheduleAttr>(unwrap(gemm->schedule));
    if (!schedule)
      arguments.refuse(
          "'schedule' must be an attribute of codaScheduleAttrGet");
  }
  if (!arguments.isValid())
    return {nullptr};
  arguments.fit(lhs, lhsDims, "lhs", /*mayBeScalar=*/false);
  for (Value value : rhs)
    arguments.fit(value, rhsDims, "rhs", /*mayBeScalar=*/false);
  if (arguments.isValid() &&
      !GemmOp::getAccumulatorType(getElementTypeOrSelf(lhs.getType())))
    arguments.refuse("'lhs' has elements that cannot be multiplied");
  if (!arguments.isValid())
    return {nullptr};

  OpBuilder builder(unwrap(loc)->getContext());
  OperationState state(unwrap(loc), GemmOp::getOperationName());
  GemmOp::build(builder, state, lhs, lhsDims, rhs, rhsDims, operands,
                operandDims, outs, outDims);
  auto op = cast<GemmOp>(Operation::create(state));
  if (schedule)
    op.setScheduleAttr(schedule);
  return wrap(op.getOperation());
}

extern "C" bool codaOperationIsAGemm(MlirOperation op) {
  return isa_and_nonnull<GemmOp>(unwrap(op));
}

extern "C" MlirBlock codaOperationGetBody(MlirOperation op) {
  if (!isa_and_nonnull<GemmOp, MapOp>(unwrap(op))) {
    setLastError(Twine("codaOperationGetBody: 'op' ") +
                 (op.ptr ? "is no coda.gemm or coda.map" : "is null"));
    return {nullptr};
  }
  Region &region = unwrap(op)->getRegion(0);
  return region.empty() ? MlirBlock{nullptr} : wrap(&region.front());
}

extern "C" MlirOperation
codaOperationCreate(MlirLocation loc, MlirStringRef name, intptr_t numOperands,
                    const MlirValue *operands, intptr_t numResults,
                    const MlirType *results, intptr_t numAttributes,
                    const MlirNamedAttribute *attributes) {
  Arguments arguments("codaOperationCreate", loc);
  if (!arguments.isValid() || !arguments.notNull(name.data, "name"))
    return {nullptr};
  MLIRContext *context = unwrap(loc)->getContext();
  StringRef opName = unwrap(name);
  if (!opName.starts_with("coda.") ||
      !RegisteredOperationName::lookup(opName, context))
    arguments.refuse("'name' is '" + opName +
                     "', which is no op of the dialect 'coda'");
  else if (opName == GemmOp::getOperationName() ||
           opName == MapOp::getOperationName())
    arguments.refuse("'name' is '" + opName +
                     "', which has a region; use codaGemmCreate or "
                     "codaMapCreate");
  SmallVector<Value> values = arguments.list(numOperands, operands, "operands");
  SmallVector<Type> types = arguments.list(numResults, results, "results");
  NamedAttrList list;
  if (numAttributes < 0)
    arguments.refuse("the number of 'attributes' is negative");
  else if (numAttributes && arguments.notNull(attributes, "attributes"))
    for (intptr_t i = 0; i < numAttributes; ++i)
      if (arguments.notNull(attributes[i].name.ptr, "attributes.name") &&
          arguments.notNull(attributes[i].attribute.ptr,
                            "attributes.attribute"))
        list.set(unwrap(attributes[i].name), unwrap(attributes[i].attribute));
  if (!arguments.isValid())
    return {nullptr};

  OperationState state(unwrap(loc), opName, values, types);
  Operation *op = Operation::create(state);
  // What is no property of the op stays an attribute, as in text. The names of
  // the properties are known once they are set.
  if (op->getPropertiesStorageSize()) {
    std::string message;
    LogicalResult status = failure();
    {
      ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
        message = diagnostic.str();
        return success();
      });
      status = op->setPropertiesFromAttribute(
          list.getDictionary(context), [&] { return emitError(unwrap(loc)); });
    }
    if (failed(status)) {
      op->destroy();
      arguments.refuse("'attributes' of '" + opName + "': " + message);
      return {nullptr};
    }
    if (auto set =
            dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
      for (NamedAttribute property : set)
        list.erase(property.getName());
  }
  op->setDiscardableAttrs(list.getAttrs());
  return wrap(op);
}

extern "C" MlirOperation codaMapCreate(MlirLocation loc, intptr_t numInputs,
                                       const MlirValue *inputs,
                                       MlirType elementType) {
  Arguments arguments("codaMapCreate", loc);
  if (!arguments.isValid())
    return {nullptr};
  SmallVector<Value> values = arguments.list(numInputs, inputs, "inputs");
  int64_t rows = 1, columns = 1;
  for (auto [i, value] : llvm::enumerate(values)) {
    auto tile = dyn_cast<TileType>(value.getType());
    if (!tile) {
      arguments.refuse("'inputs[" + Twine(i) + "]' is no tile");
      return {nullptr};
    }
    rows = rows == 1 ? tile.getRows() : rows;
    columns = columns == 1 ? tile.getColumns() : columns;
  }
  if (arguments.notNull(elementType.ptr, "elementType") &&
      !TileType::isValidElementType(unwrap(elementType)))
    arguments.refuse("'elementType' must be a signless integer, index or "
                     "float type");
  if (!arguments.isValid())
    return {nullptr};
  OpBuilder builder(unwrap(loc)->getContext());
  return wrap(MapOp::create(builder, unwrap(loc),
                            TileType::get(rows, columns, unwrap(elementType)),
                            values)
                  .getOperation());
}

extern "C" MlirOperation codaYieldCreate(MlirLocation loc, intptr_t numValues,
                                         const MlirValue *values) {
  Arguments arguments("codaYieldCreate", loc);
  if (!arguments.isValid())
    return {nullptr};
  SmallVector<Value> list = arguments.list(numValues, values, "values");
  if (!arguments.isValid())
    return {nullptr};
  OpBuilder builder(unwrap(loc)->getContext());
  return wrap(YieldOp::create(builder, unwrap(loc), list).getOperation());
}
