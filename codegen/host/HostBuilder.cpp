//===- HostBuilder.cpp - writing calls of C functions ---------------------===//
#include "codegen/host/HostBuilder.h"

#include "ir/kern/Slots.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

HostBuilder::HostBuilder(ModuleOp module, Location loc, StringRef name, bool isBody)
    : ImplicitLocOpBuilder(loc, module.getContext()), module(module) {
  setInsertionPointToEnd(module.getBody());
  SmallVector<Type> inputs{pointer()};
  if (isBody)
    inputs.push_back(getI64Type());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), inputs);
  function = LLVM::LLVMFuncOp::create(*this, name, type, LLVM::Linkage::Internal);
  setInsertionPointToStart(function.addEntryBlock(*this));
}

Value HostBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(*this, getI64Type(), getI64IntegerAttr(value));
}

AbiStruct<stretto_buffer> HostBuilder::buffer(Value tensor, Value extraOffset) {
  auto fields = start<stretto_buffer>();
  if (!tensor)
    return fields.set(&stretto_buffer::arena, 0).set(&stretto_buffer::offset, 0);
  kern::SlotAttr slot = kern::slotOf(tensor);
  Value offset = i64(slot.getOffset());
  if (function.getNumArguments() == 2 && slot.getStride() != 0) {
    Value step = function.getArgument(1);
    if (slot.getParity())
      step = LLVM::AndOp::create(*this, step, i64(1));
    offset = LLVM::AddOp::create(*this, offset, LLVM::MulOp::create(*this, step, i64(slot.getStride())).getRes());
  }
  if (extraOffset)
    offset = LLVM::AddOp::create(*this, offset, extraOffset);
  return fields.set(&stretto_buffer::arena, static_cast<int32_t>(slot.getArena()))
      .set(&stretto_buffer::offset, offset)
      .holds(tensor);
}

Value HostBuilder::pack(ArrayRef<double> numbers) {
  return pack(llvm::map_to_vector(numbers, [&](double number) -> OpFoldResult { return getF64FloatAttr(number); }));
}

Value HostBuilder::lookUp(ArrayRef<int64_t> numbers) {
  if (llvm::all_equal(numbers))
    return i64(numbers[0]);
  auto type = LLVM::LLVMArrayType::get(getI64Type(), numbers.size());
  std::string name = (function.getName() + ".numbers").str();
  for (int64_t i = 0; module.lookupSymbol(name); ++i)
    name = (function.getName() + ".numbers" + Twine(i)).str();
  {
    InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(*this, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, getI64TensorAttr(numbers));
  }
  Value place = LLVM::GEPOp::create(*this, pointer(), type, address(name, 0), ArrayRef<LLVM::GEPArg>{0, iteration()});
  return LLVM::LoadOp::create(*this, getI64Type(), place);
}

Value HostBuilder::text(StringRef text) {
  std::string name = ("stretto.text." + text).str();
  if (module.lookupSymbol(name))
    return address(name, 0);
  return LLVM::createGlobalString(getLoc(), *this, name, (text + Twine('\0')).str(), LLVM::Linkage::Internal);
}

Value HostBuilder::pack(ArrayRef<OpFoldResult> fields) {
  auto values = llvm::map_to_vector(fields, [&](OpFoldResult field) -> Value {
    if (auto value = dyn_cast<Value>(field))
      return value;
    return LLVM::ConstantOp::create(*this, cast<TypedAttr>(cast<Attribute>(field)));
  });
  auto types = llvm::map_to_vector(values, [](Value value) { return value.getType(); });
  auto type = LLVM::LLVMStructType::getLiteral(getContext(), types);
  Value address;
  {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(&function.getBody().front());
    address = LLVM::AllocaOp::create(*this, pointer(), type, i64(1), /*alignment=*/8);
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    auto place =
        LLVM::GEPOp::create(*this, pointer(), type, address, ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(*this, value, place);
  }
  return address;
}

Value HostBuilder::address(StringRef symbol, size_t byte) {
  Value start = LLVM::AddressOfOp::create(*this, pointer(), symbol);
  return LLVM::GEPOp::create(*this, pointer(), getI8Type(), start, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
}

void HostBuilder::call(StringRef name, ValueRange arguments) {
  SmallVector<Value> operands{context()};
  llvm::append_range(operands, arguments);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    auto types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
    LLVM::LLVMFuncOp::create(*this, name, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), types));
  }
  LLVM::CallOp::create(*this, TypeRange(), name, operands);
}

void HostBuilder::callHost(StringRef name, ValueRange arguments) {
  SmallVector<Value> operands{context()};
  llvm::append_range(operands, arguments);
  LLVM::CallOp::create(*this, TypeRange(), name, operands);
}

void HostBuilder::loop(int64_t trips, llvm::function_ref<void(Value)> body) {
  Block *before = getInsertionBlock();
  Block *header = createBlock(&function.getBody(), std::next(before->getIterator()), getI64Type(), getLoc());
  Block *after = createBlock(&function.getBody(), std::next(header->getIterator()));
  setInsertionPointToEnd(before);
  LLVM::BrOp::create(*this, ValueRange{i64(0)}, header);
  setInsertionPointToEnd(header);
  Value i = header->getArgument(0);
  body(i);
  Value next = LLVM::AddOp::create(*this, i, i64(1));
  Value more = LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::slt, next, i64(trips));
  LLVM::CondBrOp::create(*this, more, header, ValueRange{next}, after, ValueRange{});
  setInsertionPointToEnd(after);
}

void HostBuilder::finish() { LLVM::ReturnOp::create(*this, ValueRange{}); }
