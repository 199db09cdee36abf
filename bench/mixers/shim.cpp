// Linear mixers on the CPU as C functions, for Python.
#include "bench/mixers/matmul.h"
#include "runtime/abi/abi.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/mixer/mixer.h"
#include "runtime/device/cpu/tiles/matmul.h"

#include <cstdlib>

using namespace stretto::runtime;

extern "C" {

// Dense rows of f32; null where an operand is not given. As in run.py.
struct Request {
  int64_t batch, length, heads, keyHeads, keys, values, segment, headsOfPart, byChannel;
  double scale;
  float *q, *k, *v, *decay, *write, *beta, *out, *states, *grad, *dq, *dk, *dv, *dDecay, *dWrite, *dBeta;
};

void stretto_bench_threads(int count) { setThreadCount(count); }
void stretto_bench_forward(const Request *request);
void stretto_bench_backward(const Request *request);
}

static mixer::Rows rows(float *data, int64_t columns) { return {data, columns, STRETTO_F32}; }

template <typename Op> static Op operands(const Request &r) {
  Op op;
  op.batch = r.batch, op.length = r.length, op.heads = r.heads, op.keyHeads = r.keyHeads;
  op.keyColumns = r.keys, op.valueColumns = r.values, op.scale = r.scale, op.real = STRETTO_F32;
  op.decaysByChannel = r.byChannel != 0, op.segment = r.segment;
  op.q = rows(r.q, r.keyHeads * r.keys), op.k = rows(r.k, r.keyHeads * r.keys), op.v = rows(r.v, r.heads * r.values);
  op.decay = rows(r.decay, r.byChannel ? r.heads * r.keys : r.heads);
  op.write = rows(r.write, r.heads), op.beta = rows(r.beta, r.heads);
  return op;
}

template <typename Op> static void run(const Op &op) {
  static char *scratch = nullptr;
  static int64_t bytes = 0;
  if (const int64_t needed = mixer::scratchBytes(op) * threadCount(); needed > bytes) {
    std::free(scratch);
    scratch = static_cast<char *>(std::aligned_alloc(64, needed));
    bytes = needed;
  }
  mixer::run(op, scratch);
}

void stretto_bench_forward(const Request *request) {
  auto op = operands<mixer::Forward>(*request);
  op.out = rows(request->out, request->heads * request->values);
  op.states = request->states;
  run(op);
}

void stretto_bench_backward(const Request *request) {
  const Request &r = *request;
  auto op = operands<mixer::Backward>(r);
  op.headsOfPart = r.headsOfPart, op.states = r.states, op.grad = rows(r.grad, r.heads * r.values);
  const int64_t ofParts = r.heads / r.headsOfPart * r.keys;
  op.dq = rows(r.dq, ofParts), op.dk = rows(r.dk, ofParts), op.dv = rows(r.dv, r.heads * r.values);
  op.dDecay = rows(r.dDecay, r.byChannel ? r.heads * r.keys : r.heads);
  op.dWrite = rows(r.dWrite, r.heads), op.dBeta = rows(r.dBeta, r.heads);
  run(op);
}

void stretto_bench_tiles(const Matmul *matmul, int64_t times) {
  const Matmul &p = *matmul;
  const tiles::Left<float> a{p.a, p.transposesA ? p.m : p.k, p.transposesA != 0};
  for (; times > 0; --times) {
    if (p.transposesB)
      tiles::transposeRows(p.n, p.k, {p.b, p.k}, {p.packing, p.n});
    tiles::matmul(p.m, p.n, p.k, a, {p.transposesB ? p.packing : p.b, p.n}, {}, {p.c, p.n});
  }
}

void stretto_bench_mkl(const Matmul *matmul, int64_t times) {
  const Matmul &p = *matmul;
  for (; times > 0; --times)
    multiply<float>(p.m, p.n, p.k, {p.a, p.transposesA ? p.m : p.k, p.transposesA != 0},
                    {p.b, p.transposesB ? p.k : p.n, p.transposesB != 0}, 0, p.c, p.n);
}
