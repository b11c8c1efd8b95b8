//===- AbsorbPartials.cpp - Partial results go to who reads them ----------===//
//
// A reduction of whole rows leaves a partial result a tile. What they combine
// to, the sum for a norm, is often read by the next products alone: their
// epilogues combine the parts of their rows themselves, which is a few loads a
// tile, where a finish would be a launch.
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coda;

/// Collects the operands `[m]` of products that read `vector`, perhaps as a
/// cast. `why` says what else reads it, if something does.
static void collectReads(Value vector, SmallVectorImpl<OpOperand *> &reads,
                         std::string &why) {
  for (OpOperand &use : vector.getUses()) {
    Operation *user = use.getOwner();
    if (auto cast = dyn_cast<tensor::CastOp>(user)) {
      collectReads(cast.getResult(), reads, why);
      continue;
    }
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm) {
      why = ("it is read by " + user->getName().getStringRef()).str();
      continue;
    }
    unsigned first = gemm.getEpilogueOperands().getBeginOperandIndex();
    unsigned number = use.getOperandNumber();
    DimsAttr dims = DimsAttr::get(gemm.getContext(), {Dim::m});
    if (number < first || gemm.isDpsInit(&use) ||
        gemm.getOperandDims(number - first) != dims)
      why = "a product reads it as something else than [m]";
    else
      reads.push_back(&use);
  }
}

/// Erases what has become dead of `vector`, its casts and what it was made of.
static void eraseDead(RewriterBase &rewriter, Value vector) {
  llvm::SetVector<Operation *> worklist, casts;
  getForwardSlice(vector, &casts);
  worklist.insert(vector.getDefiningOp());
  worklist.insert_range(casts);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        worklist.insert(definition);
    rewriter.eraseOp(op);
  }
}

/// Makes `read`, an operand `[m]` of a product, one of `partials`.
static void absorb(RewriterBase &rewriter, OpOperand &read, Value partials,
                   Reduction kind) {
  auto gemm = cast<GemmOp>(read.getOwner());
  unsigned position = read.getOperandNumber() -
                      gemm.getEpilogueOperands().getBeginOperandIndex();
  Location loc = partials.getLoc();
  // No size may be stated that the product does not.
  auto type = cast<RankedTensorType>(partials.getType());
  auto vector = cast<RankedTensorType>(read.get().getType());
  auto sized = type.clone({type.getDimSize(0), vector.getDimSize(0)});
  if (sized != type) {
    rewriter.setInsertionPoint(gemm);
    partials = tensor::CastOp::create(rewriter, loc, sized, partials);
  }
  SmallVector<Attribute> dims(gemm.getOperandDimsAttr().getValue());
  dims[position] = DimsAttr::get(gemm.getContext(), {Dim::parts, Dim::m});
  auto argument = gemm.getOperandArgs()[position];
  auto tile = cast<TileType>(argument.getType());
  rewriter.modifyOpInPlace(gemm, [&] {
    read.set(partials);
    gemm.setOperandDimsAttr(rewriter.getArrayAttr(dims));
    argument.setType(TileType::get(tile.getRows(), type.getDimSize(0),
                                   tile.getElementType()));
  });
  rewriter.setInsertionPointToStart(gemm.getBody());
  auto reduce = ReduceOp::create(rewriter, loc, tile, kind, argument,
                                 Axis::columns, IntegerAttr());
  rewriter.replaceAllUsesExcept(argument, reduce.getResult(), reduce);
}

void coda::absorbPartials(RewriterBase &rewriter,
                          ArrayRef<FinishedRows> finished) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (const FinishedRows &rows : finished) {
    SmallVector<OpOperand *> reads;
    std::string why;
    collectReads(rows.vector, reads, why);
    if (reads.empty())
      continue;
    int64_t parts =
        cast<RankedTensorType>(rows.partials.getType()).getDimSize(0);
    if (why.empty() && ShapedType::isDynamic(parts))
      why = "the number of its parts is not known";
    if (why.empty() && (parts < 1 || parts > kMostAbsorbedParts))
      why = ("it has " + Twine(parts) + " parts; expected at most " +
             Twine(kMostAbsorbedParts))
                .str();
    Location loc = rows.vector.getLoc();
    if (!why.empty()) {
      remark::missed(loc, remark::RemarkOpts::name("finish").category("coda"))
          << remark::add("this reduction of rows is finished after the product")
          << remark::reason("{0}", why);
      continue;
    }
    for (OpOperand *operand : reads)
      absorb(rewriter, *operand, rows.partials, rows.kind);
    remark::passed(
        loc, remark::RemarkOpts::name("partials-absorbed").category("coda"))
        << remark::add("epilogues that read this reduction of rows combine its "
                       "parts")
        << remark::metric("parts", parts);
    eraseDead(rewriter, rows.vector);
  }
}
