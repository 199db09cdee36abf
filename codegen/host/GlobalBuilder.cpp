//===- GlobalBuilder.cpp - constants with pointers in them ----------------===//
#include "codegen/host/GlobalBuilder.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr llvm::StringLiteral textsName = "stretto.texts";

GlobalBuilder::GlobalBuilder(ModuleOp module) : b(module.getLoc(), module.getContext()), module(module) {}

void GlobalBuilder::define(StringRef name, LLVM::Linkage linkage, llvm::function_ref<Value()> make) {
  constants.clear();
  b.setInsertionPointToEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(b, pointer(), /*isConstant=*/true, linkage, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value value = make();
  global.setGlobalType(value.getType());
  LLVM::ReturnOp::create(b, value);
}

void GlobalBuilder::defineList(StringRef name, ArrayRef<int64_t> values) {
  define(name, LLVM::Linkage::Internal,
         [&] { return list(values.size(), [&](size_t i) { return constant(b.getI64IntegerAttr(values[i])); }); });
}

void GlobalBuilder::defineList(StringRef name, ArrayRef<double> values) {
  define(name, LLVM::Linkage::Internal,
         [&] { return list(values.size(), [&](size_t i) { return constant(b.getF64FloatAttr(values[i])); }); });
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
  return address(textsName, it->second);
}

Value GlobalBuilder::null() { return LLVM::ZeroOp::create(b, pointer()); }

Value GlobalBuilder::address(StringRef symbol, size_t byte) {
  Value start = LLVM::AddressOfOp::create(b, pointer(), symbol);
  if (byte == 0)
    return start;
  return LLVM::GEPOp::create(b, pointer(), b.getI8Type(), start, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
}

Value GlobalBuilder::fill(Type type, ArrayRef<Value> values) {
  Value result = LLVM::UndefOp::create(b, type);
  for (auto [i, value] : llvm::enumerate(values))
    result = LLVM::InsertValueOp::create(b, result, value, static_cast<int64_t>(i));
  return result;
}

Value GlobalBuilder::structOf(ArrayRef<Value> values) {
  auto types = llvm::map_to_vector(values, [](Value value) { return value.getType(); });
  return fill(LLVM::LLVMStructType::getLiteral(b.getContext(), types), values);
}

Value GlobalBuilder::aggregate(const AbiFields &fields) {
  return structOf(llvm::map_to_vector(fields.inOrder(), [&](OpFoldResult field) {
    auto value = dyn_cast<Value>(field);
    return value ? value : constant(cast<TypedAttr>(cast<Attribute>(field)));
  }));
}

/// Its entries have one type. A long list is several arrays one behind the other: LLVM copies an array for each value
/// that is inserted into it.
Value GlobalBuilder::list(size_t count, llvm::function_ref<Value(size_t)> make) {
  constexpr size_t mostOfArray = 1024;
  SmallVector<Value> values;
  if (count > mostOfArray) {
    for (size_t begin = 0; begin < count; begin += mostOfArray)
      values.push_back(list(std::min(mostOfArray, count - begin), [&](size_t i) { return make(begin + i); }));
    return structOf(values);
  }
  for (size_t i = 0; i < count; ++i)
    values.push_back(make(i));
  Type element = values.empty() ? b.getI64Type() : values.front().getType();
  return fill(LLVM::LLVMArrayType::get(element, count), values);
}
