// Errors with exact places, notes at the other end, and the nearest name.
#include "frontend/diagnostics/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace stretto;
using namespace stretto::frontend;

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

/// Prints the line and a caret under the range. Tabs stay tabs in both lines, so that they align; other
/// control characters and bytes outside ASCII of a broken file are replaced.
void Diagnostics::printOne(llvm::raw_ostream &os, SourceRange range, llvm::StringRef kind,
                           llvm::StringRef message) const {
  if (!range.isValid()) {
    os << kind << ": " << message << '\n';
    return;
  }
  os << sources.describe(range) << ": " << kind << ": " << message << '\n';
  constexpr uint32_t maxWidth = 160;
  uint32_t begin = 0;
  llvm::StringRef line = sources.line(range.file, range.begin, begin);
  uint32_t column = range.begin - begin;
  if (column > maxWidth)
    return;
  line = line.take_front(maxWidth);
  os << "    ";
  for (char c : line)
    os << (static_cast<unsigned char>(c) < 32 && c != '\t' ? '?' : c);
  os << "\n    ";
  for (char c : line.take_front(column))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      os << (c == '\t' ? '\t' : ' ');
  os << '^';
  uint32_t end = std::min<uint32_t>(range.end - begin, line.size());
  for (uint32_t i = column + 1; i < end; ++i)
    if ((static_cast<unsigned char>(line[i]) & 0xC0) != 0x80)
      os << '~';
  os << '\n';
}

llvm::StringRef frontend::nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef best;
  unsigned bestDistance = std::min<size_t>(name.size() / 3 + 1, 4);
  for (llvm::StringRef candidate : candidates) {
    if (candidate == name || candidate.size() > 64 || name.size() > 64)
      continue;
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, bestDistance);
    if (distance <= bestDistance && distance < std::max(name.size(), candidate.size()) &&
        (best.empty() || distance < bestDistance)) {
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
