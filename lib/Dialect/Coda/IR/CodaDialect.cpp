//===- CodaDialect.cpp - The coda dialect ---------------------------------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coda;

#include "coda/Dialect/Coda/IR/CodaDialect.cpp.inc"
#include "coda/Dialect/Coda/IR/CodaEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "coda/Dialect/Coda/IR/CodaTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coda/Dialect/Coda/IR/CodaAttributes.cpp.inc"

void CodaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "coda/Dialect/Coda/IR/CodaTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coda/Dialect/Coda/IR/CodaAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coda/Dialect/Coda/IR/CodaOps.cpp.inc"
      >();
}

LogicalResult CodaDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kLaunchGroupAttrName)
    return success();
  if (!isa<GemmOp>(op))
    return op->emitOpError() << "must not have '" << kLaunchGroupAttrName
                             << "'; expected it on a coda.gemm";
  auto group = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!group || !group.getType().isSignlessInteger(64))
    return op->emitOpError()
           << "'" << kLaunchGroupAttrName << "' must be an i64, but is "
           << attribute.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  Type element;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(sizes, /*allowDynamic=*/true,
                                /*withTrailingX=*/true) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  if (sizes.size() != 2) {
    parser.emitError(loc) << "a tile has 2 sizes, rows x columns, but "
                          << sizes.size() << " came";
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    sizes[0], sizes[1], element);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList({getRows(), getColumns()});
  printer << 'x' << getElementType() << '>';
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, Type element) {
  for (int64_t size : {rows, columns})
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "a tile's size must not be negative, but is "
                         << size;
  if (!isValidElementType(element))
    return emitError() << "a tile's elements must be of signless integer, "
                          "index or float type, but are "
                       << element;
  return success();
}

//===----------------------------------------------------------------------===//
// DimsAttr
//===----------------------------------------------------------------------===//

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<Dim> dims;
  SmallVector<int64_t> divisors;
  SmallVector<bool> cyclic;
  SMLoc loc = parser.getCurrentLocation();
  auto parseDim = [&]() -> ParseResult {
    cyclic.push_back(succeeded(parser.parseOptionalKeyword("cyclic")));
    FailureOr<Dim> dim = FieldParser<Dim>::parse(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    divisors.push_back(1);
    if (succeeded(parser.parseOptionalSlash()))
      return parser.parseInteger(divisors.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<Dim>(dims), ArrayRef<int64_t>(divisors),
                    ArrayRef<bool>(cyclic));
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '[';
  llvm::interleaveComma(llvm::zip_equal(getDims(), getDivisors(), getCyclic()),
                        printer.getStream(), [&](auto entry) {
                          auto [dim, divisor, cyclic] = entry;
                          printer << (cyclic ? "cyclic " : "")
                                  << stringifyDim(dim);
                          if (divisor != 1)
                            printer << " / " << divisor;
                        });
  printer << ']';
}

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Dim> dims, ArrayRef<int64_t> divisors,
                               ArrayRef<bool> cyclic) {
  if (dims.size() != divisors.size() || dims.size() != cyclic.size())
    return emitError() << "expected a divisor and a mark for each of "
                       << dims.size() << " dimensions";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (llvm::is_contained(dims.take_front(i), dim))
      return emitError() << "dimension " << stringifyDim(dim)
                         << " is listed twice";
    if (dim == Dim::parts && (divisors[i] != 1 || cyclic[i]))
      return emitError() << "parts must be neither divided nor cyclic";
    if (divisors[i] < 1)
      return emitError() << "dimension " << stringifyDim(dim)
                         << " must be divided by a positive number, but is by "
                         << divisors[i];
  }
  return success();
}

bool DimsAttr::isWhole() const {
  return llvm::all_of(llvm::seq(size()), [&](size_t i) { return isWhole(i); });
}

int64_t DimsAttr::indexOf(Dim dim) const {
  const auto *it = llvm::find(getDims(), dim);
  return it == getDims().end() ? -1 : it - getDims().begin();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Kernel kernel, int64_t tileM, int64_t tileN,
                                   int64_t tileK, int64_t cluster,
                                   int64_t stages, int64_t raster,
                                   int64_t storeBuffers) {
  auto check = [&](StringRef name, int64_t value, int64_t low, int64_t high,
                   int64_t step) -> LogicalResult {
    if (value >= low && value <= high && value % step == 0)
      return success();
    return emitError() << name << " must be a multiple of " << step << " from "
                       << low << " to " << high << ", but is " << value;
  };
  if (failed(check("raster", raster, 1, 1024, 1)))
    return failure();
  if (kernel == Kernel::simple) {
    return success(succeeded(check("tile_m", tileM, 64, 64, 64)) &&
                   succeeded(check("tile_n", tileN, 8, 256, 8)) &&
                   succeeded(check("tile_k", tileK, 16, 64, 16)) &&
                   succeeded(check("cluster", cluster, 1, 1, 1)) &&
                   succeeded(check("stages", stages, 1, 1, 1)) &&
                   succeeded(check("store_buffers", storeBuffers, 1, 8, 1)));
  }
  // One wgmma covers 64 rows; a cooperative tile is split over 2 warpgroups.
  int64_t rowStep = kernel == Kernel::cooperative ? 128 : 64;
  return success(succeeded(check("tile_m", tileM, rowStep, 256, rowStep)) &&
                 succeeded(check("tile_n", tileN, 64, 256, 64)) &&
                 succeeded(check("tile_k", tileK, 64, 128, 64)) &&
                 succeeded(check("cluster", cluster, 1, 2, 1)) &&
                 succeeded(check("stages", stages, 2, 16, 1)) &&
                 succeeded(check("store_buffers", storeBuffers, 1, 8, 1)));
}
