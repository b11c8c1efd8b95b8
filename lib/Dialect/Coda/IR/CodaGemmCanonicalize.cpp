//===- CodaGemmCanonicalize.cpp - Canonicalization patterns of coda.gemm --===//

#include "coda/Dialect/Coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coda;

/// The values and dims of a gemm, to be changed before it is built again.
namespace {
struct GemmParts {
  explicit GemmParts(GemmOp gemm)
      : lhs(gemm.getLhs()), rhs(gemm.getRhs()),
        operands(gemm.getEpilogueOperands()), outs(gemm.getOuts()) {
    for (size_t i = 0; i < operands.size(); ++i)
      operandDims.push_back(gemm.getOperandDims(i));
    for (size_t i = 0; i < outs.size(); ++i)
      outDims.push_back(gemm.getOutDims(i));
  }

  /// A new op in place of `gemm`, with its attributes and no body.
  GemmOp build(GemmOp gemm, RewriterBase &rewriter) const {
    auto built =
        GemmOp::create(rewriter, gemm.getLoc(), lhs, gemm.getLhsDims(), rhs,
                       gemm.getRhsDims(), operands, operandDims, outs, outDims);
    built.setScheduleAttr(gemm.getScheduleAttr());
    built->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
    return built;
  }

  Value lhs;
  SmallVector<Value> rhs, operands, outs;
  SmallVector<DimsAttr> operandDims, outDims;
};
} // namespace

template <typename T>
static void eraseMarked(SmallVectorImpl<T> &values,
                        const llvm::BitVector &marked) {
  size_t i = 0;
  llvm::erase_if(values, [&](const T &) { return marked[i++]; });
}

//===----------------------------------------------------------------------===//
// Dead and equal values
//===----------------------------------------------------------------------===//

namespace {
/// What a gemm can do without, and what stands in for it.
struct DeadValues {
  explicit DeadValues(GemmOp gemm)
      : rhs(gemm.getRhs().size()), operands(gemm.getEpilogueOperands().size()),
        outs(gemm.getOuts().size()), gemm(gemm) {
    // An argument or result is replaced by the first one of the same meaning.
    auto merge = [](SmallVectorImpl<size_t> &firsts, size_t count, auto equal) {
      for (size_t i = 0; i < count; ++i) {
        size_t j = 0;
        while (j < i && !equal(j, i))
          ++j;
        firsts.push_back(j);
      }
    };
    merge(firstRhs, rhs.size(), [&](size_t j, size_t i) {
      return gemm.getRhs()[j] == gemm.getRhs()[i];
    });
    merge(firstOperand, operands.size(), [&](size_t j, size_t i) {
      return gemm.getEpilogueOperands()[j] == gemm.getEpilogueOperands()[i] &&
             gemm.getOperandDims(j) == gemm.getOperandDims(i);
    });
    // Memrefs must all be written.
    bool tensors = gemm.hasPureTensorSemantics();
    OperandRange yielded = gemm.getYield().getValues();
    merge(firstOut, outs.size(), [&](size_t j, size_t i) {
      return tensors && yielded[j] == yielded[i] &&
             gemm.getOuts()[j].getType() == gemm.getOuts()[i].getType() &&
             gemm.getOutDims(j) == gemm.getOutDims(i);
    });

    auto mark = [](llvm::BitVector &dead, ArrayRef<size_t> firsts,
                   ValueRange values) {
      dead.set();
      for (auto [i, value] : llvm::enumerate(values))
        if (!value.use_empty())
          dead.reset(firsts[i]);
    };
    mark(rhs, firstRhs, ValueRange(gemm.getAccumulatorArgs()));
    mark(operands, firstOperand, ValueRange(gemm.getOperandArgs()));
    if (tensors)
      mark(outs, firstOut, gemm.getResults());
    // An op without any use is erased as a whole.
    if (rhs.all())
      rhs.reset(0);
    if (outs.all() && !outs.empty())
      outs.reset(0);
    keepSizes();
  }

  bool any() const { return rhs.any() || operands.any() || outs.any(); }

  SmallVector<size_t> firstRhs, firstOperand, firstOut;
  llvm::BitVector rhs, operands, outs;

private:
  /// Keeps a dead value that alone says a static size of the product: the
  /// tiles have it in their types.
  void keepSizes() {
    for (Dim dim : {Dim::m, Dim::n}) {
      auto says = [&](Type type, DimsAttr dims) {
        auto shaped = dyn_cast<ShapedType>(type);
        return shaped && dims.contains(dim) &&
               dims.isWhole(dims.indexOf(dim)) &&
               !shaped.isDynamicDim(dims.indexOf(dim));
      };
      bool said = says(gemm.getLhs().getType(), gemm.getLhsDims());
      // First whether a live value says it; then the first dead one is kept.
      for (bool reviveDead : {false, true}) {
        auto visit = [&](llvm::BitVector &dead, size_t i, Type type,
                         DimsAttr dims) {
          if (said || dead[i] != reviveDead || !says(type, dims))
            return;
          said = true;
          dead.reset(i);
        };
        for (auto [i, value] : llvm::enumerate(gemm.getRhs()))
          visit(rhs, i, value.getType(), gemm.getRhsDims());
        for (auto [i, value] : llvm::enumerate(gemm.getOuts()))
          visit(outs, i, value.getType(), gemm.getOutDims(i));
        for (auto [i, value] : llvm::enumerate(gemm.getEpilogueOperands()))
          visit(operands, i, value.getType(), gemm.getOperandDims(i));
      }
    }
  }

  GemmOp gemm;
};

/// Drops unused right-hand sides and operands and (on tensors) destinations
/// whose result nobody uses; what occurs twice is kept once.
struct DropDeadGemmValues : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    DeadValues dead(gemm);
    if (!dead.any())
      return rewriter.notifyMatchFailure(
          gemm, "no value is dead or equal to another");

    GemmParts parts(gemm);
    eraseMarked(parts.rhs, dead.rhs);
    eraseMarked(parts.operands, dead.operands);
    eraseMarked(parts.operandDims, dead.operands);
    eraseMarked(parts.outs, dead.outs);
    eraseMarked(parts.outDims, dead.outs);
    GemmOp rebuilt = parts.build(gemm, rewriter);

    // The old block moves over, so that nothing in it is copied.
    Block &old = *gemm.getBody(), &block = *rebuilt.getBody();
    size_t rhsCount = dead.rhs.size();
    for (auto [i, first] : llvm::enumerate(dead.firstRhs))
      if (first != i)
        rewriter.replaceAllUsesWith(old.getArgument(i), old.getArgument(first));
    for (auto [i, first] : llvm::enumerate(dead.firstOperand))
      if (first != i)
        rewriter.replaceAllUsesWith(old.getArgument(rhsCount + i),
                                    old.getArgument(rhsCount + first));
    llvm::BitVector deadArguments = dead.rhs;
    deadArguments.resize(old.getNumArguments());
    for (unsigned i : dead.operands.set_bits())
      deadArguments.set(rhsCount + i);
    YieldOp yield = gemm.getYield();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(dead.outs); });
    old.eraseArguments(deadArguments);
    rewriter.mergeBlocks(&old, &block, block.getArguments());

    SmallVector<Value> results(gemm.getNumResults());
    size_t next = 0;
    for (size_t i = 0; i < results.size(); ++i)
      if (!dead.outs[i])
        results[i] = rebuilt.getResult(next++);
    for (size_t i = 0; i < results.size(); ++i)
      if (Value result = results[dead.firstOut[i]])
        rewriter.replaceAllUsesWith(gemm.getResult(i), result);
    rewriter.eraseOp(gemm);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Constants and fills
//===----------------------------------------------------------------------===//

/// An operand that is one constant everywhere becomes a map without inputs,
/// which then folds into the maps that use it.
struct FoldConstantOperands : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (auto [i, operand, argument] :
         llvm::enumerate(gemm.getEpilogueOperands(), gemm.getOperandArgs())) {
      Attribute value;
      // A constant of the size of parts would be no tile of the product.
      if (argument.use_empty() || gemm.getOperandDims(i).hasParts() ||
          !matchPattern(operand, m_Constant(&value)))
        continue;
      if (auto dense = dyn_cast<DenseElementsAttr>(value))
        value = dense.isSplat() ? dense.getSplatValue<Attribute>() : nullptr;
      auto typed = dyn_cast_or_null<TypedAttr>(value);
      auto tile = cast<TileType>(argument.getType());
      if (!typed || typed.getType() != tile.getElementType())
        continue;
      rewriter.setInsertionPointToStart(gemm.getBody());
      auto map = MapOp::create(rewriter, operand.getLoc(), tile, ValueRange());
      rewriter.setInsertionPointToStart(map.getBody());
      Value constant =
          arith::ConstantOp::create(rewriter, operand.getLoc(), typed);
      YieldOp::create(rewriter, operand.getLoc(), constant);
      rewriter.replaceAllUsesWith(argument, map.getResult());
      changed = true;
    }
    return changed ? success()
                   : rewriter.notifyMatchFailure(
                         gemm, "no operand in use is one constant");
  }
};

/// A destination tensor is never read: what a fill was made into serves.
struct SkipFilledDestinations : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    if (!gemm.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(gemm, "has memrefs");
    bool changed = false;
    for (OpOperand &out : gemm.getDpsInitsMutable()) {
      auto result = dyn_cast<OpResult>(out.get());
      // Only values that were made to be filled. Any other one may have been
      // chosen as the buffer to write to. (By name: the dialect shall not need
      // the linalg library for it.)
      if (!result || !result.hasOneUse() ||
          result.getOwner()->getName().getStringRef() != "linalg.fill")
        continue;
      auto fill = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
      if (!fill)
        continue;
      Value destination = fill.getTiedOpOperand(result)->get();
      if (destination.getType() != out.get().getType())
        continue;
      rewriter.modifyOpInPlace(gemm, [&] { out.set(destination); });
      changed = true;
    }
    return changed
               ? success()
               : rewriter.notifyMatchFailure(gemm, "no destination is a fill");
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// `size`, or the first of the others that is known.
static int64_t refineSize(int64_t size, ArrayRef<int64_t> others) {
  for (int64_t other : others)
    if (ShapedType::isDynamic(size))
      size = other;
  return size;
}

/// Gives the results of a primitive the sizes that follow from its refined
/// operands in an epilogue of `rows` x `columns`.
static void refineTiles(Operation *op, int64_t rows, int64_t columns) {
  if (auto inferred = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (succeeded(inferred.inferReturnTypes(
            op->getContext(), std::nullopt, op->getOperands(),
            op->getAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
        result.setType(type);
    return;
  }
  SmallVector<int64_t> knownRows, knownColumns;
  for (Type type : op->getOperandTypes()) {
    auto tile = cast<TileType>(type);
    if (tile.getRows() != 1)
      knownRows.push_back(tile.getRows());
    if (tile.getColumns() != 1)
      knownColumns.push_back(tile.getColumns());
  }
  if (auto repeat = dyn_cast<RepeatOp>(op)) {
    // The product's columns, if they are in as many groups.
    int64_t groups = repeat.getInput().getType().getColumns();
    int64_t count = repeat.getCount();
    if (ShapedType::isStatic(groups)) {
      bool all =
          ShapedType::isStatic(columns) &&
          llvm::divideCeil(columns, count) == static_cast<uint64_t>(groups);
      knownColumns.assign(1, all ? columns : groups * count);
    }
  }
  // A constant or number of an unknown size has the product's.
  if (op->getNumOperands() == 0) {
    knownRows.push_back(rows);
    knownColumns.push_back(columns);
  }
  for (OpResult result : op->getResults()) {
    auto tile = cast<TileType>(result.getType());
    result.setType(TileType::get(refineSize(tile.getRows(), knownRows),
                                 refineSize(tile.getColumns(), knownColumns),
                                 tile.getElementType()));
  }
}

namespace {
/// Takes operands before a tensor.cast that forgets sizes, and results after
/// one that knows more, into the op, and refines the tiles with their sizes.
///
/// The tensor dialect has a pattern of its own for every destination-style op,
/// which would leave the tiles as they are, and so an invalid op. This one must
/// come first: it has the higher benefit.
struct FoldCasts : OpRewritePattern<GemmOp> {
  FoldCasts(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    if (!gemm.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(gemm, "has memrefs");
    int64_t sizes[] = {gemm.getStaticM(), gemm.getStaticN(), gemm.getStaticK()};
    GemmParts parts(gemm);
    bool changed = false;
    // Adds the sizes of `type` to those known, unless one contradicts.
    auto learn = [&](Type type, DimsAttr dims) {
      int64_t learned[] = {sizes[0], sizes[1], sizes[2]};
      for (auto [i, size] :
           llvm::enumerate(cast<RankedTensorType>(type).getShape())) {
        Dim dim = dims.getDims()[i];
        // The size of a table says nothing; that of a group little.
        if (!dims.isWhole(i))
          continue;
        int64_t &known = learned[static_cast<size_t>(dim)];
        if (ShapedType::isDynamic(known))
          known = size;
        else if (ShapedType::isStatic(size) && size != known)
          return false;
      }
      llvm::copy(learned, sizes);
      changed = true;
      return true;
    };
    auto skipCast = [&](Value &value, DimsAttr dims) {
      auto cast = value.getDefiningOp<tensor::CastOp>();
      if (cast && tensor::canFoldIntoConsumerOp(cast) &&
          learn(cast.getSource().getType(), dims))
        value = cast.getSource();
    };
    skipCast(parts.lhs, gemm.getLhsDims());
    for (Value &rhs : parts.rhs)
      skipCast(rhs, gemm.getRhsDims());
    for (auto [operand, dims] :
         llvm::zip_equal(parts.operands, parts.operandDims))
      skipCast(operand, dims);
    for (auto [i, out] : llvm::enumerate(parts.outs)) {
      skipCast(out, parts.outDims[i]);
      Value result = gemm.getResult(i);
      if (!result.hasOneUse())
        continue;
      auto user = dyn_cast<tensor::CastOp>(*result.user_begin());
      if (user && tensor::canFoldIntoProducerOp(user) &&
          tensor::preservesStaticInformation(out.getType(), user.getType()) &&
          out.getType() != user.getType() &&
          learn(user.getType(), parts.outDims[i]))
        out = tensor::CastOp::create(rewriter, user.getLoc(), user.getType(),
                                     out);
    }
    if (!changed)
      return rewriter.notifyMatchFailure(
          gemm, "no cast of an operand or result tells a size");

    // All right-hand sides have one type.
    auto rhsType = cast<RankedTensorType>(parts.rhs.front().getType());
    SmallVector<int64_t> rhsShape;
    for (Dim dim : gemm.getRhsDims().getDims())
      rhsShape.push_back(sizes[static_cast<size_t>(dim)]);
    if (!llvm::all_of(parts.rhs,
                      [&](Value rhs) { return rhs.getType() == rhsType; }))
      for (Value &rhs : parts.rhs) {
        auto type = cast<RankedTensorType>(rhs.getType()).clone(rhsShape);
        if (rhs.getType() != type)
          rhs = tensor::CastOp::create(rewriter, gemm.getLoc(), type, rhs);
      }

    GemmOp refined = parts.build(gemm, rewriter);
    rewriter.mergeBlocks(gemm.getBody(), refined.getBody(),
                         refined.getBody()->getArguments());
    for (Operation &op : refined.getBody()->without_terminator())
      rewriter.modifyOpInPlace(&op,
                               [&] { refineTiles(&op, sizes[0], sizes[1]); });
    SmallVector<Value> results;
    for (auto [old, result] :
         llvm::zip_equal(gemm.getResults(), refined.getResults()))
      results.push_back(old.getType() == result.getType()
                            ? Value(result)
                            : tensor::CastOp::create(rewriter, gemm.getLoc(),
                                                     old.getType(), result));
    rewriter.replaceOp(gemm, results);
    return success();
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldCasts>(context);
  patterns
      .add<DropDeadGemmValues, FoldConstantOperands, SkipFilledDestinations>(
          context);
}
