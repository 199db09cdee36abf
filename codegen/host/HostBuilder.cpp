//===- HostBuilder.cpp - writing calls of C functions ---------------------===//
#include "codegen/host/HostBuilder.h"

using namespace mlir;
using namespace stretto;

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

Value HostBuilder::i64(int64_t value) { return LLVM::ConstantOp::create(*this, getI64Type(), getI64IntegerAttr(value)); }
Value HostBuilder::i32(int32_t value) { return LLVM::ConstantOp::create(*this, getI32Type(), getI32IntegerAttr(value)); }
Value HostBuilder::f64(double value) { return LLVM::ConstantOp::create(*this, getF64Type(), getF64FloatAttr(value)); }

SmallVector<Value, 3> HostBuilder::buffer(kern::PlaceAttr place, Value extraOffset) {
  Value offset = i64(place.getOffset());
  if (function.getNumArguments() == 2 && place.getStride() != 0) {
    Value step = function.getArgument(1);
    if (place.getParity())
      step = LLVM::AndOp::create(*this, step, i64(1));
    offset = LLVM::AddOp::create(*this, offset, LLVM::MulOp::create(*this, step, i64(place.getStride())).getRes());
  }
  if (extraOffset)
    offset = LLVM::AddOp::create(*this, offset, extraOffset);
  return {i32(static_cast<int32_t>(place.getArena())), i32(0), offset};
}

Value HostBuilder::pack(ArrayRef<Value> fields) {
  auto types = llvm::map_to_vector(fields, [](Value field) { return field.getType(); });
  auto type = LLVM::LLVMStructType::getLiteral(getContext(), types);
  Value address;
  {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(&function.getBody().front());
    address = LLVM::AllocaOp::create(*this, pointer(), type, i64(1), /*alignment=*/8);
  }
  for (auto [i, field] : llvm::enumerate(fields)) {
    auto place = LLVM::GEPOp::create(*this, pointer(), type, address,
                                     ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(*this, field, place);
  }
  return address;
}

void HostBuilder::call(StringRef name, ValueRange arguments) {
  SmallVector<Value> operands{context()};
  llvm::append_range(operands, arguments);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    auto types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
    LLVM::LLVMFuncOp::create(*this, name,
                             LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), types));
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
