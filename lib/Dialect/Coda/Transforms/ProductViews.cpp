//===- ProductViews.cpp - Results of a product, reshaped ------------------===//

#include "ProductViews.h"

#include "Fusion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coda;

int64_t ProductView::getInnerSize(unsigned part) const {
  int64_t size = 1;
  for (const ViewPart &inner : ArrayRef(parts).drop_front(part + 1)) {
    if (inner.dim != parts[part].dim)
      continue;
    if (ShapedType::isDynamic(inner.size))
      return ShapedType::kDynamic;
    size *= inner.size;
  }
  return size;
}

/// The permutation by which a copy stores its input: dimension i of the result
/// is dimension [i] of the input.
static std::optional<SmallVector<int64_t>> getPermutation(Operation *op) {
  if (!isCopy(op))
    return std::nullopt;
  auto copy = cast<linalg::LinalgOp>(op);
  AffineMap from = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  AffineMap to = copy.getMatchingIndexingMap(copy.getDpsInitOperand(0));
  if (!from.isPermutation() || !to.isPermutation())
    return std::nullopt;
  SmallVector<int64_t> permutation;
  for (AffineExpr loop : to.getResults())
    permutation.push_back(*from.getResultPosition(loop));
  return permutation;
}

bool coda::isReshape(Operation *op) {
  if (isa_and_nonnull<tensor::CastOp>(op))
    return isa<RankedTensorType>(op->getResult(0).getType());
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return true;
  if (!op || op->getNumResults() != 1)
    return false;
  // The transpose of a matrix is a destination [n, m].
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.getRank() > 2 && getPermutation(op);
}

static void expand(ProductView &view, tensor::ExpandShapeOp op) {
  SmallVector<ViewPart> parts;
  SmallVector<unsigned> order(op.getResultType().getRank());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  for (auto [number, part] : llvm::enumerate(view.parts)) {
    auto *dimension = llvm::find(view.order, number);
    if (dimension == view.order.end()) {
      parts.push_back(part);
      continue;
    }
    for (int64_t i : groups[dimension - view.order.begin()]) {
      order[i] = parts.size();
      parts.push_back({part.dim, op.getResultType().getDimSize(i), sizes[i]});
    }
  }
  view.parts = parts;
  view.order = order;
}

/// False where parts of both m and n, or parts not beside each other, become
/// one dimension.
static bool collapse(ProductView &view, tensor::CollapseShapeOp op) {
  llvm::BitVector dropped(view.parts.size());
  SmallVector<unsigned> order;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    std::optional<unsigned> merged;
    for (int64_t i : group) {
      unsigned part = view.order[i];
      if (!merged) {
        merged = part;
        continue;
      }
      ViewPart &first = view.parts[*merged];
      if (view.parts[part].size == 1) {
        dropped.set(part);
        continue;
      }
      if (first.size == 1) {
        dropped.set(*merged);
        merged = part;
        continue;
      }
      const ViewPart &second = view.parts[part];
      if (part < *merged || first.dim != second.dim)
        return false;
      for (unsigned between = *merged + 1; between < part; ++between)
        if (!dropped.test(between) && view.parts[between].size != 1)
          return false;
      bool isStatic =
          ShapedType::isStatic(first.size) && ShapedType::isStatic(second.size);
      first.size = isStatic ? first.size * second.size : ShapedType::kDynamic;
      first.value = {};
      dropped.set(part);
    }
    if (!merged)
      return false;
    order.push_back(*merged);
  }
  SmallVector<ViewPart> parts;
  SmallVector<unsigned> numbers;
  for (auto [i, part] : llvm::enumerate(view.parts)) {
    numbers.push_back(parts.size());
    if (!dropped.test(i))
      parts.push_back(part);
  }
  for (unsigned &part : order)
    part = numbers[part];
  view.parts = parts;
  view.order = order;
  return true;
}

std::optional<ProductView> coda::getProductView(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto gemm = dyn_cast_or_null<GemmOp>(op)) {
    ProductView view;
    view.result = cast<OpResult>(value);
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [dim, size] :
         llvm::zip_equal(view.getDims().getDims(), type.getShape())) {
      view.order.push_back(view.parts.size());
      view.parts.push_back({dim, size, {}});
    }
    return view;
  }
  if (!isReshape(op))
    return std::nullopt;
  std::optional<ProductView> view = getProductView(op->getOperand(0));
  if (!view)
    return std::nullopt;
  if (auto expandOp = dyn_cast<tensor::ExpandShapeOp>(op)) {
    // A scalar has no parts to split.
    if (expandOp.getSrcType().getRank() == 0)
      return std::nullopt;
    expand(*view, expandOp);
  } else if (auto collapseOp = dyn_cast<tensor::CollapseShapeOp>(op)) {
    if (!collapse(*view, collapseOp))
      return std::nullopt;
  } else if (isa<tensor::CastOp>(op)) {
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [i, size] : llvm::enumerate(shape))
      if (ShapedType::isStatic(size))
        view->parts[view->order[i]].size = size;
  } else {
    SmallVector<unsigned> order;
    SmallVector<int64_t> permutation = *getPermutation(op);
    for (int64_t i : permutation)
      order.push_back(view->order[i]);
    view->order = order;
  }
  return view;
}

SmallVector<Operation *> coda::getViewConsumers(GemmOp gemm) {
  SmallVector<Operation *> consumers;
  SmallVector<Operation *> worklist(gemm->getUsers());
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (isReshape(user) && getProductView(user->getResult(0))) {
      llvm::append_range(worklist, user->getUsers());
      continue;
    }
    if (user->getBlock() == gemm->getBlock() &&
        !llvm::is_contained(consumers, user))
      consumers.push_back(user);
  }
  llvm::sort(consumers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return consumers;
}

WhyNot coda::fuseThroughViews(RewriterBase &rewriter, GemmOp &gemm,
                              Operation *consumer) {
  for (Value operand : consumer->getOperands()) {
    std::optional<ProductView> view = getProductView(operand);
    if (view && view->getGemm() == gemm &&
        needsWholeReduction(
            gemm.getYield().getValues()[view->result.getResultNumber()]))
      return whyNot("it reads a reduction that is complete only after the "
                    "product");
  }
  if (auto op = dyn_cast<linalg::LinalgOp>(consumer))
    return op.getNumReductionLoops() ? fuseGroupReduction(rewriter, gemm, op)
                                     : fuseViewConsumer(rewriter, gemm, op);
  if (isa<tensor::ExtractSliceOp>(consumer))
    return fuseSlices(rewriter, gemm, consumer);
  if (isa<tensor::ConcatOp, tensor::InsertSliceOp>(consumer))
    return fuseJoin(rewriter, gemm, consumer);
  return whyNot("it is no elementwise op");
}
