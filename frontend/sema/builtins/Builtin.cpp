// The built-in functions of the language, by name.
#include "frontend/sema/builtins/Families.h"

#include "frontend/sema/Program.h"
#include "frontend/sema/Value.h"

#include "llvm/ADT/StringMap.h"

using namespace stretto;
using namespace stretto::frontend;

static std::vector<llvm::ArrayRef<Builtin>> &families() {
  static std::vector<llvm::ArrayRef<Builtin>> list = {
      weightBuiltins(),    expertBuiltins(),      normBuiltins(),   canonBuiltins(),      positionBuiltins(),
      attentionBuiltins(), mixerBuiltins(),       columnBuiltins(), annotationBuiltins(), elementwiseBuiltins(),
      roundingBuiltins(),  initializerBuiltins(), lossBuiltins(),   trainingBuiltins()};
  return list;
}

void frontend::addBuiltins(llvm::ArrayRef<Builtin> family) { families().push_back(family); }

static std::vector<const Builtin *> allBuiltins() {
  std::vector<const Builtin *> all;
  for (llvm::ArrayRef<Builtin> family : families())
    for (const Builtin &builtin : family)
      all.push_back(&builtin);
  return all;
}

const Builtin *frontend::findBuiltin(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> byName = [] {
    llvm::StringMap<const Builtin *> map;
    for (const Builtin *builtin : allBuiltins())
      map[builtin->name] = builtin;
    return map;
  }();
  return byName.lookup(name);
}

std::vector<llvm::StringRef> frontend::builtinNames() {
  std::vector<llvm::StringRef> names;
  for (const Builtin *builtin : allBuiltins())
    names.push_back(builtin->name);
  return names;
}

std::vector<llvm::StringRef> frontend::operationNames() {
  std::vector<llvm::StringRef> names(std::begin(coreOperations), std::end(coreOperations));
  for (const Builtin *builtin : allBuiltins())
    if (builtin->hasOperation)
      names.push_back(builtin->name);
  return names;
}
