//===- BufferizableOpInterfaceImpl.cpp - Bufferization of coda ------------===//

#include "coda/Dialect/Coda/Transforms/BufferizableOpInterfaceImpl.h"

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace coda;

namespace {
struct GemmInterface
    : DstBufferizableOpInterfaceExternalModel<GemmInterface, GemmOp> {
  /// Destinations are written, never read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<GemmOp>(op).isDpsInit(&operand);
  }

  /// An epilogue operand may share its buffer with the destination it is stored
  /// like: each element is read before the same element is written, and no
  /// other. Only a whole matrix has that property; a vector is read again for
  /// every tile. A and B never do.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto gemm = cast<GemmOp>(op);
    // Other primitives read elements of other columns or rows.
    if (!llvm::all_of(*gemm.getBody(), [](Operation &op) {
          auto reduce = dyn_cast<ReduceOp>(op);
          return isa<MapOp, IndexOp, YieldOp>(op) ||
                 (reduce && reduce.combinesParts());
        }))
      return false;
    DimsAttr common;
    for (OpOperand *operand : operands) {
      if (!isa<ShapedType>(operand->get().getType()))
        continue;
      int64_t number = operand->getOperandNumber();
      int64_t firstOperand = gemm.getEpilogueOperands().getBeginOperandIndex();
      int64_t firstOut = gemm.getOuts().getBeginOperandIndex();
      if (number < firstOperand)
        return false;
      DimsAttr dims = number < firstOut
                          ? gemm.getOperandDims(number - firstOperand)
                          : gemm.getOutDims(number - firstOut);
      if (dims.size() != 2 || !dims.isWhole() || (common && dims != common))
        return false;
      common = dims;
    }
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto gemm = cast<GemmOp>(op);
    if (!gemm.hasPureTensorSemantics())
      return success();
    rewriter.setInsertionPoint(op);
    auto getBuffers = [&](ValueRange values,
                          SmallVectorImpl<Value> &buffers) -> LogicalResult {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          buffers.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> lhs, rhs, operands, outs;
    if (failed(getBuffers(gemm.getLhs(), lhs)) ||
        failed(getBuffers(gemm.getRhs(), rhs)) ||
        failed(getBuffers(gemm.getEpilogueOperands(), operands)) ||
        failed(getBuffers(gemm.getOuts(), outs)))
      return failure();
    SmallVector<DimsAttr> operandDims, outDims;
    for (size_t i = 0; i < operands.size(); ++i)
      operandDims.push_back(gemm.getOperandDims(i));
    for (size_t i = 0; i < outs.size(); ++i)
      outDims.push_back(gemm.getOutDims(i));
    auto bufferized = GemmOp::create(rewriter, gemm.getLoc(), lhs.front(),
                                     gemm.getLhsDims(), rhs, gemm.getRhsDims(),
                                     operands, operandDims, outs, outDims);
    bufferized.setScheduleAttr(gemm.getScheduleAttr());
    bufferized->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
    Block &block = *bufferized.getBody();
    rewriter.mergeBlocks(gemm.getBody(), &block, block.getArguments());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};
} // namespace

void coda::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CodaDialect *) {
    GemmOp::attachInterface<GemmInterface>(*context);
  });
}
