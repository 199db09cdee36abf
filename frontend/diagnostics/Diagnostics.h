// Errors with exact places, notes at the other end, and the nearest name.
#pragma once

#include "frontend/diagnostics/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

namespace stretto::frontend {

struct Note {
  SourceRange range;
  std::string message;
};

struct Diagnostic {
  SourceRange range;
  std::string message;
  std::vector<Note> notes;
};

/// Collects errors and warnings. After `maxErrors` further ones are only counted.
class Diagnostics {
public:
  static constexpr size_t maxErrors = 20;

  explicit Diagnostics(const SourceFiles &sources) : sources(sources) {}

  /// Reports an error; one that is known already (a block may be read once per call) is counted, but not
  /// printed again. The returned object takes notes and lives until the next report.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  /// Reports what may be meant; once for each place, and at most as many as errors.
  void warning(SourceRange range, const llvm::Twine &message);
  /// The result of `work`; what it reports is dropped.
  template <typename Work> auto unheard(Work work) {
    llvm::SaveAndRestore keptCount(count), keptHidden(hidden);
    const size_t errors = list.size(), warned = warnings.size();
    auto result = work();
    list.resize(errors);
    warnings.resize(warned);
    return result;
  }
  bool hasErrors() const { return count != 0; }
  size_t errorCount() const { return count; }
  llvm::ArrayRef<Diagnostic> all() const { return list; }
  /// Prints every warning and error with its source line and a caret, notes below it.
  void print(llvm::raw_ostream &os) const;
  /// Prints the source line of a range with a caret.
  void printLine(llvm::raw_ostream &os, SourceRange range) const;

private:
  void printOne(llvm::raw_ostream &os, SourceRange range, llvm::StringRef kind, llvm::StringRef message) const;

  const SourceFiles &sources;
  std::vector<Diagnostic> list, warnings;
  Diagnostic overflow;
  size_t count = 0, hidden = 0;
};

/// Prints a line whose bytes `from` to `to - 1` are marked, at least one character. Of a long line only what stands
/// around the mark is shown. Tabs stay tabs, so that they align; what terminals do not show is replaced.
void printMarked(llvm::raw_ostream &os, llvm::StringRef line, size_t from, size_t to);

/// `name` without underscores, in small letters.
std::string foldName(llvm::StringRef name);

/// The candidate that differs from `name` in underscores and capitals alone, else the one nearest by the rule of
/// runtime/core/nearest.h: `name` lacks its end, or at most a third of it changes, or of a short one a letter. Empty if
/// none is near.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// "; did you mean 'x'?", or empty.
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace stretto::frontend
