# MLIR's headers take most of a compilation: 11 of 13 seconds for a pattern file.
# All C++ targets share one precompiled header of those that many files include;
# none of Coda's own, so that a change of one of these compiles only what depends
# on it. CMAKE_DISABLE_PRECOMPILE_HEADERS turns it off.

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cmake/precompiled.cpp
     CONTENT "// The target that owns the header needs a source.\n")
add_library(CodaPrecompiledHeaders OBJECT
  ${PROJECT_BINARY_DIR}/cmake/precompiled.cpp)
llvm_update_compile_flags(CodaPrecompiledHeaders)
coda_warnings(CodaPrecompiledHeaders)
# The same bytes in every build, so that ccache knows them again.
target_compile_options(CodaPrecompiledHeaders PRIVATE
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
target_precompile_headers(CodaPrecompiledHeaders PRIVATE
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Arith/Utils/Utils.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/IRMapping.h>
  <mlir/IR/ImplicitLocOpBuilder.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/PatternMatch.h>
  <mlir/IR/Remarks.h>
  <mlir/IR/TypeUtilities.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>)

# For a target that is compiled with the flags of add_coda_library.
function(coda_precompile_headers name)
  target_precompile_headers(${name} REUSE_FROM CodaPrecompiledHeaders)
endfunction()
