// Finds the constants by which layers differ, and makes them something that a layer is given.
#include "frontend/sema/elaborate/LayerNumbers.h"

using namespace stretto::frontend;

// ---------------------------------------------------------------- what is the same

std::string LayerNumbers::formOf(const Function &function) {
  return structure(
      function, [&](unsigned callee) { return std::to_string(formOfCallee(callee)); }, /*withConstants=*/false);
}

unsigned LayerNumbers::formOfCallee(unsigned index) {
  auto known = formOfFunction.find(index);
  if (known == formOfFunction.end()) {
    unsigned form = forms.try_emplace(formOf(functions[index]), forms.size()).first->second;
    known = formOfFunction.try_emplace(index, form).first;
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

/// Which constants differ, by their places in that order: each the number of a series, what it is layer by layer.
class Series {
public:
  explicit Series(llvm::ArrayRef<std::vector<double>> layers) {
    for (size_t place = 0; place < layers[0].size(); ++place) {
      std::vector<double> series;
      for (const std::vector<double> &layer : layers)
        series.push_back(layer[place]);
      if (llvm::all_equal(series))
        ofPlace.push_back(std::nullopt);
      else
        ofPlace.push_back(known.try_emplace(std::move(series), known.size()).first->second);
    }
  }

  size_t places() const { return ofPlace.size(); }
  std::optional<unsigned> at(size_t place) const { return ofPlace[place]; }
  bool differsWithin(size_t place, size_t count) const {
    return llvm::any_of(llvm::ArrayRef(ofPlace).slice(place, count), [](auto series) { return series.has_value(); });
  }
  std::vector<double> numbers(unsigned series) const {
    return llvm::find_if(known, [&](const auto &entry) { return entry.second == series; })->first;
  }

private:
  std::vector<std::optional<unsigned>> ofPlace;
  std::map<std::vector<double>, unsigned> known;
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
