//===- Shadow.cpp - arenas that hold names instead of numbers -------------===//
#include "codegen/memory/Shadow.h"

#include "passes/support/ParameterLayout.h"

#include "ir/seq/TensorBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

//===- Spans --------------------------------------------------------------------===//

static int64_t columnBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return (tensor.getRank() ? tensor.getShape().back() : 1) * elementBytes(type);
}

Span stretto::codegen::spanOf(Type type, kern::SlotAttr slot, int64_t iteration, int64_t row, int64_t lead) {
  int64_t distance = slot.getStride() * (slot.getParity() ? iteration % 2 : iteration);
  Span span;
  span.arena = slot.getArena();
  span.base = slot.getOffset() + (lead ? 0 : distance);
  span.entries = lead ? cast<RankedTensorType>(type).getDimSize(0) : 1;
  span.lead = lead;
  span.width = columnBytes(type);
  span.rows = bytesOf(type) / span.width / span.entries;
  span.stride = row * elementBytes(type);
  if (span.stride == span.width) {
    span.width *= span.rows;
    span.rows = 1;
  }
  return span;
}

/// Calls `visit` with the first byte of each row until it returns false; returns whether it never did.
static bool forEachRow(const Span &span, llvm::function_ref<bool(int64_t)> visit) {
  for (int64_t e = 0; e < span.entries; ++e)
    for (int64_t r = 0; r < span.rows; ++r)
      if (!visit(span.base + e * span.lead + r * span.stride))
        return false;
  return true;
}

static std::vector<int64_t> sortedRows(const Span &span) {
  std::vector<int64_t> rows;
  rows.reserve(span.entries * span.rows);
  forEachRow(span, [&](int64_t begin) {
    rows.push_back(begin);
    return true;
  });
  llvm::sort(rows);
  return rows;
}

bool stretto::codegen::overlap(const Span &a, const Span &b) {
  if (a.arena != b.arena || a.end() <= b.begin() || b.end() <= a.begin())
    return false;
  std::vector<int64_t> ofA = sortedRows(a), ofB = sortedRows(b);
  for (auto i = ofA.begin(), j = ofB.begin(); i != ofA.end() && j != ofB.end();) {
    if (*i < *j + b.width && *j < *i + a.width)
      return true;
    ++(*i < *j ? i : j);
  }
  return false;
}

//===- Contents -----------------------------------------------------------------===//

namespace {
/// Reads a content from some byte on.
class Reader {
public:
  Reader(const Content &content, int64_t from) : runs(*content), at(from) {
    index = std::upper_bound(runs.begin(), runs.end(), from,
                             [](int64_t byte, const Run &run) { return byte < run.begin; }) -
            runs.begin() - 1;
  }

  /// Calls `visit` with the runs of the next `length` bytes, numbered from `begin` on, until it returns false; returns
  /// whether it never did.
  bool take(int64_t length, int64_t begin, llvm::function_ref<bool(const Run &)> visit) {
    for (int64_t end = at + length; at < end;) {
      const Run &run = runs[index];
      int64_t count = std::min(end, run.end()) - at;
      if (!visit({begin, count, run.name + (at - run.begin)}))
        return false;
      at += count;
      begin += count;
      index += at == run.end();
    }
    return true;
  }

private:
  const std::vector<Run> &runs;
  int64_t at;
  size_t index;
};

/// Writes a content.
class Writer {
public:
  void append(Reader &from, int64_t length) {
    from.take(length, size, [&](const Run &run) {
      add(run);
      return true;
    });
  }
  Content finish() { return std::make_shared<std::vector<Run>>(std::move(runs)); }

private:
  void add(const Run &run) {
    if (!runs.empty() && runs.back().name + runs.back().length == run.name)
      runs.back().length += run.length;
    else
      runs.push_back(run);
    size += run.length;
  }

  std::vector<Run> runs;
  int64_t size = 0;
};
} // namespace

static int64_t sizeOf(const Content &content) { return content->back().end(); }

Content stretto::codegen::sliceColumns(const Content &content, Type from, Type to, int64_t offset) {
  int64_t wide = columnBytes(from), narrow = columnBytes(to), skip = offset * elementBytes(from);
  Writer result;
  for (int64_t row = 0; row < sizeOf(content); row += wide) {
    Reader reader(content, row + skip);
    result.append(reader, narrow);
  }
  return result.finish();
}

Content stretto::codegen::joinColumns(llvm::ArrayRef<Content> pieces, TypeRange types) {
  auto readers = llvm::map_to_vector(pieces, [](const Content &piece) { return Reader(piece, 0); });
  Writer result;
  for (int64_t rows = sizeOf(pieces[0]) / columnBytes(types[0]); rows > 0; --rows)
    for (auto [reader, type] : llvm::zip(readers, types))
      result.append(reader, columnBytes(type));
  return result.finish();
}

Content stretto::codegen::entryOf(const Content &content, int64_t i, int64_t n) {
  int64_t size = sizeOf(content) / n;
  Reader reader(content, i * size);
  Writer result;
  result.append(reader, size);
  return result.finish();
}

Content stretto::codegen::joinEntries(llvm::ArrayRef<Content> entries) {
  Writer result;
  for (const Content &entry : entries) {
    Reader reader(entry, 0);
    result.append(reader, sizeOf(entry));
  }
  return result.finish();
}

//===- Arenas -------------------------------------------------------------------===//

Content Shadow::fresh(Type type) {
  int64_t bytes = bytesOf(type);
  Run all{0, bytes, next};
  next += bytes;
  return std::make_shared<std::vector<Run>>(1, all);
}

void Shadow::put(Memory &memory, const Run &run) {
  auto at = memory.lower_bound(run.begin);
  if (at != memory.begin() && std::prev(at)->second.end() > run.begin)
    --at;
  while (at != memory.end() && at->first < run.end()) {
    Run old = at->second;
    at = memory.erase(at);
    if (old.begin < run.begin)
      memory.emplace_hint(at, old.begin, Run{old.begin, run.begin - old.begin, old.name});
    if (old.end() > run.end())
      at =
          memory.emplace_hint(at, run.end(), Run{run.end(), old.end() - run.end(), old.name + (run.end() - old.begin)});
  }
  memory.emplace_hint(at, run.begin, run);
}

int64_t Shadow::findMissing(const Memory &memory, const Run &run) {
  auto at = memory.upper_bound(run.begin);
  if (at == memory.begin())
    return run.begin;
  --at;
  for (int64_t byte = run.begin; byte < run.end(); ++at) {
    if (at == memory.end() || byte < at->first || byte >= at->second.end() ||
        at->second.name + (byte - at->first) != run.name + (byte - run.begin))
      return byte;
    byte = at->second.end();
  }
  return run.end();
}

void Shadow::write(const Span &span, const Content &content) {
  Memory &memory = arenas[static_cast<unsigned>(span.arena)];
  Reader reader(content, 0);
  forEachRow(span, [&](int64_t begin) {
    return reader.take(span.width, begin, [&](const Run &run) {
      put(memory, run);
      return true;
    });
  });
}

bool Shadow::holds(const Span &span, const Content &content) const {
  const Memory &memory = arenas[static_cast<unsigned>(span.arena)];
  Reader reader(content, 0);
  return forEachRow(span, [&](int64_t begin) {
    return reader.take(span.width, begin, [&](const Run &run) { return findMissing(memory, run) >= run.end(); });
  });
}

uint64_t Shadow::findOther(const Span &span, const Content &content) const {
  const Memory &memory = arenas[static_cast<unsigned>(span.arena)];
  Reader reader(content, 0);
  uint64_t other = 0;
  forEachRow(span, [&](int64_t begin) {
    return reader.take(span.width, begin, [&](const Run &run) {
      int64_t missing = findMissing(memory, run);
      if (missing >= run.end())
        return true;
      auto next = memory.upper_bound(missing);
      if (next != memory.begin())
        if (const Run &there = std::prev(next)->second; missing < there.end())
          other = there.name + (missing - there.begin);
      return false;
    });
  });
  return other;
}
