// Arithmetic on tensors, and their columns.
#include "frontend/sema/TensorMath.h"

using namespace stretto;
using namespace stretto::frontend;

// ---------------------------------------------------------------- elementwise

static bool expectNumbers(Reporter &reporter, const Type &type, SourceRange range) {
  if (!type.isIndices())
    return true;
  llvm::StringRef what = type.kind == Type::Kind::Tokens ? "tokens" : "positions";
  reporter.error(range, what + " are not numbers; " + type.adviseEmbed());
  return false;
}

Value frontend::applyUnary(Emitter &emitter, llvm::StringRef function, const Value &operand, SourceRange range) {
  const Type type = typeOf(operand);
  return expectNumbers(emitter.reporter, type, range) ? emitter.emit(function, {operand}, type, range) : Value();
}

/// What is missing where one number meets many, or a factor for each head a row: elsewhere it is repeated by itself.
static std::string adviseSpread(llvm::StringRef function, const Type &a, const Type &b) {
  auto columns = [](const Type &type) { return type.isRows() || type.dims.size() == 1 ? type.width().size : 0; };
  bool isNarrow = columns(a) < columns(b);
  const Type &narrow = isNarrow ? a : b, &wide = isNarrow ? b : a;
  int64_t few = columns(narrow), many = columns(wide);
  bool isFactor = function == "mul" || function == "div";
  if (!wide.isRows() || few == 0 || few == many || many % few != 0 || (few > 1 && !isFactor))
    return "";
  std::string what = few == 1 ? "one number" : ("each of the " + llvm::Twine(few) + " numbers").str();
  return ("; spread(..., " + llvm::Twine(many) + ") repeats " + what).str();
}

/// The type of the result: that of both, or a weight [width] is used on each row of activations or of another weight.
static std::optional<Type> commonType(Reporter &reporter, llvm::StringRef function, const Type &a, const Type &b,
                                      SourceRange range) {
  if (!expectNumbers(reporter, a, range) || !expectNumbers(reporter, b, range))
    return std::nullopt;
  if (a == b) {
    Type type = a;
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (!type.dims[i].provenance)
        type.dims[i].provenance = b.dims[i].provenance;
    return type;
  }
  const Type &rows = a.dims.size() > b.dims.size() ? a : b, &weight = &rows == &a ? b : a;
  bool haveRows = rows.isRows() || (rows.isWeight() && rows.dims.size() > 1);
  if (haveRows && weight.isWeight() && weight.dims.size() == 1 && weight.width().size == rows.width().size)
    return rows;
  Diagnostic &diagnostic =
      reporter.error(range, "the operands of '" + function + "' must have the same shape, but got " + a.str() +
                                " and " + b.str() + adviseSpread(function, a, b));
  noteOrigins(diagnostic, a, b);
  return std::nullopt;
}

Value frontend::splat(Emitter &emitter, double number, const Type &type, SourceRange range) {
  if (!emitter.expectHeld(number, range))
    return {};
  return emitter.emit("constant", {}, type, range, {{"value", number}});
}

/// The operand as a tensor of this type: numbers are splat, a weight [width] is repeated over all rows.
static Value materialize(Emitter &emitter, const Value &operand, const Type &type, SourceRange range) {
  if (!operand.isTensor())
    return splat(emitter, toFloat(operand), type, range);
  return typeOf(operand) == type ? operand : emitter.emit("broadcast", {operand}, type, range);
}

Value frontend::applyBinary(Emitter &emitter, llvm::StringRef function, const Value &a, const Value &b,
                            SourceRange range) {
  if (function == "div" && b.isNumber() && toFloat(b) == 0) {
    emitter.reporter.error(range, "division by zero");
    return {};
  }
  const Type typeOfA = typeOf(a.isTensor() ? a : b), typeOfB = typeOf(b.isTensor() ? b : a);
  std::optional<Type> type = commonType(emitter.reporter, function, typeOfA, typeOfB, range);
  if (!type)
    return {};
  Value left = materialize(emitter, a, *type, range), right = materialize(emitter, b, *type, range);
  if (left.isError() || right.isError())
    return {};
  return emitter.emit(function, {left, right}, *type, range);
}

Value frontend::atEachPosition(Emitter &emitter, const Value &operand, SourceRange range) {
  const Type &type = typeOf(operand);
  return type.isRows() ? operand : emitter.emit("broadcast", {operand}, emitter.rowsType(type.width()), range);
}

// ---------------------------------------------------------------- columns

Value frontend::concatenate(Emitter &emitter, llvm::ArrayRef<Value> parts, SourceRange range, int64_t heads) {
  if (parts.size() == 1)
    return parts[0];
  Type type = typeOf(parts[0]);
  type.dims.back() = {};
  for (const Value &part : parts)
    type.dims.back().size += typeOf(part).width().size;
  return emitter.emit("concat", parts, type, range, {{"heads", heads}});
}

Value frontend::slice(Emitter &emitter, const Value &whole, int64_t offset, const Dim &width, SourceRange range,
                      int64_t heads) {
  Type type = typeOf(whole);
  type.dims.back() = width;
  return emitter.emit("slice", {whole}, type, range, {{"offset", offset}, {"heads", heads}});
}

std::vector<Value> frontend::split(Emitter &emitter, const Value &whole, llvm::ArrayRef<Value> parts,
                                   SourceRange range) {
  if (parts.size() == 1)
    return {whole};
  std::vector<Value> results;
  int64_t offset = 0;
  for (const Value &part : parts) {
    const Dim &width = typeOf(part).width();
    results.push_back(slice(emitter, whole, offset, width, range));
    offset += width.size;
  }
  return results;
}
