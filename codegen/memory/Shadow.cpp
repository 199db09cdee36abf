//===- Shadow.cpp -------------------------------------------------------------===//
#include "codegen/memory/Shadow.h"

#include "codegen/memory/ParameterLayout.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace stretto;

static constexpr int64_t wordBytes = 2;

static int64_t columnWords(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t columns = tensor.getRank() ? tensor.getShape().back() : 1;
  return columns * tensor.getElementTypeBitWidth() / 8 / wordBytes;
}

Span stretto::spanOf(Type type, kern::PlaceAttr place, int64_t iteration, int64_t row, int64_t lead) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t stride = place.getStride() * (place.getParity() ? iteration % 2 : iteration);
  int64_t base = place.getOffset() + (lead ? 0 : stride), width = columnWords(type);
  int64_t rowWords = row * tensor.getElementTypeBitWidth() / 8 / wordBytes;
  int64_t entries = lead ? tensor.getDimSize(0) : 1;
  int64_t rows = byteSize(type) / wordBytes / width / entries;
  bool isGradient = place.getArena() == kern::Arena::gradients; // shares the memory of activations
  Span span{isGradient ? kern::Arena::activations : place.getArena(), {}};
  for (int64_t e = 0; e < entries; ++e)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        span.words.push_back((base + e * lead) / wordBytes + r * rowWords + c);
  return span;
}

bool stretto::overlap(const Span &a, const Span &b) {
  if (a.arena != b.arena)
    return false;
  llvm::DenseSet<int64_t> words(a.words.begin(), a.words.end());
  return llvm::any_of(b.words, [&](int64_t word) { return words.contains(word); });
}

Content Shadow::fresh(Type type) {
  auto names = std::make_shared<std::vector<uint64_t>>(byteSize(type) / wordBytes);
  for (uint64_t &name : *names)
    name = next++;
  return names;
}

void Shadow::write(const Span &span, const Content &content) {
  std::vector<uint64_t> &arena = arenas[static_cast<unsigned>(span.arena)];
  for (auto [i, word] : llvm::enumerate(span.words)) {
    if (word >= static_cast<int64_t>(arena.size()))
      arena.resize(word + 1);
    arena[word] = (*content)[i];
  }
}

bool Shadow::holds(const Span &span, const Content &content) const {
  const std::vector<uint64_t> &arena = arenas[static_cast<unsigned>(span.arena)];
  for (auto [i, word] : llvm::enumerate(span.words))
    if (word >= static_cast<int64_t>(arena.size()) || arena[word] != (*content)[i])
      return false;
  return true;
}

Content stretto::sliceColumns(const Content &content, Type from, Type to, int64_t offset) {
  int64_t wide = columnWords(from), narrow = columnWords(to);
  int64_t skip = offset * cast<RankedTensorType>(from).getElementTypeBitWidth() / 8 / wordBytes;
  auto result = std::make_shared<std::vector<uint64_t>>();
  for (size_t row = 0; row < content->size(); row += wide)
    result->insert(result->end(), content->begin() + row + skip, content->begin() + row + skip + narrow);
  return result;
}

Content stretto::joinColumns(llvm::ArrayRef<Content> pieces, TypeRange types) {
  auto result = std::make_shared<std::vector<uint64_t>>();
  size_t rows = pieces[0]->size() / columnWords(types[0]);
  for (size_t row = 0; row < rows; ++row)
    for (auto [piece, type] : llvm::zip(pieces, types)) {
      int64_t width = columnWords(type);
      result->insert(result->end(), piece->begin() + row * width, piece->begin() + (row + 1) * width);
    }
  return result;
}

Content stretto::entryOf(const Content &content, int64_t i, int64_t n) {
  int64_t size = content->size() / n;
  return std::make_shared<std::vector<uint64_t>>(content->begin() + i * size, content->begin() + (i + 1) * size);
}

Content stretto::joinEntries(llvm::ArrayRef<Content> entries) {
  auto result = std::make_shared<std::vector<uint64_t>>();
  for (const Content &entry : entries)
    result->insert(result->end(), entry->begin(), entry->end());
  return result;
}
