//===- CodaEpilogueOps.cpp - Form and constraints of the primitives -------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, TileType result,
                  ValueRange inputs) {
  state.addOperands(inputs);
  state.addTypes(result);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    block->addArgument(cast<TileType>(input.getType()).getElementType(),
                       input.getLoc());
}

void MapOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                  function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  int64_t rows = 1, columns = 1;
  for (Value input : inputs) {
    auto tile = cast<TileType>(input.getType());
    rows = rows == 1 ? tile.getRows() : rows;
    columns = columns == 1 ? tile.getColumns() : columns;
  }
  // The element type is known once the body is made.
  build(builder, state, TileType::get(rows, columns, builder.getI1Type()),
        inputs);
  OpBuilder::InsertionGuard guard(builder);
  Block &block = state.regions.front()->front();
  builder.setInsertionPointToEnd(&block);
  Value value = body(builder, state.location, block.getArguments());
  YieldOp::create(builder, state.location, value);
  state.types.front() = TileType::get(rows, columns, value.getType());
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    SMLoc typeLoc;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) || parser.parseColon() ||
        parser.getCurrentLocation(&typeLoc) ||
        parser.parseType(types.emplace_back()))
      return failure();
    auto tile = dyn_cast<TileType>(types.back());
    if (!tile)
      return parser.emitError(typeLoc)
             << "expected a tile, but " << types.back() << " came";
    arguments.back().type = tile.getElementType();
    return success();
  };
  Type result;
  Region *body = state.addRegion();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseArrow() || parser.parseType(result) ||
      parser.parseRegion(*body, arguments) ||
      parser.resolveOperands(inputs, types, loc, state.operands))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  state.addTypes(result);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << '(';
  auto pairs = llvm::zip(getBody()->getArguments(), getInputs());
  llvm::interleaveComma(pairs, printer, [&](auto pair) {
    auto [argument, input] = pair;
    printer.printRegionArgument(argument, {}, /*omitType=*/true);
    printer << " = " << input << " : " << input.getType();
  });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " -> " << getResult().getType() << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

void MapOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "in");
}

YieldOp MapOp::getYield() { return cast<YieldOp>(getBody()->getTerminator()); }

const char *MapOp::whyNotScalarBodyOp(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return "is no arith or math op";
  if (!isMemoryEffectFree(op) || op->getNumRegions())
    return "has side effects or a region";
  auto isScalar = [](Type type) { return TileType::isValidElementType(type); };
  if (op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return "does not compute one scalar from scalars";
  return nullptr;
}

LogicalResult MapOp::verify() {
  // Constraint 1.
  TileType result = getType();
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto tile = cast<TileType>(input.getType());
    bool rowsFit = tile.getRows() == 1 || tile.getRows() == result.getRows();
    bool columnsFit =
        tile.getColumns() == 1 || tile.getColumns() == result.getColumns();
    if (!rowsFit || !columnsFit)
      return emitOpError() << "input #" << i << " must have the result's size "
                           << "or 1 along each axis of " << result
                           << ", but is " << tile;
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  // Constraint 2.
  Block &block = *getBody();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "body must have an argument for each of "
                         << getInputs().size() << " inputs, but has "
                         << block.getNumArguments();
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type expected = cast<TileType>(getInputs()[i].getType()).getElementType();
    if (argument.getType() != expected)
      return emitOpError() << "body argument #" << i << " must be " << expected
                           << ", but is " << argument.getType();
  }
  YieldOp yield = getYield();
  if (yield.getValues().size() != 1 ||
      yield.getValues().front().getType() != getType().getElementType())
    return yield.emitOpError()
           << "must give one " << getType().getElementType() << ", but gives ("
           << yield.getValues().getTypes() << ")";
  // Constraint 3.
  for (Operation &op : block.without_terminator())
    if (const char *why = whyNotScalarBodyOp(&op))
      return op.emitOpError() << "must not stand in a coda.map: it " << why;
  return success();
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

void IndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getAxis() == Axis::rows ? "row" : "column");
}

LogicalResult IndexOp::verify() {
  TileType type = getType();
  bool rows = getAxis() == Axis::rows;
  int64_t unit = rows ? type.getColumns() : type.getRows();
  int64_t size = rows ? type.getRows() : type.getColumns();
  if (unit != 1)
    return emitOpError() << "of " << stringifyAxis(getAxis()) << " must give a "
                         << (rows ? "column vector tile<Mx1>"
                                  : "row vector tile<1xN>")
                         << ", but gives " << type;
  TileType product = cast<GemmOp>((*this)->getParentOp()).getAccumulatorTile();
  int64_t expected = rows ? product.getRows() : product.getColumns();
  if (size != expected)
    return emitOpError() << "must number the "
                         << (ShapedType::isDynamic(expected)
                                 ? std::string("?")
                                 : std::to_string(expected))
                         << ' ' << stringifyAxis(getAxis())
                         << " of the product, but gives " << type;
  Type element = type.getElementType();
  if (!element.isIndex() &&
      !(element.isSignlessInteger() && element.getIntOrFloatBitWidth() >= 32))
    return emitOpError() << "must give index or an integer of at least 32 "
                            "bits, but gives "
                         << element;
  return success();
}
