//===- AbiStruct.cpp - structs of the ABI, written field by field ---------===//
#include "codegen/host/AbiStruct.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

void AbiFields::expect(bool holds, const char *otherwise) const {
  if (!holds)
    llvm::reportFatalInternalError(name + ": " + otherwise);
}

void AbiFields::add(size_t offset, const AbiFields &inner) {
  for (const Field &field : inner.fields)
    fields.push_back({offset + field.offset, field.size, field.value});
  for (auto [place, tensor] : inner.places)
    places.push_back({offset + place, tensor});
}

SmallVector<OpFoldResult> AbiFields::inOrder() const {
  SmallVector<Field> sorted(fields);
  llvm::stable_sort(sorted, [](const Field &a, const Field &b) { return a.offset < b.offset; });
  sorted.push_back({bytes, 0, {}});
  size_t end = 0;
  for (const Field &field : sorted) {
    if (field.offset != end)
      llvm::reportFatalInternalError(name + (field.offset < end ? ": set twice: byte " : ": not set: byte ") +
                                     Twine(std::min(field.offset, end)));
    end += field.size;
  }
  sorted.pop_back();
  return llvm::map_to_vector(sorted, [](const Field &field) { return field.value; });
}

SmallVector<Value> AbiFields::tensors() const {
  auto sorted = llvm::to_vector(places);
  llvm::sort(sorted, llvm::less_first());
  return llvm::map_to_vector(sorted, [](auto place) { return place.second; });
}
