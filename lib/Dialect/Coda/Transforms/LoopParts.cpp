//===- LoopParts.cpp - Loops of an op over parts of m and n ---------------===//

#include "LoopParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

WhyNot LoopParts::analyze(GemmOp product, linalg::LinalgOp linalgOp) {
  gemm = product;
  op = linalgOp;
  if (!op.hasPureTensorSemantics())
    return whyNot("it works on memrefs");
  if (op->getBlock() != gemm->getBlock())
    return whyNot("it stands in another block");
  sizes = op.getStaticLoopRanges();
  views.resize(op->getNumOperands());
  divisor = 0;
  bool isMatrix = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    std::optional<ProductView> view = getProductView(operand.get());
    if (!view || view->getGemm() != gemm)
      continue;
    DimsAttr dims = view->getDims();
    if (dims.getDivisor(Dim::m) != 1)
      return whyNot("it reads a result over groups of rows");
    isMatrix |= dims.contains(Dim::m) && dims.contains(Dim::n);
    if (dims.contains(Dim::n) &&
        (!divisor || dims.getDivisor(Dim::n) < divisor))
      divisor = dims.getDivisor(Dim::n);
    views[operand.getOperandNumber()] = view;
  }
  if (!isMatrix)
    return whyNot("it reads no result of the product over both m and n");

  // The dimension of each loop; the part follows from where its view stands
  // among the others.
  SmallVector<std::optional<Dim>> dims(op.getNumLoops());
  for (auto [number, view] : llvm::enumerate(views)) {
    if (!view)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(number));
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      const ViewPart &part = view->getPart(i);
      if (isa<AffineConstantExpr>(expr) && part.size == 1)
        continue;
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return whyNot("it indexes the product by ", expr, "; expected a loop");
      if (isUnit(loop.getPosition()))
        continue;
      std::optional<Dim> &dim = dims[loop.getPosition()];
      if (dim && *dim != part.dim)
        return whyNot("it reads the product at [m, n] and at [n, m]");
      dim = part.dim;
    }
  }
  for (auto [i, dim] : llvm::enumerate(dims))
    if (!dim && !isUnit(i))
      return whyNot("it runs over loop ", i, ", which the product does not");

  // One view has all parts of a dimension, in order; others have the outer ones
  // of them where they run over groups.
  for (Dim dim : {Dim::m, Dim::n}) {
    bool isN = dim == Dim::n;
    size_t count = llvm::count(dims, std::optional(dim));
    bool found = false;
    auto forEachPart = [&](const ProductView &view, unsigned number,
                           auto visit) {
      AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(number));
      for (auto [i, part] : llvm::enumerate(view.parts)) {
        if (part.dim != dim || part.size == 1)
          continue;
        const auto *dimension = llvm::find(view.order, i);
        if (dimension == view.order.end())
          continue;
        auto loop = dyn_cast<AffineDimExpr>(
            map.getResult(dimension - view.order.begin()));
        if (loop && !isUnit(loop.getPosition()))
          visit(loop.getPosition(), part);
      }
    };
    for (auto [number, view] : llvm::enumerate(views)) {
      if (found || !view || !view->getDims().contains(dim) ||
          (isN && view->getDims().getDivisor(dim) != divisor))
        continue;
      loops[isN].clear();
      parts[isN].clear();
      forEachPart(*view, number, [&](unsigned loop, const ViewPart &part) {
        loops[isN].push_back(loop);
        parts[isN].push_back(part);
      });
      llvm::SmallSetVector<unsigned, 4> unique(loops[isN].begin(),
                                               loops[isN].end());
      found = loops[isN].size() == count && unique.size() == count;
    }
    if (!found)
      return whyNot("it does not run over all parts of ", stringifyDim(dim),
                    " of the product");
    for (auto [number, view] : llvm::enumerate(views)) {
      if (!view || !view->getDims().contains(dim))
        continue;
      size_t next = 0;
      bool inOrder = true;
      forEachPart(*view, number, [&](unsigned loop, const ViewPart &) {
        inOrder &= next < count && loops[isN][next] == loop;
        ++next;
      });
      int64_t inner = isN ? divisor : 1;
      for (const ViewPart &part :
           ArrayRef(parts[isN]).drop_front(std::min(next, parts[isN].size())))
        inner = ShapedType::isDynamic(part.size) ? 0 : inner * part.size;
      if (!inOrder || inner != view->getDims().getDivisor(dim))
        return whyNot("it reads two results of the product at different ",
                      stringifyDim(dim));
    }
  }
  // Sizes that no reshape names are asked of the view; there a part is whole.
  for (auto [isN, list] : llvm::enumerate(parts))
    if (list.size() > 1)
      for (const ViewPart &part : list)
        if (ShapedType::isDynamic(part.size) && !part.value)
          return whyNot("the size of a part of ", isN ? "n" : "m",
                        " is not known");
  return std::nullopt;
}

std::optional<std::pair<Dim, unsigned>> LoopParts::find(unsigned loop) const {
  for (Dim dim : {Dim::m, Dim::n}) {
    ArrayRef<unsigned> list = getLoops(dim);
    if (const auto *found = llvm::find(list, loop); found != list.end())
      return std::pair(dim, static_cast<unsigned>(found - list.begin()));
  }
  return std::nullopt;
}

TileType LoopParts::getTile(Type element) const {
  GemmOp product = gemm;
  int64_t columns = product.getStaticN();
  if (ShapedType::isStatic(columns))
    columns = llvm::divideCeil(columns, divisor);
  return TileType::get(product.getStaticM(), columns, element);
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

WhyNot LoopParts::planOperand(OpOperand &operand, Operand &planned) const {
  linalg::LinalgOp linalgOp = op;
  AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
  Value value = operand.get();
  readAtSource(value, map);
  planned.value = value;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Type element = type ? type.getElementType() : value.getType();
  if (!element.isSignlessIntOrIndexOrFloat() || (type && type.getEncoding()))
    return whyNot("it reads ", value.getType(),
                  "; expected plain tensors of floats or integers");
  MLIRContext *context = value.getContext();
  if (!type) {
    planned.dims = DimsAttr::get(context, {});
    return std::nullopt;
  }

  // Dimensions of the operand that follow each other are one if they run over
  // parts that do.
  struct Run {
    Dim dim;
    unsigned first, end;
    ReassociationIndices group;
  };
  SmallVector<Run> runs;
  unsigned position = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop && !(isa<AffineConstantExpr>(expr) && type.getDimSize(i) == 1))
      return whyNot("it indexes an operand by ", expr, "; expected a loop");
    if (!loop || isUnit(loop.getPosition())) {
      if (type.getDimSize(i) != 1)
        return whyNot("it reads ", type, " at one index of dimension ", i);
      planned.unitDims.push_back(i);
      continue;
    }
    auto [dim, part] = *find(loop.getPosition());
    if (!areShapesCompatible({type.getDimSize(i)}, {sizes[loop.getPosition()]}))
      return whyNot("it reads ", type, " along a loop of size ",
                    sizes[loop.getPosition()]);
    if (!runs.empty() && runs.back().dim == dim && runs.back().end == part) {
      runs.back().end = part + 1;
      runs.back().group.push_back(position++);
      continue;
    }
    runs.push_back({dim, part, part + 1, {static_cast<int64_t>(position++)}});
  }
  if (runs.size() > 2 || (runs.size() == 2 && runs[0].dim == runs[1].dim))
    return whyNot("it reads ", type,
                  ", which does not store the parts of m and of n in order");

  SmallVector<Dim> dims;
  SmallVector<int64_t> divisors;
  SmallVector<bool> cyclic;
  for (const Run &run : runs) {
    bool isN = run.dim == Dim::n;
    int64_t inner = isN ? divisor : 1;
    for (const ViewPart &part : getParts(run.dim).drop_front(run.end))
      inner = ShapedType::isDynamic(part.size) ? 0 : inner * part.size;
    if (!isN && inner != 1)
      return whyNot("it reads ", type,
                    " over groups of rows, which an epilogue has no tiles of");
    planned.groups.push_back(run.group);
    dims.push_back(run.dim);
    divisors.push_back(inner);
    cyclic.push_back(run.first != 0);
    if (isN)
      planned.repeat = inner / divisor;
  }
  planned.dims = DimsAttr::get(context, dims, divisors, cyclic);
  return std::nullopt;
}

Value LoopParts::materialize(OpBuilder &builder, const Operand &operand) const {
  if (!isa<RankedTensorType>(operand.value.getType()))
    return operand.value;
  Location loc = operand.value.getLoc();
  Value value = dropUnitDims(builder, loc, operand.value, operand.unitDims);
  auto type = cast<RankedTensorType>(value.getType());
  if (static_cast<int64_t>(operand.groups.size()) != type.getRank())
    value =
        tensor::CollapseShapeOp::create(builder, loc, value, operand.groups);
  // It states no static size that the product does not.
  type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  GemmOp product = gemm;
  for (auto [i, dim] : llvm::enumerate(operand.dims.getDims())) {
    int64_t size = dim == Dim::m ? product.getStaticM() : product.getStaticN();
    if (!operand.dims.isWhole(i) || ShapedType::isDynamic(shape[i]))
      continue;
    shape[i] = size;
  }
  if (shape != type.getShape())
    value = tensor::CastOp::create(builder, loc, type.clone(shape), value);
  return value;
}

Value LoopParts::repeatTile(OpBuilder &builder, Location loc, Value tile,
                            int64_t count) const {
  if (count == 1)
    return tile;
  auto type = cast<TileType>(tile.getType());
  TileType full = getTile(type.getElementType());
  return RepeatOp::create(
      builder, loc,
      TileType::get(type.getRows(), full.getColumns(), type.getElementType()),
      tile, count);
}

WhyNot LoopParts::planResult(AffineMap map, SmallVectorImpl<ResultPart> &result,
                             SmallVectorImpl<unsigned> &matrixOrder) const {
  if (!map.isPermutation())
    return whyNot("it stores its result through ", map,
                  "; expected every loop once");
  for (AffineExpr expr : map.getResults()) {
    auto found = find(cast<AffineDimExpr>(expr).getPosition());
    if (found)
      result.push_back(getParts(found->first)[found->second]);
    else
      result.push_back(std::nullopt);
  }
  for (Dim dim : {Dim::m, Dim::n})
    for (unsigned loop : getLoops(dim))
      matrixOrder.push_back(
          *map.getResultPosition(getAffineDimExpr(loop, map.getContext())));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

WhyNot coda::planScalarBody(linalg::LinalgOp op,
                            SmallVectorImpl<Value> &captured) {
  for (Operation &inner : op.getBlock()->without_terminator())
    if (const char *why = MapOp::whyNotScalarBodyOp(&inner))
      return whyNot("its body holds ", inner.getName(), ", which ", why);
  return collectCaptured(op, captured);
}

Value BodyTiles::build(Value scalar) {
  TileType type = loops.getTile(scalar.getType());
  if (Value tile = tiles.lookup(scalar); tile && tile.getType() == type)
    return tile;
  // What the scalar is computed from, as far as there are no tiles.
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> inputs;
  auto visit = [&](auto &self, Value value) -> void {
    if (tiles.contains(value)) {
      inputs.insert(value);
      return;
    }
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      self(self, operand);
    ops.insert(op);
  };
  visit(visit, scalar);
  SmallVector<Value> inputTiles;
  for (Value input : inputs)
    inputTiles.push_back(tiles.lookup(input));
  auto map = MapOp::create(rewriter, loc, type, inputTiles);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(map.getBody());
  IRMapping mapping;
  for (auto [input, argument] :
       llvm::zip_equal(inputs, map.getBody()->getArguments()))
    mapping.map(input, argument);
  for (Operation *op : ops)
    rewriter.clone(*op, mapping);
  YieldOp::create(rewriter, loc, mapping.lookup(scalar));
  tiles[scalar] = map;
  return map;
}
