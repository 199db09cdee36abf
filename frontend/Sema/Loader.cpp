// Reads the main file and, recursively, what it imports.
#include "frontend/Sema/Loader.h"

#include "frontend/Parse/Parser.h"

#include "llvm/Support/Path.h"

using namespace stretto;

namespace {

constexpr size_t maxFiles = 256;

/// The members in a type and in a set literal are all that can be a symbol, so collect both from the tree.
class SymbolCollector {
public:
  explicit SymbolCollector(llvm::StringSet<> &symbols) : symbols(symbols) {}

  void declaration(const Declaration &declaration) {
    for (const Parameter &parameter : declaration.parameters) {
      add(parameter.type.members);
      expr(parameter.defaultValue.get());
    }
    expr(declaration.value.get());
    body(declaration.body);
  }

private:
  void add(const std::vector<Identifier> &members) {
    for (const Identifier &member : members)
      symbols.insert(member.text);
  }

  void body(const Body &body) {
    for (const StmtPtr &stmt : body)
      statement(*stmt);
  }

  void statement(const Stmt &stmt) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
      for (const ExprPtr &value : assign->values)
        expr(value.get());
    } else if (auto *conditional = llvm::dyn_cast<IfStmt>(&stmt)) {
      expr(conditional->condition.get());
      body(conditional->whenTrue);
      body(conditional->whenFalse);
    } else if (auto *repeat = llvm::dyn_cast<RepeatStmt>(&stmt)) {
      expr(repeat->count.get());
      body(repeat->body);
    } else if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
      for (const ExprPtr &value : result->values)
        expr(value.get());
    } else if (auto *require = llvm::dyn_cast<RequireStmt>(&stmt)) {
      expr(require->condition.get());
    } else if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(&stmt)) {
      body(noFuse->body);
    } else {
      declaration(*llvm::cast<DeclarationStmt>(stmt).declaration);
    }
  }

  void expr(const Expr *expr) {
    if (!expr)
      return;
    if (auto *set = llvm::dyn_cast<SetExpr>(expr)) {
      add(set->members);
    } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
      this->expr(unary->operand.get());
    } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr)) {
      this->expr(binary->left.get());
      this->expr(binary->right.get());
    } else if (auto *conditional = llvm::dyn_cast<ConditionalExpr>(expr)) {
      this->expr(conditional->condition.get());
      this->expr(conditional->whenTrue.get());
      this->expr(conditional->whenFalse.get());
    } else if (auto *call = llvm::dyn_cast<CallExpr>(expr)) {
      for (const Argument &argument : call->arguments)
        this->expr(argument.value.get());
    }
  }

  llvm::StringSet<> &symbols;
};

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
    for (const auto &declaration : file->tree.declarations)
      SymbolCollector(program.symbols).declaration(*declaration);
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
  std::string beside = normalized(llvm::sys::path::parent_path(from), path);
  if (llvm::sys::path::is_absolute(path))
    return path.str();
  if (system.exists(beside))
    return beside;
  for (const std::string &folder : folders)
    if (std::string candidate = normalized(folder, path); system.exists(candidate))
      return candidate;
  return beside;
}

const LoadedFile *Loader::loadImport(const LoadedFile &from, const Import &import) {
  std::string path = find(from.path, import.path);
  if (llvm::is_contained(stack, path)) {
    diagnostics.error(import.pathRange, "a file may not import itself, but '" + import.path + "' is being imported");
    return nullptr;
  }
  for (const auto &file : program.files)
    if (file->path == path)
      return file.get();
  if (program.files.size() + stack.size() >= maxFiles) {
    diagnostics.error(import.pathRange, "a program has at most " + llvm::Twine(maxFiles) + " files");
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

LoadedProgram stretto::load(llvm::StringRef path, llvm::StringRef text, llvm::ArrayRef<std::string> importFolders,
                            llvm::vfs::FileSystem &files, SourceFiles &sources, Diagnostics &diagnostics) {
  LoadedProgram program;
  Loader(importFolders, files, sources, diagnostics, program).loadText(normalized("", path), text);
  return program;
}

std::string stretto::inlinedText(const LoadedProgram &program, const SourceFiles &sources) {
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
