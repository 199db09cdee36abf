//===- Shadow.h - arenas that hold names instead of numbers -------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include <array>
#include <memory>
#include <vector>

namespace stretto {

/// What a value should contain: one name for each word (two bytes), in row-major order. Views share the names of
/// what they show.
using Content = std::shared_ptr<const std::vector<uint64_t>>;

/// Where the words of one value lie.
struct Span {
  kern::Arena arena;
  std::vector<int64_t> words; // word numbers in the arena, in row-major order
};

/// The words of a value of `type` at `place` in iteration `iteration`. `row` is the row stride in elements, `lead` the
/// distance of the entries of a stack in bytes (0: contiguous).
Span spanOf(mlir::Type type, kern::PlaceAttr place, int64_t iteration, int64_t row, int64_t lead);

/// Whether two spans share a word.
bool overlap(const Span &a, const Span &b);

class Shadow {
public:
  /// Names no other word has.
  Content fresh(mlir::Type type);
  void write(const Span &span, const Content &content);
  /// Whether the span holds the content.
  bool holds(const Span &span, const Content &content) const;

private:
  std::array<std::vector<uint64_t>, kern::getMaxEnumValForArena() + 1> arenas;
  uint64_t next = 1;
};

Content sliceColumns(const Content &content, mlir::Type from, mlir::Type to, int64_t offset);
Content joinColumns(llvm::ArrayRef<Content> pieces, mlir::TypeRange types);
/// Entry i of n of the leading dimension.
Content entryOf(const Content &content, int64_t i, int64_t n);
Content joinEntries(llvm::ArrayRef<Content> entries);

} // namespace stretto
