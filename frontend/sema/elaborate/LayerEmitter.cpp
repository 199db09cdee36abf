// Puts the iterations of a repeat into the enclosing function: written out, or as one loop.
#include "frontend/sema/elaborate/LayerEmitter.h"

using namespace stretto::frontend;

ValueId &LayerEmitter::current(Binding *binding) {
  auto known = values.find(binding);
  if (known == values.end())
    known = values.insert({binding, *outer.import(*binding)}).first;
  return known->second;
}

void LayerEmitter::emitInline(int64_t number) {
  const Iteration &iteration = *iterations[number];
  std::vector<ValueId> arguments, weights;
  for (Binding *binding : iteration.captures)
    arguments.push_back(current(binding));
  for (Weight weight : iteration.function.weights) {
    weight.name = scope + "." + std::to_string(number) + "." + weight.name;
    weights.push_back(outer.addWeight(std::move(weight)));
  }
  std::vector<ValueId> results = outer.inlineFunction(iteration.function, arguments, weights);
  for (auto [binding, result] : llvm::zip_equal(iteration.assigned, results))
    values[binding] = result;
  llvm::append_range(outer.function.handedOn, results);
}

// ---------------------------------------------------------------- loops

/// Of the iterations of a run that stand at the place of `first` in their periods.
LayerNumbers::Common LayerEmitter::commonOf(const LayerRun &run, int64_t first) {
  std::vector<const Function *> functions;
  for (int64_t trip = 0; trip < run.count; ++trip)
    functions.push_back(&iterations[first + trip * run.period]->function);
  return numbers.makeCommon(functions);
}

LayerBody LayerEmitter::makeBody(const LayerRun &run) {
  LayerBody body;
  FunctionBuilder builder;
  builder.function.range = iterations[run.first]->function.range;
  for (int64_t i = run.first; i < run.first + run.period; ++i) {
    const Iteration &iteration = *iterations[i];
    body.carried.insert(iteration.assigned.begin(), iteration.assigned.end());
    body.read.insert(iteration.captures.begin(), iteration.captures.end());
  }
  body.read.set_subtract(body.carried);
  llvm::DenseMap<Binding *, ValueId> locals;
  auto addFormal = [&](Binding *binding, std::vector<ValueId> &list) {
    const ValueInfo &info = outer.function.values[current(binding)];
    locals[binding] = builder.function.addValue(info.type, info.range, binding->name);
    list.push_back(locals[binding]);
  };
  for (Binding *binding : body.carried)
    addFormal(binding, builder.function.arguments);
  for (Binding *binding : body.read)
    addFormal(binding, builder.function.invariants);
  for (int64_t i = run.first; i < run.first + run.period; ++i)
    inlineInto(builder, body, commonOf(run, i), i, locals);
  for (Binding *binding : body.carried)
    builder.function.results.push_back(locals[binding]);
  body.function = std::move(builder.function);
  return body;
}

void LayerEmitter::inlineInto(FunctionBuilder &builder, LayerBody &body, LayerNumbers::Common common, int64_t number,
                              llvm::DenseMap<Binding *, ValueId> &locals) {
  const Iteration &iteration = *iterations[number];
  const Function &function = common.function;
  std::vector<ValueId> arguments, weights, formals;
  for (Binding *binding : iteration.captures)
    arguments.push_back(locals[binding]);
  for (const Weight &weight : function.weights) {
    weights.push_back(builder.addWeight(weight));
    body.layerOfWeight.push_back(number);
  }
  for (ValueId each : function.numbers)
    formals.push_back(builder.function.addValue(function.values[each].type, function.values[each].range));
  std::vector<ValueId> results = builder.inlineFunction(function, arguments, weights, formals);
  builder.function.operations += function.operations;
  llvm::append_range(builder.function.numbers, formals);
  llvm::move(common.numbers, std::back_inserter(body.numbers));
  for (auto [binding, result] : llvm::zip_equal(iteration.assigned, results))
    locals[binding] = result;
}

/// The numbers of all layers, one below another.
ValueId LayerEmitter::emitNumbers(std::vector<double> values, SourceRange range) {
  const Type type{Type::Kind::Weight, {Dim{int64_t(values.size()), nullptr}, Dim{1, nullptr}}};
  Op op;
  op.name = "layer_numbers";
  op.range = range;
  op.attributes = {{"values", std::move(values)}};
  op.results = {outer.function.addValue(type, range)};
  outer.function.ops.push_back(std::move(op));
  return outer.function.ops.back().results[0];
}

/// How a weight of a layer begins in each trip, or its factors; one for all of them where these are the same.
template <typename Each>
llvm::SmallVector<Each, 1> LayerEmitter::ofTrips(llvm::SmallVector<Each, 1> Weight::*list, const LayerRun &run,
                                                 int64_t layer, size_t weight) const {
  llvm::SmallVector<Each, 1> all;
  for (int64_t trip = 0; trip < run.count; ++trip)
    llvm::append_range(all, iterations[layer + trip * run.period]->function.weights[weight].*list);
  if (llvm::all_equal(all))
    all.truncate(1);
  return all;
}

void LayerEmitter::emitScan(const LayerRun &run, const LayerBody &body, unsigned callee, SourceRange range,
                            bool noFuse) {
  Op scan;
  scan.name = "scan";
  scan.callee = callee;
  scan.range = range;
  scan.noFuse = noFuse;
  scan.attributes = {{"trips", run.count}};
  for (Binding *binding : body.carried)
    scan.operands.push_back(current(binding));
  int64_t last = -1;
  for (size_t number = 0; auto [weight, layer] : llvm::zip_equal(body.function.weights, body.layerOfWeight)) {
    number = layer == last ? number + 1 : 0; // among those of the layer
    last = layer;
    Weight stacked = weight;
    stacked.inits = ofTrips(&Weight::inits, run, layer, number);
    stacked.factors = ofTrips(&Weight::factors, run, layer, number);
    stacked.name = scope + ".{}." + stacked.name;
    stacked.type.dims.insert(stacked.type.dims.begin(), Dim{run.count, nullptr});
    stacked.stacks.insert(stacked.stacks.begin(), Stack{layer, run.period, run.count});
    scan.operands.push_back(outer.addWeight(std::move(stacked)));
  }
  for (auto [formal, values] : llvm::zip_equal(body.function.numbers, body.numbers))
    scan.operands.push_back(emitNumbers(values, body.function.values[formal].range));
  for (Binding *binding : body.read)
    scan.operands.push_back(current(binding));
  for (Binding *binding : body.carried) {
    Type type = outer.function.values[current(binding)].type;
    values[binding] = outer.function.addValue(std::move(type), range, binding->name);
    scan.results.push_back(values[binding]);
  }
  outer.function.ops.push_back(std::move(scan));
}
