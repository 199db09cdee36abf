//===- Emulation.cpp - what the rewriting of CUDA kernels has to know -----===//
#include "codegen/emulator/Emulation.h"

#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/async/AsyncChecks.h"
#include "codegen/facts/Locations.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/KernOps.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Emulation::Emulation(ModuleOp module, Operation *gpuModule)
    : module(module), gpuModule(gpuModule), pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

bool Emulation::isKernel() { return current->hasAttr("nvvm.kernel"); }

int64_t Emulation::bufferOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isBuffer = argument && isKernel() && argument.getOwner() == &current.front() && argument.getArgNumber() > 0;
  return isBuffer ? static_cast<int64_t>(argument.getArgNumber()) - 1 : -1;
}

int64_t Emulation::mappedBufferOf(Value value) {
  auto maps = current->getAttrOfType<ArrayAttr>(kern::tensorMapsAttr);
  int64_t number = bufferOf(value), first = current.front().getNumArguments() - 1 - (maps ? maps.size() : 0);
  return maps && number >= first ? cast<kern::TensorMapAttr>(maps[number - first]).getBuffer() : -1;
}

int32_t Emulation::text(StringRef text) {
  auto [it, isNew] = textOffsets.try_emplace(text, texts.size());
  if (isNew)
    texts.append(text.str()).push_back('\0');
  return it->second;
}

/// The address of a new record of the table.
Value Emulation::addRecord(ImplicitLocOpBuilder &b, Table &table, const AbiFields &record) {
  auto index = static_cast<int32_t>(table.numbers.size());
  for (OpFoldResult number : record.inOrder())
    table.numbers.push_back(cast<IntegerAttr>(cast<Attribute>(number)).getInt());
  Value base = LLVM::AddressOfOp::create(b, pointer, table.name);
  return LLVM::GEPOp::create(b, pointer, b.getI32Type(), base, ArrayRef<LLVM::GEPArg>{index});
}

void Emulation::defineTable(const Table &table) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), table.numbers.size());
  LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, table.name,
                         b.getI32TensorAttr(table.numbers));
}

void Emulation::finish() {
  for (const Table *table : {&accesses, &waits})
    if (!table->numbers.empty())
      defineTable(*table);
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), texts.size());
  LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, emulatorTexts, b.getStringAttr(texts));
}

static std::string slotOf(Operation *op) {
  auto locations = listLocations(op->getLoc());
  return locations.empty() ? "" : locations.front().text();
}

Value Emulation::describeWait(ImplicitLocOpBuilder &b, Operation *op, int32_t kind) {
  facts().waits = true;
  using Wait = stretto_emulated_wait;
  return addRecord(b, waits,
                   AbiStruct<Wait>(b.getContext())
                       .set(&Wait::operation, text(op->getName().getStringRef()))
                       .set(&Wait::place, text(slotOf(op)))
                       .set(&Wait::kind, kind));
}

Value Emulation::describePartialWait(ImplicitLocOpBuilder &b, Operation *op, int32_t kind) {
  facts().partial = true;
  return describeWait(b, op, kind);
}

Value Emulation::describeAccess(ImplicitLocOpBuilder &b, Operation *op, int32_t bytes, int32_t alignment,
                                int32_t object, int32_t objectBytes) {
  facts().granule = std::min<int64_t>({facts().granule, alignment, bytes & -bytes});
  using Access = stretto_emulated_access;
  return addRecord(b, accesses,
                   AbiStruct<Access>(b.getContext())
                       .set(&Access::place, text(slotOf(op)))
                       .set(&Access::bytes, bytes)
                       .set(&Access::alignment, alignment)
                       .set(&Access::object, object)
                       .set(&Access::object_bytes, objectBytes));
}

Value Emulation::field(ImplicitLocOpBuilder &b, Type type, size_t offset) {
  Value address =
      LLVM::GEPOp::create(b, pointer, b.getI8Type(), self(), ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(b, type, address);
}

Value Emulation::scratch(int64_t bytes) {
  auto type = LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 64), llvm::divideCeil(bytes, 8));
  if (!currentScratch) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(current.getLoc(), &current.front());
    Value one = LLVM::ConstantOp::create(b, b.getI32Type(), 1);
    currentScratch = LLVM::AllocaOp::create(b, pointer, type, one);
  }
  if (cast<LLVM::LLVMArrayType>(currentScratch.getElemType()).getNumElements() < type.getNumElements())
    currentScratch.setElemType(type);
  return currentScratch;
}

LLVM::LLVMFuncOp Emulation::declare(StringRef name, Type result, TypeRange arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  return LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments)));
}

LLVM::CallOp Emulation::call(ImplicitLocOpBuilder &b, StringRef function, Type result, ValueRange arguments) {
  SmallVector<Type> types;
  for (Type type : arguments.getTypes())
    types.push_back(isa<LLVM::LLVMPointerType>(type) ? pointer : type);
  LLVM::LLVMFuncOp callee = declare(function, result ? result : LLVM::LLVMVoidType::get(b.getContext()), types);
  callee.setConvergent(true); // not to be made dependent on more conditions than it stands under
  return LLVM::CallOp::create(b, callee, arguments);
}

FailureOr<SharedPlace> Emulation::sharedPlace(Operation *user, LLVM::GlobalOp variable) {
  if (!isKernel()) {
    InFlightDiagnostic error = user->emitOpError("shared variables must be named in kernels only to be emulated");
    error.attachNote(variable.getLoc()) << "the variable";
    return error;
  }
  facts().sharedAlignment = std::max<int64_t>(facts().sharedAlignment, variable.getAlignment().value_or(1));
  if (!isDynamicShared(variable))
    return staticPlace(variable);
  if (facts().dynamicShared == 0)
    return user->emitOpError("needs dynamic shared memory, so the kernel must say ") << dynamicSharedAttr;
  return SharedPlace{0, facts().dynamicShared};
}

FailureOr<SharedPlace> Emulation::staticPlace(LLVM::GlobalOp variable) {
  auto type = dyn_cast<LLVM::LLVMArrayType>(variable.getGlobalType());
  if (!type || !type.getElementType().isInteger(8))
    return variable.emitOpError("variable in shared memory must be an array of i8, but got ")
           << variable.getGlobalType();
  KernelFacts &known = facts();
  auto bytes = static_cast<int64_t>(type.getNumElements());
  auto [entry, isNew] = known.staticOffsets.insert({variable, 0});
  if (isNew) {
    entry->second = llvm::alignTo(known.staticShared, variable.getAlignment().value_or(1));
    known.staticShared = entry->second + bytes;
    if (known.staticShared > mostStaticShared)
      return current.emitOpError("static shared memory must take at most ")
             << mostStaticShared << " bytes, but got " << known.staticShared;
  }
  return SharedPlace{known.staticStart() + entry->second, bytes};
}

/// On the CPU all memory is in one space, and bf16 is 16 bits that are only moved.
void Emulation::replaceTypes() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LLVM::LLVMPointerType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
  replacer.addReplacement([](BFloat16Type type) -> Type { return IntegerType::get(type.getContext(), 16); });
  replacer.recursivelyReplaceElementsIn(current, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

LogicalResult Emulation::rewrite(LLVM::LLVMFuncOp function, KernelFacts &facts) {
  if (failed(checkAccumulators(function)))
    return failure();
  current = function;
  currentFacts = &facts;
  currentScratch = nullptr;
  Block &entry = function.front();
  entry.insertArgument(0u, pointer, function.getLoc());
  facts.written.resize(entry.getNumArguments() - 1);
  SmallVector<Operation *> ops;
  function.getBody().walk([&](Operation *op) { ops.push_back(op); });
  bool isWell = true;
  for (Operation *op : ops)
    isWell &= succeeded(rewriteKnownOp(op, *this));
  if (isWell)
    for (auto &action : deferred)
      action();
  deferred.clear();
  if (isWell)
    replaceTypes();
  return success(isWell);
}
