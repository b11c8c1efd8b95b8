//===- LinalgParameters.cpp - Facts of kernels of linalg ops --------------===//

#include "LinalgParameters.h"

#include "ScalarEmitter.h"
#include "coda/Dialect/Coda/IR/InputTypes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coda;

/// Shorter reductions are not worth more than a thread.
static constexpr int64_t kSharedReduction = 64;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

std::pair<Value, int64_t> coda::getExtent(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (dim.getPosition() == loop)
          return {operand.get(), i};
  }
  return {};
}

std::optional<int64_t> coda::getStaticExtent(linalg::LinalgOp op,
                                             unsigned loop) {
  auto [memref, position] = getExtent(op, loop);
  int64_t size = cast<MemRefType>(memref.getType()).getDimSize(position);
  return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
}

static std::string whyNotMemRef(Value value) {
  std::string why;
  llvm::raw_string_ostream stream(why);
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    stream << "it accesses " << value.getType() << "; expected strided memrefs";
  else if (!type.getElementType().isSignlessIntOrIndexOrFloat())
    stream << "it accesses elements of type " << type.getElementType();
  return why;
}

/// A parameter of a kernel can be of a type that LLVM has only.
static std::string whyNotScalar(Value value) {
  std::string why;
  if (isFloat8(value.getType()) && !matchPattern(value, m_Constant()))
    llvm::raw_string_ostream(why)
        << "it takes a scalar of type " << value.getType();
  return why;
}

std::string coda::whyNotLinalgKernel(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return "it is on tensors; bufferize it first";
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<ShapedType>(operand.get().getType()))
      if (std::string why = whyNotMemRef(operand.get()); !why.empty())
        return why;
    if (std::string why = whyNotScalar(operand.get()); !why.empty())
      return why;
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    utils::IteratorType iterator = op.getIteratorTypesArray()[loop];
    if (iterator != utils::IteratorType::parallel &&
        iterator != utils::IteratorType::reduction)
      return "it has loops that are neither parallel nor reductions";
    if (!getExtent(op, loop).first)
      return "no operand shows how long a loop is";
  }
  // Different threads must not write to one element.
  for (OpOperand &out : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&out);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel &&
          !llvm::is_contained(map.getResults(),
                              getAffineDimExpr(loop, op.getContext())))
        return "parallel loops write to one element";
  }
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock())
        if (std::string why = whyNotScalar(operand); !why.empty())
          return why;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp>(inner))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      if (std::string why = whyNotMemRef(load.getMemRef()); !why.empty())
        return why;
      continue;
    }
    if (!isa<arith::ArithDialect>(inner.getDialect()) &&
        inner.getDialect()->getNamespace() != "math")
      return ("its body holds " + inner.getName().getStringRef()).str();
    if (std::string why = whyNotOnGPU(&inner); !why.empty())
      return ("its body holds " + inner.getName().getStringRef() + ": " + why)
          .str();
  }
  return "";
}

bool coda::getCombiners(linalg::LinalgOp op,
                        SmallVectorImpl<Operation *> &combiners) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty())
    return false;
  for (auto [i, out] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&out);
    for (unsigned reduction : reductions)
      if (map.isFunctionOfDim(reduction))
        return false;
    BlockArgument sum = op.getRegionOutputArgs()[i];
    auto fma = op.getBlock()
                   ->getTerminator()
                   ->getOperand(i)
                   .getDefiningOp<math::FmaOp>();
    if (fma && fma.getC() == sum && sum.hasOneUse() && fma->hasOneUse()) {
      combiners.push_back(fma);
      continue;
    }
    SmallVector<Operation *> ops;
    if (!matchReduction(op.getRegionOutputArgs(), i, ops) || ops.size() != 1 ||
        !arith::getNeutralElement(ops.front()))
      return false;
    combiners.push_back(ops.front());
  }
  return true;
}

TypedAttr coda::getNeutralPartial(Operation *combiner) {
  if (isa<math::FmaOp>(combiner)) {
    OpBuilder builder(combiner->getContext());
    return arith::getIdentityValueAttr(arith::AtomicRMWKind::addf,
                                       combiner->getResult(0).getType(),
                                       builder, combiner->getLoc());
  }
  return *arith::getNeutralElement(combiner);
}

bool coda::isGroupReduction(linalg::LinalgOp op, unsigned groupLoops) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<Operation *> combiners;
  return llvm::all_of(
             ArrayRef(parallel).drop_front(groupLoops),
             [&](unsigned loop) { return getStaticExtent(op, loop) == 1; }) &&
         getCombiners(op, combiners);
}

/// Whether what `op` mostly reads, its inputs over the most loops, lies
/// contiguously along `loop`.
static bool readsAlong(linalg::LinalgOp op, unsigned loop) {
  AffineExpr expr = getAffineDimExpr(loop, op.getContext());
  unsigned most = 0;
  bool contiguous = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    unsigned loops =
        llvm::count_if(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
          return map.isFunctionOfDim(loop);
        });
    if (loops < most)
      continue;
    bool isContiguous = map.getNumResults() && map.getResults().back() == expr;
    contiguous = isContiguous || (contiguous && loops == most);
    most = loops;
  }
  return contiguous;
}

/// Whether the innermost reduction of `op` is long enough to be shared.
static bool isLongReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty())
    return false;
  std::optional<int64_t> size = getStaticExtent(op, reductions.back());
  return !size || *size >= kSharedReduction;
}

bool coda::isWarpReduction(linalg::LinalgOp op,
                           SmallVectorImpl<Operation *> &combiners) {
  if (!isLongReduction(op))
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!readsAlong(op, reductions.back()))
    return false;
  // What a shuffle moves.
  for (Value out : op.getDpsInits()) {
    Type type = cast<MemRefType>(out.getType()).getElementType();
    if (!type.isF32() && !type.isSignlessInteger(32))
      return false;
  }
  return getCombiners(op, combiners);
}

bool coda::isColumnReduction(linalg::LinalgOp op,
                             SmallVectorImpl<Operation *> &combiners) {
  if (!isLongReduction(op))
    return false;
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  return !parallel.empty() && readsAlong(op, parallel.back()) &&
         !readsAlong(op, reductions.back()) && getCombiners(op, combiners);
}

LinalgUnit coda::getUnit(const LinalgChain &chain) {
  auto has = [&](auto isShared) {
    return llvm::any_of(chain.ops, [&](linalg::LinalgOp op) {
      SmallVector<Operation *> combiners;
      return isShared(op, combiners);
    });
  };
  return has(isWarpReduction)     ? LinalgUnit::Warp
         : has(isColumnReduction) ? LinalgUnit::Slices
                                  : LinalgUnit::Thread;
}

int64_t coda::getUnitThreads(const LinalgChain &chain) {
  switch (getUnit(chain)) {
  case LinalgUnit::Thread:
    return 1;
  case LinalgUnit::Warp:
    return 32;
  case LinalgUnit::Slices:
    return chain.getThreads() / 32;
  }
  llvm_unreachable("unknown unit");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

LinalgParameters::LinalgParameters(ArrayRef<LinalgChain> chains) {
  for (auto [i, chain] : llvm::enumerate(chains)) {
    if (i)
      add({LinalgParameter::Kind::FirstBlock, {}, int64_t(i)});
    for (linalg::LinalgOp op : chain.ops)
      addOp(op);
  }
}

SmallVector<Type> LinalgParameters::getTypes(MLIRContext *context) const {
  SmallVector<Type> types;
  for (const LinalgParameter &parameter : list) {
    Type type = IntegerType::get(context, 64);
    if (parameter.kind == LinalgParameter::Kind::Pointer)
      type = LLVM::LLVMPointerType::get(context, 1);
    else if (parameter.kind == LinalgParameter::Kind::FirstBlock)
      type = IntegerType::get(context, 32);
    else if (parameter.kind == LinalgParameter::Kind::Scalar &&
             !parameter.value.getType().isIndex())
      type = parameter.value.getType();
    types.push_back(type);
  }
  return types;
}

void LinalgParameters::add(LinalgParameter parameter) {
  if (!llvm::is_contained(list, parameter))
    list.push_back(parameter);
}

void LinalgParameters::addMemRef(Value memref) {
  add({LinalgParameter::Kind::Pointer, memref});
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  for (auto [i, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      add({LinalgParameter::Kind::Stride, memref, int64_t(i)});
}

void LinalgParameters::addScalar(Value value) {
  if (!matchPattern(value, m_Constant()))
    add({LinalgParameter::Kind::Scalar, value});
}

void LinalgParameters::addOp(linalg::LinalgOp op) {
  for (Value operand : op->getOperands()) {
    if (isa<MemRefType>(operand.getType()))
      addMemRef(operand);
    else
      addScalar(operand);
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    auto [memref, position] = getExtent(op, loop);
    if (cast<MemRefType>(memref.getType()).isDynamicDim(position))
      add({LinalgParameter::Kind::Size, memref, position});
  }
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands()) {
      if (operand.getParentBlock() == op.getBlock())
        continue;
      if (isa<MemRefType>(operand.getType()))
        addMemRef(operand);
      else
        addScalar(operand);
    }
}
