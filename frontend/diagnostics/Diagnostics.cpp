// Errors with exact places, notes at the other end, and the nearest name.
#include "frontend/diagnostics/Diagnostics.h"

#include "frontend/diagnostics/Characters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::frontend;

/// Bytes of a line that are shown.
static constexpr size_t maxWidth = 160;

/// Whether a report was made before, at the same place.
static bool isKnown(llvm::ArrayRef<Diagnostic> list, const Diagnostic &diagnostic) {
  return llvm::any_of(list, [&](const Diagnostic &earlier) {
    return earlier.range.file == diagnostic.range.file && earlier.range.begin == diagnostic.range.begin &&
           earlier.range.end == diagnostic.range.end && earlier.message == diagnostic.message;
  });
}

void Diagnostics::warning(SourceRange range, const llvm::Twine &message) {
  Diagnostic diagnostic{range, message.str(), {}};
  if (warnings.size() < maxErrors && !isKnown(warnings, diagnostic))
    warnings.push_back(std::move(diagnostic));
}

Diagnostic &Diagnostics::error(SourceRange range, const llvm::Twine &message) {
  Diagnostic diagnostic{range, message.str(), {}};
  bool known = isKnown(list, diagnostic);
  ++count;
  if (known || list.size() == maxErrors) {
    hidden += !known;
    overflow = std::move(diagnostic);
    return overflow;
  }
  list.push_back(std::move(diagnostic));
  return list.back();
}

void Diagnostics::print(llvm::raw_ostream &os) const {
  for (const Diagnostic &diagnostic : warnings)
    printOne(os, diagnostic.range, "warning", diagnostic.message);
  for (const Diagnostic &diagnostic : list) {
    printOne(os, diagnostic.range, "error", diagnostic.message);
    for (const Note &note : diagnostic.notes)
      printOne(os, note.range, "note", note.message);
  }
  if (hidden)
    os << "error: " << hidden << " more errors not shown\n";
}

void Diagnostics::printOne(llvm::raw_ostream &os, SourceRange range, llvm::StringRef kind,
                           llvm::StringRef message) const {
  if (!range.isValid()) {
    os << kind << ": " << printable(message) << '\n';
    return;
  }
  os << printable(sources.describe(range)) << ": " << kind << ": " << printable(message) << '\n';
  printLine(os, range);
}

/// The bytes of a line that are shown, whole characters of them: those around `at` where it is long.
static std::pair<size_t, size_t> shownPart(llvm::StringRef line, size_t at) {
  if (line.size() <= maxWidth)
    return {0, line.size()};
  const size_t last = line.size() - maxWidth;
  size_t begin = std::min(at - std::min(at, maxWidth / 2), last);
  const size_t end = begin + maxWidth;
  while (begin < at && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) // inside of a character
    ++begin;
  return {begin, end};
}

void frontend::printMarked(llvm::raw_ostream &os, llvm::StringRef line, size_t from, size_t to) {
  constexpr llvm::StringRef cut = "...";
  auto [at, end] = shownPart(line, from);
  std::string shown(at ? cut : ""), marks(shown.size(), ' ');
  while (at < end) {
    Character character = firstCharacter(line.substr(at));
    bool isTab = character.code == '\t', isMarked = at >= from && at < to;
    shown += printable(character.bytes);
    unsigned columns = columnsOf(character);
    if (at == from) {
      marks += '^';
      columns -= std::min(columns, 1u);
    }
    if (at <= from || isMarked)
      marks.append(columns, isMarked ? '~' : isTab ? '\t' : ' ');
    at += character.bytes.size();
  }
  if (at <= from)
    marks += '^';
  os << "    " << shown << (at < line.size() ? cut : "") << "\n    " << marks << '\n';
}

void Diagnostics::printLine(llvm::raw_ostream &os, SourceRange range) const {
  uint32_t begin = 0;
  llvm::StringRef line = sources.line(range.file, range.begin, begin);
  printMarked(os, line, range.begin - begin, range.end - begin);
}

std::string frontend::foldName(llvm::StringRef name) {
  std::string folded = name.lower();
  llvm::erase(folded, '_');
  return folded;
}

/// The fewest letters put in, taken away, replaced or swapped with their neighbour that make one text of the other: the
/// distance of runtime/core/nearest.h. (That of llvm::StringRef counts a swap as two.)
static size_t countChanges(llvm::StringRef from, llvm::StringRef to) {
  llvm::SmallVector<size_t> before(to.size() + 1), row(to.size() + 1);
  llvm::SmallVector<size_t> above = llvm::to_vector(llvm::seq<size_t>(0, to.size() + 1));
  for (size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

llvm::StringRef frontend::nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  std::string folded = foldName(name);
  for (llvm::StringRef candidate : candidates)
    if (candidate != name && foldName(candidate) == folded)
      return candidate;
  llvm::StringRef best;
  if (name.size() >= 3)
    for (llvm::StringRef candidate : candidates)
      if (candidate != name && candidate.starts_with(name) && (best.empty() || candidate.size() < best.size()))
        best = candidate;
  if (!best.empty())
    return best;
  size_t bestDistance = std::min(std::max<size_t>(name.size() / 3, 1) + 1, name.size());
  for (llvm::StringRef candidate : candidates) {
    if (candidate == name || candidate.size() > 64 || name.size() > 64)
      continue;
    if (size_t distance = countChanges(name, candidate); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string frontend::didYouMean(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest = nearestName(name, candidates);
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}
