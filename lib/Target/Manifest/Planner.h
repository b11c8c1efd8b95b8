//===- Planner.h - Walks host code and plans it -----------------*- C++ -*-===//
//
// Private to this folder. One file for each kind of op that host code holds:
// PlanArithmetic, PlanMemRefs and PlanLaunches; the walk and the function's
// signature are in FunctionPlan.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TARGET_MANIFEST_PLANNER_H
#define CODA_LIB_TARGET_MANIFEST_PLANNER_H

#include "FunctionPlan.h"

#include "coda/Dialect/Coda/IR/Coda.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace coda {

/// The runtime's limit.
inline constexpr int64_t kMaxRank = 8;

/// Bits of an integer, index or float.
inline unsigned widthOf(mlir::Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
/// Whether values of this type are computed at launch.
inline bool isPlannedInteger(mlir::Type type) {
  return (type.isIndex() || type.isSignlessInteger()) &&
         getManifestTypeName(type);
}

/// Builds the plan of one function, op by op.
class Planner {
public:
  mlir::LogicalResult run(mlir::func::FuncOp func);
  FunctionPlan plan;

private:
  mlir::LogicalResult planArgument(mlir::func::FuncOp func, unsigned index);
  mlir::LogicalResult planBlock(mlir::Block &block);
  mlir::LogicalResult planOp(mlir::Operation *op);
  mlir::LogicalResult planArith(mlir::Operation *op);
  mlir::LogicalResult planCast(mlir::Operation *op);
  mlir::LogicalResult planAlloc(mlir::memref::AllocOp op);
  mlir::LogicalResult planModuleConstant(ModuleConstantOp op);
  mlir::LogicalResult planMetadata(mlir::memref::ExtractStridedMetadataOp op);
  mlir::LogicalResult planReinterpret(mlir::memref::ReinterpretCastOp op);
  mlir::LogicalResult planMemRefCast(mlir::memref::CastOp op);
  mlir::LogicalResult planCopy(mlir::memref::CopyOp op);
  mlir::LogicalResult planIf(mlir::scf::IfOp op);
  mlir::LogicalResult planLaunch(mlir::gpu::LaunchFuncOp op);
  mlir::FailureOr<llvm::json::Object> planParameter(mlir::gpu::LaunchFuncOp op,
                                                    mlir::Value operand);
  mlir::FailureOr<llvm::json::Object> planTensorMap(TensorMapOp op,
                                                    mlir::Operation *user);
  /// Marks the arguments that `op` may store to through `parameter`.
  mlir::LogicalResult noteWrites(mlir::gpu::LaunchFuncOp op,
                                 const llvm::json::Object &parameter);
  mlir::LogicalResult planReturn(mlir::func::ReturnOp op);

  /// The number of an integer that an earlier op gave, or an error at `user`.
  mlir::FailureOr<int64_t> number(mlir::Value value, mlir::Operation *user);
  mlir::LogicalResult numbers(mlir::ValueRange range, mlir::Operation *user,
                              llvm::SmallVectorImpl<int64_t> &out);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  mixed(llvm::ArrayRef<mlir::OpFoldResult> range, mlir::Operation *user);
  mlir::FailureOr<MemRefPlan *> memref(mlir::Value value,
                                       mlir::Operation *user);
  int64_t baseAddress(const MemRefPlan &memref);
  int64_t address(const MemRefPlan &memref, mlir::MemRefType type);
  /// Checks at launch that two numbers are equal, where they differ.
  void checkEqual(int64_t a, int64_t b, llvm::StringRef message);
  /// The same for the stride of a dimension of `size` elements.
  void checkStride(int64_t size, int64_t stride, int64_t expected,
                   llvm::StringRef message);
  /// Checks at launch that `memref` has no gaps, where its type does not say.
  void checkContiguous(const MemRefPlan &memref, mlir::MemRefType type,
                       llvm::StringRef what);
  llvm::json::Value when() {
    if (conditions.empty())
      return nullptr;
    return llvm::json::Array(llvm::ArrayRef<int64_t>(conditions));
  }
  mlir::InFlightDiagnostic refuse(mlir::Operation *op) {
    return op->emitOpError("cannot be put in a manifest: ");
  }

  llvm::DenseMap<mlir::Value, int64_t> integers;
  llvm::DenseMap<mlir::Value, MemRefPlan> memrefs;
  /// The conditions under which the current op runs.
  llvm::SmallVector<int64_t> conditions;
};

} // namespace coda

#endif // CODA_LIB_TARGET_MANIFEST_PLANNER_H
