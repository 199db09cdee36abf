// Errors, limits, names.
#include "frontend/Sema/Elaborator.h"

#include "frontend/Sema/BuiltinTable.h"
#include "frontend/Sema/Specialization.h"

#include "llvm/ADT/BitVector.h"

using namespace stretto;

namespace {
/// Far above what a model needs; a program that computes for ever ends here.
constexpr uint64_t maxSteps = 4'000'000;
/// Of a model whose blocks, defs and repeats within repeats are written out, as passes see it; a few thousand layers that differ.
constexpr int64_t maxOperations = 10'000;
} // namespace

Elaborator::Elaborator(const LoadedProgram &loaded, const ElaborationOptions &options, SourceFiles &sources,
                       Diagnostics &diagnostics)
    : loaded(loaded), options(options), sources(sources), diagnostics(diagnostics),
      recursiveCall(std::make_unique<Specialization>()) {}

Elaborator::~Elaborator() = default;

std::optional<Program> stretto::elaborate(const LoadedProgram &loaded, const ElaborationOptions &options,
                                          SourceFiles &sources, Diagnostics &diagnostics) {
  return Elaborator(loaded, options, sources, diagnostics).run();
}

// ---------------------------------------------------------------- errors and limits

Diagnostic &Elaborator::error(SourceRange range, const llvm::Twine &message) {
  constexpr size_t maxCallNotes = 6;
  Diagnostic &diagnostic = diagnostics.error(range, message);
  size_t shown = 0;
  for (auto call = activeCalls.rbegin(); call != activeCalls.rend() && shown < maxCallNotes; ++call, ++shown)
    diagnostic.notes.push_back({call->site, ("in this call of '" + call->callee->name.text + "'").str()});
  return diagnostic;
}

void Elaborator::noteOrigin(Diagnostic &diagnostic, const Provenance *provenance) {
  if (!provenance || !provenance->range.isValid())
    return;
  for (const Note &note : diagnostic.notes)
    if (note.range.file == provenance->range.file && note.range.begin == provenance->range.begin)
      return;
  diagnostic.notes.push_back({provenance->range, "'" + provenance->name + "' gets its value here"});
}

void Elaborator::noteOrigin(Diagnostic &diagnostic, const Dim &dim) { noteOrigin(diagnostic, dim.provenance); }

void Elaborator::noteOrigins(Diagnostic &diagnostic, const Type &a, const Type &b) {
  for (size_t i = 0; i < std::max(a.dims.size(), b.dims.size()); ++i) {
    if (i < a.dims.size() && i < b.dims.size() && a.dims[i].size == b.dims[i].size)
      continue;
    if (i < a.dims.size())
      noteOrigin(diagnostic, a.dims[i]);
    if (i < b.dims.size())
      noteOrigin(diagnostic, b.dims[i]);
  }
}

bool Elaborator::spend(unsigned count) {
  steps += count;
  if (exhausted)
    return false;
  if (steps <= maxSteps)
    return true;
  exhausted = true;
  error(activeCalls.empty() ? SourceRange() : activeCalls.back().site,
        "the program takes more than " + llvm::Twine(maxSteps) + " steps to elaborate");
  return false;
}

bool Elaborator::grow(int64_t operations, SourceRange range) {
  builder->function.operations += operations;
  if (exhausted)
    return false;
  if (builder->function.operations <= maxOperations)
    return true;
  exhausted = true;
  error(defSites.empty() ? range : defSites.front(),
        "a model has at most " + llvm::Twine(maxOperations) + " operations when its calls are written out, but gets more here");
  return false;
}

void Elaborator::warnUnread(const FunctionBuilder &built) {
  const Function &function = built.function;
  llvm::BitVector isRead(function.values.size());
  for (const Op &op : function.ops)
    for (ValueId operand : op.operands)
      isRead.set(operand);
  for (const std::vector<ValueId> &kept : {function.results, built.handedOn})
    for (ValueId value : kept)
      isRead.set(value);
  for (const Op &op : function.ops)
    for (ValueId result : op.results) {
      llvm::StringRef name = function.values[result].name;
      if (!isRead.test(result) && !name.empty() && !name.starts_with("_") && op.name != "scan")
        diagnostics.warning(op.range, "nothing reads this value of '" + name + "'");
    }
}

const Provenance *Elaborator::makeProvenance(llvm::StringRef name, SourceRange range) {
  provenances.push_back({name.str(), range});
  return &provenances.back();
}

// ---------------------------------------------------------------- names

Scope *Elaborator::fileScope(const LoadedFile &file) {
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

void Elaborator::checkFileNames() {
  Scope all(Scope::Kind::File, nullptr);
  for (const auto &file : loaded.files)
    for (const auto &declaration : file->tree.declarations)
      if (declaration->kind != Declaration::Kind::Model)
        declare(all, *declaration);
}

void Elaborator::declare(Scope &scope, const Declaration &declaration) {
  const Identifier &name = declaration.name;
  if (findBuiltin(name.text)) {
    error(name.range, "'" + name.text + "' is a built-in operation; choose another name");
    return;
  }
  auto [entry, isNew] = scope.declarations.try_emplace(name.text, &declaration);
  if (isNew)
    return;
  Diagnostic &diagnostic = error(name.range, "'" + name.text + "' is declared twice");
  diagnostic.notes.push_back({entry->second->name.range, "the other declaration is here"});
}

Binding *Elaborator::lookup(llvm::StringRef name) {
  for (Scope *each = scope; each; each = each->parent)
    if (Binding *binding = each->find(name))
      return binding;
  return nullptr;
}

/// Whether a variable of this function exists already, so that assigning it changes it.
bool Elaborator::isAssigned(llvm::StringRef name) {
  for (Scope *each = scope; each; each = each->parent) {
    if (each->find(name))
      return true;
    if (each->kind == Scope::Kind::Frame)
      return false;
  }
  return false;
}

const Declaration *Elaborator::lookupDeclaration(llvm::StringRef name, Scope *&home) {
  for (Scope *each = scope; each; each = each->parent) {
    auto found = each->declarations.find(name);
    if (found == each->declarations.end())
      continue;
    home = each;
    // What another file declares sees that file's names.
    if (each->kind == Scope::Kind::File)
      for (const auto &file : loaded.files)
        if (file->tree.file == found->second->range.file)
          home = fileScope(*file);
    return found->second;
  }
  return nullptr;
}

std::vector<llvm::StringRef> Elaborator::visibleNames() {
  std::vector<llvm::StringRef> names;
  for (Scope *each = scope; each; each = each->parent)
    for (auto &[name, binding] : each->bindings)
      names.push_back(name);
  for (const auto &symbol : loaded.symbols)
    names.push_back(symbol.getKey());
  return names;
}

std::vector<llvm::StringRef> Elaborator::visibleCallees() {
  std::vector<llvm::StringRef> names = builtinNames();
  for (Scope *each = scope; each; each = each->parent)
    for (const auto &declaration : each->declarations)
      names.push_back(declaration.getKey());
  std::sort(names.begin(), names.end());
  return names;
}
