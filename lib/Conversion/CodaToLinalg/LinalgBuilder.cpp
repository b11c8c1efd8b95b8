//===- LinalgBuilder.cpp - Values over the dimensions of a product --------===//

#include "LinalgBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

/// Tells the buffer deallocation pass, which takes no other deallocations, that
/// these buffers are none of its business.
static constexpr StringLiteral
    kManualDeallocation("bufferization.manual_deallocation");

Type LinalgValue::getElementType() const {
  return getElementTypeOrSelf(value.getType());
}

LinalgBuilder::LinalgBuilder(RewriterBase &rewriter, GemmOp gemm)
    : rewriter(rewriter), gemm(gemm) {}

OpFoldResult LinalgBuilder::getSize(Location loc, Dim dim) {
  int64_t size = dim == Dim::m ? gemm.getStaticM() : gemm.getStaticN();
  if (ShapedType::isStatic(size))
    return rewriter.getIndexAttr(size);
  // Every gemm has m in its left-hand and n in its right-hand sides.
  Value source = dim == Dim::m ? gemm.getLhs() : gemm.getRhs().front();
  DimsAttr dims = dim == Dim::m ? gemm.getLhsDims() : gemm.getRhsDims();
  int64_t position = dims.indexOf(dim);
  if (onTensors())
    return tensor::DimOp::create(rewriter, loc, source, position).getResult();
  return memref::DimOp::create(rewriter, loc, source, position).getResult();
}

OpFoldResult LinalgBuilder::getSize(Location loc, const LinalgValue &value,
                                    Dim dim) {
  int64_t position = llvm::find(value.dims, dim) - value.dims.begin();
  if (onTensors())
    return tensor::getMixedSize(rewriter, loc, value.value, position);
  return memref::getMixedSize(rewriter, loc, value.value, position);
}

OpFoldResult LinalgBuilder::scaleSize(Location loc, OpFoldResult size,
                                      int64_t numerator, int64_t divisor) {
  AffineExpr expr =
      (rewriter.getAffineSymbolExpr(0) * numerator).ceilDiv(divisor);
  return affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(0, 1, expr), {size});
}

LinalgValue LinalgBuilder::createTemporary(Location loc, Type elementType,
                                           ArrayRef<Dim> dims,
                                           ArrayRef<OpFoldResult> sizes) {
  if (onTensors())
    return {tensor::EmptyOp::create(rewriter, loc, sizes, elementType),
            SmallVector<Dim, 2>(dims)};
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto type = MemRefType::get(staticSizes, elementType);
  auto alloc = memref::AllocOp::create(rewriter, loc, type, dynamicSizes);
  alloc->setAttr(kManualDeallocation, rewriter.getUnitAttr());
  temporaries.push_back(alloc);
  return {temporaries.back(), SmallVector<Dim, 2>(dims)};
}

LinalgValue LinalgBuilder::createTemporary(Location loc, Type elementType,
                                           ArrayRef<Dim> dims) {
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : dims)
    sizes.push_back(getSize(loc, dim));
  return createTemporary(loc, elementType, dims, sizes);
}

void LinalgBuilder::deallocateTemporaries() {
  for (Value temporary : llvm::reverse(temporaries))
    memref::DeallocOp::create(rewriter, temporary.getLoc(), temporary)
        ->setAttr(kManualDeallocation, rewriter.getUnitAttr());
  temporaries.clear();
}

LinalgValue LinalgBuilder::fill(Location loc, TypedAttr value,
                                LinalgValue init) {
  Value scalar = arith::ConstantOp::create(rewriter, loc, value);
  auto fill = linalg::FillOp::create(rewriter, loc, scalar, init.value);
  if (onTensors())
    init.value = fill.getResult(0);
  return init;
}

AffineMap LinalgBuilder::getMap(const LinalgValue &value, ArrayRef<Dim> loops) {
  SmallVector<AffineExpr> results;
  for (Dim dim : value.dims) {
    auto *loop = llvm::find(loops, dim);
    results.push_back(loop == loops.end()
                          ? rewriter.getAffineConstantExpr(0)
                          : rewriter.getAffineDimExpr(loop - loops.begin()));
  }
  return AffineMap::get(loops.size(), 0, results, rewriter.getContext());
}

LinalgValue LinalgBuilder::createGeneric(Location loc, ArrayRef<Dim> dims,
                                         ArrayRef<LinalgValue> inputs,
                                         LinalgValue init, Body body) {
  SmallVector<LinalgInput> mapped;
  for (const LinalgValue &input : inputs)
    mapped.push_back({input.value, getMap(input, dims)});
  return createGeneric(loc, dims, mapped, init, getMap(init, dims), Dim::k,
                       body);
}

LinalgValue LinalgBuilder::createGeneric(Location loc, ArrayRef<Dim> dims,
                                         ArrayRef<LinalgInput> inputs,
                                         LinalgValue init, AffineMap initMap,
                                         std::optional<Dim> reduced,
                                         Body body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const LinalgInput &input : inputs) {
    maps.push_back(input.map);
    values.push_back(input.value);
  }
  maps.push_back(initMap);
  SmallVector<utils::IteratorType> iterators;
  for (Dim dim : dims)
    iterators.push_back(dim == reduced ? utils::IteratorType::reduction
                                       : utils::IteratorType::parallel);
  SmallVector<Type, 1> results;
  if (onTensors())
    results.push_back(init.value.getType());
  auto generic = linalg::GenericOp::create(rewriter, loc, results, values,
                                           init.value, maps, iterators, body);
  if (onTensors())
    init.value = generic.getResult(0);
  return init;
}
