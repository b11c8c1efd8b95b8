//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//

#ifndef CODA_CONVERSION_PASSES_TD
#define CODA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// CodaToGPU
//===----------------------------------------------------------------------===//

def ConvertCodaToGPUPass
    : Pass<"convert-coda-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Make a kernel and its launch of each scheduled coda.gemm";
  let description = [{
    Replaces every `coda.gemm` on memrefs by straight-line host code and a
    kernel, an `llvm.func` in the module `@coda_kernels`:

    ```mlir
    coda.gemm lhs(%a [m, k] : ...) ... schedule<kernel = cooperative, ...> {...}
    ```

    becomes

    ```mlir
    cf.assert %sizes_agree, "..."
    scf.if %has_tiles {
      scf.if %tensor_copies_can_address_all {
        %map = coda.tensor_map ...
        gpu.launch_func @coda_kernels::@f_gemm ... args(..., %map : !coda.tensor_map)
      } else {
        gpu.launch_func @coda_kernels::@f_gemm_simple ...
      }
    }
    ```

    The second kernel takes any stride and alignment. It is left out where the
    types show that the first can always run. Addresses are passed as i64.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def CodaSchedulePass : Pass<"coda-schedule"> {
  let summary = "Choose a kernel and its tile sizes for each coda.gemm";
  let description = [{
    Adds a `#coda.schedule` to every `coda.gemm` that has none, on tensors or
    memrefs. A schedule that is there is kept, and refused with an error where
    it does not fit its gemm.

    `cooperative` (tile 128 x 256) reads the operands least often;
    `pingpong` (two tiles of 128 x 128) hides the epilogue of one tile behind
    the main loop of the other, which pays where the epilogue is long beside the
    main loop. `simple` takes what wgmma does not: other types than bf16 and
    f16, and every type on chips before sm_90a.

    ```mlir
    coda.gemm lhs(...) rhs(...) outs(...) {...}
    // becomes
    coda.gemm lhs(...) rhs(...) outs(...)
        schedule<kernel = cooperative, tile_m = 128, tile_n = 256, tile_k = 64,
                 cluster = 2, stages = 4> {...}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "GPU that the kernels are for">,
    Option<"kernel", "kernel", "std::string", /*default=*/"\"auto\"",
           "auto, cooperative, pingpong or simple; for measurements">
  ];
}

#endif // CODA_CONVERSION_PASSES_TD
