// What the elaborator keeps of a block, and of one iteration of a repeat.
#ifndef STRETTO_FRONTEND_SEMA_SPECIALIZATION_H
#define STRETTO_FRONTEND_SEMA_SPECIALIZATION_H

#include "frontend/Sema/Elaborator.h"

namespace stretto {

/// A block with the values and types of its arguments fixed.
struct Elaborator::Specialization {
  bool failed = true;
  unsigned function = 0; // in the program
  std::vector<Weight> weights;
  std::vector<Type> results;
};

/// The state of the function being evaluated, put aside during a call and restored at its end.
struct Elaborator::Frame {
  Elaborator &elaborator;
  FunctionBuilder *builder;
  Scope *scope;
  std::vector<Value> *returned;
  llvm::SmallVector<SourceRange, 4> defSites;

  explicit Frame(Elaborator &elaborator)
      : elaborator(elaborator), builder(elaborator.builder), scope(elaborator.scope),
        returned(elaborator.returned), defSites(elaborator.defSites) {}
  ~Frame() {
    elaborator.builder = builder;
    elaborator.scope = scope;
    elaborator.returned = returned;
    elaborator.defSites = std::move(defSites);
  }
};

/// One iteration of a repeat. `captures` are the outer variables it reads, one per argument of the
/// function; `assigned` the outer variables it changes, one per result.
struct Elaborator::Iteration {
  Function function;
  std::vector<Binding *> captures;
  std::vector<Binding *> assigned;
};

} // namespace stretto

#endif
