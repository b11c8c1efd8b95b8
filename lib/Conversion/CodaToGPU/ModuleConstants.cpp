//===- ModuleConstants.cpp - Constant tensors beside the kernels ----------===//
//
// The data of a constant goes into the PTX, so that a program needs no file
// with weights, and host code takes its address from the loaded module.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"
#include "coda/Conversion/CodaToGPU/CodaToGPU.h"
#include "coda/Dialect/Coda/Utils/RawElements.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace coda {
#define GEN_PASS_DEF_CODAMODULECONSTANTSPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace coda

using namespace mlir;
using namespace coda;

/// PTX has four or five characters for a byte, and the driver reads all of them
/// when it loads the module.
static constexpr int64_t kMaxBytes = int64_t(1) << 26;
/// What tensor copies need, and any vector of a thread.
static constexpr int64_t kAlignment = 128;

/// A bool is a byte in memory; attributes hold it otherwise.
static std::optional<std::string> readBools(ElementsAttr attribute) {
  std::string data;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    data.reserve(dense.getNumElements());
    for (bool value : dense.getValues<bool>())
      data.push_back(value ? 1 : 0);
    return data;
  }
  auto dense = dyn_cast<DenseResourceElementsAttr>(attribute);
  AsmResourceBlob *blob = dense ? dense.getRawHandle().getBlob() : nullptr;
  if (!blob ||
      static_cast<int64_t>(blob->getData().size()) != dense.getNumElements())
    return std::nullopt;
  for (char value : blob->getData())
    data.push_back(value ? 1 : 0);
  return data;
}

/// What lies in the memory of the device, little endian.
static std::optional<std::string> readBytes(ElementsAttr attribute) {
  if (attribute.getElementType().isInteger(1))
    return readBools(attribute);
  std::optional<RawElements> elements = RawElements::get(attribute);
  if (!elements)
    return std::nullopt;
  int64_t count = attribute.getNumElements();
  std::string data;
  if (elements->splat) {
    data.reserve(count * elements->bytes.size());
    for (int64_t i = 0; i < count; ++i)
      data.append(elements->bytes.data(), elements->bytes.size());
  } else {
    data.assign(elements->bytes.data(), elements->bytes.size());
  }
  size_t size = count ? data.size() / count : 1;
  if constexpr (llvm::endianness::native == llvm::endianness::big)
    for (size_t i = 0; i < data.size(); i += size)
      std::reverse(data.begin() + i, data.begin() + i + size);
  return data;
}

/// A name that PTX takes as it is: the manifest calls the variable by it.
static std::string makeName(StringRef name) {
  // Bufferization numbers equal types, by functions in no certain order.
  if (name.consume_front("__constant_"))
    if (size_t end = name.find('_'); end != StringRef::npos)
      name = name.take_front(end);
  std::string result = "constant_";
  for (char c : name)
    result.push_back(llvm::isAlnum(c) ? c : '_');
  return result;
}

/// The bytes of `global`, of `type`, as a global of the kernels' module.
static FailureOr<LLVM::GlobalOp> createGlobal(memref::GlobalOp global,
                                              ModuleOp module, StringRef chip) {
  std::optional<int64_t> size = ModuleConstantOp::getBytes(global.getType());
  if (!size)
    return global.emitOpError()
           << "cannot be put beside the kernels: it is of type "
           << global.getType()
           << "; expected a row-major memref of elements of whole bytes";
  if (*size > kMaxBytes)
    return global.emitOpError()
           << "constant of " << *size << " bytes is too large; at most "
           << kMaxBytes << " go into PTX; make it an argument of the function";
  auto attribute = cast<ElementsAttr>(*global.getInitialValue());
  std::optional<std::string> data = readBytes(attribute);
  if (!data)
    return global.emitOpError()
           << "cannot be put beside the kernels: its elements are not there, "
              "or not the "
           << *size << " bytes that " << global.getType() << " has";
  data->resize(*size);

  if (!getChipFeatures(chip))
    return global.emitOpError() << "cannot be compiled for unsupported chip '"
                                << chip << "'; expected " << kSupportedChips;
  gpu::GPUModuleOp kernels = getKernelModule(module, chip);
  std::string base = makeName(global.getSymName()), name = base;
  for (int i = 1; SymbolTable::lookupSymbolIn(kernels, name); ++i)
    name = base + "_" + std::to_string(i);
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  return LLVM::GlobalOp::create(
      builder, global.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), *size),
      /*isConstant=*/true, LLVM::Linkage::External, name,
      builder.getStringAttr(*data), kAlignment, /*addrSpace=*/1);
}

namespace {
struct ModuleConstants
    : coda::impl::CodaModuleConstantsPassBase<ModuleConstants> {
  using CodaModuleConstantsPassBase::CodaModuleConstantsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, module);
    // In the order of their readers, so that names are the same every time.
    llvm::SetVector<memref::GlobalOp> globals;
    module.walk([&](memref::GetGlobalOp reader) {
      if (auto global = symbols.lookupNearestSymbolFrom<memref::GlobalOp>(
              reader, reader.getNameAttr()))
        globals.insert(global);
    });
    for (memref::GlobalOp global : globals)
      if (failed(convert(global, users.getUsers(global))))
        return signalPassFailure();
  }

  LogicalResult convert(memref::GlobalOp global, ArrayRef<Operation *> users) {
    if (!global.getConstant() || global.isExternal() ||
        global.isUninitialized())
      return success();
    SmallVector<memref::GetGlobalOp> readers;
    for (Operation *user : users)
      if (auto reader = dyn_cast<memref::GetGlobalOp>(user);
          reader && reader->getParentOfType<func::FuncOp>())
        readers.push_back(reader);
    if (readers.empty())
      return success();
    FailureOr<LLVM::GlobalOp> constant =
        createGlobal(global, getOperation(), chip);
    if (failed(constant))
      return failure();
    auto name = SymbolRefAttr::get(&getContext(), kKernelModuleName,
                                   {FlatSymbolRefAttr::get(*constant)});
    for (memref::GetGlobalOp reader : readers) {
      OpBuilder builder(reader);
      reader.replaceAllUsesWith(ModuleConstantOp::create(builder,
                                                         reader.getLoc(),
                                                         reader.getType(), name)
                                    .getResult());
      reader.erase();
    }
    if (readers.size() == users.size() && global.isPrivate())
      global.erase();
    return success();
  }
};
} // namespace
