// The built-in operations: their parameters, defaults and meaning in one table.
#include "frontend/Sema/BuiltinTable.h"

using namespace stretto;

namespace {

using K = ArgumentKind;
constexpr bool required = true;

constexpr BuiltinParameter embed[] = {{"tokens", K::Tensor, required}, {"vocabulary", K::Int}, {"width", K::Int},
                                      {"weight", K::Tensor},           {"init", K::Initializer}};
constexpr BuiltinParameter linear[] = {{"x", K::Tensor, required}, {"width", K::Int},        {"bias", K::Bool},
                                       {"weight", K::Tensor},      {"init", K::Initializer}, {"bias_init", K::Initializer}};
constexpr BuiltinParameter rmsNorm[] = {{"x", K::Tensor, required}, {"heads", K::Int}, {"eps", K::Float}, {"init", K::Initializer}};
constexpr BuiltinParameter layerNorm[] = {{"x", K::Tensor, required}, {"heads", K::Int},        {"eps", K::Float},
                                          {"bias", K::Bool},          {"init", K::Initializer}, {"bias_init", K::Initializer}};
constexpr BuiltinParameter canon[] = {{"x", K::Tensor, required},
                                      {"kernel", K::Int},
                                      {"residual", K::Bool},
                                      {"bias", K::Bool},
                                      {"activation", K::Enum, false, "none silu"},
                                      {"frozen", K::Bool},
                                      {"init", K::Initializer},
                                      {"bias_init", K::Initializer}};
constexpr BuiltinParameter shift[] = {{"x", K::Tensor, required}, {"steps", K::Int, required}};
constexpr BuiltinParameter rotary[] = {{"x", K::Tensor, required},
                                       {"head_dim", K::Int},
                                       {"heads", K::Int},
                                       {"fraction", K::Float},
                                       {"head_fraction", K::Float},
                                       {"theta", K::Float},
                                       {"style", K::Enum, false, "half_split interleaved"}};
constexpr BuiltinParameter attention[] = {{"q", K::Tensor, required},  {"k", K::Tensor, required}, {"v", K::Tensor, required},
                                          {"heads", K::Int, required}, {"kv_heads", K::Int},       {"causal", K::Bool}};
constexpr BuiltinParameter parameter[] = {{"shape", K::Int, required}, {"init", K::Initializer}, {"frozen", K::Bool}};
constexpr BuiltinParameter one[] = {{"x", K::Any, required}};
constexpr BuiltinParameter oneTensor[] = {{"x", K::Tensor, required}};
constexpr BuiltinParameter roundTo[] = {{"x", K::Any, required}, {"multiple", K::Int, required}};
constexpr BuiltinParameter normal[] = {{"std", K::Float, required}};
constexpr BuiltinParameter truncatedNormal[] = {{"std", K::Float, required}, {"bound", K::Float}};
constexpr BuiltinParameter uniform[] = {{"bound", K::Float, required}};
constexpr BuiltinParameter constant[] = {{"value", K::Float, required}};

constexpr BuiltinSignature signatures[] = {
    // sequence operations
    {"embed", embed},
    {"linear", linear},
    {"rms_norm", rmsNorm},
    {"layer_norm", layerNorm},
    {"canon", canon, true},
    {"shift", shift},
    {"rotary", rotary, true},
    {"softmax_attention", attention},
    {"parameter", parameter, true},
    {"recompute", oneTensor, true},
    {"width", oneTensor},
    // elementwise, on tensors and numbers
    {"exp", one},
    {"log", one},
    {"sqrt", one},
    {"rsqrt", one},
    {"tanh", one},
    {"sigmoid", one},
    {"silu", one},
    {"gelu", one},
    {"relu", one},
    {"square", one},
    {"softplus", one},
    {"min", one, true},
    {"max", one, true},
    // numbers
    {"floor_to", roundTo},
    {"ceil_to", roundTo},
    {"floor", one},
    {"ceil", one},
    // initializers
    {"normal", normal},
    {"truncated_normal", truncatedNormal},
    {"uniform", uniform},
    {"constant", constant},
};

} // namespace

const BuiltinSignature *stretto::findBuiltin(llvm::StringRef name) {
  for (const BuiltinSignature &signature : signatures)
    if (signature.name == name)
      return &signature;
  return nullptr;
}

std::vector<llvm::StringRef> stretto::builtinNames() {
  std::vector<llvm::StringRef> names;
  for (const BuiltinSignature &signature : signatures)
    names.push_back(signature.name);
  return names;
}
