//===- HostIR.cpp - Host code that runs kernels ---------------------------===//

#include "coda/Target/HostIR.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace coda;

namespace {
/// The types of include/coda/Runtime/coda_runtime.h.
enum RuntimeType : int32_t {
  kI1 = 1,
  kI8,
  kI16,
  kI32,
  kI64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kF8E4M3FN,
  kF8E5M2
};
constexpr int64_t kScalar = -1;
constexpr unsigned kMaxRank = 8;

/// An argument or result, as the manifest has it.
struct Slot {
  int32_t type;
  int64_t rank;
};

class Writer {
public:
  Writer(StringRef manifest, StringRef image)
      : module("coda", context), b(context), manifest(manifest), image(image) {}

  void begin();
  void add(StringRef name, int64_t index, ArrayRef<Slot> arguments,
           ArrayRef<Slot> results);
  /// Whether the module defines or uses a symbol of that name.
  bool has(StringRef name) { return module.getNamedValue(name); }
  void print(raw_ostream &os) { module.print(os, nullptr); }

private:
  llvm::FunctionCallee runtime(StringRef name, ArrayRef<llvm::Type *> types);
  llvm::GlobalVariable *data(StringRef name, StringRef bytes);
  void addLoader();
  llvm::StructType *descriptor(int64_t rank);
  llvm::Type *scalar(int32_t type);
  llvm::Value *field(llvm::StructType *type, llvm::Value *at, unsigned i) {
    return b.CreateStructGEP(type, at, i);
  }
  void storeTensor(Slot slot, llvm::Value *from, llvm::Value *to);
  void storeScalar(Slot slot, llvm::Value *from, llvm::Value *to);
  void storeResult(Slot slot, llvm::Value *address, llvm::Value *info,
                   llvm::Value *to);
  /// Goes on where `status` is CODA_OK, and returns it where it is not.
  void returnUnlessOk(llvm::Value *status);

  llvm::LLVMContext context;
  llvm::Module module;
  llvm::IRBuilder<> b;
  StringRef manifest, image;
  llvm::StructType *valueType = nullptr, *infoType = nullptr;
  llvm::Function *loader = nullptr;
};
} // namespace

static int32_t getRuntimeType(StringRef name) {
  static constexpr StringLiteral names[] = {"i1",  "i8",       "i16",   "i32",
                                            "i64", "f16",      "bf16",  "f32",
                                            "f64", "f8E4M3FN", "f8E5M2"};
  const auto *it = llvm::find(names, name);
  return it == std::end(names) ? 0 : static_cast<int32_t>(it - names) + 1;
}

static int64_t getBytes(int32_t type) {
  switch (type) {
  case kI16:
  case kF16:
  case kBF16:
    return 2;
  case kI32:
  case kF32:
    return 4;
  case kI64:
  case kF64:
    return 8;
  default:
    return 1;
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

llvm::FunctionCallee Writer::runtime(StringRef name,
                                     ArrayRef<llvm::Type *> types) {
  return module.getOrInsertFunction(
      name, llvm::FunctionType::get(b.getInt32Ty(), types, false));
}

llvm::GlobalVariable *Writer::data(StringRef name, StringRef bytes) {
  llvm::Constant *text = llvm::ConstantDataArray::getString(context, bytes);
  auto *global =
      new llvm::GlobalVariable(module, text->getType(), true,
                               llvm::GlobalValue::PrivateLinkage, text, name);
  global->setAlignment(llvm::Align(16));
  return global;
}

llvm::StructType *Writer::descriptor(int64_t rank) {
  llvm::Type *i64 = b.getInt64Ty(), *pointer = b.getPtrTy();
  if (rank == 0)
    return llvm::StructType::get(context, {pointer, pointer, i64});
  llvm::Type *extents = llvm::ArrayType::get(i64, rank);
  return llvm::StructType::get(context,
                               {pointer, pointer, i64, extents, extents});
}

llvm::Type *Writer::scalar(int32_t type) {
  switch (type) {
  case kI1:
    return b.getInt1Ty();
  case kF16:
    return b.getHalfTy();
  case kBF16:
    return b.getBFloatTy();
  case kF32:
    return b.getFloatTy();
  case kF64:
    return b.getDoubleTy();
  default:
    return b.getIntNTy(8 * getBytes(type));
  }
}

void Writer::returnUnlessOk(llvm::Value *status) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *bad = llvm::BasicBlock::Create(context, "refused", function);
  auto *good = llvm::BasicBlock::Create(context, "", function);
  b.CreateCondBr(b.CreateIsNull(status), good, bad);
  b.SetInsertPoint(bad);
  b.CreateRet(status);
  b.SetInsertPoint(good);
}

void Writer::storeTensor(Slot slot, llvm::Value *from, llvm::Value *to) {
  llvm::StructType *type = descriptor(slot.rank);
  llvm::Value *address = b.CreateLoad(b.getPtrTy(), field(type, from, 1));
  llvm::Value *offset = b.CreateLoad(b.getInt64Ty(), field(type, from, 2));
  address = b.CreatePtrAdd(
      address, b.CreateMul(offset, b.getInt64(getBytes(slot.type))));
  b.CreateStore(address, field(valueType, to, 2));
  llvm::Value *none = llvm::ConstantPointerNull::get(b.getPtrTy());
  b.CreateStore(slot.rank ? field(type, from, 3) : none,
                field(valueType, to, 3));
  b.CreateStore(slot.rank ? field(type, from, 4) : none,
                field(valueType, to, 4));
}

void Writer::storeScalar(Slot slot, llvm::Value *from, llvm::Value *to) {
  llvm::Value *wide = from;
  if (slot.type >= kF16)
    wide = b.CreateFPExt(from, b.getDoubleTy());
  else if (slot.type == kI1)
    wide = b.CreateZExt(from, b.getInt64Ty());
  else
    wide = b.CreateSExt(from, b.getInt64Ty());
  b.CreateStore(wide, field(valueType, to, 2));
}

void Writer::storeResult(Slot slot, llvm::Value *address, llvm::Value *info,
                         llvm::Value *to) {
  llvm::StructType *type = descriptor(slot.rank);
  b.CreateStore(address, field(type, to, 0));
  b.CreateStore(address, field(type, to, 1));
  b.CreateStore(b.getInt64(0), field(type, to, 2));
  // Fields 5 and 6 of the info are shape and strides, 3 and 4 of a descriptor.
  for (unsigned which = 0; slot.rank && which < 2; ++which)
    b.CreateMemCpy(field(type, to, 3 + which), llvm::Align(8),
                   field(infoType, info, 5 + which), llvm::Align(8),
                   8 * slot.rank);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Writer::begin() {
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty(),
             *pointer = b.getPtrTy();
  valueType =
      llvm::StructType::create({i32, i32, i64, pointer, pointer}, "coda_value");
  llvm::Type *extents = llvm::ArrayType::get(i64, kMaxRank);
  infoType = llvm::StructType::create(
      {i32, i32, i32, i32, i64, extents, extents}, "coda_result_info");
  addLoader();
}

/// A function that gives the loaded module, and loads it where nobody has.
void Writer::addLoader() {
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  llvm::PointerType *pointer = b.getPtrTy();
  auto *null = llvm::ConstantPointerNull::get(pointer);
  auto *loaded = new llvm::GlobalVariable(module, pointer, false,
                                          llvm::GlobalValue::InternalLinkage,
                                          null, "coda.module");
  loader = llvm::Function::Create(
      llvm::FunctionType::get(i32, {pointer, pointer, i64}, false),
      llvm::GlobalValue::InternalLinkage, "coda.load", module);
  llvm::Value *out = loader->getArg(0), *message = loader->getArg(1),
              *messageSize = loader->getArg(2);
  auto block = [&](StringRef name) {
    return llvm::BasicBlock::Create(context, name, loader);
  };
  auto *entry = block("entry"), *load = block("load"), *done = block("done");

  b.SetInsertPoint(entry);
  llvm::AllocaInst *slot = b.CreateAlloca(pointer);
  llvm::LoadInst *known = b.CreateAlignedLoad(pointer, loaded, llvm::Align(8));
  known->setAtomic(llvm::AtomicOrdering::Acquire);
  b.CreateStore(known, out);
  b.CreateCondBr(b.CreateIsNull(known), load, done);
  b.SetInsertPoint(done);
  b.CreateRet(b.getInt32(0));

  b.SetInsertPoint(load);
  returnUnlessOk(
      b.CreateCall(runtime("coda_module_load",
                           {pointer, i64, pointer, i64, pointer, pointer, i64}),
                   {data("coda.manifest", manifest),
                    b.getInt64(manifest.size()), data("coda.image", image),
                    b.getInt64(image.size()), slot, message, messageSize}));
  llvm::Value *mine = b.CreateLoad(pointer, slot);
  b.CreateStore(mine, out);
  // Where two threads load at once, the second one's goes.
  llvm::Value *exchange = b.CreateAtomicCmpXchg(
      loaded, null, mine, llvm::Align(8), llvm::AtomicOrdering::AcquireRelease,
      llvm::AtomicOrdering::Acquire);
  auto *late = block("late");
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, late);
  b.SetInsertPoint(late);
  b.CreateStore(b.CreateExtractValue(exchange, 0), out);
  b.CreateCall(module.getOrInsertFunction(
                   "coda_module_unload",
                   llvm::FunctionType::get(b.getVoidTy(), {pointer}, false)),
               {mine});
  b.CreateBr(done);
}

void Writer::add(StringRef name, int64_t index, ArrayRef<Slot> arguments,
                 ArrayRef<Slot> results) {
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty(),
             *pointer = b.getPtrTy();
  SmallVector<llvm::Type *> types;
  for (Slot slot : arguments)
    types.push_back(slot.rank == kScalar ? scalar(slot.type) : pointer);
  types.append(results.size(), pointer);
  types.append({pointer, pointer, i64});
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(i32, types, false),
                             llvm::GlobalValue::ExternalLinkage, name, module);
  unsigned last = arguments.size() + results.size();
  llvm::Value *stream = function->getArg(last),
              *message = function->getArg(last + 1),
              *messageSize = function->getArg(last + 2);

  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  auto room = [&](llvm::Type *type, size_t count) {
    return b.CreateAlloca(type, b.getInt64(std::max<size_t>(count, 1)));
  };
  llvm::AllocaInst *slot = room(pointer, 1),
                   *values = room(valueType, arguments.size()),
                   *addresses = room(pointer, results.size()),
                   *infos = room(infoType, results.size());
  returnUnlessOk(b.CreateCall(loader, {slot, message, messageSize}));
  llvm::Value *callee =
      b.CreateCall(module.getOrInsertFunction(
                       "coda_module_function",
                       llvm::FunctionType::get(pointer, {pointer, i32}, false)),
                   {b.CreateLoad(pointer, slot), b.getInt32(index)});

  for (auto [i, argument] : llvm::enumerate(arguments)) {
    llvm::Value *to = b.CreateConstGEP1_64(valueType, values, i);
    b.CreateStore(b.getInt32(argument.type), field(valueType, to, 0));
    b.CreateStore(b.getInt32(argument.rank), field(valueType, to, 1));
    if (argument.rank == kScalar)
      storeScalar(argument, function->getArg(i), to);
    else
      storeTensor(argument, function->getArg(i), to);
  }
  llvm::Value *count = b.getInt32(arguments.size()),
              *none = llvm::ConstantPointerNull::get(b.getPtrTy());
  returnUnlessOk(b.CreateCall(
      runtime("coda_function_plan",
              {pointer, pointer, i32, pointer, pointer, pointer, i64}),
      {callee, values, count, infos, none, message, messageSize}));
  for (size_t i = 0; i < results.size(); ++i)
    b.CreateStore(none, b.CreateConstGEP1_64(pointer, addresses, i));
  returnUnlessOk(b.CreateCall(
      runtime("coda_function_launch", {pointer, pointer, i32, pointer, pointer,
                                       i64, pointer, pointer, i64}),
      {callee, values, count, addresses, none, b.getInt64(0), stream, message,
       messageSize}));
  for (auto [i, result] : llvm::enumerate(results))
    storeResult(
        result,
        b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, addresses, i)),
        b.CreateConstGEP1_64(infoType, infos, i),
        function->getArg(arguments.size() + i));
  b.CreateRet(b.getInt32(0));
}

//===----------------------------------------------------------------------===//
// The manifest
//===----------------------------------------------------------------------===//

/// Reads the arguments or results of a function.
static std::optional<SmallVector<Slot>>
readSlots(const llvm::json::Object &function, StringRef member) {
  const llvm::json::Array *list = function.getArray(member);
  if (!list)
    return std::nullopt;
  SmallVector<Slot> slots;
  for (const llvm::json::Value &value : *list) {
    const llvm::json::Object *entry = value.getAsObject();
    if (!entry)
      return std::nullopt;
    const llvm::json::Array *shape = entry->getArray("shape");
    std::optional<StringRef> type =
        entry->getString(shape ? "element_type" : "type");
    int32_t runtimeType = type ? getRuntimeType(*type) : 0;
    if (!runtimeType)
      return std::nullopt;
    slots.push_back(
        {runtimeType, shape ? static_cast<int64_t>(shape->size()) : kScalar});
  }
  return slots;
}

LogicalResult
coda::writeHostIR(StringRef manifest, StringRef image, raw_ostream &os,
                  function_ref<LogicalResult(const Twine &)> fail) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(manifest);
  if (!json)
    return fail("the manifest is not JSON: " +
                llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Array *functions =
      object ? object->getArray("functions") : nullptr;
  if (!functions)
    return fail("the manifest has no list of functions");
  Writer writer(manifest, image);
  writer.begin();
  for (auto [i, value] : llvm::enumerate(*functions)) {
    const llvm::json::Object *function = value.getAsObject();
    std::optional<StringRef> name =
        function ? function->getString("name") : std::nullopt;
    if (!name)
      return fail("function " + Twine(i) + " of the manifest has no name");
    auto arguments = readSlots(*function, "arguments");
    auto results = readSlots(*function, "results");
    if (!arguments || !results)
      return fail("function '" + *name +
                  "' of the manifest has an argument or result of unknown "
                  "type");
    if (name->starts_with("coda_") || writer.has(*name))
      return fail("host code cannot have a function '" + *name +
                  "', a name that it or the runtime uses");
    writer.add(*name, i, *arguments, *results);
  }
  writer.print(os);
  return success();
}
