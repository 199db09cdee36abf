// Values that nothing reads: warnings of a whole model.
#include "frontend/sema/elaborate/UnreadValues.h"

#include "llvm/ADT/BitVector.h"

#include <set>

using namespace stretto;
using namespace stretto::frontend;

void UnreadValues::note(const FunctionBuilder &built) {
  built.eachNamed([&](const ValueInfo &info, bool isRead) {
    Key key(info.range.file, info.range.begin, info.name);
    places.try_emplace(key, Place{info.range}).first->second.isRead |= isRead;
  });
}

void UnreadValues::warn(Reporter &reporter) const {
  for (const auto &[key, place] : places)
    if (!place.isRead)
      warnOfUnread(reporter, place.range, std::get<std::string>(key));
}

// ---------------------------------------------------------------- weights

/// The values that a call passes are for these, in this order.
static std::vector<ValueId> formalsOf(const Function &function) {
  std::vector<ValueId> formals = function.arguments;
  for (const Weight &weight : function.weights)
    formals.push_back(weight.value);
  llvm::append_range(formals, function.numbers);
  llvm::append_range(formals, function.invariants);
  return formals;
}

/// Which values an operation or a result of a function reads; those that are passed on, as `callees` read them.
static llvm::BitVector findRead(const Function &function, llvm::ArrayRef<Function> functions,
                                llvm::ArrayRef<llvm::BitVector> callees) {
  llvm::BitVector isRead(function.values.size());
  for (ValueId result : function.results)
    isRead.set(result);
  for (const Op &op : function.ops) {
    if (!op.callee) {
      for (ValueId operand : op.operands)
        isRead.set(operand);
      continue;
    }
    for (auto [operand, formal] : llvm::zip_equal(op.operands, formalsOf(functions[*op.callee])))
      if (callees[*op.callee].test(formal))
        isRead.set(operand);
  }
  return isRead;
}

/// What a weight is called in the first of its layers.
static std::string nameInFirstLayer(const Weight &weight) {
  std::string name = weight.name;
  for (const Stack &stack : weight.stacks)
    name.replace(name.find("{}"), 2, std::to_string(stack.first));
  return name;
}

void frontend::warnOfUnreadWeights(llvm::ArrayRef<Function> functions, Reporter &reporter) {
  std::vector<llvm::BitVector> isRead;
  for (const Function &function : functions)
    isRead.push_back(findRead(function, functions, isRead));
  std::set<std::pair<uint32_t, uint32_t>> places; // file, begin
  for (const Weight &weight : functions.back().weights) {
    const std::string name = nameInFirstLayer(weight);
    const bool isAsked = name[name.rfind('.') + 1] != '_';
    const bool isUnread = isAsked && !isRead.back().test(weight.value);
    if (isUnread && places.insert({weight.range.file, weight.range.begin}).second)
      reporter.warning(weight.range, "nothing reads the weight '" + name + "'");
  }
}

// ---------------------------------------------------------------- one value

void frontend::warnOfUnread(Reporter &reporter, SourceRange range, llvm::StringRef name) {
  reporter.warning(range, "nothing reads this value of '" + name + "'");
}
