//===- SplitReductions.cpp - Reductions over more than a tile -------------===//

#include "SplitReductions.h"

#include "EpilogueSpaces.h"
#include "coda/Dialect/Coda/Utils/Reductions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coda;

void coda::expandSelectColumns(RewriterBase &rewriter, GemmOp gemm) {
  for (auto select :
       llvm::make_early_inc_range(gemm.getBody()->getOps<SelectColumnOp>())) {
    Location loc = select.getLoc();
    rewriter.setInsertionPoint(select);
    TileType input = select.getInput().getType();
    Type wide = rewriter.getI64Type();
    Value number = IndexOp::create(rewriter, loc,
                                   TileType::get(1, input.getColumns(), wide),
                                   Axis::columns);
    auto chosen = MapOp::create(
        rewriter, loc, ValueRange{select.getInput(), select.getIndex(), number},
        [&](OpBuilder &builder, Location loc, ValueRange scalars) -> Value {
          Value wanted = scalars[1];
          if (wanted.getType().isIndex())
            wanted = arith::IndexCastOp::create(builder, loc, wide, wanted);
          else if (wanted.getType() != wide)
            wanted = arith::ExtSIOp::create(builder, loc, wide, wanted);
          Value isIt = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::eq, wanted, scalars[2]);
          Value zero = arith::ConstantOp::create(
              builder, loc, builder.getZeroAttr(scalars[0].getType()));
          return arith::SelectOp::create(builder, loc, isIt, scalars[0], zero);
        });
    rewriter.replaceOpWithNewOp<ReduceOp>(select, Reduction::add, chosen,
                                          Axis::columns, IntegerAttr());
  }
}

namespace {
class ReductionSplitter {
public:
  ReductionSplitter(RewriterBase &rewriter, GemmOp gemm, int64_t columns,
                    SmallVectorImpl<FinishedRows> *finished)
      : rewriter(rewriter), gemm(gemm), columns(columns), finished(finished) {}

  /// Sorts the ops of the epilogue; false if nothing is to be done.
  bool find() {
    for (Operation &op : gemm.getBody()->without_terminator()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (reduce && needsFinish(reduce, columns))
        reductions.insert(reduce);
      else if (llvm::any_of(op.getOperands(),
                            [&](Value operand) { return isLater(operand); }))
        later.insert(&op);
    }
    return !reductions.empty();
  }

  LogicalResult check(llvm::raw_ostream &why) {
    for (ReduceOp reduce : reductions) {
      axes[reduce.getResult()] = reduce.getAxis();
      // The kernel computes the partial results.
      Type element = reduce.getType().getElementType();
      if (!element.isF32() && !element.isSignlessInteger(32))
        return (why << "it reduces elements of type " << element
                    << "; expected f32 or i32",
                failure());
      if (reduce.getAxis() == Axis::rows &&
          reduce.getKind() == Reduction::logsumexp)
        return (why << "it takes a logsumexp of rows", failure());
    }
    for (Operation *op : later) {
      auto map = dyn_cast<MapOp>(op);
      if (!map)
        return (why << "it uses a reduction of whole rows or columns in "
                    << op->getName(),
                failure());
      std::optional<Axis> axis;
      for (Value input : map.getInputs())
        if (isLater(input) && !axis)
          axis = axes.lookup(input);
      axes[map.getResult()] = *axis;
      for (Value input : map.getInputs()) {
        bool fits = isLater(input) ? axes.lookup(input) == *axis
                                   : isVectorOperand(input, *axis);
        if (!fits)
          return (why << "it uses a reduction of whole rows or columns "
                         "together with other tiles",
                  failure());
      }
    }
    for (auto [i, value] : llvm::enumerate(gemm.getYield().getValues())) {
      if (!isLater(value))
        continue;
      Dim dim = axes.lookup(value) == Axis::rows ? Dim::n : Dim::m;
      if (gemm.getOutDims(i) != DimsAttr::get(gemm.getContext(), {dim}))
        return (why << "it stores a reduction of whole rows or columns with "
                    << gemm.getOutDims(i),
                failure());
    }
    return success();
  }

  GemmOp split() {
    rewriter.setInsertionPoint(gemm);
    // Destinations: those that stay, then the partial results.
    SmallVector<Value> outs;
    SmallVector<DimsAttr> outDims;
    SmallVector<unsigned> kept;
    SmallVector<Value> yielded;
    for (auto [i, value] : llvm::enumerate(gemm.getYield().getValues())) {
      if (isLater(value))
        continue;
      kept.push_back(i);
      outs.push_back(gemm.getOuts()[i]);
      outDims.push_back(gemm.getOutDims(i));
      yielded.push_back(value);
    }
    for (ReduceOp reduce : reductions) {
      rewriter.setInsertionPoint(gemm);
      addPartials(reduce, outs, outDims);
    }
    auto operandDims =
        llvm::map_to_vector(llvm::seq(gemm.getEpilogueOperands().size()),
                            [&](size_t i) { return gemm.getOperandDims(i); });
    auto result =
        GemmOp::create(rewriter, gemm.getLoc(), gemm.getLhs(),
                       gemm.getLhsDims(), gemm.getRhs(), gemm.getRhsDims(),
                       gemm.getEpilogueOperands(), operandDims, outs, outDims);
    result.setScheduleAttr(gemm.getScheduleAttr());
    result->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());

    // The epilogue without what is computed later.
    IRMapping mapping;
    mapping.map(gemm.getBody()->getArguments(),
                result.getBody()->getArguments());
    rewriter.setInsertionPointToEnd(result.getBody());
    SmallVector<Value> partials;
    for (Operation &op : gemm.getBody()->without_terminator()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (reduce && reductions.contains(reduce)) {
        int64_t group = reduce.getAxis() == Axis::rows ? kWarpRows : columns;
        partials.push_back(ReduceOp::create(
            rewriter, reduce.getLoc(), reduce.getKind(),
            mapping.lookup(reduce.getInput()), reduce.getAxis(),
            rewriter.getI64IntegerAttr(group)));
      } else if (!later.contains(&op)) {
        rewriter.clone(op, mapping);
      }
    }
    SmallVector<Value> stored;
    for (Value value : yielded)
      stored.push_back(mapping.lookup(value));
    // In the order of `reductions`, as the destinations.
    llvm::append_range(stored, partials);
    YieldOp::create(rewriter, gemm.getLoc(), stored);

    rewriter.setInsertionPointAfter(result);
    finish(result, kept);
    rewriter.eraseOp(gemm);
    return result;
  }

private:
  bool isLater(Value value) const {
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    return op &&
           (later.contains(op) || (reduce && reductions.contains(reduce)));
  }

  /// An operand, or a constant, with one element for each result of a
  /// reduction along `axis`, or one for all.
  bool isVectorOperand(Value value, Axis axis) {
    if (auto map = value.getDefiningOp<MapOp>())
      return map.getInputs().empty();
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getArgNumber() < gemm.getRhs().size())
      return false;
    DimsAttr dims =
        gemm.getOperandDims(argument.getArgNumber() - gemm.getRhs().size());
    Dim kept = axis == Axis::rows ? Dim::n : Dim::m;
    return dims.isWhole() &&
           (dims.size() == 0 || (dims.size() == 1 && dims.contains(kept)));
  }

  void addPartials(ReduceOp reduce, SmallVectorImpl<Value> &outs,
                   SmallVectorImpl<DimsAttr> &outDims) {
    Location loc = reduce.getLoc();
    bool alongRows = reduce.getAxis() == Axis::rows;
    Dim reduced = alongRows ? Dim::m : Dim::n;
    int64_t group = alongRows ? kWarpRows : columns;
    OpFoldResult size = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        AffineMap::get(0, 1, rewriter.getAffineSymbolExpr(0).ceilDiv(group)),
        {getSize(loc, reduced)});
    Dim other = alongRows ? Dim::n : Dim::m;
    outs.push_back(tensor::EmptyOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{size, getSize(loc, other)},
        reduce.getType().getElementType()));
    outDims.push_back(DimsAttr::get(rewriter.getContext(), {reduced, other},
                                    {group, 1}, {false, false}));
  }

  OpFoldResult getSize(Location loc, Dim dim) {
    int64_t size = dim == Dim::m ? gemm.getStaticM() : gemm.getStaticN();
    if (ShapedType::isStatic(size))
      return rewriter.getIndexAttr(size);
    return dim == Dim::m
               ? tensor::getMixedSize(rewriter, loc, gemm.getLhs(),
                                      gemm.getLhsDims().indexOf(dim))
               : tensor::getMixedSize(rewriter, loc, gemm.getRhs().front(),
                                      gemm.getRhsDims().indexOf(dim));
  }

  /// A tensor for the vector that `tile` is: the destination that it is stored
  /// to, if any.
  Value getInit(Value tile) {
    for (auto [i, value] : llvm::enumerate(gemm.getYield().getValues()))
      if (value == tile && gemm.getOutDims(i).size() == 1)
        return gemm.getOuts()[i];
    auto type = cast<TileType>(tile.getType());
    Dim dim = type.getColumns() == 1 ? Dim::m : Dim::n;
    return tensor::EmptyOp::create(
        rewriter, tile.getLoc(),
        ArrayRef<OpFoldResult>{getSize(tile.getLoc(), dim)},
        type.getElementType());
  }

  void finish(GemmOp result, ArrayRef<unsigned> kept) {
    MLIRContext *context = rewriter.getContext();
    AffineExpr vector = rewriter.getAffineDimExpr(0);
    AffineExpr part = rewriter.getAffineDimExpr(1);
    AffineMap identity = AffineMap::get(1, 0, vector);
    IRMapping vectors;
    for (size_t i = 0; i < reductions.size(); ++i) {
      ReduceOp reduce = reductions[i];
      Location loc = reduce.getLoc();
      Value neutral = arith::ConstantOp::create(
          rewriter, loc,
          getNeutralElement(reduce.getKind(),
                            reduce.getType().getElementType()));
      Value init =
          linalg::FillOp::create(rewriter, loc, neutral, getInit(reduce))
              .getResult(0);
      auto combined = linalg::GenericOp::create(
          rewriter, loc, init.getType(), result.getResult(kept.size() + i),
          init,
          ArrayRef<AffineMap>{AffineMap::get(2, 0, {part, vector}, context),
                              AffineMap::get(2, 0, vector)},
          ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                        utils::IteratorType::reduction},
          [&](OpBuilder &nested, Location loc, ValueRange scalars) {
            linalg::YieldOp::create(nested, loc,
                                    combinePartials(nested, loc,
                                                    reduce.getKind(),
                                                    scalars[1], scalars[0]));
          });
      vectors.map(reduce.getResult(), combined.getResult(0));
      if (finished && reduce.getAxis() == Axis::columns)
        finished->push_back({combined.getResult(0),
                             combined.getDpsInputOperand(0)->get(),
                             reduce.getKind()});
    }
    for (Operation *op : later) {
      auto map = cast<MapOp>(op);
      SmallVector<Value> inputs;
      SmallVector<AffineMap> maps;
      SmallVector<Value> constants;
      for (Value input : map.getInputs()) {
        Value value = vectors.lookupOrNull(input);
        if (auto argument = dyn_cast<BlockArgument>(input))
          value = gemm.getEpilogueOperands()[argument.getArgNumber() -
                                             gemm.getRhs().size()];
        auto constant = input.getDefiningOp<MapOp>();
        if (!value && constant) {
          // Written into the body below.
          constants.push_back(input);
          continue;
        }
        inputs.push_back(value);
        auto shaped = dyn_cast<ShapedType>(value.getType());
        maps.push_back(shaped && shaped.getRank() == 1
                           ? identity
                           : AffineMap::get(1, 0, context));
      }
      Value init = getInit(map);
      maps.push_back(identity);
      auto generic = linalg::GenericOp::create(
          rewriter, map.getLoc(), init.getType(), inputs, init, maps,
          ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
          [&](OpBuilder &nested, Location loc, ValueRange scalars) {
            IRMapping body;
            size_t next = 0;
            for (auto [input, argument] : llvm::zip_equal(
                     map.getInputs(), map.getBody()->getArguments())) {
              if (!llvm::is_contained(constants, input)) {
                body.map(argument, scalars[next++]);
                continue;
              }
              auto constant = cast<MapOp>(input.getDefiningOp());
              IRMapping inner;
              for (Operation &op : constant.getBody()->without_terminator())
                nested.clone(op, inner);
              body.map(argument, inner.lookupOrDefault(
                                     constant.getYield().getValues().front()));
            }
            for (Operation &op : map.getBody()->without_terminator())
              nested.clone(op, body);
            linalg::YieldOp::create(
                nested, loc,
                body.lookupOrDefault(map.getYield().getValues().front()));
          });
      vectors.map(map.getResult(), generic.getResult(0));
    }
    for (auto [i, number] : llvm::enumerate(kept))
      rewriter.replaceAllUsesWith(gemm.getResult(number), result.getResult(i));
    for (auto [i, value] : llvm::enumerate(gemm.getYield().getValues())) {
      if (!isLater(value))
        continue;
      Value vector = vectors.lookup(value);
      if (vector.getType() != gemm.getResult(i).getType())
        vector = tensor::CastOp::create(rewriter, gemm.getLoc(),
                                        gemm.getResult(i).getType(), vector);
      rewriter.replaceAllUsesWith(gemm.getResult(i), vector);
    }
  }

  RewriterBase &rewriter;
  GemmOp gemm;
  int64_t columns;
  SmallVectorImpl<FinishedRows> *finished;
  llvm::SetVector<ReduceOp> reductions;
  llvm::SetVector<Operation *> later;
  /// What the results of `reductions` and `later` were reduced along.
  DenseMap<Value, Axis> axes;
};
} // namespace

LogicalResult coda::splitReductions(RewriterBase &rewriter, GemmOp &gemm,
                                    int64_t columns,
                                    SmallVectorImpl<FinishedRows> *finished,
                                    std::string &why) {
  ReductionSplitter splitter(rewriter, gemm, columns, finished);
  if (!splitter.find())
    return success();
  llvm::raw_string_ostream reason(why);
  if (failed(splitter.check(reason)))
    return failure();
  gemm = splitter.split();
  return success();
}
