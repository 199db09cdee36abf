// A call of a built-in function: its arguments, and what a meaning needs to check and emit.
#include "frontend/sema/builtins/BuiltinCall.h"

#include "llvm/Support/FormatVariadic.h"

using namespace stretto::frontend;

// ---------------------------------------------------------------- arguments

size_t BuiltinCall::indexOf(llvm::StringRef parameter) const {
  size_t index = 0;
  while (builtin.parameters[index].name != parameter)
    ++index;
  return index;
}

SourceRange BuiltinCall::rangeOf(llvm::StringRef parameter) const {
  return has(parameter) ? find(parameter).ranges[0] : call.range;
}

int64_t BuiltinCall::integer(llvm::StringRef parameter, int64_t whenAbsent) const {
  return has(parameter) ? *value(parameter).get<int64_t>() : whenAbsent;
}

double BuiltinCall::real(llvm::StringRef parameter, double whenAbsent) const {
  return has(parameter) ? *value(parameter).get<double>() : whenAbsent;
}

bool BuiltinCall::flag(llvm::StringRef parameter, bool whenAbsent) const {
  return has(parameter) ? *value(parameter).get<bool>() : whenAbsent;
}

std::string BuiltinCall::symbol(llvm::StringRef parameter) const {
  if (has(parameter))
    return value(parameter).get<Symbol>()->name;
  return builtin.parameters[indexOf(parameter)].members.split(' ').first.str();
}

Initializer BuiltinCall::initializer(llvm::StringRef parameter, Initializer whenAbsent) const {
  return has(parameter) ? *value(parameter).get<Initializer>() : whenAbsent;
}

Dim BuiltinCall::dim(llvm::StringRef parameter) const {
  const Value &size = value(parameter);
  const Provenance *provenance = size.provenance;
  llvm::StringRef text = emitter.reporter.text(rangeOf(parameter));
  constexpr size_t maxText = 40;
  bool isComputed = !provenance && text.size() <= maxText && text.find_first_not_of("0123456789") != text.npos;
  if (isComputed)
    provenance = emitter.reporter.origin(text, rangeOf(parameter));
  return {*size.get<int64_t>(), provenance};
}

// ---------------------------------------------------------------- errors

/// What makes activations of a tensor that is none, or nothing.
static std::string adviseRows(const Type &type) {
  if (type.isWeight() && type.dims.size() == 1)
    return ("full(" + llvm::Twine(type.width().size) + ", 0) + ... has it at each position").str();
  return type.adviseEmbed().str();
}

/// Reports the first tensor of this parameter whose type does not fit.
bool BuiltinCall::expectTypes(llvm::StringRef parameter, llvm::StringRef wanted, bool (*fits)(const Type &)) const {
  const BuiltinArgument &argument = find(parameter);
  for (auto [value, range] : llvm::zip_equal(argument.values, argument.ranges)) {
    const Type &type = typeOf(value);
    if (fits(type))
      continue;
    const std::string advice = adviseRows(type);
    emitter.reporter.error(range, "'" + parameter + "' of '" + name() + "' must be " + wanted + ", but got " +
                                      type.describe() + (advice.empty() ? "" : "; ") + advice);
    return false;
  }
  return true;
}

bool BuiltinCall::expectRows(llvm::StringRef parameter) const {
  return expectTypes(parameter, "[batch, length, width]", [](const Type &type) { return type.isRows(); });
}

bool BuiltinCall::expectRowsOrVectors(llvm::StringRef parameter) const {
  return expectTypes(parameter, "[batch, length, width] or a weight [width]",
                     [](const Type &type) { return type.isRows() || (type.isWeight() && type.dims.size() == 1); });
}

bool BuiltinCall::expectRowsOrWeights(llvm::StringRef parameter) const {
  return expectTypes(parameter, "[batch, length, width] or a weight",
                     [](const Type &type) { return type.isRows() || type.isWeight(); });
}

bool BuiltinCall::expectParts(llvm::StringRef parameter, int64_t usual, llvm::StringRef operand) const {
  if (!expectInRange(parameter, 1))
    return false;
  const int64_t parts = integer(parameter, usual);
  auto isWhole = [&](const Value &each) { return typeOf(each).width().size % parts == 0; };
  const llvm::ArrayRef<Value> tensors = find(operand).values;
  const Value *other = llvm::find_if_not(tensors, isWhole);
  if (other == tensors.end())
    return true;
  const Type &whole = typeOf(*other);
  const std::string name = operand == "x" ? "" : (operand + " ").str(); // x goes without saying
  Diagnostic &diagnostic = errorAt(parameter, parameter + " must divide the width of " + name + whole.str() +
                                                  ", but got " + llvm::Twine(parts));
  noteOrigin(diagnostic, whole.width().provenance);
  if (has(parameter))
    noteOrigin(diagnostic, value(parameter).provenance);
  return false;
}

bool BuiltinCall::expectOwnInit() const {
  if (!has("init") || !has("weight"))
    return true;
  errorAt("init", "'" + name() + "' takes init only without a weight; give it to the parameter that is the weight");
  return false;
}

bool BuiltinCall::expectOwnBias() const {
  if (!has("bias_init") || has("bias"))
    return true;
  errorAt("bias_init", "'" + name() + "' takes bias_init only with bias");
  return false;
}

bool BuiltinCall::expectInRange(llvm::StringRef parameter, int64_t low, int64_t high) const {
  if (!has(parameter))
    return true;
  int64_t got = *value(parameter).get<int64_t>();
  if (got >= low && got <= high)
    return true;
  std::string bounds = high == INT64_MAX ? llvm::formatv("at least {0}", low).str()
                                         : llvm::formatv("between {0} and {1}", low, high).str();
  Diagnostic &diagnostic =
      errorAt(parameter, "'" + parameter + "' of '" + name() + "' must be " + bounds + ", but got " + llvm::Twine(got));
  noteOrigin(diagnostic, value(parameter).provenance);
  return false;
}
