// One fuzzing step of the front end: lexer, parser, layout, elaboration. Aborts if an invariant breaks.
#pragma once

#include "frontend/format/Format.h"
#include "frontend/sema/Sema.h"

#include <cstdlib>

namespace stretto::test {

using namespace frontend;

/// The text up to the first byte 0 is the main file; behind it follows one override "name=value".
inline void checkFrontendInput(llvm::StringRef input) {
  auto [text, override] = input.split('\0');
  SourceFiles sources;
  Diagnostics diagnostics(sources);
  llvm::vfs::InMemoryFileSystem files;
  LoadedProgram loaded = load("fuzz.stretto", text, {}, files, sources, diagnostics);
  if (!diagnostics.hasErrors()) {
    ElaborationOptions options;
    options.batch = 2;
    options.length = 8;
    options.vocabulary = 16;
    if (!override.empty())
      options.overrides.push_back({override.split('=').first.str(), override.split('=').second.str()});
    std::optional<Program> program = elaborate(loaded, options, sources, diagnostics);
    if (program.has_value() == diagnostics.hasErrors())
      std::abort(); // a program, or errors
  }
  std::string printed;
  llvm::raw_string_ostream os(printed);
  diagnostics.print(os);

  Diagnostics ignored(sources);
  std::optional<std::string> once = formatFile(sources, 0, ignored);
  if (!once)
    return;
  std::optional<std::string> twice = formatFile(sources, sources.add("again", *once), ignored);
  if (twice != once)
    std::abort(); // the layout is stable
}

} // namespace stretto::test
