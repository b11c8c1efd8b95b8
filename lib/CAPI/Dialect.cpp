//===- Dialect.cpp - Registration, types and attributes in C --------------===//

#include "coda-c/Dialect.h"

#include "Support.h"
#include "coda/Dialect/Coda/IR/Coda.h"
#include "coda/InitAll.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace coda;
using namespace coda::capi;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

// MLIR ends the process where one dialect name has two classes. A process can
// hold Coda twice (two libraries that link it), and so must be asked first.

static bool isOurs(Dialect *dialect) {
  return !dialect || dialect->getTypeID() == TypeID::get<CodaDialect>();
}

static constexpr const char *otherCopy =
    "the dialect 'coda' is there already, from another copy of Coda in this "
    "process";

/// Whether `registry` can take our dialect.
static bool accepts(const DialectRegistry &registry) {
  if (DialectAllocatorFunctionRef allocator =
          registry.getDialectAllocator("coda")) {
    // Only the dialect itself knows its class.
    MLIRContext context(MLIRContext::Threading::DISABLED);
    return isOurs(allocator(&context));
  }
  return true;
}

static void insertDialect(MlirDialectRegistry registry) {
  if (accepts(*unwrap(registry)))
    unwrap(registry)->insert<CodaDialect>();
  else
    setLastError(Twine("mlirDialectHandleInsertDialect: ") + otherCopy);
}

static MlirDialect loadDialect(MlirContext context) {
  // By name first, which finds what is loaded or registered, ours or not.
  Dialect *dialect = unwrap(context)->getOrLoadDialect("coda");
  if (!isOurs(dialect)) {
    setLastError(Twine("mlirDialectHandleLoadDialect: ") + otherCopy);
    return {nullptr};
  }
  return wrap(dialect ? dialect
                      : unwrap(context)->getOrLoadDialect<CodaDialect>());
}

static MlirStringRef getNamespace() {
  return wrap(CodaDialect::getDialectNamespace());
}

extern "C" MlirDialectHandle mlirGetDialectHandle__coda__() {
  static const MlirDialectRegistrationHooks hooks = {insertDialect, loadDialect,
                                                     getNamespace};
  return {&hooks};
}

extern "C" MlirLogicalResult
codaRegisterAllDialects(MlirDialectRegistry registry) {
  if (mlirDialectRegistryIsNull(registry)) {
    setLastError("codaRegisterAllDialects: 'registry' is null");
    return mlirLogicalResultFailure();
  }
  if (!accepts(*unwrap(registry))) {
    setLastError(Twine("codaRegisterAllDialects: ") + otherCopy);
    return mlirLogicalResultFailure();
  }
  coda::registerAllDialects(*unwrap(registry));
  return mlirLogicalResultSuccess();
}

/// Types and attributes need the dialect in their context, or MLIR ends the
/// process.
static bool load(MlirContext context, const char *function, MlirLocation loc) {
  if (mlirContextIsNull(context)) {
    fail(loc, Twine(function) + ": 'context' is null");
    return false;
  }
  if (!mlirDialectIsNull(loadDialect(context)))
    return true;
  fail(loc, Twine(function) + ": " + otherCopy);
  return false;
}

static bool load(MlirLocation loc, const char *function) {
  if (mlirLocationIsNull(loc)) {
    setLastError(Twine(function) + ": 'loc' is null");
    return false;
  }
  return load(mlirLocationGetContext(loc), function, loc);
}

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

/// Calls `get` with what emits errors, and gives its errors the function's
/// name.
template <typename Get>
static auto getChecked(MlirLocation loc, const char *function, Get get) {
  std::string message;
  auto result = [&] {
    ScopedDiagnosticHandler keep(unwrap(loc)->getContext(),
                                 [&](Diagnostic &diagnostic) {
                                   message = diagnostic.str();
                                   return success();
                                 });
    auto emit = [&] { return emitError(unwrap(loc)); };
    return get(EmitErrorFn(emit));
  }();
  if (!result)
    fail(loc, Twine(function) + ": " + message);
  return result;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

extern "C" int64_t codaGetDynamicSize(void) { return ShapedType::kDynamic; }

extern "C" MlirType codaTileTypeGet(MlirLocation loc, int64_t rows,
                                    int64_t columns, MlirType elementType) {
  if (!load(loc, "codaTileTypeGet"))
    return {nullptr};
  if (mlirTypeIsNull(elementType))
    return {fail(loc, "codaTileTypeGet: 'elementType' is null")};
  return wrap(
      Type(getChecked(loc, "codaTileTypeGet", [&](EmitErrorFn emitError) {
        return TileType::getChecked(emitError, rows, columns,
                                    unwrap(elementType));
      })));
}

/// The tile that `type` is, or null; MLIR's casts do not take a null type.
static TileType getTile(MlirType type) {
  return dyn_cast_or_null<TileType>(unwrap(type));
}

extern "C" bool codaTypeIsATile(MlirType type) { return bool(getTile(type)); }

extern "C" MlirTypeID codaTileTypeGetTypeID(void) {
  return wrap(TileType::getTypeID());
}

extern "C" int64_t codaTileTypeGetRows(MlirType type) {
  TileType tile = getTile(type);
  return tile ? tile.getRows() : -1;
}

extern "C" int64_t codaTileTypeGetColumns(MlirType type) {
  TileType tile = getTile(type);
  return tile ? tile.getColumns() : -1;
}

extern "C" MlirType codaTileTypeGetElementType(MlirType type) {
  TileType tile = getTile(type);
  return tile ? wrap(tile.getElementType()) : MlirType{nullptr};
}

extern "C" MlirType codaTensorMapTypeGet(MlirContext context) {
  if (!load(context, "codaTensorMapTypeGet", {nullptr}))
    return {nullptr};
  return wrap(Type(TensorMapType::get(unwrap(context))));
}

extern "C" bool codaTypeIsATensorMap(MlirType type) {
  return isa_and_nonnull<TensorMapType>(unwrap(type));
}

extern "C" MlirTypeID codaTensorMapTypeGetTypeID(void) {
  return wrap(TensorMapType::getTypeID());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

extern "C" MlirAttribute codaDimsAttrGet(MlirLocation loc, intptr_t numDims,
                                         const CodaDim *dims) {
  if (!load(loc, "codaDimsAttrGet"))
    return {nullptr};
  // Each dimension once; parts go with one other.
  if (numDims < 0 || numDims > 3)
    return {
        fail(loc, "codaDimsAttrGet: 'numDims' must be from 0 to 3, but is " +
                      Twine(numDims))};
  if (numDims && !dims)
    return {fail(loc, "codaDimsAttrGet: 'dims' is null")};
  SmallVector<Dim> list;
  for (intptr_t i = 0; i < numDims; ++i) {
    std::optional<Dim> dim = symbolizeDim(uint32_t(dims[i]));
    if (!dim)
      return {fail(loc, "codaDimsAttrGet: 'dims' has " + Twine(int(dims[i])) +
                            " at position " + Twine(i) +
                            ", which is no CodaDim")};
    list.push_back(*dim);
  }
  return wrap(
      Attribute(getChecked(loc, "codaDimsAttrGet", [&](EmitErrorFn emitError) {
        return DimsAttr::getChecked(emitError, unwrap(loc)->getContext(),
                                    ArrayRef<Dim>(list));
      })));
}

static DimsAttr getDims(MlirAttribute attr) {
  return dyn_cast_or_null<DimsAttr>(unwrap(attr));
}

extern "C" bool codaAttributeIsADims(MlirAttribute attr) {
  return bool(getDims(attr));
}

extern "C" MlirTypeID codaDimsAttrGetTypeID(void) {
  return wrap(DimsAttr::getTypeID());
}

extern "C" intptr_t codaDimsAttrGetNumDims(MlirAttribute attr) {
  DimsAttr dims = getDims(attr);
  return dims ? intptr_t(dims.size()) : -1;
}

extern "C" int32_t codaDimsAttrGetDim(MlirAttribute attr, intptr_t index) {
  DimsAttr dims = getDims(attr);
  if (!dims || index < 0 || size_t(index) >= dims.size())
    return -1;
  return int32_t(dims.getDims()[index]);
}

extern "C" CodaSchedule codaScheduleDefault(void) {
  return {/*kernel=*/CodaKernelCooperative,
          /*tileM=*/128,
          /*tileN=*/256,
          /*tileK=*/64,
          /*cluster=*/1,
          /*stages=*/1,
          /*raster=*/8,
          /*storeBuffers=*/2};
}

extern "C" MlirAttribute codaScheduleAttrGet(MlirLocation loc,
                                             const CodaSchedule *schedule) {
  if (!load(loc, "codaScheduleAttrGet"))
    return {nullptr};
  if (!schedule)
    return {fail(loc, "codaScheduleAttrGet: 'schedule' is null")};
  std::optional<Kernel> kernel;
  if (schedule->kernel >= 0 && schedule->kernel <= UINT32_MAX)
    kernel = symbolizeKernel(uint32_t(schedule->kernel));
  if (!kernel)
    return {fail(loc, "codaScheduleAttrGet: 'kernel' is " +
                          Twine(schedule->kernel) +
                          ", which is no CodaKernel")};
  return wrap(Attribute(
      getChecked(loc, "codaScheduleAttrGet", [&](EmitErrorFn emitError) {
        return ScheduleAttr::getChecked(
            emitError, unwrap(loc)->getContext(), *kernel, schedule->tileM,
            schedule->tileN, schedule->tileK, schedule->cluster,
            schedule->stages, schedule->raster, schedule->storeBuffers);
      })));
}

extern "C" bool codaAttributeIsASchedule(MlirAttribute attr) {
  return isa_and_nonnull<ScheduleAttr>(unwrap(attr));
}

extern "C" MlirTypeID codaScheduleAttrGetTypeID(void) {
  return wrap(ScheduleAttr::getTypeID());
}

extern "C" bool codaScheduleAttrGetValue(MlirAttribute attr,
                                         CodaSchedule *schedule) {
  auto value = dyn_cast_or_null<ScheduleAttr>(unwrap(attr));
  if (!value || !schedule)
    return false;
  *schedule = {int64_t(value.getKernel()), value.getTileM(),
               value.getTileN(),           value.getTileK(),
               value.getCluster(),         value.getStages(),
               value.getRaster(),          value.getStoreBuffers()};
  return true;
}
