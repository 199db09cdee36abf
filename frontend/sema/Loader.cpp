// Reads the main file and, recursively, what it imports.
#include "frontend/sema/Loader.h"

#include "frontend/parse/Parser.h"
#include "frontend/sema/Symbols.h"

#include "llvm/Support/Path.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

class Loader {
public:
  Loader(llvm::ArrayRef<std::string> folders, llvm::vfs::FileSystem &system, SourceFiles &sources,
         Diagnostics &diagnostics, LoadedProgram &program)
      : folders(folders), system(system), sources(sources), diagnostics(diagnostics), program(program) {}

  const LoadedFile *loadText(llvm::StringRef path, llvm::StringRef text) {
    auto file = std::make_unique<LoadedFile>();
    file->path = path.str();
    uint32_t number = sources.add(path, text);
    file->tree = parseFile(sources, number, diagnostics);
    collectSymbols(file->tree, program.symbols);
    stack.push_back(file->path);
    for (const Import &import : file->tree.imports)
      if (const LoadedFile *imported = loadImport(*file, import))
        file->imports.push_back(imported);
    stack.pop_back();
    program.files.push_back(std::move(file));
    return program.files.back().get();
  }

private:
  const LoadedFile *loadImport(const LoadedFile &from, const Import &import);
  std::string find(llvm::StringRef from, llvm::StringRef path);

  llvm::ArrayRef<std::string> folders;
  llvm::vfs::FileSystem &system;
  SourceFiles &sources;
  Diagnostics &diagnostics;
  LoadedProgram &program;
  std::vector<std::string> stack;
};

std::string normalized(llvm::StringRef folder, llvm::StringRef path) {
  llvm::SmallString<128> full(folder);
  llvm::sys::path::append(full, path);
  llvm::sys::path::remove_dots(full, /*remove_dot_dot=*/true);
  return full.str().str();
}

std::string Loader::find(llvm::StringRef from, llvm::StringRef path) {
  if (llvm::sys::path::is_absolute(path))
    return normalized("", path);
  std::string beside = normalized(llvm::sys::path::parent_path(from), path);
  if (system.exists(beside))
    return beside;
  for (const std::string &folder : folders)
    if (std::string candidate = normalized(folder, path); system.exists(candidate))
      return candidate;
  return beside;
}

const LoadedFile *Loader::loadImport(const LoadedFile &from, const Import &import) {
  if (import.path.empty()) {
    diagnostics.error(import.pathRange, "'import' must name a file, but got \"\"");
    return nullptr;
  }
  std::string path = find(from.path, import.path);
  if (llvm::is_contained(stack, path)) {
    diagnostics.error(import.pathRange, "a file may not import itself, but '" + import.path + "' is being imported");
    return nullptr;
  }
  for (const auto &file : program.files)
    if (file->path == path)
      return file.get();
  if (program.files.size() + stack.size() >= LoadedProgram::maxFiles) {
    diagnostics.error(import.pathRange, "a program has at most " + llvm::Twine(LoadedProgram::maxFiles) + " files");
    return nullptr;
  }
  std::string problem;
  std::optional<std::string> text = readSource(system, path, problem);
  if (!text) {
    diagnostics.error(import.pathRange, "cannot read '" + path + "': " + problem);
    return nullptr;
  }
  return loadText(path, *text);
}

} // namespace

LoadedProgram frontend::load(llvm::StringRef path, llvm::StringRef text, llvm::ArrayRef<std::string> importFolders,
                             llvm::vfs::FileSystem &files, SourceFiles &sources, Diagnostics &diagnostics) {
  LoadedProgram program;
  Loader(importFolders, files, sources, diagnostics, program).loadText(normalized("", path), text);
  return program;
}

std::string frontend::inlinedText(const LoadedProgram &program, const SourceFiles &sources) {
  std::string text;
  for (const auto &file : program.files) {
    std::vector<SourceRange> left;
    for (const Import &import : file->tree.imports)
      left.push_back(import.range.to(import.pathRange));
    for (const auto &declaration : file->tree.declarations)
      if (declaration->kind == Declaration::Kind::Model && file.get() != &program.main())
        left.push_back(declaration->whole);
    llvm::sort(left, [](SourceRange a, SourceRange b) { return a.begin < b.begin; });
    llvm::StringRef whole = sources.text(file->tree.file);
    uint32_t at = 0;
    for (SourceRange range : left) {
      text += whole.slice(at, range.begin);
      at = range.end;
    }
    text += whole.substr(at).ltrim("\n");
    if (!llvm::StringRef(text).ends_with("\n"))
      text += '\n';
  }
  return llvm::StringRef(text).ltrim("\n").str(); // what is made of this text is this text
}
