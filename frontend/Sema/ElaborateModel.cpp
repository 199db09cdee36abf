// The model: its parameters, overrides, and what it returns.
#include "frontend/Sema/Elaborator.h"

#include "frontend/Parse/Parser.h"
#include "frontend/Sema/BuiltinTable.h"
#include "frontend/Sema/Specialization.h"

using namespace stretto;

namespace {
constexpr int64_t maxRows = int64_t(1) << 31;
} // namespace

const Declaration *Elaborator::findModel() {
  std::vector<const Declaration *> models;
  std::vector<llvm::StringRef> names;
  for (const auto &declaration : loaded.main().tree.declarations)
    if (declaration->kind == Declaration::Kind::Model) {
      models.push_back(declaration.get());
      names.push_back(declaration->name.text);
    }
  for (const Declaration *model : models)
    if (model->name.text == options.model)
      return model;
  SourceRange begin{loaded.main().tree.file, 0, 0};
  if (!options.model.empty())
    error(begin, "the file has no model '" + options.model + "'" + didYouMean(options.model, names));
  else if (models.empty())
    error(begin, "the file declares no model");
  else if (models.size() == 1)
    return models.front();
  else
    error(models[1]->range, "the file declares several models: say which one to compile");
  return nullptr;
}

std::optional<Program> Elaborator::run() {
  checkFileNames();
  const Declaration *model = findModel();
  if (options.batch < 1 || options.length < 1 || options.length > maxRows || options.batch > maxRows / options.length) {
    error({}, "batch and length must be at least 1 and batch * length at most " + llvm::Twine(maxRows) +
                  ", but got " + llvm::Twine(options.batch) + " and " + llvm::Twine(options.length));
    return std::nullopt;
  }
  if (!model)
    return std::nullopt;

  FunctionBuilder main;
  Scope top(Scope::Kind::Frame, fileScope(loaded.main()));
  builder = &main;
  scope = modelScope = &top;
  bindModelParameters(*model);
  // Without its parameters nothing in the body makes sense.
  if (diagnostics.hasErrors())
    return std::nullopt;
  for (const StmtPtr &stmt : model->body)
    if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(stmt.get()))
      declare(top, *declaration->declaration);
  Type tokens;
  tokens.kind = Type::Kind::Tokens;
  tokens.dims = {rowsType({}).dims[0], rowsType({}).dims[1]};
  ValueId id = main.function.addValue(tokens, model->name.range, "tokens");
  main.function.arguments.push_back(id);
  top.bind("tokens", Tensor{&main, id});

  std::vector<Value> results;
  returned = &results;
  bool hasReturned = runBody(model->body);
  if (!hasReturned && !diagnostics.hasErrors())
    error(model->range, "the model '" + model->name.text + "' returns nothing; end it with 'return' of the logits");
  if (diagnostics.hasErrors())
    return std::nullopt;
  program.model = model->name.text.str();
  for (Value &result : results)
    main.function.results.push_back(result.get<Tensor>()->id);
  main.function.range = model->range;
  finishModel(*model, program);
  if (diagnostics.hasErrors())
    return std::nullopt;
  warnUnread(main);
  main.function.name = "main";
  program.functions.push_back(std::move(main.function));
  return std::move(program);
}

void Elaborator::finishModel(const Declaration &model, Program &program) {
  const Function &main = builder->function;
  program.batch = options.batch;
  program.length = options.length;
  if (main.results.size() != 1) {
    error(model.range, "a model must return one tensor of logits, but returns " + llvm::Twine(main.results.size()));
    return;
  }
  const ValueInfo &logits = main.values[main.results[0]];
  if (!logits.type.isRows()) {
    error(logits.range, "a model must return logits [batch, length, vocabulary], but got " + logits.type.str());
    return;
  }
  program.vocabulary = logits.type.width().size;
  if (program.vocabulary >= options.vocabulary)
    return;
  Diagnostic &diagnostic =
      error(logits.range, "the model must return a logit for each of the " + llvm::Twine(options.vocabulary) +
                              " tokens of the task, but returns " + logits.type.str());
  noteOrigin(diagnostic, logits.type.width());
}

// ---------------------------------------------------------------- parameters

void Elaborator::checkOverrides(const Declaration &model) {
  std::vector<llvm::StringRef> names;
  for (const Parameter &parameter : model.parameters)
    names.push_back(parameter.name.text);
  for (const Override &override : options.overrides)
    if (!llvm::is_contained(names, override.name)) {
      Diagnostic &diagnostic = error({}, llvm::Twine("--set ") + override.name + ": the model '" + model.name.text +
                                             "' has no parameter '" + override.name + "'" +
                                             didYouMean(override.name, names));
      diagnostic.notes.push_back({model.name.range, "the model is declared here"});
    }
}

void Elaborator::bindModelParameters(const Declaration &model) {
  checkOverrides(model);
  for (const Parameter &parameter : model.parameters) {
    llvm::StringRef name = parameter.name.text;
    if (name == "tokens") {
      error(parameter.name.range, "'tokens' is the input of the model; choose another name");
      continue;
    }
    const Override *override = nullptr;
    for (const Override &each : options.overrides)
      if (each.name == name)
        override = &each;
    ParameterType type = typeOf(parameter.type);
    Value value;
    SourceRange origin = parameter.name.range;
    std::string originText;
    bool fromTask = !override && name == "vocab" && options.vocabulary > 0;
    if (parameter.defaultValue && (!override || type.kind == TypeSyntax::Kind::Any)) {
      origin = parameter.defaultValue->range;
      value = evaluate(*parameter.defaultValue);
      if (type.kind == TypeSyntax::Kind::Any)
        type = inferType(value);
      if (!override && !fromTask)
        value = convert(std::move(value), type, name, origin);
      originText = "default " + sources.describe(origin);
    }
    if (override) {
      value = overrideValue(*override, type);
      origin = {uint32_t(sources.size() - 1), 0, uint32_t(override->value.size())};
      originText = "--set";
    } else if (fromTask) {
      value = convert(options.vocabulary, type, name, origin);
      originText = "task";
    } else if (!parameter.defaultValue) {
      const std::string how = name == "vocab" ? "--vocab N, or by naming a --task" : ("--set " + name + "=...").str();
      error(parameter.name.range, "the parameter '" + name + "' has no default; set it with " + how);
    }
    if (value.isTensor()) {
      error(origin, "a parameter of a model is a number, a bool, a set or a symbol, but got a tensor");
      value = {};
    }
    value.provenance = makeProvenance(name, origin);
    resolved(name, type, value, originText);
    scope->bind(name, std::move(value));
  }
}

void Elaborator::resolved(llvm::StringRef name, const ParameterType &type, const Value &value, std::string origin) {
  static constexpr llvm::StringRef kinds[] = {"any", "int", "float", "bool", "set", "enum", "tensor"};
  program.parameters.push_back({name.str(), kinds[unsigned(type.kind)].str(), toString(value), std::move(origin)});
}

/// The value of --set. A set may be written without braces (shells expand them): "A,C"; nothing is {}.
Value Elaborator::overrideValue(const Override &override, const ParameterType &type) {
  llvm::StringRef text = override.value;
  uint32_t file = sources.addOverride(override.name, text);
  SourceRange range{file, 0, uint32_t(text.size())};
  bool isList = type.kind == TypeSyntax::Kind::Set && !text.trim().starts_with("{");
  if (!isList) {
    ExprPtr expr = parseExpression(sources, file, diagnostics);
    if (!expr)
      return {};
    // A bare name is a symbol of the parameter's type.
    if (auto *name = llvm::dyn_cast<NameExpr>(expr.get()); name && type.kind == TypeSyntax::Kind::Enum)
      return convert(Symbol{name->name.str(), nullptr}, type, override.name, range);
    overrideTrees.push_back(std::move(expr));
    return convert(evaluate(*overrideTrees.back()), type, override.name, range);
  }
  SymbolSet set;
  llvm::SmallVector<llvm::StringRef> members;
  text.split(members, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef member : members)
    if (!llvm::is_contained(set.members, member.trim()))
      set.members.push_back(member.trim().str());
  std::sort(set.members.begin(), set.members.end());
  return convert(std::move(set), type, override.name, range);
}
