//===- KernelBuilder.h - Short words for kernel code ------------*- C++ -*-===//
//
// Arithmetic on 32-bit offsets, shared memory, mbarriers, tensor copies and
// warpgroup products, as a kernel's author would say them. The nvvm dialect's
// header is large: only KernelBuilder.cpp includes it.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_KERNELBUILDER_H
#define CODA_LIB_CONVERSION_CODATOGPU_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace coda {

/// The name of the external array that is a kernel's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedMemoryName = "coda_shared_memory";

class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;

  /// Builds at the start of `entry`, where constants will be kept.
  KernelBuilder(mlir::Location loc, mlir::Block *entry);

  //===--- Scalars --------------------------------------------------------===//
  Value i1(bool value);
  Value i16(int64_t value);
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value f32(float value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value divu(Value a, Value b);
  Value remu(Value a, Value b);
  Value ceilDivU(Value a, int64_t b);
  Value shl(Value a, int64_t bits);
  Value shr(Value a, int64_t bits);
  Value bitAnd(Value a, Value b);
  Value bitOr(Value a, Value b);
  Value bitXor(Value a, Value b);
  Value cmp(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value eq(Value a, Value b) {
    return cmp(mlir::arith::CmpIPredicate::eq, a, b);
  }
  Value ult(Value a, Value b) {
    return cmp(mlir::arith::CmpIPredicate::ult, a, b);
  }
  Value select(Value condition, Value a, Value b);
  Value extend64(Value i32);

  //===--- Control --------------------------------------------------------===//
  void ifThen(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});
  /// for i = from; i < to; i += step, with values carried around.
  mlir::SmallVector<Value>
  loop(Value from, Value to, Value step, mlir::ValueRange carried,
       llvm::function_ref<mlir::SmallVector<Value>(Value, mlir::ValueRange)>
           body);

  //===--- Vectors and structs --------------------------------------------===//
  Value pair(Value first, Value second);
  Value element(Value vector, int64_t index);
  Value splat(Value scalar);
  Value field(Value structure, int64_t index);
  Value poison(mlir::Type type);
  Value bitcast(Value value, mlir::Type type);

  /// An element, or a pair, of what `type` is in memory as one of `type`, and
  /// back.
  Value fromMemory(Value value, mlir::Type type);
  Value toMemory(Value value);

  //===--- Memory ---------------------------------------------------------===//
  /// Pointer into dynamic shared memory, `offset` in bytes.
  Value shared(Value offset);
  /// The start of dynamic shared memory as a number: i32.
  Value sharedAddress();
  /// Pointer to element `index` (i64) of `type` after `base`.
  Value elementPointer(Value base, Value index, mlir::Type type);
  Value load(Value pointer, mlir::Type type, bool readOnly = false);
  /// 0 where `condition` is false: nothing is read then.
  Value loadIf(Value condition, Value pointer, mlir::Type type);
  void store(Value value, Value pointer);

  //===--- Threads --------------------------------------------------------===//
  Value threadIdX();
  Value blockIdX();
  Value gridDimX();
  Value clusterRank();
  /// The value of lane 0, known to be the same in the whole warp.
  Value warpUniform(Value value);
  /// The value (of 32 bits) of the lane whose number differs in `mask`.
  Value shuffleXor(Value value, int64_t mask);
  /// True in one thread of the warp.
  Value electOne();
  void setMaxRegisters(int64_t count, bool increase);
  /// Waits for `threads` threads at named barrier `id`.
  void barrier(Value id, int64_t threads);
  void barrierArrive(Value id, int64_t threads);
  void barrierAll();
  void clusterBarrier();

  //===--- mbarriers ------------------------------------------------------===//
  void mbarrierInit(Value pointer, int64_t count);
  void mbarrierInitFence();
  void mbarrierWait(Value pointer, Value parity);
  void mbarrierExpect(Value pointer, int64_t bytes);
  void mbarrierArrive(Value pointer);
  /// Arrives at the same barrier of thread block `rank` of the cluster.
  void mbarrierArriveRemote(Value pointer, Value rank);

  //===--- Tensor memory accelerator --------------------------------------===//
  /// Copies a box to shared memory; `mask` (i16) multicasts to the cluster.
  /// `streaming` data is the first to leave the L2 cache.
  void tensorLoad(Value destination, Value map, mlir::ValueRange coordinates,
                  Value barrier, Value mask = {}, bool streaming = false);
  void tensorStore(Value map, Value source, mlir::ValueRange coordinates,
                   bool streaming = false);
  void storeCommit();
  /// Waits until at most `pending` store groups still read shared memory or,
  /// unless `readOnly`, are not complete.
  void storeWait(int64_t pending, bool readOnly);
  void sharedStoreFence();

  //===--- Matrices -------------------------------------------------------===//
  /// The four 8x8 blocks of 16-bit elements at the lanes' row addresses, as
  /// i32 pairs.
  mlir::SmallVector<Value> loadMatrix(Value pointer);
  void storeMatrix(Value pointer, mlir::ValueRange registers);
  void wgmmaFence();
  void wgmmaCommit();
  void wgmmaWait(int64_t pending);
  /// Waits for all products; the sums are threaded through, so that nothing
  /// reads them earlier. Gives the sums one by one.
  mlir::SmallVector<Value> wgmmaWaitFor(Value accumulator, int64_t count);
  /// 64 x `columns` x 32 bytes along k; only 16-bit inputs may be transposed.
  Value wgmma(Value accumulator, Value lhsDescriptor, Value rhsDescriptor,
              mlir::Type lhs, mlir::Type rhs, int64_t columns, bool zeroFirst,
              bool lhsTransposed, bool rhsTransposed);
  /// mma.sync m16n8k16 on 16-bit inputs packed in i32 registers: 4 sums.
  mlir::SmallVector<Value> mma(mlir::Type input, mlir::ValueRange lhs,
                               mlir::ValueRange rhs, mlir::ValueRange sums);
  /// `count` sums of type f32 or i32.
  mlir::Type accumulatorType(mlir::Type sum, int64_t count);

  //===--- Calls ----------------------------------------------------------===//
  /// One instruction from register to register, without side effects.
  Value instruction(llvm::StringRef text, llvm::StringRef constraints,
                    mlir::Type type, mlir::ValueRange operands);

private:
  Value constant(mlir::TypedAttr value);

  mlir::Block *entry;
  llvm::DenseMap<mlir::Attribute, Value> constants;
  Value sharedBase;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_KERNELBUILDER_H
