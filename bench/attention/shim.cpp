// Causal attention on the CPU as C functions, for Python.
#include "runtime/device/cpu/attention.h"

#include <cmath>
#include <cstdlib>

using namespace stretto::runtime;

extern "C" {

// Dense rows of f32, q, k and v side by side, and their gradients likewise. As in run.py.
struct Request {
  int64_t batch, length, heads, headDim, window;
  float *qkv, *out, *lse, *dOut, *dQkv;
};

void stretto_bench_forward(const Request *request);
void stretto_bench_backward(const Request *request);
}

static AttentionGradOp operation(const Request &r) {
  const int64_t width = r.heads * r.headDim;
  AttentionGradOp grad;
  AttentionOp &op = grad.forward;
  op.dtype = STRETTO_F32, op.causal = 1, op.window = r.window, op.scale = 1 / std::sqrt(static_cast<double>(r.headDim));
  op.batch = r.batch, op.length = r.length, op.heads = op.kv_heads = r.heads, op.head_dim = op.value_dim = r.headDim;
  op.q_stride = op.k_stride = op.v_stride = grad.dq_stride = grad.dk_stride = grad.dv_stride = 3 * width;
  op.o_stride = grad.do_stride = width;
  op.q = r.qkv, op.k = r.qkv + width, op.v = r.qkv + 2 * width, op.o = r.out, op.lse = r.lse;
  grad.d_o = r.dOut, grad.d_q = r.dQkv, grad.d_k = r.dQkv + width, grad.d_v = r.dQkv + 2 * width;
  return grad;
}

// Memory of one thread, which stays.
static char *scratchOf(int64_t bytes) {
  static char *scratch = nullptr;
  static int64_t size = 0;
  if (bytes > size) {
    std::free(scratch);
    scratch = static_cast<char *>(std::aligned_alloc(64, bytes));
    size = bytes;
  }
  return scratch;
}

void stretto_bench_forward(const Request *request) {
  const AttentionOp op = operation(*request).forward;
  attention(op, scratchOf(attentionScratch(op)));
}

void stretto_bench_backward(const Request *request) {
  const AttentionGradOp op = operation(*request);
  attentionGrad(op, scratchOf(attentionScratch(op)));
}
