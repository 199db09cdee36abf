// Puts operations and weights into the function being built.
#pragma once

#include "frontend/sema/Budget.h"
#include "frontend/sema/FunctionBuilder.h"
#include "frontend/sema/Sema.h"

#include "llvm/Support/SaveAndRestore.h"

namespace stretto::frontend {

/// The variable that takes the value of an expression: it names the weights made there.
struct NameHint {
  llvm::StringRef variable;
  bool isReassigned = false;
};

/// What holds for all operations inside, those of called blocks included.
struct Surroundings {
  bool recompute = false, noFuse = false;
  bool isRepeated = false;
};

class Emitter {
public:
  /// Where operations go.
  struct Place {
    FunctionBuilder *function = nullptr;
    llvm::SmallVector<SourceRange, 4> defSites; // calls of defs being evaluated, outermost first
  };

  /// The tokens have the shape, and tensors hold the numbers, that the options say.
  Emitter(const ElaborationOptions &options, Reporter &reporter, Budget &budget)
      : reporter(reporter), batch(options.batch), length(options.length), smallest(options.smallest),
        largest(options.largest), budget(budget) {}

  Reporter &reporter;
  Surroundings surroundings;

  // --- where

  FunctionBuilder &function() { return *place.function; }
  /// Until the result dies, operations go to this function.
  [[nodiscard]] llvm::SaveAndRestore<Place> enter(FunctionBuilder &function) { return {place, Place{&function, {}}}; }
  /// Operations that follow come from a def that is called here.
  void enterDef(SourceRange site) { place.defSites.push_back(site); }
  void leaveDef() { place.defSites.pop_back(); }
  bool isInDef() const { return !place.defSites.empty(); }

  // --- what

  Type rowsType(Dim width) const;
  Type tokensType() const;
  /// Reports a number that would be infinite, or 0 though it is not, in tensors.
  bool expectHeld(double number, SourceRange range) const;
  /// An operation with one result.
  Value emit(llvm::StringRef name, llvm::ArrayRef<Value> operands, const Type &type, SourceRange range,
             llvm::ArrayRef<Attribute> attributes = {});
  /// A call; its results are values of these types.
  std::vector<Value> emitCall(unsigned callee, llvm::ArrayRef<ValueId> operands, llvm::ArrayRef<Type> types,
                              SourceRange range);
  /// Counts operations of the function being built; false (after one error) when a model has too many of them.
  bool grow(int64_t operations, SourceRange range);
  /// False when there were too many operations or steps.
  bool mayGoOn() const { return !budget.isExhausted(); }
  /// A number that no other dropout has; and how many were taken.
  int64_t takePlace() { return places++; }
  int64_t placesTaken() const { return places; }
  /// The name of an operation's weights: of the variable, or of the operation.
  std::string weightScope(llvm::StringRef op, NameHint hint);
  Value makeWeight(const std::string &name, llvm::ArrayRef<Dim> dims, Initializer init, Training training,
                   SourceRange range);
  /// Marks the operations that make these values: the backward pass recomputes them.
  void markRecomputed(llvm::ArrayRef<Value> values);

private:
  Op &append(llvm::StringRef name, SourceRange range);
  Value addResult(Op &op, const Type &type);

  const int64_t batch, length;
  const double smallest, largest; // numbers that tensors hold, above 0
  Budget &budget;
  Place place;
  int64_t places = 0; // of dropouts
};

} // namespace stretto::frontend
