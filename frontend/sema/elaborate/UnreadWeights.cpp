// Weights that nothing reads: warnings of a whole model.
#include "frontend/sema/elaborate/UnreadWeights.h"

#include "llvm/ADT/BitVector.h"

#include <map>
#include <set>

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Which values of functions are read, from the results back to the arguments.
class ReadValues {
public:
  explicit ReadValues(llvm::ArrayRef<Function> functions) : functions(functions) {}

  /// Values of a function that are read for these of its results.
  const llvm::BitVector &of(unsigned function, const llvm::BitVector &results);

private:
  llvm::BitVector find(const Function &function, const llvm::BitVector &results);
  void markPassed(const Op &call, llvm::BitVector &isRead);

  llvm::ArrayRef<Function> functions;
  std::map<std::pair<unsigned, std::vector<int>>, llvm::BitVector> known;
};

} // namespace

/// Values that nothing takes: they are told of by name, so what they are made of counts as read. Those that a repeat
/// carries are none of them, unless their name begins with '_'.
static llvm::BitVector findEnds(const Function &function) {
  llvm::BitVector ends(function.values.size()), taken(function.values.size()), carried(function.values.size());
  for (const Op &op : function.ops) {
    for (ValueId operand : op.operands)
      taken.set(operand);
    for (ValueId result : op.results) {
      ends.set(result);
      carried[result] = op.name == "scan";
    }
  }
  for (ValueId value : function.handedOn)
    carried.set(value);
  for (ValueId result : function.results)
    taken.set(result);
  for (unsigned value : carried.set_bits())
    if (!llvm::StringRef(function.values[value].name).starts_with("_"))
      ends.reset(value);
  return ends.reset(taken);
}

const llvm::BitVector &ReadValues::of(unsigned function, const llvm::BitVector &results) {
  std::pair<unsigned, std::vector<int>> key(function, {results.set_bits_begin(), results.set_bits_end()});
  auto entry = known.find(key);
  if (entry == known.end())
    entry = known.emplace(std::move(key), find(functions[function], results)).first;
  return entry->second;
}

llvm::BitVector ReadValues::find(const Function &function, const llvm::BitVector &results) {
  llvm::BitVector isRead = findEnds(function);
  for (unsigned result : results.set_bits())
    isRead.set(function.results[result]);
  for (const Op &op : llvm::reverse(function.ops)) {
    if (llvm::none_of(op.results, [&](ValueId result) { return isRead.test(result); }))
      continue;
    if (op.callee)
      markPassed(op, isRead);
    else
      for (ValueId operand : op.operands)
        isRead.set(operand);
  }
  return isRead;
}

/// Marks what is passed to a function that reads it for the results of the call that are read. The body of a scan hands
/// its results on to itself.
void ReadValues::markPassed(const Op &call, llvm::BitVector &isRead) {
  const Function &callee = functions[*call.callee];
  llvm::BitVector results(call.results.size());
  for (auto [index, result] : llvm::enumerate(call.results))
    results[index] = isRead.test(result);
  llvm::BitVector inside = of(*call.callee, results);
  for (llvm::BitVector before; call.name == "scan" && before != results;) {
    before = results;
    for (auto [index, argument] : llvm::enumerate(callee.arguments))
      if (inside.test(argument))
        results.set(index);
    inside = of(*call.callee, results);
  }
  for (auto [operand, formal] : llvm::zip_equal(call.operands, callee.formals()))
    if (inside.test(formal))
      isRead.set(operand);
}

/// What a weight is called in the first of its layers.
static std::string nameInFirstLayer(const Weight &weight) {
  std::string name = weight.name;
  for (const Stack &stack : weight.stacks)
    name.replace(name.find("{}"), 2, std::to_string(stack.first));
  return name;
}

void frontend::warnOfUnreadWeights(llvm::ArrayRef<Function> functions, Reporter &reporter) {
  const Function &main = functions.back();
  ReadValues values(functions);
  const llvm::BitVector &isRead = values.of(functions.size() - 1, llvm::BitVector(main.results.size(), true));
  std::set<std::pair<uint32_t, uint32_t>> places; // file, begin
  for (const Weight &weight : main.weights) {
    const std::string name = nameInFirstLayer(weight);
    const bool isAsked = name[name.rfind('.') + 1] != '_';
    const bool isUnread = isAsked && !isRead.test(weight.value);
    if (isUnread && places.insert({weight.range.file, weight.range.begin}).second)
      reporter.warning(weight.range, "nothing reads the weight '" + name + "'");
  }
}
