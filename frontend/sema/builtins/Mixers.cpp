// Built-in linear mixers.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"
#include "frontend/sema/builtins/MixerOperands.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {

// ---------------------------------------------------------------- which operands

/// Reports what is no activation; of the operands behind q, k and v each may be a weight, the same at each token.
bool expectTensors(BuiltinCall &call) {
  auto isOfRows = [&](const MixerOperand &operand) { return call.expectRowsOrVectors(operand.name); };
  return call.expectRows("q") && call.expectRows("k") && call.expectRows("v") && llvm::all_of(mixerOperands, isOfRows);
}

/// Reports arguments that exclude each other, or need one that is not given.
bool expectFittingArguments(BuiltinCall &call) {
  for (llvm::StringRef other : {"write", "erase", "erase_write"})
    if (call.has("beta") && call.has(other)) {
      call.errorAt(other, "'linear_attention' takes either beta or " + other + ", but got both");
      return false;
    }
  if (call.has("erase_write") && !call.has("erase")) {
    call.errorAt("erase_write", "'linear_attention' takes erase_write only with erase");
    return false;
  }
  if (call.symbol("read") == "before" && !call.has("beta") && !call.has("erase")) {
    call.errorAt("read", "'linear_attention' takes read = before only with beta or erase");
    return false;
  }
  return true;
}

// ---------------------------------------------------------------- how wide

/// Reports unless key_heads divides heads, and q, k and v can be divided into these.
bool expectHeads(BuiltinCall &call) {
  const Type &q = call.type("q"), &k = call.type("k");
  if (!(q == k)) {
    Diagnostic &diagnostic =
        call.errorAt("k", "q and k must have the same shape, but got " + q.str() + " and " + k.str());
    noteOrigins(diagnostic, q, k);
    return false;
  }
  int64_t heads = call.integer("heads", 1), keyHeads = call.integer("key_heads", heads);
  if (heads % keyHeads != 0) {
    Diagnostic &diagnostic = call.errorAt("key_heads", "key_heads must divide heads, but got " + llvm::Twine(keyHeads) +
                                                           " and " + llvm::Twine(heads));
    noteOrigin(diagnostic, call.value("key_heads").provenance);
    noteOrigin(diagnostic, call.value("heads").provenance);
    return false;
  }
  return call.expectParts(call.has("key_heads") ? "key_heads" : "heads", 1, "q") && call.expectParts("heads", 1, "v");
}

/// Reports unless an operand, where it is given, has the columns that are its own. `keyColumns` are those of a head.
bool expectColumns(BuiltinCall &call, const MixerOperand &operand, int64_t heads, int64_t keyColumns) {
  if (!call.has(operand.name))
    return true;
  const Type &type = call.type(operand.name);
  int64_t width = type.width().size, keys = heads * keyColumns;
  if ((operand.perHead && width == heads) || (operand.perKeyColumn && width == keys))
    return true;
  std::string wanted = operand.perHead ? llvm::formatv("{0} (one per head)", heads).str() : "";
  if (operand.perKeyColumn && !(operand.perHead && keyColumns == 1))
    wanted += llvm::formatv("{0}{1} (one per key column of each head)", wanted.empty() ? "" : " or ", keys).str();
  Diagnostic &diagnostic = call.errorAt(operand.name, "'" + operand.name + "' of 'linear_attention' must have width " +
                                                          wanted + ", but got " + type.str());
  noteOrigin(diagnostic, type.width().provenance);
  noteOrigin(diagnostic, call.value("heads").provenance);
  if (operand.perKeyColumn)
    noteOrigin(diagnostic, call.type("q").width().provenance);
  return false;
}

/// Reports a state with more numbers than a program can address with ease: heads * keyColumns * valueColumns.
bool expectModerateState(BuiltinCall &call, int64_t heads, int64_t keyColumns) {
  constexpr int64_t most = int64_t(1) << 31;
  int64_t values = call.type("v").width().size; // of all heads
  if (keyColumns <= most / values)
    return true;
  Diagnostic &diagnostic =
      call.error("the state of 'linear_attention' must have at most " + llvm::Twine(most) + " numbers, but got " +
                 llvm::Twine(heads) + " heads of " + llvm::Twine(keyColumns) + " x " + llvm::Twine(values / heads));
  noteOrigin(diagnostic, call.type("q").width().provenance);
  noteOrigin(diagnostic, call.type("v").width().provenance);
  return false;
}

// ---------------------------------------------------------------- the operation

Values linearAttention(BuiltinCall &call) {
  if (!expectTensors(call) || !expectFittingArguments(call) || !call.expectInRange("heads", 1) ||
      !call.expectInRange("key_heads", 1) || !expectHeads(call))
    return {Value()};
  int64_t heads = call.integer("heads", 1), keyHeads = call.integer("key_heads", heads);
  int64_t keyColumns = call.type("q").width().size / keyHeads;
  if (!expectModerateState(call, heads, keyColumns))
    return {Value()};
  llvm::SmallVector<Value> operands = {call.value("q"), call.value("k"), call.value("v")};
  llvm::SmallVector<Attribute> attributes = {{"heads", heads},
                                             {"key_heads", keyHeads},
                                             {"scale", call.real("scale", 1 / std::sqrt(double(keyColumns)))},
                                             {"read_before", call.symbol("read") == "before"}};
  for (const MixerOperand &operand : mixerOperands) {
    if (!expectColumns(call, operand, heads, keyColumns))
      return {Value()};
    attributes.push_back({operand.attribute, call.has(operand.name)});
    if (!call.has(operand.name))
      continue;
    const Value &given = call.value(operand.name);
    operands.push_back(operand.mayBeWeight ? given : atEachPosition(call.emitter, given, call.rangeOf(operand.name)));
    if (operands.back().isError())
      return {Value()};
  }
  return {call.operation(operands, call.type("v"), attributes)};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::mixerBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "linear_attention",
       .parameters = {{"q", K::Tensor, required},
                      {"k", K::Tensor, required},
                      {"v", K::Tensor, required},
                      {"heads", K::Int, required},
                      {"key_heads", K::Int},
                      {"decay", K::Tensor},
                      {"write", K::Tensor},
                      {"beta", K::Tensor},
                      {"erase", K::Tensor},
                      {"erase_write", K::Tensor},
                      {"read", K::Enum, false, "after before"},
                      {"scale", K::Float}},
       .meaning = linearAttention,
       .hasOperation = true},
  };
  return table;
}
