// Attention by cuDNN's graphs.
#include "runtime/device/cuda/cudnn_attention.h"

#include "runtime/core/distance.h"
#include "runtime/core/op_table.h"

#include <bit>
#include <cudnn_frontend.h>
#include <map>
#include <stdexcept>

namespace stretto::runtime {
namespace {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// Tensors by the numbers that a graph knows them by.
enum Number : int64_t { Q = 1, K, V, O, Sums, DOut, DQ, DK, DV };

// Where a tensor of an op lies.
struct Operand {
  void *data;
  std::vector<int64_t> sizes, strides;
  fe::DataType_t type = fe::DataType_t::BFLOAT16;
  int64_t bytes = 2; // of an element
};
using Operands = std::map<Number, Operand>;

// What cuDNN calls [batch, heads, length, dim], in rows of `stride` elements that have the heads side by side.
Operand rowsOf(void *data, const AttentionOp &op, int64_t heads, int64_t dim, int64_t stride) {
  return {data, {op.batch, heads, op.length, dim}, {op.length * stride, dim, stride, 1}};
}

Operand sumsOf(const AttentionOp &op) {
  return {
      op.lse, {op.batch, op.heads, op.length, 1}, {op.heads * op.length, op.length, 1, 1}, fe::DataType_t::FLOAT, 4};
}

Operands operandsOf(const AttentionOp &op) {
  return {{Q, rowsOf(op.q, op, op.heads, op.head_dim, op.q_stride)},
          {K, rowsOf(op.k, op, op.kv_heads, op.head_dim, op.k_stride)},
          {V, rowsOf(op.v, op, op.kv_heads, op.value_dim, op.v_stride)},
          {O, rowsOf(op.o, op, op.heads, op.value_dim, op.o_stride)},
          {Sums, sumsOf(op)}};
}

Operands operandsOf(const AttentionGradOp &op) {
  const AttentionOp &forward = op.forward;
  Operands operands = operandsOf(forward);
  operands.insert({{DOut, rowsOf(op.d_o, forward, forward.heads, forward.value_dim, op.do_stride)},
                   {DQ, rowsOf(op.d_q, forward, forward.heads, forward.head_dim, op.dq_stride)},
                   {DK, rowsOf(op.d_k, forward, forward.kv_heads, forward.head_dim, op.dk_stride)},
                   {DV, rowsOf(op.d_v, forward, forward.kv_heads, forward.value_dim, op.dv_stride)}});
  return operands;
}

// The front end lists the operations that it has no engine for; what cuDNN said of it follows in a line of its own.
std::string reasonOf(const std::string &message) {
  const size_t second = message.find('\n') + 1;
  const bool isList = message.starts_with("No valid engine configs") && second > 0 && second < message.size();
  return isList ? message.substr(second) : message;
}

void expect(fe::error_t status) {
  if (status.is_bad())
    throw std::runtime_error(reasonOf(status.get_message()));
}

void expect(cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(cudnnGetErrorString(status));
}

// cuDNN on a stream.
class Handle {
public:
  explicit Handle(cudaStream_t stream) {
    expect(cudnnCreate(&handle));
    expect(cudnnSetStream(handle, stream));
  }
  ~Handle() { cudnnDestroy(handle); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  operator cudnnHandle_t() const { return handle; }

private:
  cudnnHandle_t handle = nullptr;
};

void place(fe::graph::Tensor_attributes &tensor, Number number, const Operand &operand) {
  tensor.set_uid(number).set_dim(operand.sizes).set_stride(operand.strides).set_data_type(operand.type);
}

class Builder {
public:
  Builder(fe::graph::Graph &graph, const Operands &operands) : graph(graph), operands(operands) {
    graph.set_io_data_type(fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT)
        .set_cuda_graph_retention(fe::CudaGraphRetention_t::NONE); // plans live longer than captured graphs
  }

  void add(const AttentionOp &op) const {
    auto attributes = fe::graph::SDPA_attributes().set_generate_stats(true);
    attributes.set_implementation(fe::AttentionImplementation_t::COMPOSITE); // one kind of graph, masked or not
    describe(attributes, op);
    const auto [o, sums] = graph.sdpa(in(Q), in(K), in(V), attributes);
    out(o, O), out(sums, Sums);
  }

  void add(const AttentionGradOp &op, bool deterministic) const {
    auto attributes = fe::graph::SDPA_backward_attributes().set_deterministic_algorithm(deterministic);
    describe(attributes, op.forward);
    const auto [dq, dk, dv] = graph.sdpa_backward(in(Q), in(K), in(V), in(O), in(DOut), in(Sums), attributes);
    out(dq, DQ), out(dk, DK), out(dv, DV);
  }

private:
  static void describe(auto &attributes, const AttentionOp &op) {
    attributes.set_attn_scale(static_cast<float>(op.scale));
    if (op.causal)
      attributes.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    if (hidesKeys(op.window, op.length)) // for cuDNN the query's own token counts, too
      attributes.set_diagonal_band_left_bound(static_cast<int>(op.window));
    if (op.alibi)
      attributes.set_alibi_mask(true);
  }
  Tensor in(Number number) const {
    fe::graph::Tensor_attributes tensor;
    place(tensor, number, operands.at(number));
    return graph.tensor(tensor);
  }
  void out(const Tensor &tensor, Number number) const {
    place(*tensor, number, operands.at(number));
    tensor->set_output(true);
  }

  fe::graph::Graph &graph;
  const Operands &operands;
};

const AttentionOp &forwardOf(const AttentionOp &op) { return op; }
AttentionOp &forwardOf(AttentionOp &op) { return op; }
const AttentionOp &forwardOf(const AttentionGradOp &op) { return op.forward; }
AttentionOp &forwardOf(AttentionGradOp &op) { return op.forward; }

// Into how many parts an op is cut: its sequences, and where each of them is a part, their heads.
struct Cut {
  int64_t sequences, heads;
};

// From few parts to many. Sums of each part begin where cuDNN may read 16 bytes at once.
std::vector<Cut> cutsOf(const AttentionOp &op) {
  std::vector<Cut> cuts;
  const auto add = [&](Cut cut) {
    if (op.batch / cut.sequences * (op.heads / cut.heads) * op.length % 4 == 0)
      cuts.push_back(cut);
  };
  for (int64_t parts = 2; parts <= op.batch; ++parts)
    if (op.batch % parts == 0)
      add({parts, 1});
  for (int64_t parts = 2; parts <= op.kv_heads && !op.alibi; ++parts) // slopes are those of all heads
    if (op.kv_heads % parts == 0)
      add({op.batch, parts});
  return cuts;
}

template <typename Op> Op partOf(Op op, const Cut &cut) {
  AttentionOp &forward = forwardOf(op);
  forward.batch /= cut.sequences, forward.heads /= cut.heads, forward.kv_heads /= cut.heads;
  return op;
}

// All that a graph depends on; what it works on is aligned to 16 bytes.
template <typename Op> Sizes keyOf(const Op &op) {
  Sizes key = sizesOf(op);
  key.push_back(std::bit_cast<int64_t>(forwardOf(op).scale));
  return key;
}

} // namespace

class CudnnAttention::Plans {
public:
  Plans(cudaStream_t stream, bool deterministic, int64_t mostWorkspace)
      : stream(stream), deterministic(deterministic), mostWorkspace(mostWorkspace) {}

  template <typename Op> int64_t prepare(const Op &op) {
    const Sizes key = keyOf(op);
    auto found = plans.find(key);
    if (found == plans.end())
      found = plans.emplace(key, makeWithin(op)).first;
    return found->second->workspaceBytes;
  }

  template <typename Op> void run(const Op &op, void *workspace) {
    const Plan &plan = *plans.at(keyOf(op));
    const Operands operands = operandsOf(op);
    for (int64_t sequence = 0; sequence < forwardOf(op).batch; sequence += plan.sequences)
      for (int64_t head = 0; head < forwardOf(op).kv_heads; head += plan.kvHeads) {
        std::unordered_map<int64_t, void *> addresses;
        for (const auto &[number, operand] : operands) {
          const int64_t group = operand.sizes[1] / forwardOf(op).kv_heads;
          const int64_t first = sequence * operand.strides[0] + head * group * operand.strides[1];
          addresses[number] = static_cast<char *>(operand.data) + first * operand.bytes;
        }
        expect(plan.graph.execute(*handle, addresses, workspace));
      }
  }

private:
  struct Plan {
    int64_t sequences, kvHeads; // that it computes at a time
    fe::graph::Graph graph;
    int64_t workspaceBytes = 0;
  };

  void add(const AttentionOp &op, const Builder &builder) const { builder.add(op); }
  void add(const AttentionGradOp &op, const Builder &builder) const { builder.add(op, deterministic); }

  template <typename Op> std::unique_ptr<Plan> make(const Op &op) {
    if (!handle)
      handle = std::make_unique<Handle>(stream);
    auto plan = std::make_unique<Plan>(forwardOf(op).batch, forwardOf(op).kv_heads);
    const Operands operands = operandsOf(op);
    add(op, Builder(plan->graph, operands));
    expect(plan->graph.build(*handle, {fe::HeurMode_t::A}));
    expect(plan->graph.get_workspace_size(plan->workspaceBytes));
    return plan;
  }

  // A workspace grows with sequences and heads.
  template <typename Op> std::unique_ptr<Plan> makeWithin(const Op &op) {
    std::unique_ptr<Plan> plan = make(op);
    const int64_t whole = plan->workspaceBytes;
    for (const Cut &cut : cutsOf(forwardOf(op)))
      if (plan->workspaceBytes > mostWorkspace && whole / (cut.sequences * cut.heads) <= mostWorkspace)
        plan = make(partOf(op, cut));
    const bool cutsHeads = !forwardOf(op).alibi;
    if (plan->workspaceBytes > mostWorkspace)
      throw std::runtime_error("its workspace must have at most " + std::to_string(mostWorkspace) + " bytes, but has " +
                               std::to_string(whole / forwardOf(op).batch / (cutsHeads ? forwardOf(op).kv_heads : 1)) +
                               " for one " + (cutsHeads ? "head of keys" : "sequence"));
    return plan;
  }

  cudaStream_t stream;
  bool deterministic;
  int64_t mostWorkspace;
  std::unique_ptr<Handle> handle; // of who has plans; outlives them
  std::map<Sizes, std::unique_ptr<Plan>> plans;
};

CudnnAttention::CudnnAttention(cudaStream_t stream, bool deterministic, int64_t mostWorkspace)
    : plans(std::make_unique<Plans>(stream, deterministic, mostWorkspace)) {}
CudnnAttention::~CudnnAttention() = default;

int64_t CudnnAttention::prepare(const AttentionOp &op) { return plans->prepare(op); }
int64_t CudnnAttention::prepare(const AttentionGradOp &op) { return plans->prepare(op); }
void CudnnAttention::run(const AttentionOp &op, void *workspace) { plans->run(op, workspace); }
void CudnnAttention::run(const AttentionGradOp &op, void *workspace) { plans->run(op, workspace); }

} // namespace stretto::runtime
