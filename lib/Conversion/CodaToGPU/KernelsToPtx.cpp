//===- KernelsToPtx.cpp - Kernels in the LLVM dialect to PTX --------------===//
//
// Upstream's serializer for NVVM looks for libdevice in a CUDA toolkit, and
// reports an error where there is none. No kernel of Coda calls libdevice, so
// this one needs no toolkit.
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/ADT/SmallString.h"

namespace coda {
#define GEN_PASS_DEF_CODAKERNELSTOPTXPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;

namespace {
class PtxSerializer : public LLVM::ModuleToObject {
public:
  PtxSerializer(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target)
      : ModuleToObject(*module, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()) {}

private:
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    auto fail = [&] { return getOperation().emitOpError(); };
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return fail() << "cannot be compiled to PTX: LLVM has no target machine "
                       "for chip '"
                    << chip << "' with features '" << features << "'";
    FailureOr<SmallString<0>> text =
        translateModuleToISA(llvmModule, **machine, fail);
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }
};

struct KernelsToPtx : coda::impl::CodaKernelsToPtxPassBase<KernelsToPtx> {
  using CodaKernelsToPtxPassBase::CodaKernelsToPtxPassBase;

  void runOnOperation() override {
    NVVM::SerializeGPUModuleBase::init();
    for (auto module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module)))
        return signalPassFailure();
  }

  LogicalResult serialize(gpu::GPUModuleOp module) {
    ArrayAttr targets = module.getTargetsAttr();
    if (!targets || targets.empty())
      return module.emitOpError()
             << "has no target to be compiled to PTX for; expected "
                "#nvvm.target";
    gpu::TargetOptions options(
        /*toolkitPath=*/{}, /*librariesToLink=*/{}, /*cmdOptions=*/{},
        /*elfSection=*/{}, gpu::CompilationTarget::Assembly);
    SmallVector<Attribute> objects;
    for (Attribute attribute : targets) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
      if (!target)
        return module.emitOpError() << "cannot be compiled to PTX for target "
                                    << attribute << "; expected #nvvm.target";
      std::optional<SmallVector<char, 0>> text =
          PtxSerializer(module, target).run();
      if (!text)
        return module.emitOpError()
               << "could not be compiled to PTX for " << attribute;
      objects.push_back(cast<gpu::TargetAttrInterface>(attribute).createObject(
          module, *text, options));
    }
    OpBuilder builder(module);
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          module.getOffloadingHandlerAttr(), objects);
    module.erase();
    return success();
  }
};
} // namespace
