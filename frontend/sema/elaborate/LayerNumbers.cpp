// Finds the constants by which layers differ, and makes them something that a layer is given.
#include "frontend/sema/elaborate/LayerNumbers.h"

#include "llvm/ADT/bit.h"

using namespace stretto::frontend;

// ---------------------------------------------------------------- what is the same

std::string LayerNumbers::formOf(const Function &function) {
  return structure(
      function, [&](unsigned callee) { return std::to_string(formOfCallee(callee)); }, /*withNumbers=*/false);
}

unsigned LayerNumbers::formOfCallee(unsigned index) {
  auto known = formOfFunction.find(index);
  if (known == formOfFunction.end()) {
    std::string form = formOf(functions[index]); // may find forms of others
    unsigned number = forms.try_emplace(std::move(form), forms.size()).first->second;
    known = formOfFunction.try_emplace(index, number).first;
  }
  return known->second;
}

// ---------------------------------------------------------------- what differs

/// The numbers of the constants of a function, in the order of its operations, those of a block where it is called.
static void listConstants(const Function &function, const FunctionPool &functions, std::vector<double> &numbers) {
  for (const Op &op : function.ops)
    if (op.name == "constant")
      numbers.push_back(op.real("value"));
    else if (op.name == "call")
      listConstants(functions[*op.callee], functions, numbers);
}

namespace {

/// Whether two numbers are the same to the bit, as 0 and -0 are not.
bool areSame(double a, double b) { return llvm::bit_cast<uint64_t>(a) == llvm::bit_cast<uint64_t>(b); }

/// Which constants differ, by their places in that order: each the number of a series, what it is layer by layer.
class Series {
public:
  explicit Series(llvm::ArrayRef<std::vector<double>> layers) {
    for (size_t place = 0; place < layers[0].size(); ++place) {
      std::vector<double> series;
      for (const std::vector<double> &layer : layers)
        series.push_back(layer[place]);
      bool differs = llvm::any_of(series, [&](double number) { return !areSame(number, series[0]); });
      ofPlace.push_back(differs ? std::optional<unsigned>(numberOf(std::move(series))) : std::nullopt);
    }
  }

  std::optional<unsigned> at(size_t place) const { return ofPlace[place]; }
  bool differsWithin(size_t place, size_t count) const {
    return llvm::any_of(llvm::ArrayRef(ofPlace).slice(place, count), [](auto series) { return series.has_value(); });
  }
  const std::vector<double> &numbers(unsigned series) const { return known[series]; }

private:
  unsigned numberOf(std::vector<double> series) {
    auto isIt = [&](const std::vector<double> &other) { return llvm::equal(series, other, areSame); };
    unsigned number = llvm::find_if(known, isIt) - known.begin();
    if (number == known.size())
      known.push_back(std::move(series));
    return number;
  }

  std::vector<std::optional<unsigned>> ofPlace;
  std::vector<std::vector<double>> known;
};

/// A function on its way: the series of each of its numbers.
struct Lifted {
  Function function;
  std::vector<unsigned> series;

  /// The formal parameter for a series.
  ValueId numberOf(unsigned wanted, SourceRange range) {
    size_t index = llvm::find(series, wanted) - series.begin();
    if (index == series.size()) {
      series.push_back(wanted);
      function.numbers.push_back(function.addValue({Type::Kind::Weight, {Dim{1, nullptr}}}, range));
    }
    return function.numbers[index];
  }
};

/// Goes through the constants in the order of `listConstants`.
class Lifter {
public:
  Lifter(FunctionPool &functions, const Series &series) : functions(functions), series(series) {}

  Lifted lift(const Function &from) {
    Lifted lifted{from, {}};
    lifted.function.ops.clear();
    for (const Op &op : from.ops)
      if (op.name == "constant")
        liftConstant(op, lifted);
      else if (op.name == "call")
        liftCall(op, lifted);
      else
        lifted.function.ops.push_back(op);
    return lifted;
  }

private:
  /// A number in each column: spread, then broadcast where there are several rows.
  void liftConstant(const Op &op, Lifted &lifted) {
    Function &function = lifted.function;
    std::optional<unsigned> differing = series.at(next++);
    if (!differing) {
      function.ops.push_back(op);
      return;
    }
    const Type row{Type::Kind::Weight, {function.values[op.results[0]].type.width()}};
    Op spread = op;
    spread.name = "spread";
    spread.operands = {lifted.numberOf(*differing, op.range)};
    spread.attributes.clear();
    if (function.values[op.results[0]].type == row) {
      function.ops.push_back(std::move(spread));
      return;
    }
    const ValueId repeated = function.addValue(row, op.range);
    spread.results = {repeated};
    Op broadcast = op;
    broadcast.name = "broadcast";
    broadcast.operands = {repeated};
    broadcast.attributes.clear();
    function.ops.push_back(std::move(spread));
    function.ops.push_back(std::move(broadcast));
    ++function.operations;
  }

  void liftCall(const Op &op, Lifted &lifted) {
    std::vector<double> constants;
    listConstants(functions[*op.callee], functions, constants);
    Op call = op;
    if (series.differsWithin(next, constants.size())) {
      const Function callee = functions[*op.callee];
      Lifted inner = lift(callee);
      for (unsigned each : inner.series)
        call.operands.push_back(lifted.numberOf(each, op.range));
      lifted.function.operations += inner.function.operations - callee.operations;
      call.callee = functions.intern(std::move(inner.function), callee.name);
    } else {
      next += constants.size();
    }
    lifted.function.ops.push_back(std::move(call));
  }

  FunctionPool &functions;
  const Series &series;
  size_t next = 0; // constant
};

} // namespace

LayerNumbers::Common LayerNumbers::makeCommon(llvm::ArrayRef<const Function *> layers) {
  if (llvm::all_equal(layers))
    return {*layers[0], {}};
  std::vector<std::vector<double>> constants(layers.size());
  for (auto [layer, numbers] : llvm::zip_equal(layers, constants))
    listConstants(*layer, functions, numbers);
  const Series series(constants);
  Lifted lifted = Lifter(functions, series).lift(*layers[0]);
  Common common{std::move(lifted.function), {}};
  for (unsigned each : lifted.series)
    common.numbers.push_back(series.numbers(each));
  return common;
}
