// Errors of the elaboration: in which calls they are, and where their numbers come from.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"
#include "frontend/parse/AST.h"
#include "frontend/sema/Program.h"

namespace stretto::frontend {

class Reporter {
public:
  Reporter(const SourceFiles &sources, Diagnostics &diagnostics, Provenances &provenances)
      : sources(sources), diagnostics(diagnostics), provenances(provenances) {}

  /// Reports an error with the calls that are being evaluated. The returned object takes notes and lives until
  /// the next report.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  void warning(SourceRange range, const llvm::Twine &message) { diagnostics.warning(range, message); }
  /// The result of `work`; what it reports is dropped.
  template <typename Work> auto unheard(Work work) { return diagnostics.unheard(work); }
  bool hasErrors() const { return diagnostics.hasErrors(); }
  size_t errorCount() const { return diagnostics.errorCount(); }

  /// What the user wrote there.
  llvm::StringRef text(SourceRange range) const { return sources.text(range); }
  /// Says of a number which name it goes by, and where it got its value.
  const Provenance *origin(llvm::StringRef name, SourceRange range) { return provenances.add(name, range); }

  /// Errors are in this call until it is left. False, after an error, if it is being evaluated already.
  bool enterCall(const Declaration &callee, SourceRange site);
  void leaveCall() { calls.pop_back(); }

private:
  struct Call {
    const Declaration *callee;
    SourceRange site;
  };

  const SourceFiles &sources;
  Diagnostics &diagnostics;
  Provenances &provenances;
  std::vector<Call> calls; // outermost first
};

/// Adds a note that says where a number comes from, if that is known.
void noteOrigin(Diagnostic &diagnostic, const Provenance *provenance);
/// Adds notes that say where the sizes come from in which two types differ.
void noteOrigins(Diagnostic &diagnostic, const Type &a, const Type &b);

} // namespace stretto::frontend
