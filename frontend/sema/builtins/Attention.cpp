// Built-in attention.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Reports unless q is `heads` and k `kvHeads` times as wide as one head, and v has `kvHeads` of any width.
bool checkShapes(BuiltinCall &call, int64_t heads, int64_t kvHeads) {
  const Type &q = call.type("q"), &k = call.type("k"), &v = call.type("v");
  if (heads % kvHeads != 0) {
    Diagnostic &diagnostic = call.errorAt("kv_heads", "kv_heads must divide heads, but got " + llvm::Twine(kvHeads) +
                                                          " and " + llvm::Twine(heads));
    noteOrigin(diagnostic, call.value("kv_heads").provenance);
    noteOrigin(diagnostic, call.value("heads").provenance);
    return false;
  }
  int64_t headDim = q.width().size / heads;
  if (headDim * heads != q.width().size || k.width().size != headDim * kvHeads) {
    Diagnostic &diagnostic =
        call.error("q must be heads and k kv_heads times as wide as one head, but got q " + q.str() + " with " +
                   llvm::Twine(heads) + " heads and k " + k.str() + " with " + llvm::Twine(kvHeads));
    noteOrigin(diagnostic, q.width().provenance);
    noteOrigin(diagnostic, k.width().provenance);
    noteOrigin(diagnostic, call.value("heads").provenance);
    return false;
  }
  if (v.width().size % kvHeads != 0) {
    Diagnostic &diagnostic = call.errorAt("v", "the width of v must be a multiple of its " + llvm::Twine(kvHeads) +
                                                   " heads, but got " + v.str());
    noteOrigin(diagnostic, v.width().provenance);
    return false;
  }
  return true;
}

/// Heads as wide as those of v.
Type resultType(BuiltinCall &call, int64_t heads, int64_t kvHeads) {
  Type type = call.type("q");
  const Dim &keys = call.type("k").width(), &values = call.type("v").width();
  if (values.size != keys.size && heads == kvHeads)
    type.dims.back() = values;
  else if (values.size != keys.size)
    type.dims.back() = {values.size / kvHeads * heads, call.emitter.reporter.origin("width of o", call.range())};
  return type;
}

/// Reports what counts the tokens before a query where it sees later ones, too.
bool expectCausal(BuiltinCall &call, int64_t window, bool alibi) {
  llvm::StringRef name = window > 0 ? "window" : alibi ? "alibi" : call.has("decay") ? "decay" : "bias";
  if (call.flag("causal", true) || !(window > 0 || alibi || call.has(name)))
    return true;
  std::string value = window > 0 ? " = " + std::to_string(window) : alibi ? " = true" : "";
  call.errorAt(name, "'softmax_attention' takes " + name + " only with causal = true, but got " + name + value +
                         " and causal = false");
  return false;
}

/// Reports a cap that no score is below, or that is far from any score: by how many times is no number in f32.
bool expectCap(BuiltinCall &call) {
  double cap = call.real("cap", 0);
  if (cap == 0 || (cap >= 1e-30 && cap <= 1e30))
    return true;
  call.errorAt("cap",
               "cap must be 0, which is for none, or between 1e-30 and 1e30, but got " + toString(call.value("cap")));
  return false;
}

/// Reports sinks that are no weight with a number for each head.
bool expectSinks(BuiltinCall &call, int64_t heads) {
  if (!call.has("sinks"))
    return true;
  const Type &type = call.type("sinks");
  if (type.isWeight() && type.dims.size() == 1 && type.width().size == heads)
    return true;
  Diagnostic &diagnostic = call.errorAt("sinks", "sinks must be a weight [" + llvm::Twine(heads) +
                                                     "], a number for each head, but got " + type.describe());
  noteOrigin(diagnostic, type.width().provenance);
  noteOrigin(diagnostic, call.value("heads").provenance);
  return false;
}

/// Reports a bias that is no weight with a number for each head and distance.
bool expectBias(BuiltinCall &call, int64_t heads) {
  if (!call.has("bias"))
    return true;
  const Type &type = call.type("bias");
  if (type.isWeight() && type.dims.size() == 2 && type.dims.front().size == heads)
    return true;
  Diagnostic &diagnostic =
      call.errorAt("bias", "bias must be a weight [" + llvm::Twine(heads) +
                               ", n], a number for each head and each distance below n, but got " + type.describe());
  if (!type.dims.empty())
    noteOrigin(diagnostic, type.dims.front().provenance);
  noteOrigin(diagnostic, call.value("heads").provenance);
  return false;
}

/// Reports a decay that is no activation or weight with a number for each head.
bool expectDecay(BuiltinCall &call, int64_t heads) {
  if (!call.has("decay"))
    return true;
  if (!call.expectRowsOrVectors("decay"))
    return false;
  const Type &type = call.type("decay");
  if (type.width().size == heads)
    return true;
  Diagnostic &diagnostic = call.errorAt("decay", "decay must have width " + llvm::Twine(heads) +
                                                     ", a number for each head, but got " + type.str());
  noteOrigin(diagnostic, type.width().provenance);
  noteOrigin(diagnostic, call.value("heads").provenance);
  return false;
}

/// The decay at each position, bounded from below: the least leaves nothing in any type, and sums of others are exact
/// beside it.
Value decayOf(BuiltinCall &call) {
  constexpr double least = -4096;
  SourceRange range = call.rangeOf("decay");
  Value bounded = applyBinary(call.emitter, "max", call.value("decay"), Value(least), range);
  return atEachPosition(call.emitter, bounded, range);
}

Values softmaxAttention(BuiltinCall &call) {
  for (llvm::StringRef name : {"q", "k", "v"})
    if (!call.expectRows(name))
      return {Value()};
  for (llvm::StringRef name : {"heads", "kv_heads"})
    if (!call.expectInRange(name, 1))
      return {Value()};
  int64_t heads = call.integer("heads", 1), kvHeads = call.integer("kv_heads", heads);
  int64_t window = call.integer("window", 0);
  bool causal = call.flag("causal", true), alibi = call.flag("alibi", false);
  if (!call.expectInRange("window", 0) || !checkShapes(call, heads, kvHeads) || !expectCausal(call, window, alibi) ||
      !expectSinks(call, heads) || !expectDecay(call, heads) || !expectBias(call, heads) || !expectCap(call))
    return {Value()};
  llvm::SmallVector<Value> operands = {call.value("q"), call.value("k"), call.value("v")};
  if (call.has("sinks"))
    operands.push_back(call.value("sinks"));
  if (call.has("decay"))
    operands.push_back(decayOf(call));
  if (operands.back().isError())
    return {Value()};
  if (call.has("bias"))
    operands.push_back(call.value("bias"));
  return {call.operation(operands, resultType(call, heads, kvHeads),
                         {{"heads", heads},
                          {"kv_heads", kvHeads},
                          {"causal", causal},
                          {"window", window},
                          {"alibi", alibi},
                          {"has_sinks", call.has("sinks")},
                          {"has_decay", call.has("decay")},
                          {"has_bias", call.has("bias")},
                          {"cap", call.real("cap", 0)}})};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::attentionBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "softmax_attention",
       .parameters = {{"q", K::Tensor, required},
                      {"k", K::Tensor, required},
                      {"v", K::Tensor, required},
                      {"heads", K::Int, required},
                      {"kv_heads", K::Int},
                      {"causal", K::Bool},
                      {"window", K::Int},
                      {"alibi", K::Bool},
                      {"sinks", K::Tensor},
                      {"cap", K::Float},
                      {"decay", K::Tensor},
                      {"bias", K::Tensor}},
       .meaning = softmaxAttention,
       .hasOperation = true},
  };
  return table;
}
