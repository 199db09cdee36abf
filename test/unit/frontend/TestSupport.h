// Helpers of the front end's tests: texts in, errors or the elaborated program out.
#pragma once

#include "frontend/sema/Sema.h"

#include "llvm/Support/MemoryBuffer.h"

namespace stretto::test {

using namespace frontend;

/// A front end over files in memory. The main file is "m.stretto".
struct Frontend {
  SourceFiles sources;
  Diagnostics diagnostics{sources};
  llvm::vfs::InMemoryFileSystem files;
  ElaborationOptions options;
  std::optional<LoadedProgram> loaded;
  std::optional<Program> program;

  Frontend() {
    options.batch = 2;
    options.length = 8;
    options.vocabulary = 32;
  }

  Frontend &addFile(llvm::StringRef path, llvm::StringRef text) {
    files.addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
    return *this;
  }

  Frontend &set(std::string name, std::string value) {
    options.overrides.push_back({std::move(name), std::move(value)});
    return *this;
  }

  Frontend &run(llvm::StringRef text, llvm::StringRef path = "m.stretto") {
    loaded = load(path, text, {}, files, sources, diagnostics);
    if (!diagnostics.hasErrors())
      program = elaborate(*loaded, options, sources, diagnostics);
    return *this;
  }

  std::string errors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os);
    return text;
  }

  /// Names of all weights of main, in order.
  std::vector<std::string> weightNames() const {
    std::vector<std::string> names;
    if (program)
      for (const Weight &weight : program->main().weights)
        names.push_back(weight.name);
    return names;
  }

  const Weight *weight(llvm::StringRef name) const {
    if (program)
      for (const Weight &weight : program->main().weights)
        if (weight.name == name)
          return &weight;
    return nullptr;
  }
};

/// The body of a model around statements that change x: [batch=2, length=8, dim=16].
inline std::string inModel(llvm::StringRef statements, llvm::StringRef parameters = "vocab: int, dim = 16") {
  return ("model m(" + parameters + ") {\nx = embed(tokens, vocab, dim)\n" + statements +
          "\nreturn linear(x, vocab)\n}\n")
      .str();
}

} // namespace stretto::test
