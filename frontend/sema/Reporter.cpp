// Errors of the elaboration: in which calls they are, and where their numbers come from.
#include "frontend/sema/Reporter.h"

using namespace stretto;
using namespace stretto::frontend;

Diagnostic &Reporter::error(SourceRange range, const llvm::Twine &message) {
  constexpr size_t maxCallNotes = 6;
  Diagnostic &diagnostic = diagnostics.error(range, message);
  size_t shown = 0;
  for (auto call = calls.rbegin(); call != calls.rend() && shown < maxCallNotes; ++call, ++shown)
    diagnostic.notes.push_back({call->site, ("in this call of '" + call->callee->name.text + "'").str()});
  return diagnostic;
}

bool Reporter::enterCall(const Declaration &callee, SourceRange site) {
  for (const Call &active : calls)
    if (active.callee == &callee) {
      error(site, "'" + callee.name.text + "' may not call itself");
      return false;
    }
  calls.push_back({&callee, site});
  return true;
}

void frontend::noteOrigin(Diagnostic &diagnostic, const Provenance *provenance) {
  if (!provenance || !provenance->range.isValid())
    return;
  for (const Note &note : diagnostic.notes)
    if (note.range.file == provenance->range.file && note.range.begin == provenance->range.begin)
      return;
  diagnostic.notes.push_back({provenance->range, "'" + provenance->name + "' gets its value here"});
}

void frontend::noteOrigins(Diagnostic &diagnostic, const Type &a, const Type &b) {
  for (size_t i = 0; i < std::max(a.dims.size(), b.dims.size()); ++i) {
    if (i < a.dims.size() && i < b.dims.size() && a.dims[i].size == b.dims[i].size)
      continue;
    if (i < a.dims.size())
      noteOrigin(diagnostic, a.dims[i].provenance);
    if (i < b.dims.size())
      noteOrigin(diagnostic, b.dims[i].provenance);
  }
}
