// LibTorch's CUDA half on the made-up GPU.
#include "test/unit/runtime/cuda/host_library.h"

#include "runtime/device/cuda/attention_methods.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logsumexp.h>
#include <algorithm>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <optional>
#include <torch/library.h>

namespace stretto::test {
namespace {

using runtime::AttentionGradTensors;
using runtime::AttentionTensors;

cudaStream_t currentStream() { return c10::cuda::getCurrentCUDAStream().stream(); }

// Puts work on the current stream. Graphs may do it again, so it stays.
void later(std::function<void()> work) {
  static std::deque<std::function<void()>> kept;
  kept.push_back(std::move(work));
  C10_CUDA_CHECK(cudaLaunchHostFunc(
      currentStream(),
      [](void *data) {
        const c10::InferenceMode inference;
        (*static_cast<std::function<void()> *>(data))();
      },
      &kept.back()));
}

// Where a tensor lies, without a hold on its memory.
struct Place {
  explicit Place(const at::Tensor &tensor)
      : data(tensor.mutable_data_ptr()), sizes(tensor.sizes().vec()), strides(tensor.strides().vec()),
        type(tensor.scalar_type()) {}
  at::Tensor onHost() const { return at::from_blob(data, sizes, strides, at::dtype(type)); }
  void *data;
  std::vector<int64_t> sizes, strides;
  at::ScalarType type;
};

// An argument of an op for its CPU half.
std::function<c10::IValue()> onHost(const c10::IValue &value) {
  if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().is_cuda())
    return [value] { return value; };
  return [place = Place(value.toTensor())] { return c10::IValue(place.onHost()); };
}

// The same without memory, for what only asks for sizes.
c10::IValue withoutMemory(const c10::IValue &value) {
  if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().is_cuda())
    return value;
  const at::Tensor &tensor = value.toTensor();
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

// The argument that a result of an op is, or nothing.
std::optional<size_t> argumentOf(const c10::FunctionSchema &schema, const c10::Argument &result) {
  for (size_t i = 0; result.alias_info() && i < schema.arguments().size(); ++i)
    if (const c10::AliasInfo *alias = schema.arguments()[i].alias_info();
        alias && alias->beforeSets() == result.alias_info()->beforeSets())
      return i;
  return std::nullopt;
}

// Whether the host waits for an op: copies from and to memory that is not page-locked.
bool mayWait(const torch::jit::Stack &arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue &argument) {
    return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().is_cpu() &&
           !argument.toTensor().unsafeGetTensorImpl()->is_wrapped_number();
  });
}

void compute(const c10::OperatorHandle &op, c10::DispatchKeySet, torch::jit::Stack *stack) {
  const c10::FunctionSchema &schema = op.schema();
  const torch::jit::Stack arguments(stack->end() - static_cast<long>(schema.arguments().size()), stack->end());
  stack->resize(stack->size() - arguments.size());
  torch::jit::Stack sized;
  if (schema.name() == "aten::copy_") // of which one side may have memory
    sized.push_back(arguments[0]);
  else {
    for (const c10::IValue &argument : arguments)
      sized.push_back(withoutMemory(argument));
    op.callBoxed(&sized);
  }
  std::vector<std::optional<Place>> made;
  for (size_t i = 0; i < schema.returns().size(); ++i) {
    const at::Tensor &like = sized[i].toTensor();
    const auto argument = argumentOf(schema, schema.returns()[i]);
    if (argument && arguments[*argument].toTensor().sizes() != like.sizes())
      arguments[*argument].toTensor().resize_(like.sizes());
    stack->push_back(
        argument ? arguments[*argument]
                 : at::empty_strided(like.sizes(), like.strides(), like.options().device(runtime::currentGpu())));
    made.push_back(argument ? std::nullopt : std::optional(Place(stack->back().toTensor())));
  }
  std::vector<std::function<c10::IValue()>> inputs;
  std::transform(arguments.begin(), arguments.end(), std::back_inserter(inputs), onHost);
  later([op, inputs, made] {
    torch::jit::Stack values;
    for (const auto &input : inputs)
      values.push_back(input());
    op.callBoxed(&values);
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i])
        made[i]->onHost().copy_(values[i].toTensor());
  });
  if (mayWait(arguments))
    C10_CUDA_CHECK(cudaStreamSynchronize(currentStream()));
}

// LibTorch cannot tell the size of it.
at::Tensor logSumExp(const at::Tensor &tensor, at::IntArrayRef columns, bool keepsColumns) {
  const at::Tensor result =
      at::empty_like(tensor.select(-1, 0).unsqueeze(-1), tensor.options(), at::MemoryFormat::Contiguous);
  TORCH_CHECK(columns.size() == 1 && columns[0] == -1 && keepsColumns, "only what attention asks for");
  later([in = Place(tensor), out = Place(result)] { out.onHost().copy_(at::logsumexp(in.onHost(), -1, true)); });
  return result;
}

at::Scalar itemOf(const at::Tensor &tensor) {
  C10_CUDA_CHECK(cudaStreamSynchronize(currentStream()));
  return at::_local_scalar_dense(Place(tensor).onHost());
}

// ------------------------------------------------------------------ attention

bool flashIsRight = true;

struct Places {
  Place q, k, v, o, lse;
  double scale;
  bool causal;
  std::optional<int64_t> window;
  AttentionTensors onHost() const {
    AttentionTensors tensors;
    tensors.q = q.onHost(), tensors.k = k.onHost(), tensors.v = v.onHost();
    tensors.o = o.onHost(), tensors.lse = lse.onHost();
    tensors.scale = scale, tensors.causal = causal, tensors.window = window;
    return tensors;
  }
};

// [batch, length, heads, headDim], and lse [batch, heads, length].
void forward(const Places &places) {
  later([places] { runtime::attendPlainly(places.onHost()); });
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(const Places &places, const at::Tensor &dOut) {
  const auto rowsLike = [](const Place &place) {
    return at::empty(place.sizes, at::dtype(place.type).device(runtime::currentGpu()));
  };
  const std::tuple results(rowsLike(places.q), rowsLike(places.k), rowsLike(places.v));
  const Place in(dOut), dq(std::get<0>(results)), dk(std::get<1>(results)), dv(std::get<2>(results));
  later([=, right = flashIsRight] {
    runtime::attendPlainlyBackward({places.onHost(), in.onHost(), dq.onHost(), dk.onHost(), dv.onHost(), {}, {}});
    if (!right)
      dk.onHost().mul_(1.1);
  });
  return results;
}

at::Tensor sumsLike(const at::Tensor &rows) {
  return at::empty({rows.size(0), rows.size(2), rows.size(1)}, rows.options().dtype(at::kFloat));
}

using Optional = const std::optional<at::Tensor> &;
using Int = c10::SymInt;
using OptionalInt = std::optional<c10::SymInt>;

// Flash attention counts the tokens on both sides of a query.
std::optional<int64_t> windowOf(const OptionalInt &before, const OptionalInt &behind) {
  TORCH_CHECK(before.has_value() == behind.has_value() && behind.value_or(0) == 0, "only tokens before a query");
  return before ? std::optional(before->expect_int() + 1) : std::nullopt;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
flashForward(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, Optional, Optional, Int, Int, double,
             bool causal, bool, std::optional<double> scale, OptionalInt before, OptionalInt behind, Optional,
             Optional) {
  const at::Tensor o = at::empty(q.sizes(), q.options()), lse = sumsLike(q);
  forward({Place(q), Place(k), Place(v), Place(o), Place(lse), *scale, causal, windowOf(before, behind)});
  return {o, lse, {}, {}, {}};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
flashBackward(const at::Tensor &dOut, const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
              const at::Tensor &o, const at::Tensor &lse, const at::Tensor &, const at::Tensor &, Int, Int, double,
              bool causal, const at::Tensor &, const at::Tensor &, std::optional<double> scale, OptionalInt before,
              OptionalInt behind) {
  return backward({Place(q), Place(k), Place(v), Place(o), Place(lse), *scale, causal, windowOf(before, behind)}, dOut);
}

// Rows of its sums are as long as blocks of 32 tokens; its backward takes infinity for no token, and operands whose
// rows have no gaps.
constexpr int64_t blockOfSums = 32;

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, Int, Int>
efficientForward(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, Optional, Optional, Optional,
                 OptionalInt, OptionalInt, double, int64_t mask, bool, std::optional<double> scale, Optional,
                 std::optional<int64_t> window) {
  TORCH_CHECK(k.size(2) == q.size(2) && v.size(2) == q.size(2), "each head must have keys of its own");
  const int64_t length = q.size(1), rows = (length + blockOfSums - 1) / blockOfSums * blockOfSums;
  const at::Tensor o = at::empty({q.size(0), length, q.size(2), v.size(3)}, q.options());
  const at::Tensor lse = at::empty({q.size(0), q.size(2), rows}, q.options());
  forward({Place(q), Place(k), Place(v), Place(o), Place(lse.narrow(2, 0, length)), *scale, mask == 1, window});
  return {o, lse, {}, {}, length, length};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
efficientBackward(const at::Tensor &dOut, const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, Optional,
                  const at::Tensor &o, Optional, Optional, Int, Int, const at::Tensor &lse, double, const at::Tensor &,
                  const at::Tensor &, int64_t mask, bool, std::optional<double> scale, std::optional<int64_t>,
                  std::optional<int64_t> window, bool) {
  const int64_t length = q.size(1), rest = lse.size(2) - length;
  TORCH_CHECK(o.is_contiguous() && lse.size(2) % blockOfSums == 0 && rest < blockOfSums);
  later([sums = Place(lse.narrow(2, length, rest))] { TORCH_CHECK(sums.onHost().isinf().all().item().toBool()); });
  const auto [dq, dk, dv] = backward(
      {Place(q), Place(k), Place(v), Place(o), Place(lse.narrow(2, 0, length)), *scale, mask == 1, window}, dOut);
  return {dq, dk, dv, {}};
}

} // namespace

void setFlashIsRight(bool right) { flashIsRight = right; }

} // namespace stretto::test

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  using namespace stretto::test;
  for (const char *op : {"normal_",
                         "copy_",
                         "fill_.Scalar",
                         "arange.start_out",
                         "bmm",
                         "exp_",
                         "add_.Tensor",
                         "sub_.Tensor",
                         "sub.Tensor",
                         "mul_.Scalar",
                         "mul_.Tensor",
                         "mul.Tensor",
                         "sum.dim_IntList",
                         "gt.Tensor",
                         "le.Tensor",
                         "ne.Tensor",
                         "bitwise_or.Tensor",
                         "masked_fill_.Scalar",
                         "norm.Scalar",
                         "sigmoid",
                         "logaddexp",
                         "neg"})
    library.impl(op, torch::CppFunction::makeFromBoxedFunction<&compute>());
  library.impl("logsumexp", logSumExp);
  library.impl("_local_scalar_dense", itemOf);
  library.impl("_flash_attention_forward", flashForward);
  library.impl("_flash_attention_backward", flashBackward);
  library.impl("_efficient_attention_forward", efficientForward);
  library.impl("_efficient_attention_backward", efficientBackward);
}
