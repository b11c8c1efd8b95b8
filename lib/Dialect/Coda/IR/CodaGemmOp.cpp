//===- CodaGemmOp.cpp - coda.gemm: form, constraints, interfaces ----------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static ArrayAttr getDimsArray(Builder &builder, ArrayRef<DimsAttr> dims) {
  return builder.getArrayAttr(SmallVector<Attribute>(dims.begin(), dims.end()));
}

/// The size of `dim` in a shaped value, kDynamic where it does not say.
static int64_t getSize(Type type, DimsAttr dims, Dim dim) {
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t position = dims.indexOf(dim);
  if (!shaped || position < 0 || position >= shaped.getRank() ||
      !dims.isWhole(position))
    return ShapedType::kDynamic;
  return shaped.getDimSize(position);
}

/// The static size of `dim` that any of the values gives, or kDynamic.
static int64_t getProductSize(GemmOp gemm, Dim dim) {
  int64_t size = ShapedType::kDynamic;
  auto visit = [&](Type type, DimsAttr dims) {
    if (ShapedType::isDynamic(size))
      size = getSize(type, dims, dim);
  };
  visit(gemm.getLhs().getType(), gemm.getLhsDims());
  for (Value rhs : gemm.getRhs())
    visit(rhs.getType(), gemm.getRhsDims());
  for (auto [i, out] : llvm::enumerate(gemm.getOuts()))
    visit(out.getType(), gemm.getOutDims(i));
  for (auto [i, operand] : llvm::enumerate(gemm.getEpilogueOperands()))
    visit(operand.getType(), gemm.getOperandDims(i));
  return size;
}

void GemmOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                   DimsAttr lhsDims, ValueRange rhs, DimsAttr rhsDims,
                   ValueRange operands, ArrayRef<DimsAttr> operandDims,
                   ValueRange outs, ArrayRef<DimsAttr> outDims) {
  build(builder, state, lhs, lhsDims, rhs, rhsDims, operands, operandDims, outs,
        outDims,
        function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>());
}

void GemmOp::build(
    OpBuilder &builder, OperationState &state, Value lhs, DimsAttr lhsDims,
    ValueRange rhs, DimsAttr rhsDims, ValueRange operands,
    ArrayRef<DimsAttr> operandDims, ValueRange outs, ArrayRef<DimsAttr> outDims,
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> body) {
  state.addOperands(lhs);
  state.addOperands(rhs);
  state.addOperands(operands);
  state.addOperands(outs);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, static_cast<int32_t>(rhs.size()),
                                    static_cast<int32_t>(operands.size()),
                                    static_cast<int32_t>(outs.size())};
  properties.lhs_dims = lhsDims;
  properties.rhs_dims = rhsDims;
  properties.operand_dims = getDimsArray(builder, operandDims);
  properties.out_dims = getDimsArray(builder, outDims);
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      state.addTypes(out.getType());

  // As the verifier: a size that any value states is the tiles' size.
  int64_t rows = ShapedType::kDynamic, columns = ShapedType::kDynamic;
  auto visit = [&](Type type, DimsAttr dims) {
    if (ShapedType::isDynamic(rows))
      rows = getSize(type, dims, Dim::m);
    if (ShapedType::isDynamic(columns))
      columns = getSize(type, dims, Dim::n);
  };
  visit(lhs.getType(), lhsDims);
  for (Value value : rhs)
    visit(value.getType(), rhsDims);
  for (auto [out, dims] : llvm::zip_equal(outs, outDims))
    visit(out.getType(), dims);
  for (auto [operand, dims] : llvm::zip_equal(operands, operandDims))
    visit(operand.getType(), dims);

  Region *region = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(region);
  auto input = cast<ShapedType>(lhs.getType()).getElementType();
  for (Value value : rhs)
    block->addArgument(TileType::get(rows, columns, getAccumulatorType(input)),
                       value.getLoc());
  for (auto [operand, dims] : llvm::zip_equal(operands, operandDims))
    block->addArgument(getTileFor(operand.getType(), dims, rows, columns),
                       operand.getLoc());
  if (body)
    YieldOp::create(builder, state.location,
                    body(builder, state.location, block->getArguments()));
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(` %value dims `:` type, ... `)`
static ParseResult
parseValues(OpAsmParser &parser,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
            SmallVectorImpl<Type> &types, SmallVectorImpl<Attribute> &dims) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        if (parser.parseOperand(values.emplace_back()))
          return failure();
        Attribute attribute = DimsAttr::parse(parser, Type());
        if (!attribute || parser.parseColonType(types.emplace_back()))
          return failure();
        dims.push_back(attribute);
        return success();
      });
}

ParseResult GemmOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> lhs, rhs, operands, outs;
  SmallVector<Type> lhsTypes, rhsTypes, operandTypes, outTypes;
  SmallVector<Attribute> lhsDims, rhsDims, operandDims, outDims;
  SMLoc lhsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("lhs") || parseValues(parser, lhs, lhsTypes, lhsDims))
    return failure();
  if (lhs.size() != 1)
    return parser.emitError(lhsLoc)
           << "expected 1 left-hand side, but " << lhs.size() << " came";
  SMLoc rhsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("rhs") || parseValues(parser, rhs, rhsTypes, rhsDims))
    return failure();
  if (rhs.empty())
    return parser.emitError(rhsLoc) << "expected at least 1 right-hand side";
  if (!llvm::all_equal(rhsDims))
    return parser.emitError(rhsLoc)
           << "expected one storage for every right-hand side";
  SMLoc operandsLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("operands")) &&
      parseValues(parser, operands, operandTypes, operandDims))
    return failure();
  SMLoc outsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("outs") ||
      parseValues(parser, outs, outTypes, outDims))
    return failure();

  Properties &properties = state.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    Attribute schedule = ScheduleAttr::parse(parser, Type());
    if (!schedule)
      return failure();
    properties.schedule = cast<ScheduleAttr>(schedule);
  }
  Region *body = state.addRegion();
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  for (StringRef name : getAttributeNames())
    if (state.attributes.get(name))
      return parser.emitError(attributesLoc)
             << "'" << name
             << "' has a place of its own and must not be in the attribute "
                "dictionary";
  if (parser.parseRegion(*body))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  if (parser.parseOptionalArrowTypeList(state.types))
    return failure();

  properties.operandSegmentSizes = {1, static_cast<int32_t>(rhs.size()),
                                    static_cast<int32_t>(operands.size()),
                                    static_cast<int32_t>(outs.size())};
  Builder &builder = parser.getBuilder();
  properties.lhs_dims = cast<DimsAttr>(lhsDims.front());
  properties.rhs_dims = cast<DimsAttr>(rhsDims.front());
  properties.operand_dims = builder.getArrayAttr(operandDims);
  properties.out_dims = builder.getArrayAttr(outDims);
  return failure(
      parser.resolveOperands(lhs, lhsTypes, lhsLoc, state.operands) ||
      parser.resolveOperands(rhs, rhsTypes, rhsLoc, state.operands) ||
      parser.resolveOperands(operands, operandTypes, operandsLoc,
                             state.operands) ||
      parser.resolveOperands(outs, outTypes, outsLoc, state.operands));
}

void GemmOp::print(OpAsmPrinter &printer) {
  auto printValues = [&](StringRef keyword, ValueRange values, auto dimsOf) {
    printer << ' ' << keyword << '(';
    for (auto [i, value] : llvm::enumerate(values)) {
      if (i)
        printer << ", ";
      printer << value << ' ';
      dimsOf(i).print(printer);
      printer << " : " << value.getType();
    }
    printer << ')';
  };
  printValues("lhs", getLhs(), [&](size_t) { return getLhsDims(); });
  printValues("rhs", getRhs(), [&](size_t) { return getRhsDims(); });
  if (!getEpilogueOperands().empty())
    printValues("operands", getEpilogueOperands(),
                [&](size_t i) { return getOperandDims(i); });
  printValues("outs", getOuts(), [&](size_t i) { return getOutDims(i); });
  if (ScheduleAttr schedule = getScheduleAttr()) {
    printer << " schedule";
    printer.printStrippedAttrOrType(schedule);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getEpilogue());
  printer.printOptionalArrowTypeList(getResultTypes());
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Accumulators are `%acc`; a tile of an operand is named after the dimensions
/// that it runs over.
void GemmOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  size_t accumulators = getRhs().size();
  for (auto [i, argument] : llvm::enumerate(region.getArguments())) {
    if (i < accumulators) {
      setName(argument, "acc");
      continue;
    }
    // Printing may come before verification.
    ArrayAttr allDims = getOperandDimsAttr();
    if (!allDims || i - accumulators >= allDims.size())
      return;
    auto dims = dyn_cast<DimsAttr>(allDims[i - accumulators]);
    if (!dims)
      return;
    bool m = dims.contains(Dim::m), n = dims.contains(Dim::n);
    setName(argument, m && n ? "matrix" : n ? "row" : m ? "column" : "scalar");
  }
}

YieldOp GemmOp::getYield() { return cast<YieldOp>(getBody()->getTerminator()); }

int64_t GemmOp::getStaticM() { return getProductSize(*this, Dim::m); }
int64_t GemmOp::getStaticN() { return getProductSize(*this, Dim::n); }
int64_t GemmOp::getStaticK() { return getProductSize(*this, Dim::k); }

Type GemmOp::getInputElementType() {
  return cast<ShapedType>(getLhs().getType()).getElementType();
}

Type GemmOp::getAccumulatorType(Type input) {
  MLIRContext *context = input.getContext();
  if (isa<BFloat16Type, Float16Type, Float32Type, Float8E4M3FNType,
          Float8E5M2Type>(input))
    return Float32Type::get(context);
  if (isa<Float64Type>(input))
    return input;
  if (input.isSignlessInteger(8))
    return IntegerType::get(context, 32);
  return {};
}

TileType GemmOp::getAccumulatorTile() {
  return TileType::get(getStaticM(), getStaticN(),
                       getAccumulatorType(getInputElementType()));
}

TileType GemmOp::getTileFor(Type type, DimsAttr dims, int64_t rows,
                            int64_t columns) {
  auto size = [&](Dim dim, int64_t product) -> int64_t {
    if (!dims.contains(dim))
      return 1;
    if (ShapedType::isDynamic(product))
      return product;
    return llvm::divideCeil(product, dims.getDivisor(dim));
  };
  return TileType::get(size(Dim::m, rows), size(Dim::n, columns),
                       getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Constraint 2 and the first half of 1, for one value.
static LogicalResult verifyDims(GemmOp gemm, const Twine &name, Type type,
                                DimsAttr dims, ArrayRef<Dim> expected,
                                bool mayGroup = false, bool mayCycle = false) {
  auto shaped = dyn_cast<ShapedType>(type);
  size_t rank = shaped ? shaped.getRank() : 0;
  if (rank != dims.size())
    return gemm.emitOpError() << name << " of rank " << rank
                              << " needs one dimension name for each of its "
                                 "dimensions, but has "
                              << dims;
  Type element = getElementTypeOrSelf(type);
  if (!TileType::isValidElementType(element))
    return gemm.emitOpError()
           << name
           << " must have elements of float, signless integer or index type, "
              "but has "
           << element;
  for (auto [i, dim] : llvm::enumerate(dims.getDims())) {
    if (!llvm::is_contained(expected, dim))
      return gemm.emitOpError() << name << " must not run over dimension "
                                << stringifyDim(dim) << ", but has " << dims;
    if (!mayGroup && dims.getDivisors()[i] != 1)
      return gemm.emitOpError() << name << " must run over all of "
                                << stringifyDim(dim) << ", but has " << dims;
    if (!mayCycle && dims.getCyclic()[i])
      return gemm.emitOpError()
             << name << " must not be cyclic, but has " << dims;
    if (dims.getCyclic()[i] && shaped.getDimSize(i) == 0)
      return gemm.emitOpError()
             << name << " must not be cyclic with size 0, but is " << type;
  }
  return success();
}

LogicalResult GemmOp::verify() {
  // The generic form can give any number, and getLhs() relies on it.
  if (unsigned count = getODSOperandIndexAndLength(0).second; count != 1)
    return emitOpError() << "must have 1 left-hand side, but has " << count;
  // Constraint 6 first: the others read shaped types.
  bool tensors = isa<RankedTensorType>(getLhs().getType());
  for (OpOperand &operand : (*this)->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<ShapedType>(type) && isa<RankedTensorType>(type) != tensors)
      return emitOpError() << "must have all tensors or all memrefs, but lhs "
                              "is "
                           << getLhs().getType() << " and operand #"
                           << operand.getOperandNumber() << " is " << type;
  }
  if (getRhs().empty())
    return emitOpError("expected at least 1 right-hand side");
  size_t expectedResults = tensors ? getOuts().size() : 0;
  if (getNumResults() != expectedResults)
    return emitOpError() << "expected " << expectedResults << " results for "
                         << getOuts().size() << " destinations, but has "
                         << getNumResults();
  for (auto [i, result] : llvm::enumerate(getResults()))
    if (result.getType() != getOuts()[i].getType())
      return emitOpError() << "result #" << i << " must have the type of its "
                           << "destination, " << getOuts()[i].getType()
                           << ", but has " << result.getType();

  // Constraints 1 and 2.
  auto isMatrix = [](Type type) {
    return cast<ShapedType>(type).getRank() == 2;
  };
  if (!isMatrix(getLhs().getType()))
    return emitOpError() << "lhs must have rank 2, but is "
                         << getLhs().getType();
  Type element = getInputElementType();
  if (!getAccumulatorType(element))
    return emitOpError() << "lhs has unsupported element type " << element
                         << "; expected bf16, f16, f32, f64, f8E4M3FN, "
                            "f8E5M2 or i8";
  if (failed(verifyDims(*this, "lhs", getLhs().getType(), getLhsDims(),
                        {Dim::m, Dim::k})))
    return failure();
  for (auto [i, rhs] : llvm::enumerate(getRhs())) {
    auto type = cast<ShapedType>(rhs.getType());
    if (type.getRank() != 2)
      return emitOpError() << "rhs #" << i << " must have rank 2, but is "
                           << type;
    if (type.getElementType() != element)
      return emitOpError() << "rhs #" << i << " must have lhs's element type "
                           << element << ", but is " << type;
    if (tensors && type != getRhs().front().getType())
      return emitOpError() << "rhs #" << i << " must have the type of rhs #0, "
                           << getRhs().front().getType() << ", but is " << type;
    if (failed(verifyDims(*this, "rhs #" + Twine(i), type, getRhsDims(),
                          {Dim::k, Dim::n})))
      return failure();
  }
  auto verifyAll = [&](StringRef name, ValueRange values, ArrayAttr dims,
                       bool mayCycle) -> LogicalResult {
    if (dims.size() != values.size())
      return emitOpError() << "expected dims for each of " << values.size()
                           << ' ' << name << "s, but has " << dims.size();
    for (auto [i, value] : llvm::enumerate(values))
      if (failed(verifyDims(*this, name + " #" + Twine(i), value.getType(),
                            cast<DimsAttr>(dims[i]), {Dim::m, Dim::n},
                            /*mayGroup=*/true, mayCycle)))
        return failure();
    return success();
  };
  if (failed(verifyAll("operand", getEpilogueOperands(), getOperandDimsAttr(),
                       /*mayCycle=*/true)) ||
      failed(verifyAll("destination", getOuts(), getOutDimsAttr(),
                       /*mayCycle=*/false)))
    return failure();

  // Constraint 3.
  auto agree = [&](const Twine &name, Type type,
                   DimsAttr dims) -> LogicalResult {
    for (auto [i, dim] : llvm::enumerate(dims.getDims())) {
      int64_t size = cast<ShapedType>(type).getDimSize(i);
      int64_t expected = getProductSize(*this, dim);
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(expected) ||
          dims.getCyclic()[i])
        continue;
      int64_t divisor = dims.getDivisors()[i];
      expected = llvm::divideCeil(expected, divisor);
      if (size == expected)
        continue;
      InFlightDiagnostic error = emitOpError();
      error << name << " has size " << size << " along " << stringifyDim(dim);
      if (divisor != 1)
        error << " / " << divisor;
      return error << ", but the product has " << expected;
    }
    return success();
  };
  for (auto [i, rhs] : llvm::enumerate(getRhs()))
    if (failed(agree("rhs #" + Twine(i), rhs.getType(), getRhsDims())))
      return failure();
  for (auto [i, operand] : llvm::enumerate(getEpilogueOperands()))
    if (failed(agree("operand #" + Twine(i), operand.getType(),
                     getOperandDims(i))))
      return failure();
  for (auto [i, out] : llvm::enumerate(getOuts()))
    if (failed(agree("destination #" + Twine(i), out.getType(), getOutDims(i))))
      return failure();
  return success();
}

LogicalResult GemmOp::verifyRegions() {
  // Constraint 4.
  Block &block = *getBody();
  size_t expectedArguments = getRhs().size() + getEpilogueOperands().size();
  if (block.getNumArguments() != expectedArguments)
    return emitOpError() << "epilogue must have " << expectedArguments
                         << " arguments, one a right-hand side and one an "
                            "operand, but has "
                         << block.getNumArguments();
  TileType accumulator = getAccumulatorTile();
  for (auto [i, argument] : llvm::enumerate(getAccumulatorArgs()))
    if (argument.getType() != accumulator)
      return emitOpError() << "epilogue argument #" << i
                           << " must be the accumulator " << accumulator
                           << ", but is " << argument.getType();
  for (auto [i, argument] : llvm::enumerate(getOperandArgs())) {
    TileType expected =
        getTileFor(getEpilogueOperands()[i].getType(), getOperandDims(i),
                   accumulator.getRows(), accumulator.getColumns());
    if (argument.getType() != expected)
      return emitOpError() << "epilogue argument #" << getRhs().size() + i
                           << " must be the tile " << expected
                           << " of operand #" << i << ", but is "
                           << argument.getType();
  }
  // Constraint 5.
  YieldOp yield = getYield();
  if (yield.getValues().size() != getOuts().size())
    return yield.emitOpError()
           << "must give a tile for each of " << getOuts().size()
           << " destinations, but gives " << yield.getValues().size();
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    TileType expected =
        getTileFor(getOuts()[i].getType(), getOutDims(i), accumulator.getRows(),
                   accumulator.getColumns());
    if (value.getType() != expected)
      return yield.emitOpError()
             << "value #" << i << " must be the tile " << expected
             << " of destination #" << i << ", but is " << value.getType();
  }
  // Constraint 7.
  for (Operation &op : block.without_terminator()) {
    if (!op.hasTrait<EpiloguePrimitive>())
      return op.emitOpError()
             << "must not stand in an epilogue; only its primitives may";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

LogicalResult GemmOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    if (isa<RankedTensorType>(out.getType()))
      shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasPureTensorSemantics())
    return;
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

Speculation::Speculatability GemmOp::getSpeculatability() {
  // As linalg ops: sizes that disagree at run time are undefined behaviour
  // wherever the op stands, so only writes hold it in place.
  return hasPureTensorSemantics() ? Speculation::RecursivelySpeculatable
                                  : Speculation::NotSpeculatable;
}
