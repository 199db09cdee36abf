// What is called or written otherwise elsewhere.
#include "frontend/sema/builtins/Habits.h"

#include "frontend/diagnostics/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {
/// Names are folded (foldName).
struct Habit {
  llvm::StringRef name, ours;
};

/// Of a parameter that an operation does not have: what to write instead.
struct ParameterHabit {
  llvm::StringRef operation, name, instead;
};
} // namespace

static constexpr Habit operations[] = {
    {"applyrotaryposemb", "rotary"},
    {"arange", "numbers"},
    {"attention", "softmax_attention"},
    {"broadcast", "spread"},
    {"cat", "concat"},
    {"causalconv1d", "canon"},
    {"causalselfattention", "softmax_attention"},
    {"chunk", "split"},
    {"concatenate", "concat"},
    {"conv", "canon"},
    {"conv1d", "canon"},
    {"dense", "linear"},
    {"detach", "stop_gradient"},
    {"depthwiseconv", "canon"},
    {"embedding", "embed"},
    {"expand", "spread"},
    {"flashattention", "softmax_attention"},
    {"mha", "softmax_attention"},
    {"multiheadattention", "softmax_attention"},
    {"narrow", "slice"},
    {"normalize", "l2_norm"},
    {"repeatinterleave", "spread"},
    {"roll", "shift"},
    {"rope", "rotary"},
    {"rotaryembedding", "rotary"},
    {"scaleddotproductattention", "softmax_attention"},
    {"sdpa", "softmax_attention"},
    {"selfattention", "softmax_attention"},
    {"shortconv", "canon"},
    {"swish", "silu"},
    {"timeshift", "shift"},
    {"tokenshift", "shift"},
    {"topk", "keep_top"},
};

/// What has no name here, and what to write instead.
static constexpr Habit formulas[] = {
    {"abs", "write max(x, -x)"},
    {"clamp", "write min(max(x, low), high)"},
    {"clip", "write min(max(x, low), high)"},
    {"cumsum", "write linear_attention(one, one, x, width(x), scale = 1.0) with one = full(width(x), 1)"},
    {"einsum", "activations are multiplied by a weight with linear(x, width)"},
    {"glu", "write a * sigmoid(b) with a, b = split(x)"},
    {"groupnorm", "norms take heads: layer_norm(x, heads = groups)"},
    {"logsigmoid", "write -softplus(-x)"},
    {"logsoftmax", "import \"std/formulas.stretto\" for log_softmax(x)"},
    {"logsumexp", "import \"std/formulas.stretto\" for log_sum_exp(x)"},
    {"matmul", "activations are multiplied by a weight with linear(x, width)"},
    {"mean", "write sum(x) / width(x)"},
    {"moe", "import \"std/mlp.stretto\" for x, load = experts(x, ffn, count), or use expert_linear and expert_sum"},
    {"norm", "norms are rms_norm, layer_norm and l2_norm"},
    {"onehot", "embed(tokens, weight = ...) takes the row of each token from a table"},
    {"permute", "heads are no dimension of their own: operations are told their number"},
    {"pow", "write square(x), or exp(p * log(x)) for positive x"},
    {"range", "write repeat n as i"},
    {"rearrange", "heads are no dimension of their own: operations are told their number"},
    {"reshape", "heads are no dimension of their own: operations are told their number"},
    {"softcap", "write c * tanh(x / c)"},
    {"swiglu", "import \"std/mlp.stretto\" for swiglu(gate, up)"},
    {"transpose", "heads are no dimension of their own: operations are told their number"},
    {"view", "heads are no dimension of their own: operations are told their number"},
    {"where", "write h * a + (1 - h) * b with h = heaviside(x), which is 1 where x > 0"},
};

static constexpr Habit parameters[] = {
    {"base", "theta"},
    {"epsilon", "eps"},
    {"iscausal", "causal"},
    {"kernelsize", "kernel"},
    {"nhead", "heads"},
    {"nheads", "heads"},
    {"nkvheads", "kv_heads"},
    {"numheads", "heads"},
    {"numkeyvalueheads", "kv_heads"},
    {"numkvheads", "kv_heads"},
    {"outfeatures", "width"},
    {"softcap", "cap"},
    {"logitsoftcapping", "cap"},
    {"attnlogitsoftcapping", "cap"},
    {"usebias", "bias"},
};

static constexpr ParameterHabit parameterFormulas[] = {
    {"linear", "activation", "apply it to the result, as in silu(linear(x, width))"},
    {"softmax_attention", "scale", "write scale * sqrt(head_dim) * q in place of q"},
};

/// Empty if the table lacks the name.
static llvm::StringRef lookup(llvm::ArrayRef<Habit> table, llvm::StringRef name) {
  std::string folded = foldName(name);
  const Habit *habit = llvm::find_if(table, [&](const Habit &each) { return each.name == folded; });
  return habit == table.end() ? "" : habit->ours;
}

std::string frontend::adviceByHabit(llvm::StringRef operation) {
  if (llvm::StringRef ours = lookup(operations, operation); !ours.empty())
    return ("; did you mean '" + ours + "'?").str();
  llvm::StringRef instead = lookup(formulas, operation);
  return instead.empty() ? "" : ("; " + instead).str();
}

llvm::StringRef frontend::parameterByHabit(llvm::StringRef name) { return lookup(parameters, name); }

llvm::StringRef frontend::insteadOfParameter(llvm::StringRef operation, llvm::StringRef name) {
  std::string folded = foldName(name);
  const ParameterHabit *habit = llvm::find_if(parameterFormulas, [&](const ParameterHabit &each) {
    return each.operation == operation && each.name == folded;
  });
  return habit == std::end(parameterFormulas) ? "" : habit->instead;
}
