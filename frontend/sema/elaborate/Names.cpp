// Which names are in sight.
#include "frontend/sema/elaborate/Names.h"

#include "frontend/sema/builtins/Builtin.h"

using namespace stretto;
using namespace stretto::frontend;

Names::Names(const LoadedProgram &loaded, Reporter &reporter) : loaded(loaded), reporter(reporter) { checkFileNames(); }

// ---------------------------------------------------------------- scopes

llvm::SaveAndRestore<Scope *> Names::enterModel(Scope &scope) {
  model = &scope;
  return enter(scope);
}

Scope *Names::fileScope(const LoadedFile &file) {
  std::unique_ptr<Scope> &entry = fileScopes[file.path];
  if (entry)
    return entry.get();
  entry = std::make_unique<Scope>(Scope::Kind::File, nullptr);
  Scope *scope = entry.get();
  auto enter = [&](const SourceTree &tree) {
    for (const auto &declaration : tree.declarations)
      if (declaration->kind != Declaration::Kind::Model)
        scope->declarations.try_emplace(declaration->name.text, declaration.get());
  };
  enter(file.tree);
  for (const LoadedFile *imported : file.imports)
    enter(imported->tree);
  return scope;
}

// ---------------------------------------------------------------- variables

Binding *Names::lookup(llvm::StringRef name) const {
  for (Scope *each = current; each; each = each->parent)
    if (Binding *binding = each->find(name))
      return binding;
  return nullptr;
}

Scope *Names::homeOf(llvm::StringRef name) const {
  for (Scope *each = current; each; each = each->parent) {
    if (each->find(name))
      return each;
    if (each->kind == Scope::Kind::Frame)
      return nullptr;
  }
  return nullptr;
}

bool Names::isAssigned(llvm::StringRef name) const { return homeOf(name) != nullptr; }

void Names::assign(llvm::StringRef name, Value value) {
  Scope *known = homeOf(name);
  Scope &home = known ? *known : *current;
  Binding *variable = home.find(name);
  bool staysTensor = value.isTensor() && (!variable || variable->value.isTensor());
  if (&home == model && !staysTensor)
    ++version;
  if (&home != current)
    current->changed.try_emplace(variable, variable->value);
  home.bind(name, std::move(value));
}

/// The first variable of that name within the repeats of a body.
static Names::RepeatVariable findInRepeats(const Body &body, llvm::StringRef name, bool isRepeated = false) {
  Names::RepeatVariable found;
  for (const StmtPtr &stmt : body) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(stmt.get())) {
      auto target = llvm::find_if(assign->targets, [&](const Identifier &each) { return each.text == name; });
      if (isRepeated && target != assign->targets.end())
        found = {&*target};
    } else if (auto *conditional = llvm::dyn_cast<IfStmt>(stmt.get())) {
      found = findInRepeats(conditional->whenTrue, name, isRepeated);
      found = found.name ? found : findInRepeats(conditional->whenFalse, name, isRepeated);
    } else if (auto *repeat = llvm::dyn_cast<RepeatStmt>(stmt.get())) {
      const bool isIndex = repeat->index.text == name;
      found = isIndex ? Names::RepeatVariable{&repeat->index, isIndex}
                      : findInRepeats(repeat->body, name, /*isRepeated=*/true);
    } else if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(stmt.get())) {
      found = findInRepeats(noFuse->body, name, isRepeated);
    }
    if (found.name)
      return found;
  }
  return found;
}

Names::RepeatVariable Names::findInRepeats(llvm::StringRef name) const {
  for (Scope *each = current; each; each = each->parent)
    if (RepeatVariable found = each->body ? ::findInRepeats(*each->body, name) : RepeatVariable(); found.name)
      return found;
  return {};
}

// ---------------------------------------------------------------- blocks and defs

/// Reports blocks and defs of files that share a name, as a program has one of each, and models of one file that do.
void Names::checkFileNames() {
  Scope all(Scope::Kind::File, nullptr);
  for (const auto &file : loaded.files) {
    Scope models(Scope::Kind::File, nullptr);
    for (const auto &declaration : file->tree.declarations)
      if (declaration->kind == Declaration::Kind::Model)
        declareOnce(models, *declaration);
      else
        declare(all, *declaration);
  }
}

void Names::declare(Scope &scope, const Declaration &declaration) {
  const Identifier &name = declaration.name;
  if (findBuiltin(name.text)) {
    reporter.error(name.range, "'" + name.text + "' is a built-in operation; choose another name");
    return;
  }
  declareOnce(scope, declaration);
}

void Names::declareOnce(Scope &scope, const Declaration &declaration) {
  const Identifier &name = declaration.name;
  auto [entry, isNew] = scope.declarations.try_emplace(name.text, &declaration);
  if (isNew)
    return;
  Diagnostic &diagnostic = reporter.error(name.range, "'" + name.text + "' is declared twice");
  diagnostic.notes.push_back({entry->second->name.range, "the other declaration is here"});
}

std::pair<const Declaration *, Scope *> Names::lookupDeclaration(llvm::StringRef name) {
  for (Scope *each = current; each; each = each->parent) {
    auto found = each->declarations.find(name);
    if (found == each->declarations.end())
      continue;
    Scope *home = each;
    // What another file declares sees that file's names.
    if (each->kind == Scope::Kind::File)
      for (const auto &file : loaded.files)
        if (file->tree.file == found->second->range.file)
          home = fileScope(*file);
    return {found->second, home};
  }
  return {nullptr, nullptr};
}

// ---------------------------------------------------------------- what a misspelt name may have meant

std::vector<llvm::StringRef> Names::visibleNames() const {
  std::vector<llvm::StringRef> names = {"true", "false", "zeros", "ones"};
  for (Scope *each = current; each; each = each->parent)
    for (auto &[name, binding] : each->bindings)
      names.push_back(name);
  for (const auto &symbol : loaded.symbols)
    names.push_back(symbol.getKey());
  return names;
}

std::vector<llvm::StringRef> Names::visibleCallees() const {
  std::vector<llvm::StringRef> names = builtinNames();
  for (Scope *each = current; each; each = each->parent)
    for (const auto &declaration : each->declarations)
      names.push_back(declaration.getKey());
  std::sort(names.begin(), names.end());
  return names;
}
