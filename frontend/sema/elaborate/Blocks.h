// Functions of blocks: one for the values and shapes of the arguments, and the places of its dropouts.
#pragma once

#include "frontend/sema/Emitter.h"
#include "frontend/sema/FunctionPool.h"
#include "frontend/sema/elaborate/Names.h"

namespace stretto::frontend {

class Statements;

class Blocks {
public:
  Blocks(Reporter &reporter, Budget &budget, Names &names, Emitter &emitter, FunctionPool &functions,
         Statements &statements)
      : reporter(reporter), budget(budget), names(names), emitter(emitter), functions(functions),
        statements(statements) {}

  /// Calls a block from `site`. Its arguments are bound in `inner`.
  std::vector<Value> call(const Declaration &callee, SourceRange site, Scope &inner);

private:
  /// A block with the values and types of its arguments fixed.
  struct Specialization {
    bool failed = true;
    bool takesPlaces = false; // for dropouts: each call has its own
    unsigned function = 0;
    std::vector<Weight> weights;
    std::vector<Type> results;
  };

  std::optional<llvm::SmallVector<ValueId>> passWeights(const Declaration &callee, const Specialization &special,
                                                        SourceRange site);
  std::optional<ValueId> passShared(Weight weight, SourceRange site);
  bool expectSame(const Weight &weight, const Weight &before, SourceRange site);
  std::string keyOf(const Declaration &callee, const Scope &inner) const;
  const Specialization &specialize(std::string key, const Declaration &callee, Scope &inner, FunctionBuilder &body);
  bool runBody(const Declaration &callee, Scope &inner, FunctionBuilder &body, std::vector<Value> &results);

  Reporter &reporter;
  Budget &budget;
  Names &names;
  Emitter &emitter;
  FunctionPool &functions;
  Statements &statements;
  std::map<std::string, Specialization> specializations;
  llvm::DenseMap<const Declaration *, std::string> prefixes; // of the names of weights that calls share
};

} // namespace stretto::frontend
