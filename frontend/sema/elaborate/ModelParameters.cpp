// Parameters of the model: defaults, overrides and what the task gives.
#include "frontend/sema/elaborate/ModelParameters.h"

#include "frontend/parse/Parser.h"

using namespace stretto;
using namespace stretto::frontend;

void ModelParameters::bind(const Declaration &model, std::vector<ResolvedParameter> &resolved) {
  checkOverrides(model);
  for (const Parameter &parameter : model.parameters) {
    llvm::StringRef name = parameter.name.text;
    if (name == "tokens") {
      reporter.error(parameter.name.range, "'tokens' is the input of the model; choose another name");
      continue;
    }
    Bound bound = boundValue(parameter);
    if (bound.value.isTensor()) {
      reporter.error(bound.origin, "a parameter of a model is a number, a bool, a set or a symbol, but got a tensor");
      bound.value = {};
    }
    bound.value.provenance = reporter.origin(name, bound.origin);
    resolved.push_back({name.str(), spelling(bound.type.kind).str(), toString(bound.value), bound.originText});
    names.scope().bind(name, std::move(bound.value));
  }
}

void ModelParameters::checkOverrides(const Declaration &model) {
  std::vector<llvm::StringRef> known;
  for (const Parameter &parameter : model.parameters)
    known.push_back(parameter.name.text);
  for (const Override &override : options.overrides)
    if (!llvm::is_contained(known, override.name)) {
      Diagnostic &diagnostic =
          reporter.error({}, llvm::Twine("--set ") + override.name + ": the model '" + model.name.text +
                                 "' has no parameter '" + override.name + "'" + didYouMean(override.name, known));
      diagnostic.notes.push_back({model.name.range, "the model is declared here"});
    }
}

// ---------------------------------------------------------------- values

/// The last one of the name, or null.
const Override *ModelParameters::overrideOf(llvm::StringRef name) const {
  for (const Override &override : llvm::reverse(options.overrides))
    if (override.name == name)
      return &override;
  return nullptr;
}

ModelParameters::Bound ModelParameters::boundValue(const Parameter &parameter) {
  llvm::StringRef name = parameter.name.text;
  const Override *override = overrideOf(name);
  bool isFromTask = !override && name == "vocab" && options.vocabulary > 0;
  Bound bound{typeOf(parameter.type), {}, parameter.name.range, ""};
  // An override of a parameter without a type has the type of the default.
  if (parameter.defaultValue && (!override || bound.type.kind == TypeSyntax::Kind::Any)) {
    bound.origin = parameter.defaultValue->range;
    bound.originText = "default " + sources.describe(bound.origin);
    bound.value = expressions.evaluate(*parameter.defaultValue);
    if (bound.type.kind == TypeSyntax::Kind::Any)
      bound.type = impliedType(bound.value);
    if (!override && !isFromTask)
      bound.value = convert(reporter, std::move(bound.value), bound.type, name, bound.origin);
  }
  if (override) {
    uint32_t file = sources.addOverride(override->name, override->value);
    bound.origin = {file, 0, uint32_t(override->value.size())};
    bound.originText = "--set";
    bound.value = overrideValue(*override, file, bound.type);
  } else if (isFromTask) {
    bound.originText = "task";
    bound.value = convert(reporter, options.vocabulary, bound.type, name, bound.origin);
  } else if (!parameter.defaultValue) {
    const std::string how = name == "vocab" ? "--vocab N, or by naming a --task" : ("--set " + name + "=...").str();
    reporter.error(parameter.name.range, "the parameter '" + name + "' has no default; set it with " + how);
  }
  return bound;
}

/// A set that is written without braces (shells expand them): "A,C"; nothing is {}.
static SymbolSet listedSet(llvm::StringRef text) {
  SymbolSet set;
  llvm::SmallVector<llvm::StringRef> members;
  text.split(members, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef member : members)
    if (!llvm::is_contained(set.members, member.trim()))
      set.members.push_back(member.trim().str());
  std::sort(set.members.begin(), set.members.end());
  return set;
}

/// The value of --set, whose text is this file.
Value ModelParameters::overrideValue(const Override &override, uint32_t file, const ParameterType &type) {
  llvm::StringRef text = override.value;
  SourceRange range{file, 0, uint32_t(text.size())};
  bool isList = type.kind == TypeSyntax::Kind::Set && !text.trim().starts_with("{");
  if (isList)
    return convert(reporter, listedSet(text), type, override.name, range);
  ExprPtr expr = parseExpression(sources, file, diagnostics);
  if (!expr)
    return {};
  // A bare name is a symbol of the parameter's type.
  auto *bare = llvm::dyn_cast<NameExpr>(expr.get());
  bool isSymbol = bare && type.kind == TypeSyntax::Kind::Enum;
  Value value = isSymbol ? Value(Symbol{bare->name.str(), nullptr}) : expressions.evaluate(*expr);
  return convert(reporter, std::move(value), type, override.name, range);
}
