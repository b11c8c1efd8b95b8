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
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "GPU that the kernels are for">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def CodaModuleConstantsPass
    : Pass<"coda-module-constants", "::mlir::ModuleOp"> {
  let summary = "Put constants that host code reads beside the kernels";
  let description = [{
    The bytes of each constant `memref.global` that a `func.func` reads go into
    the module `@coda_kernels`, and so into the PTX. Host code gets the address
    in the loaded module:

    ```mlir
    memref.global "private" constant @__constant_2xf32 : memref<2xf32> = dense<[1.0, 2.0]>
    %w = memref.get_global @__constant_2xf32 : memref<2xf32>
    ```

    becomes

    ```mlir
    llvm.mlir.global external constant @constant_2xf32("\\00\\00\\80?\\00\\00\\00@") {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<8 x i8>
    %w = coda.module_constant @coda_kernels::@constant_2xf32 : memref<2xf32>
    ```

    At most 64 MiB each: more is an error, and better an argument. Globals that
    are not constant stay.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "GPU that the kernels are for">
  ];
  let dependentDialects = [
    "::coda::CodaDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def CodaKernelsToPtxPass : Pass<"coda-kernels-to-ptx", "::mlir::ModuleOp"> {
  let summary = "Compile kernels in the LLVM dialect to PTX";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` with PTX for its `#nvvm.target`s,
    as `gpu-module-to-binary{format=isa}` does, but without a CUDA toolkit: nothing
    is linked.

    ```mlir
    gpu.module @coda_kernels [#nvvm.target<chip = "sm_90a">] { llvm.func @f_gemm(...) ... }
    // becomes
    gpu.binary @coda_kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "...">]
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def CodaSchedulePass : Pass<"coda-schedule"> {
  let summary = "Choose a kernel and its tile sizes for each coda.gemm";
  let description = [{
    Adds a `#coda.schedule` to every `coda.gemm` that has none, on tensors or
    memrefs. A schedule that is there is kept, and refused with an error where
    it does not fit its gemm. An entry of the tuning file goes before both.

    On tensors, reductions of more columns or rows than a tile has are taken
    apart: the product stores partial results, and linalg ops finish them. Where
    only other products read what is finished of rows, as operands `[m]`, and
    there are at most 64 partial results of each, these products take them
    instead, as operands `[parts, m]`, and combine them in their epilogues: the
    finish would be a launch of its own. Elementwise ops between are computed
    there too. An epilogue that fits no tile is
    computed by linalg ops after the product, with a remark.

    `pingpong` (two tiles of 128 x 128) hides the epilogue of one tile behind
    the main loop of the other. `cooperative` (tile 128 x 256) reads the operands
    less often, which pays where K is known to be above 8192. `simple` takes what
    wgmma does not: other types than bf16 and f16, and every type on chips before
    sm_90a.

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
           "auto, cooperative, pingpong or simple; for measurements">,
    Option<"tuningFile", "tuning-file", "std::string", /*default=*/"\"\"",
           "JSON with schedules for some gemms; docs/tuning.md">,
    Option<"absorbPartials", "absorb-partials", "bool", /*default=*/"true",
           "Epilogues combine partial results that they alone read; off for "
           "measurements">
  ];
  let dependentDialects = [
    "::coda::CodaDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// CodaToLinalg
//===----------------------------------------------------------------------===//

def ConvertCodaToLinalgPass : Pass<"convert-coda-to-linalg"> {
  let summary = "Unfuses coda.gemm into linalg contractions and elementwise ops";
  let description = [{
    Writes out what each `coda.gemm` means: a zero-filled accumulator and a
    contraction for each right-hand side, then one elementwise `linalg.generic`
    for each primitive of the epilogue, scalar bodies unchanged. Broadcasting
    and storage orders become indexing maps; nothing is transposed or copied for
    them. Products are summed in the order of `k`.

    On memrefs the intermediate values are allocated and deallocated around the
    loops, and the destinations are written last, so that a buffer that is both
    operand and destination is read first.

    Before:

    ```mlir
    %y = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                   rhs(%w [n, k] : tensor<32x64xbf16>)
                   operands(%b [n] : tensor<32xbf16>)
                   outs(%init [m, n] : tensor<?x32xbf16>) {
    ^bb0(%acc: !coda.tile<?x32xf32>, %bias: !coda.tile<1x32xbf16>):
      %0 = coda.map(%p = %acc : !coda.tile<?x32xf32>,
                    %q = %bias : !coda.tile<1x32xbf16>)
          -> !coda.tile<?x32xbf16> { ... }
      coda.yield %0 : !coda.tile<?x32xbf16>
    } -> tensor<?x32xbf16>
    ```

    After:

    ```mlir
    %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<?x32xf32>)
    %acc = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>)
        outs(%zero : tensor<?x32xf32>) { extf, extf, mulf, addf }
    %y = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (m, n)>,
                         affine_map<(m, n) -> (n)>,
                         affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%acc, %b : tensor<?x32xf32>, tensor<32xbf16>)
        outs(%init : tensor<?x32xbf16>) { ... }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// NarrowFloatsToF32
//===----------------------------------------------------------------------===//

def ConvertNarrowFloatsToF32Pass : Pass<"convert-narrow-floats-to-f32"> {
  let summary = "Computes arithmetic of narrow floats in f32, keeping every rounding";
  let description = [{
    Each `arith` or `math` operation on bf16, f16, f8E4M3FN or f8E5M2 becomes the same operation on
    f32 between an `arith.extf` and an `arith.truncf`, so that the result of every
    single operation is rounded, as the source says. Upstream's patterns do the
    work, but they mark the casts `fastmath<contract>`, which lets a later fold
    drop a rounding together with the extension that follows it. Here no cast is
    left with that flag.

    Casts from and to the two 8-bit types become integer and f32 arithmetic on
    their bits. As LLVM's APFloat has it, they round to nearest even, once, also
    from f64; what is too large becomes an infinity in f8E5M2 and, as there is
    none, a NaN in f8E4M3FN. Floats of other types are refused.

    Before:

    ```mlir
    %0 = arith.addf %a, %b : bf16
    %1 = math.exp %0 : bf16
    ```

    After:

    ```mlir
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    %4 = arith.extf %3 : bf16 to f32
    %5 = math.exp %4 : f32
    %6 = arith.truncf %5 : f32 to bf16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // CODA_CONVERSION_PASSES_TD
