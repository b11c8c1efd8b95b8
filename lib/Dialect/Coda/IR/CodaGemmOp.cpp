//===- CodaGemmOp.cpp - coda.gemm: construction, facts, interfaces --------===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
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
    setName(argument, dims.hasParts() ? "parts"
                      : m && n        ? "matrix"
                      : n             ? "row"
                      : m             ? "column"
                                      : "scalar");
  }
}

YieldOp GemmOp::getYield() { return cast<YieldOp>(getBody()->getTerminator()); }

int64_t GemmOp::getStaticSize(Dim dim) {
  int64_t size = ShapedType::kDynamic;
  auto visit = [&](Type type, DimsAttr dims) {
    if (ShapedType::isDynamic(size))
      size = getSize(type, dims, dim);
  };
  visit(getLhs().getType(), getLhsDims());
  for (Value rhs : getRhs())
    visit(rhs.getType(), getRhsDims());
  for (auto [i, out] : llvm::enumerate(getOuts()))
    visit(out.getType(), getOutDims(i));
  for (auto [i, operand] : llvm::enumerate(getEpilogueOperands()))
    visit(operand.getType(), getOperandDims(i));
  return size;
}

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
  int64_t tileColumns = size(Dim::n, columns);
  if (dims.hasParts())
    tileColumns = cast<ShapedType>(type).getDimSize(dims.indexOf(Dim::parts));
  return TileType::get(size(Dim::m, rows), tileColumns,
                       getElementTypeOrSelf(type));
}

std::optional<size_t> GemmOp::getPartsOperand(Value tile) {
  auto argument = dyn_cast<BlockArgument>(tile);
  auto gemm = argument ? dyn_cast<GemmOp>(argument.getOwner()->getParentOp())
                       : GemmOp();
  if (!gemm || argument.getArgNumber() < gemm.getRhs().size())
    return std::nullopt;
  size_t operand = argument.getArgNumber() - gemm.getRhs().size();
  if (operand >= gemm.getOperandDimsAttr().size() ||
      !gemm.getOperandDims(operand).hasParts())
    return std::nullopt;
  return operand;
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
