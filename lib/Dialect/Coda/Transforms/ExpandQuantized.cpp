//===- ExpandQuantized.cpp - Zero points as corrections -------------------===//
//
// sum_k (a - za)(b - zb) = sum_k a b - za sum_k b - zb sum_k a + K za zb
//
// The same for integers that wrap. It leaves a plain product and an elementwise
// op with a value for each column and each row.
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coda;

using utils::IteratorType;

/// The sums over k of `matrix`, whose dimension `k` that is.
static Value sumAlongK(ImplicitLocOpBuilder &b, Value matrix, int64_t k,
                       Type sumType) {
  auto type = cast<RankedTensorType>(matrix.getType());
  OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), matrix, 1 - k);
  Value empty = tensor::EmptyOp::create(b, ArrayRef(size), sumType);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  Value init = linalg::FillOp::create(b, zero, empty).getResult(0);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  iterators[k] = IteratorType::reduction;
  AffineMap maps[] = {
      b.getMultiDimIdentityMap(2),
      AffineMap::get(2, 0, b.getAffineDimExpr(static_cast<unsigned>(1 - k)))};
  return linalg::GenericOp::create(
             b, init.getType(), matrix, init, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange scalars) {
               Value wide = scalars[0];
               if (type.getElementType() != sumType)
                 wide = arith::ExtSIOp::create(nested, loc, sumType, wide);
               Value sum = arith::AddIOp::create(nested, loc, scalars[1], wide);
               linalg::YieldOp::create(nested, loc, sum);
             })
      .getResult(0);
}

static void expand(RewriterBase &rewriter, linalg::QuantizedMatmulOp op) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value lhs = op.getInputs()[0], rhs = op.getInputs()[1];
  Value lhsZero = op.getInputs()[2], rhsZero = op.getInputs()[3];
  Value init = op.getOutputs()[0];
  auto type = cast<RankedTensorType>(init.getType());
  Type sum = type.getElementType();
  Value product =
      linalg::MatmulOp::create(b, ValueRange{lhs, rhs}, ValueRange{init})
          .getResult(0);

  bool hasLhsZero = !matchPattern(lhsZero, m_Zero());
  bool hasRhsZero = !matchPattern(rhsZero, m_Zero());
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(2)};
  auto along = [&](unsigned dim, Value sums) {
    inputs.push_back(sums);
    maps.push_back(AffineMap::get(2, 0, b.getAffineDimExpr(dim)));
  };
  Value both;
  if (hasLhsZero)
    along(1, sumAlongK(b, rhs, /*k=*/0, sum));
  if (hasRhsZero)
    along(0, sumAlongK(b, lhs, /*k=*/1, sum));
  if (hasLhsZero && hasRhsZero) {
    Value size = tensor::DimOp::create(b, lhs, 1);
    size = b.createOrFold<arith::IndexCastOp>(sum, size);
    both = b.createOrFold<arith::MulIOp>(
        size, b.createOrFold<arith::MulIOp>(lhsZero, rhsZero));
  }
  if (!hasLhsZero && !hasRhsZero)
    return rewriter.replaceOp(op, product);

  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), init), sum);
  maps.push_back(b.getMultiDimIdentityMap(2));
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, inputs, empty, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange scalars) {
        Value value = scalars[0];
        size_t next = 1;
        for (auto [has, zero] :
             {std::pair(hasLhsZero, lhsZero), std::pair(hasRhsZero, rhsZero)}) {
          if (!has)
            continue;
          Value correction =
              arith::MulIOp::create(nested, loc, scalars[next++], zero);
          value = arith::SubIOp::create(nested, loc, value, correction);
        }
        if (both)
          value = arith::AddIOp::create(nested, loc, value, both);
        linalg::YieldOp::create(nested, loc, value);
      });
}

void coda::expandQuantizedProducts(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::QuantizedMatmulOp> ops;
  root->walk([&](linalg::QuantizedMatmulOp op) {
    auto elements = [&](Value value) {
      return getElementTypeOrSelf(value.getType());
    };
    if (op.hasPureTensorSemantics() &&
        elements(op.getInputs()[0]).isSignlessInteger(8) &&
        elements(op.getInputs()[1]).isSignlessInteger(8) &&
        llvm::all_of(
            ArrayRef<Value>{op.getInputs()[2], op.getInputs()[3],
                            op.getOutputs()[0]},
            [&](Value v) { return elements(v).isSignlessInteger(32); }))
      ops.push_back(op);
  });
  for (linalg::QuantizedMatmulOp op : ops)
    expand(rewriter, op);
}
