//===- GlobalBuilder.cpp - constants with pointers in them ----------------===//
#include "codegen/host/GlobalBuilder.h"

using namespace mlir;
using namespace stretto;

static constexpr llvm::StringLiteral textsName = "stretto.texts";

GlobalBuilder::GlobalBuilder(ModuleOp module) : b(module.getLoc(), module.getContext()), module(module) {}

void GlobalBuilder::define(StringRef name, Type type, LLVM::Linkage linkage, llvm::function_ref<Value()> make) {
  constants.clear();
  b.setInsertionPointToEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, linkage, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value value = make();
  LLVM::ReturnOp::create(b, value);
}

void GlobalBuilder::finish() {
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), texts.size());
  LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, textsName, b.getStringAttr(texts));
}

Value GlobalBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known)
    known = LLVM::ConstantOp::create(b, value.getType(), value);
  return known;
}

Value GlobalBuilder::text(StringRef text) {
  auto [it, isNew] = offsets.try_emplace(text, texts.size());
  if (isNew)
    texts.append(text.str()).push_back('\0');
  return LLVM::GEPOp::create(b, pointer(), b.getI8Type(), address(textsName),
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(it->second)});
}

Value GlobalBuilder::null() { return LLVM::ZeroOp::create(b, pointer()); }

Value GlobalBuilder::address(StringRef symbol) { return LLVM::AddressOfOp::create(b, pointer(), symbol); }

Value GlobalBuilder::address(StringRef symbol, Type element, int64_t index) {
  return LLVM::GEPOp::create(b, pointer(), element, address(symbol),
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
}

Value GlobalBuilder::aggregate(Type type, ArrayRef<Value> values) {
  Value result = LLVM::UndefOp::create(b, type);
  for (auto [i, value] : llvm::enumerate(values))
    result = LLVM::InsertValueOp::create(b, result, value, static_cast<int64_t>(i));
  return result;
}
