//===- Shadow.h - arenas that hold names instead of numbers -------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

namespace stretto::codegen {

/// Bytes that lie side by side, in a value or in an arena, and whose names follow each other.
struct Run {
  int64_t begin, length;
  uint64_t name; // of the first byte
  int64_t end() const { return begin + length; }
};

/// What a value should contain: a name for each byte, in row-major order and without gaps. A view has the names of what
/// it shows.
using Content = std::shared_ptr<const std::vector<Run>>;

/// Where the bytes of one value lie: `entries` times `rows` rows of `width` bytes.
struct Span {
  kern::Arena arena;
  int64_t base;          // of the first byte in the arena
  int64_t entries, lead; // and bytes from one to the next
  int64_t rows, stride;  // of an entry
  int64_t width;

  /// The lowest byte, and the one behind the highest.
  int64_t begin() const { return base + std::min<int64_t>(0, (entries - 1) * lead); }
  int64_t end() const { return base + std::max<int64_t>(0, (entries - 1) * lead) + (rows - 1) * stride + width; }

  bool operator==(const Span &) const = default;
};

/// The bytes of a value of `type` at `slot` in iteration `iteration`. `row` is the row stride in elements, `lead` the
/// distance of the entries of a stack in bytes (0: contiguous).
Span spanOf(mlir::Type type, kern::SlotAttr slot, int64_t iteration, int64_t row, int64_t lead);

/// Whether two spans share a byte.
bool overlap(const Span &a, const Span &b);

class Shadow {
public:
  /// Names no other byte has.
  Content fresh(mlir::Type type);
  void write(const Span &span, const Content &content);
  /// Whether the span holds the content.
  bool holds(const Span &span, const Content &content) const;
  /// The name that lies at the first byte of the span that does not hold the content; 0: nothing was written there.
  uint64_t findOther(const Span &span, const Content &content) const;

private:
  /// Runs that do not overlap, by their first byte.
  using Memory = std::map<int64_t, Run>;
  static void put(Memory &memory, const Run &run);
  /// The first byte of `run` that is not in memory; its end when all are.
  static int64_t findMissing(const Memory &memory, const Run &run);

  std::array<Memory, kern::getMaxEnumValForArena() + 1> arenas;
  uint64_t next = 1;
};

Content sliceColumns(const Content &content, mlir::Type from, mlir::Type to, int64_t offset);
Content joinColumns(llvm::ArrayRef<Content> pieces, mlir::TypeRange types);
/// Entry i of n of the leading dimension.
Content entryOf(const Content &content, int64_t i, int64_t n);
Content joinEntries(llvm::ArrayRef<Content> entries);

} // namespace stretto::codegen
