// Puts the iterations of a repeat into the enclosing function: written out, or as one loop.
#pragma once

#include "frontend/sema/FunctionBuilder.h"
#include "frontend/sema/elaborate/LayerNumbers.h"
#include "frontend/sema/elaborate/Layers.h"

#include "llvm/ADT/SetVector.h"

namespace stretto::frontend {

/// One iteration of a repeat. `captures` are the outer variables it reads, one per argument of the
/// function; `assigned` the outer variables it changes, one per result.
struct Iteration {
  Function function;
  std::vector<Binding *> captures;
  std::vector<Binding *> assigned;
  bool assignsNumbers = false; // of outer variables

  bool computes() const { return !function.ops.empty() || !function.weights.empty() || !assigned.empty(); }
};

/// The function of the iterations of one period. Its arguments are the carried variables, its invariants those that
/// are only read.
struct LayerBody {
  Function function;
  llvm::SetVector<Binding *> carried, read;
  std::vector<int64_t> layerOfWeight;       // the first iteration that has the weight
  std::vector<std::vector<double>> numbers; // of each of `function.numbers`, one for each trip
};

class LayerEmitter {
public:
  using Iterations = llvm::ArrayRef<std::shared_ptr<Iteration>>;

  /// `scope`: what the names of all weights of the repeat begin with.
  LayerEmitter(FunctionBuilder &outer, LayerNumbers &numbers, std::string scope, Iterations iterations)
      : outer(outer), numbers(numbers), scope(std::move(scope)), iterations(iterations) {}

  /// One iteration, inlined.
  void emitInline(int64_t number);
  LayerBody makeBody(const LayerRun &run);
  /// A scan of `callee`, which is the function of the body.
  void emitScan(const LayerRun &run, const LayerBody &body, unsigned callee, SourceRange range, bool noFuse);
  /// The outer variables that were read or changed, with their values now.
  const llvm::MapVector<Binding *, ValueId> &variables() const { return values; }

private:
  ValueId &current(Binding *binding);
  LayerNumbers::Common commonOf(const LayerRun &run, int64_t first);
  void inlineInto(FunctionBuilder &builder, LayerBody &body, LayerNumbers::Common common, int64_t number,
                  llvm::DenseMap<Binding *, ValueId> &locals);
  template <typename Each>
  llvm::SmallVector<Each, 1> ofTrips(llvm::SmallVector<Each, 1> Weight::*list, const LayerRun &run, int64_t layer,
                                     size_t weight) const;
  ValueId emitNumbers(std::vector<double> values, SourceRange range);

  FunctionBuilder &outer;
  LayerNumbers &numbers;
  const std::string scope;
  Iterations iterations;
  llvm::MapVector<Binding *, ValueId> values;
};

} // namespace stretto::frontend
