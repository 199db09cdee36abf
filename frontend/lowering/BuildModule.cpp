// Elaborated program -> `seq` module.
#include "frontend/lowering/BuildModule.h"

#include "frontend/lowering/FunctionEmitter.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(MLIRContext &context, const Program &program, const SourceFiles &sources, mlir::Type elementType)
      : builder(&context), translator(context, sources, elementType), program(program) {}

  OwningOpRef<ModuleOp> build() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(translator.location(program.main().range));
    ModuleOp op = *module;
    op->setAttr(modelAttr, builder.getStringAttr(program.model));
    op->setAttr(batchAttr, builder.getI64IntegerAttr(program.batch));
    op->setAttr(lengthAttr, builder.getI64IntegerAttr(program.length));
    op->setAttr(vocabularyAttr, builder.getI64IntegerAttr(program.vocabulary));
    builder.setInsertionPointToEnd(op.getBody());
    SymbolTable symbols(op);
    for (const Weight &weight : program.main().weights)
      parameters.push_back(emitParameter(weight, symbols));
    for (const Function &function : llvm::ArrayRef(program.functions).drop_back())
      emitFunction(function);
    emitMain();
    return module;
  }

private:
  seq::ParameterOp emitParameter(const Weight &weight, SymbolTable &symbols);
  void emitFunction(const Function &function);
  void emitMain();
  Location formalLocation(const Function &function, ValueId id, llvm::StringRef name);

  OpBuilder builder;
  Translator translator;
  const Program &program;
  std::vector<seq::ParameterOp> parameters; // parallel to the weights of main
};

seq::InitAttr initAttr(MLIRContext *context, const Initializer &init) {
  static constexpr seq::InitKind kinds[] = {seq::InitKind::constant,         seq::InitKind::normal,
                                            seq::InitKind::truncated_normal, seq::InitKind::uniform,
                                            seq::InitKind::log_of_uniform,   seq::InitKind::step_bias};
  return seq::InitAttr::get(context, kinds[unsigned(init.kind)], init.a, init.b);
}

/// None where all are 1.
llvm::SmallVector<seq::FactorsAttr> factorsOf(MLIRContext *context, const Weight &weight) {
  if (llvm::all_of(weight.factors, [](const Factors &factors) { return factors == Factors(); }))
    return {};
  return llvm::map_to_vector(weight.factors, [&](const Factors &factors) {
    return seq::FactorsAttr::get(context, factors.learningRate, factors.weightDecay);
  });
}

/// "layers.{}.q.weight" becomes @layers.q.weight, or @layers.2.q.weight for the layers 2, 2 + step, ... A dot
/// keeps the symbol apart from those of functions.
std::string symbolName(const Weight &weight) {
  std::string name = weight.name;
  size_t place = name.find("{}.");
  if (place == std::string::npos)
    return name.find('.') == std::string::npos ? name + ".value" : name;
  const Stack &stack = weight.stacks[0];
  bool isOnlyRun = stack.first == 0 && stack.step == 1;
  return name.replace(place, 3, isOnlyRun ? "" : std::to_string(stack.first) + ".");
}

} // namespace

seq::ParameterOp ModuleBuilder::emitParameter(const Weight &weight, SymbolTable &symbols) {
  RankedTensorType type = translator.type(weight.type);
  bool isStacked = !weight.stacks.empty();
  Stack stack = isStacked ? weight.stacks[0] : Stack();
  int64_t rows = type.getDimSize(isStacked ? 1 : 0);
  MLIRContext *context = builder.getContext();
  auto inits = llvm::map_to_vector(weight.inits, [&](const Initializer &init) { return initAttr(context, init); });
  auto part = seq::PartAttr::get(context, builder.getStringAttr(weight.name), rows, inits, factorsOf(context, weight));
  auto parameter =
      seq::ParameterOp::create(builder, translator.location(weight.range), symbolName(weight), type,
                               builder.getArrayAttr({part}), isStacked, stack.first, stack.step, weight.frozen);
  symbols.insert(parameter); // renames on a clash
  return parameter;
}

Location ModuleBuilder::formalLocation(const Function &function, ValueId id, llvm::StringRef name) {
  return NameLoc::get(builder.getStringAttr(name), translator.location(function.values[id].range));
}

void ModuleBuilder::emitFunction(const Function &function) {
  OpBuilder::InsertionGuard guard(builder);
  const std::vector<ValueId> formals = function.formals();
  auto names = llvm::map_to_vector(formals, [&](ValueId id) { return function.values[id].name; });
  for (auto [index, weight] : llvm::enumerate(function.weights))
    names[function.arguments.size() + index] = weight.name;
  llvm::SmallVector<mlir::Type> inputs, results;
  llvm::SmallVector<Location> places;
  for (auto [id, name] : llvm::zip_equal(formals, names)) {
    inputs.push_back(translator.type(function.values[id].type));
    places.push_back(formalLocation(function, id, name));
  }
  for (ValueId id : function.results)
    results.push_back(translator.type(function.values[id].type));
  auto op = func::FuncOp::create(builder, translator.location(function.range), function.name,
                                 builder.getFunctionType(inputs, results));
  op.setPrivate();
  Block *block = builder.createBlock(&op.getBody(), {}, inputs, places);
  FunctionEmitter emitter(builder, translator, program, function);
  for (auto [id, argument] : llvm::zip_equal(formals, block->getArguments()))
    emitter.bind(id, argument);
  emitter.emit();
}

void ModuleBuilder::emitMain() {
  const Function &main = program.main();
  mlir::Type tokens = translator.type(main.values[main.arguments[0]].type);
  llvm::SmallVector<mlir::Type> results;
  for (ValueId id : main.results)
    results.push_back(translator.type(main.values[id].type));
  auto op = func::FuncOp::create(builder, translator.location(main.range), main.name,
                                 builder.getFunctionType({tokens}, results));
  Block *block = builder.createBlock(&op.getBody(), {}, {tokens}, {formalLocation(main, main.arguments[0], "tokens")});
  FunctionEmitter emitter(builder, translator, program, main);
  emitter.bind(main.arguments[0], block->getArgument(0));
  for (auto [weight, parameter] : llvm::zip_equal(main.weights, parameters)) {
    Location place = translator.location(weight.range);
    emitter.bind(weight.value,
                 seq::GetParameterOp::create(builder, place, parameter.getTensorType(), parameter.getSymName()));
  }
  emitter.emit();
}

OwningOpRef<ModuleOp> frontend::buildModule(MLIRContext &context, const Program &program, const SourceFiles &sources,
                                            mlir::Type elementType) {
  return ModuleBuilder(context, program, sources, elementType).build();
}
