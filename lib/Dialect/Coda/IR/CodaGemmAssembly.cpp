//===- CodaGemmAssembly.cpp - coda.gemm: parser and printer ---------------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace coda;

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
