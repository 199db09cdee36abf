// Reads the main file and, recursively, what it imports.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"
#include "frontend/parse/AST.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace stretto::frontend {

/// A parsed file with the files it imports directly.
struct LoadedFile {
  std::string path;
  SourceTree tree;
  std::vector<const LoadedFile *> imports;
};

struct LoadedProgram {
  static constexpr size_t maxFiles = 256;
  std::vector<std::unique_ptr<LoadedFile>> files; // imported files before those that import them; main last
  llvm::StringSet<> symbols;                      // every name in a set or enum of any file

  const LoadedFile &main() const { return *files.back(); }
};

/// Parses the text as the main file and loads its imports. A path is looked up relative to the importing
/// file, then in each of `importFolders`. Cycles and missing files are errors at the import.
LoadedProgram load(llvm::StringRef path, llvm::StringRef text, llvm::ArrayRef<std::string> importFolders,
                   llvm::vfs::FileSystem &files, SourceFiles &sources, Diagnostics &diagnostics);

/// The main file with its imports in front, without the import lines and without the models of other files:
/// one text that compiles alone.
std::string inlinedText(const LoadedProgram &program, const SourceFiles &sources);

} // namespace stretto::frontend
