//===- CodaGemmVerifier.cpp - coda.gemm: constraints ----------------------===//

#include "coda/Dialect/Coda/IR/Coda.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

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

/// The first half of constraint 8, for one operand.
static LogicalResult verifyParts(GemmOp gemm, size_t i) {
  DimsAttr dims = gemm.getOperandDims(i);
  if (!dims.hasParts())
    return success();
  auto error = [&]() {
    return gemm.emitOpError() << "operand #" << i << " with parts must ";
  };
  int64_t m = dims.indexOf(Dim::m);
  if (dims.size() != 2 || m < 0 || !dims.isWhole(m))
    return error() << "run over them and over all of m, but has " << dims;
  auto type = cast<ShapedType>(gemm.getEpilogueOperands()[i].getType());
  // 0 and dynamic.
  if (type.getDimSize(dims.indexOf(Dim::parts)) < 1)
    return error() << "have a static number of them, at least 1, but is "
                   << type;
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
    if (!mayMultiply(element, type.getElementType()))
      return emitOpError() << "rhs #" << i << " must have lhs's element type "
                           << element
                           << (isFloat8(element) ? " or another 8-bit float"
                                                 : "")
                           << ", but is " << type;
    Type first = cast<ShapedType>(getRhs().front().getType()).getElementType();
    if (type.getElementType() != first)
      return emitOpError() << "rhs #" << i << " must have the element type of "
                           << "rhs #0, " << first << ", but is " << type;
    if (tensors && type != getRhs().front().getType())
      return emitOpError() << "rhs #" << i << " must have the type of rhs #0, "
                           << getRhs().front().getType() << ", but is " << type;
    if (failed(verifyDims(*this, "rhs #" + Twine(i), type, getRhsDims(),
                          {Dim::k, Dim::n})))
      return failure();
  }
  auto verifyAll = [&](StringRef name, ValueRange values, ArrayAttr dims,
                       ArrayRef<Dim> expected, bool mayCycle) -> LogicalResult {
    if (dims.size() != values.size())
      return emitOpError() << "expected dims for each of " << values.size()
                           << ' ' << name << "s, but has " << dims.size();
    for (auto [i, value] : llvm::enumerate(values))
      if (failed(verifyDims(*this, name + " #" + Twine(i), value.getType(),
                            cast<DimsAttr>(dims[i]), expected,
                            /*mayGroup=*/true, mayCycle)))
        return failure();
    return success();
  };
  if (failed(verifyAll("operand", getEpilogueOperands(), getOperandDimsAttr(),
                       {Dim::m, Dim::n, Dim::parts}, /*mayCycle=*/true)) ||
      failed(verifyAll("destination", getOuts(), getOutDimsAttr(),
                       {Dim::m, Dim::n}, /*mayCycle=*/false)))
    return failure();
  // Constraint 8.
  for (size_t i = 0; i < getEpilogueOperands().size(); ++i)
    if (failed(verifyParts(*this, i)))
      return failure();

  // Constraint 3.
  auto agree = [&](const Twine &name, Type type,
                   DimsAttr dims) -> LogicalResult {
    for (auto [i, dim] : llvm::enumerate(dims.getDims())) {
      if (dims.isParts(i))
        continue;
      int64_t size = cast<ShapedType>(type).getDimSize(i);
      int64_t expected = getStaticSize(dim);
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
  // Constraint 8.
  for (auto [i, argument] : llvm::enumerate(getOperandArgs())) {
    if (!getOperandDims(i).hasParts())
      continue;
    for (Operation *user : argument.getUsers()) {
      auto reduce = dyn_cast<ReduceOp>(user);
      if (!reduce || reduce.getAxis() != Axis::columns || reduce.getGroup())
        return user->emitOpError()
               << "must not read operand #" << i << " with "
               << getOperandDims(i)
               << "; only coda.reduce along columns without groups may";
    }
  }
  return success();
}
