// A compiled model written by hand: what the compiler would emit for a bigram model with one hidden layer,
//   h = embed(tokens) W1,  logits = tanh(h) W2,
// cross-entropy, clipping by the global norm and AdamW. Kernels work on chunks, take buffers as the compiler's
// do, and reduce in a fixed order, so it serves to test everything around a model.
#include "runtime/abi/abi.h"
#include "runtime/core/bf16.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

#ifndef FAKE_REAL
#define FAKE_REAL float
#endif

namespace {

using Real = FAKE_REAL;
constexpr int64_t size = sizeof(Real);

// What the last layer is computed from: activations, gradients of logits, and the copy of its weights.
#ifdef FAKE_MIXED
struct Act {
  uint16_t bits;
  operator Real() const { return stretto::runtime::widenBf16(bits); }
  void operator=(Real value) { bits = stretto::runtime::roundToBf16(value); }
};
#else
using Act = Real;
#endif
constexpr bool mixed = sizeof(Act) != sizeof(Real);
constexpr int64_t batch = 4, length = 16, vocabulary = 24, width = 16, hidden = 32;
constexpr int64_t rows = batch * length, rowChunk = 8;

#ifdef FAKE_CUDA
constexpr bool cuda = true;
#else
constexpr bool cuda = false;
#endif

// Parameters in elements, each aligned to 64 bytes, and all of them in whole rows. There are more than they need: no number
// of ranks divides them, and each of two or three has some. Blocks of kernels for CUDA have several rows, and the last one
// fewer.
constexpr int64_t embedAt = 0, w1At = 5 * STRETTO_FLAT_COLUMNS, w2At = 11 * STRETTO_FLAT_COLUMNS, flatRows = 13,
                  elements = flatRows * STRETTO_FLAT_COLUMNS, updateRows = cuda ? 3 : 1,
                  updateChunk = updateRows * STRETTO_FLAT_COLUMNS,
                  updateChunks = (flatRows + updateRows - 1) / updateRows;
static_assert(vocabulary * width <= w1At && w1At + width * hidden <= w2At && w2At + hidden * vocabulary <= elements);

constexpr int64_t place(int64_t &next, int64_t count) {
  const int64_t at = next;
  next += (count * size + 63) / 64 * 64;
  return at;
}
struct Plan {
  int64_t x, h, a, logits, dLogits, dA, dX, rowLoss, gradients, bytes;
};
constexpr Plan makePlan() {
  Plan plan{};
  plan.x = place(plan.bytes, rows * width);
  plan.h = place(plan.bytes, rows * hidden);
  plan.a = place(plan.bytes, rows * hidden);
  plan.logits = place(plan.bytes, rows * vocabulary);
  plan.dLogits = place(plan.bytes, rows * vocabulary);
  plan.dA = place(plan.bytes, rows * hidden);
  plan.dX = place(plan.bytes, rows * width);
  plan.rowLoss = place(plan.bytes, rows);
  plan.gradients = place(plan.bytes, elements);
  return plan;
}
constexpr Plan plan = makePlan();

template <typename T> T *as(void *const *buffers, int index) { return static_cast<T *>(buffers[index]); }

void tanhForward(void *const *buffers, int64_t begin, int64_t end, void *) {
  const Real *h = as<Real>(buffers, 0);
  Act *a = as<Act>(buffers, 1);
  for (int64_t i = begin * rowChunk * hidden; i < end * rowChunk * hidden; ++i)
    a[i] = std::tanh(h[i]);
}

void tanhBackward(void *const *buffers, int64_t begin, int64_t end, void *) {
  const Act *a = as<Act>(buffers, 0);
  Real *d = as<Real>(buffers, 1);
  for (int64_t i = begin * rowChunk * hidden; i < end * rowChunk * hidden; ++i)
    d[i] *= 1 - a[i] * a[i];
}

// Buffers: logits, targets, weights, d logits, loss of each row. Scratch: one row of probabilities.
void crossEntropy(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  Real *p = static_cast<Real *>(scratch);
  for (int64_t row = begin * rowChunk; row < end * rowChunk; ++row) {
    const Real *logits = as<Real>(buffers, 0) + row * vocabulary;
    const int32_t target = as<int32_t>(buffers, 1)[row];
    const Real weight = as<Real>(buffers, 2)[row], top = *std::max_element(logits, logits + vocabulary);
    Real sum = 0;
    for (int64_t i = 0; i < vocabulary; ++i)
      sum += p[i] = std::exp(logits[i] - top);
    Act *d = as<Act>(buffers, 3) + row * vocabulary;
    for (int64_t i = 0; i < vocabulary; ++i)
      d[i] = weight * (p[i] / sum - (i == target));
    as<Real>(buffers, 4)[row] = weight == 0 ? 0 : weight * (std::log(sum) + top - logits[target]);
  }
}

// The call to which a variable gives its number.
bool isCall(int64_t number, const char *variable) {
  const char *chosen = std::getenv(variable);
  return chosen && number == std::atoll(chosen);
}

// STRETTO_FAKE_POISON=N makes the N-th loss of a process NaN, STRETTO_FAKE_STEEP=N its N-th norm of gradients infinite,
// STRETTO_FAKE_STUCK=N lets it never come, STRETTO_FAKE_EXIT=N
// ends the process there as if all were well. STRETTO_FAKE_SLOW=N lets each loss come N ms later, STRETTO_FAKE_SLOW=N@M
// each from the M-th on.
void sumLoss(void *const *buffers, int64_t, int64_t, void *) {
  static int64_t calls = 0;
  ++calls;
  if (isCall(calls, "STRETTO_FAKE_EXIT"))
    _exit(EXIT_SUCCESS);
  while (isCall(calls, "STRETTO_FAKE_STUCK"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (const char *slow = std::getenv("STRETTO_FAKE_SLOW")) {
    const char *from = std::strchr(slow, '@');
    if (!from || calls >= std::atoll(from + 1))
      std::this_thread::sleep_for(std::chrono::milliseconds(std::atoll(slow)));
  }
  Real sum = 0;
  for (int64_t row = 0; row < rows; ++row)
    sum += as<Real>(buffers, 0)[row];
  *as<Real>(buffers, 1) = isCall(calls, "STRETTO_FAKE_POISON") ? NAN : sum;
}

// Buffers: logits, targets, nll, predicted.
void predict(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t row = begin * rowChunk; row < end * rowChunk; ++row) {
    const Real *logits = as<Real>(buffers, 0) + row * vocabulary, *best = std::max_element(logits, logits + vocabulary);
    Real sum = 0;
    for (int64_t i = 0; i < vocabulary; ++i)
      sum += std::exp(logits[i] - *best);
    as<Real>(buffers, 2)[row] = std::log(sum) + *best - logits[as<int32_t>(buffers, 1)[row]];
    as<int32_t>(buffers, 3)[row] = static_cast<int32_t>(best - logits);
  }
}

void squares(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t row = begin * updateRows; row < std::min(flatRows, end * updateRows); ++row) {
    Real sum = 0;
    for (int64_t i = row * STRETTO_FLAT_COLUMNS; i < (row + 1) * STRETTO_FLAT_COLUMNS; ++i)
      sum += as<Real>(buffers, 0)[i] * as<Real>(buffers, 0)[i];
    as<Real>(buffers, 1)[row] = sum;
  }
}

void norm(void *const *buffers, int64_t, int64_t, void *) {
  Real sum = 0;
  for (int64_t row = 0; row < flatRows; ++row)
    sum += as<Real>(buffers, 0)[row];
  static int64_t calls = 0;
  *as<Real>(buffers, 1) = isCall(++calls, "STRETTO_FAKE_STEEP") ? INFINITY : std::sqrt(sum);
}

// Buffers: parameters, gradients, moment1, moment2, norm, hyper.
void adamw(void *const *buffers, int64_t begin, int64_t end, void *) {
  Real *p = as<Real>(buffers, 0), *g = as<Real>(buffers, 1), *m = as<Real>(buffers, 2), *v = as<Real>(buffers, 3);
  const Real gradNorm = *as<Real>(buffers, 4), *hyper = as<Real>(buffers, 5);
  const Real clip = hyper[STRETTO_HYPER_CLIP_NORM], scale = gradNorm > clip ? clip / gradNorm : 1;
  const Real b1 = hyper[STRETTO_HYPER_BETA1], b2 = hyper[STRETTO_HYPER_BETA2];
  for (int64_t i = begin * updateChunk; i < std::min(elements, end * updateChunk); ++i) {
    const Real gradient = g[i] * scale;
    m[i] = b1 * m[i] + (1 - b1) * gradient;
    v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
    const Real mHat = m[i] / hyper[STRETTO_HYPER_BIAS_CORRECTION1], vHat = v[i] / hyper[STRETTO_HYPER_BIAS_CORRECTION2];
    p[i] -= hyper[STRETTO_HYPER_LEARNING_RATE] *
            (mHat / (std::sqrt(vHat) + hyper[STRETTO_HYPER_EPSILON]) + hyper[STRETTO_HYPER_WEIGHT_DECAY] * p[i]);
  }
}

// Buffers: parameters, their bf16 copy.
void roundAll(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t i = begin * updateChunk; i < std::min(elements, end * updateChunk); ++i)
    as<Act>(buffers, 1)[i] = as<Real>(buffers, 0)[i];
}

// Buffers: sum, addend, sum.
void addInto(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t i = begin * updateChunk; i < std::min(elements, end * updateChunk); ++i)
    as<Real>(buffers, 0)[i] += as<Real>(buffers, 1)[i];
}

void moveBack(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t i = begin * updateChunk; i < std::min(elements, end * updateChunk); ++i) {
    as<Real>(buffers, 1)[i] = as<Real>(buffers, 0)[i];
    as<Real>(buffers, 0)[i] = 0;
  }
}

// Buffers: tokens, table, x.
void embedRows(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t row = begin * rowChunk; row < end * rowChunk; ++row)
    std::copy_n(as<Real>(buffers, 1) + as<int32_t>(buffers, 0)[row] * width, width, as<Real>(buffers, 2) + row * width);
}

// Buffers: tokens, gradient of x, gradient of the table. A chunk is one token.
void embedGradient(void *const *buffers, int64_t begin, int64_t end, void *) {
  for (int64_t token = begin; token < end; ++token) {
    Real *sum = as<Real>(buffers, 2) + token * width;
    std::fill_n(sum, width, Real(0));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < width && as<int32_t>(buffers, 0)[row] == token; ++i)
        sum[i] += as<Real>(buffers, 1)[row * width + i];
  }
}

constexpr int64_t rowChunks = rows / rowChunk;
constexpr int32_t dtype = sizeof(Real) == 8 ? STRETTO_F64 : STRETTO_F32, actDtype = mixed ? STRETTO_BF16 : dtype;
enum Kernel { TanhForward, TanhBackward, CrossEntropy, SumLoss, Predict, Squares, Norm, AdamW, AddInto, MoveBack, Round, Embed,
              EmbedGradient, KernelCount };
// Bytes of buffers, of the kernels that may be launched on a range of rows: all of them, and those of a chunk.
constexpr int64_t flat = elements * size, flatChunk = updateChunk * size;
constexpr int64_t squaresBytes[] = {flat, flatRows * size}, squaresOfChunk[] = {flatChunk, updateRows * size};
constexpr int64_t adamwBytes[] = {flat, flat, flat, flat, size, STRETTO_HYPER_COUNT * size},
                  adamwOfChunk[] = {flatChunk, flatChunk, flatChunk, flatChunk, 0, 0};
constexpr int64_t roundBytes[] = {flat, elements * 2}, roundOfChunk[] = {flatChunk, updateChunk * 2};
constexpr int64_t addBytes[] = {flat, flat, flat}, addOfChunk[] = {flatChunk, flatChunk, flatChunk};

constexpr stretto_kernel inRanges(stretto_kernel kernel, const int64_t *bytes, const int64_t *ofChunk) {
  kernel.buffer_bytes = bytes, kernel.chunk_rows = updateRows, kernel.chunk_bytes = ofChunk;
  return kernel;
}

// Rows of activations as a bulk tensor copy would see them.
constexpr stretto_tensor_map activationsMap = {1, actDtype, 2, {hidden, rows}, {sizeof(Act), hidden * sizeof(Act)}, {8, 16}, 32};
constexpr stretto_kernel withMap(stretto_kernel kernel, const stretto_tensor_map &map) {
  kernel.maps = &map, kernel.map_count = cuda;
  return kernel;
}

constexpr stretto_kernel inClusters(stretto_kernel kernel, int64_t blocks) {
  kernel.cluster = cuda ? blocks : 0;
  return kernel;
}

// A kernel for the CPU; of a program for CUDA it has a place in the device code, too, and `shared` bytes of dynamic
// shared memory. See stretto_kernel.
constexpr stretto_kernel cpuKernel(const char *name, const char *location, const char *group, stretto_kernel_fn function,
                                   int64_t chunks, int64_t buffers, int64_t scratch, int64_t moved, int64_t shared = 0) {
  return {name,  location, group,     function,        chunks,      buffers,      scratch,
          moved, 0,        cuda ? name : nullptr, {cuda ? chunks : 0, cuda}, cuda ? 32 : 0, 0, 0, cuda ? shared : 0, 0, 0, nullptr, 0, nullptr, nullptr, 0};
}
const stretto_kernel kernels[KernelCount] = {
    withMap(cpuKernel("tanh", "fake.stretto:3:5", "rowwise", tanhForward, rowChunks, 2, 0, 2 * rows * hidden * size), activationsMap),
    cpuKernel("tanh.grad", "fake.stretto:3:5", "rowwise", tanhBackward, rowChunks, 2, 0, 3 * rows * hidden * size, 200000),
    inClusters(cpuKernel("loss", "fake.stretto:4:1", "loss", crossEntropy, rowChunks, 5, vocabulary * size, 2 * rows * vocabulary * size), 2),
    cpuKernel("loss.sum", "fake.stretto:4:1", "loss", sumLoss, 1, 2, 0, rows * size),
    cpuKernel("predict", "fake.stretto:4:1", "loss", predict, rowChunks, 4, 0, rows * vocabulary * size),
    inRanges(cpuKernel("norm.squares", "", "optimizer", squares, updateChunks, 2, 0, elements * size), squaresBytes, squaresOfChunk),
    cpuKernel("norm", "", "optimizer", norm, 1, 2, 0, flatRows * size),
    inRanges(cpuKernel("adamw", "", "optimizer", adamw, updateChunks, 6, 0, 7 * elements * size), adamwBytes, adamwOfChunk),
    inRanges(cpuKernel("accumulate", "", "optimizer", addInto, updateChunks, 3, 0, 3 * elements * size), addBytes, addOfChunk),
    cpuKernel("take_accumulated", "", "optimizer", moveBack, updateChunks, 2, 0, 3 * elements * size),
    inRanges(cpuKernel("round", "", "optimizer", roundAll, updateChunks, 2, 0, 2 * elements * size), roundBytes, roundOfChunk),
    cpuKernel("embed", "fake.stretto:2:5", "embedding", embedRows, rowChunks, 3, 0, 2 * rows * width * size),
    cpuKernel("embed.grad", "fake.stretto:2:5", "embedding", embedGradient, vocabulary, 3, 0, rows * width * size),
};

constexpr stretto_output outputs = {0, 64, 128, 192, 192 + rows * size};
constexpr stretto_input inputs = {0, rows * 4, rows * 8, -1, 0, -1, 0, -1};

// What the kernel 'loss.sum' writes.
const stretto_result lossResult = {"cross_entropy", "fake.stretto:4:1", "loss.sum", 1, -1, 1, size, size, {1, 0, 0, 0}, 1, STRETTO_ARENA_OUTPUTS, dtype, 0};
const stretto_site lossSite = {&lossResult, 1};

stretto_buffer act(int64_t offset) { return {STRETTO_ARENA_ACTIVATIONS, 0, offset}; }
stretto_buffer in(int64_t offset) { return {STRETTO_ARENA_INPUTS, 0, offset}; }
stretto_buffer out(int64_t offset) { return {STRETTO_ARENA_OUTPUTS, 0, offset}; }
stretto_buffer param(int64_t element) { return {STRETTO_ARENA_PARAMETERS, 0, element * size}; }
// Weights as the last layer reads them.
stretto_buffer rounded(int64_t element) {
  return mixed ? stretto_buffer{STRETTO_ARENA_ROUNDED, 0, element * 2} : param(element);
}
stretto_buffer grad(int64_t element) { return {STRETTO_ARENA_GRADIENTS, 0, element * size}; }

void launch(stretto_context *context, Kernel kernel, std::initializer_list<stretto_buffer> buffers) {
  stretto_launch(context, &kernels[kernel], buffers.begin());
}

void matmul(stretto_context *context, int64_t m, int64_t n, int64_t k, bool ta, bool tb, stretto_buffer a,
             stretto_buffer b, stretto_buffer c, int32_t operands = dtype) {
  const stretto_matmul_args args{m, n, k, ta ? m : k, tb ? k : n, n, ta, tb, 0, operands, dtype, 0, a, b, c, {}, 0};
  stretto_matmul(context, &args);
}

// A device other than the CPU has embeddings as kernels.
void embed(stretto_context *context) {
  const stretto_embed_args embed{rows, width, vocabulary, in(inputs.tokens), param(embedAt), act(plan.x)};
  if (cuda)
    launch(context, Embed, {embed.tokens, embed.table, embed.out});
  else
    stretto_embed(context, &embed);
}

void embedBackward(stretto_context *context) {
  const stretto_embed_grad_args embed{rows, width, vocabulary, 0, 0, in(inputs.tokens), act(plan.dX), grad(embedAt)};
  if (cuda)
    launch(context, EmbedGradient, {embed.tokens, embed.d_out, embed.d_table});
  else
    stretto_embed_grad(context, &embed);
}

void forward(stretto_context *context) {
  stretto_await(context, 1);
  embed(context);
  matmul(context, rows, hidden, width, false, false, act(plan.x), param(w1At), act(plan.h));
  launch(context, TanhForward, {act(plan.h), act(plan.a)});
  stretto_await(context, 2);
  matmul(context, rows, vocabulary, hidden, false, false, act(plan.a), rounded(w2At), act(plan.logits), actDtype);
}

void gradients(stretto_context *context) {
  forward(context);
  launch(context, CrossEntropy,
         {act(plan.logits), in(inputs.targets), in(inputs.weights), act(plan.dLogits), act(plan.rowLoss)});
  stretto_at(context, &lossSite, -1);
  launch(context, SumLoss, {act(plan.rowLoss), out(outputs.loss)});
  matmul(context, hidden, vocabulary, rows, true, false, act(plan.a), act(plan.dLogits), grad(w2At), actDtype);
  stretto_ready(context, 1);
  matmul(context, rows, hidden, vocabulary, false, true, act(plan.dLogits), rounded(w2At), act(plan.dA), actDtype);
  launch(context, TanhBackward, {act(plan.a), act(plan.dA)});
  matmul(context, width, hidden, rows, true, false, act(plan.x), act(plan.dA), grad(w1At));
  matmul(context, rows, width, hidden, false, true, act(plan.dA), param(w1At), act(plan.dX));
  embedBackward(context);
  stretto_ready(context, 2);
}

void accumulate(stretto_context *context) {
  const stretto_buffer sum = {STRETTO_ARENA_ACCUMULATOR, 0, 0};
  launch(context, AddInto, {sum, grad(0), sum});
}
void takeAccumulated(stretto_context *context) {
  launch(context, MoveBack, {{STRETTO_ARENA_ACCUMULATOR, 0, 0}, grad(0)});
}

void roundParameters(stretto_context *context) {
  if (mixed)
    launch(context, Round, {param(0), rounded(0)});
}

void sumSquares(stretto_context *context) {
  launch(context, Squares, {grad(0), {STRETTO_ARENA_SQUARES, 0, 0}});
}
void takeNorm(stretto_context *context) {
  launch(context, Norm, {{STRETTO_ARENA_SQUARES, 0, 0}, out(outputs.grad_norm)});
}

void apply(stretto_context *context) {
  launch(context, AdamW,
         {param(0), grad(0), {STRETTO_ARENA_MOMENT1, 0, 0}, {STRETTO_ARENA_MOMENT2, 0, 0}, out(outputs.grad_norm),
          {STRETTO_ARENA_HYPER, 0, 0}});
  roundParameters(context);
}

void evaluate(stretto_context *context) {
  forward(context);
  launch(context, Predict, {act(plan.logits), in(inputs.targets), out(outputs.nll), out(outputs.predicted)});
}

const stretto_parameter parameters[] = {
    {"embed.weight", embedAt, {vocabulary, width, 0, 0}, 2, 1, STRETTO_INIT_NORMAL, 0, 0, 0.5, 1, 1, ""},
    {"hidden.weight", w1At, {width, hidden, 0, 0}, 2, 1, STRETTO_INIT_UNIFORM, 0, -0.3, 0.3, 1, 1, ""},
    {"head.weight", w2At, {hidden, vocabulary, 0, 0}, 2, 1, STRETTO_INIT_TRUNCATED_NORMAL, 0, 0.2, 2, 1, 1, ""},
};

// Rows that have gradients of the last layer alone, and the others.
constexpr int64_t headRow = (w2At + STRETTO_FLAT_COLUMNS - 1) / STRETTO_FLAT_COLUMNS;
const stretto_bucket buckets[] = {{headRow, flatRows - headRow}, {0, headRow}};

const stretto_image images[] = {{STRETTO_IMAGE_CUBIN, 0, "sm_90a", "code of sm_90a", 15}, {STRETTO_IMAGE_PTX, 0, "sm_80", "text of sm_80", 14}};

} // namespace

#ifndef FAKE_STAGE
#define FAKE_STAGE ""
#endif
#ifndef FAKE_SPEC_HASH
#define FAKE_SPEC_HASH "000102030405060708090a0b0c0d0e0f"
#endif
#ifndef FAKE_TARGET
#define FAKE_TARGET "cpu"
#endif
#ifndef FAKE_ACTIVATIONS
#define FAKE_ACTIVATIONS plan.bytes
#endif

extern "C" const stretto_program stretto_compiled_program = {
    STRETTO_ABI_VERSION,
    sizeof(stretto_program),
    "fake",
    "model fake() { }\n",
    FAKE_STAGE,
    FAKE_SPEC_HASH,
    "{}",
    "{}",
    FAKE_TARGET,
    "x86-64",
    "",
    "written by hand",
    dtype,
    actDtype,
    batch,
    length,
    vocabulary,
    {FAKE_ACTIVATIONS, elements *size, elements *size, elements *size, elements *size, elements *size,
     rows * 8 + rows * size, outputs.predicted + rows * 4, 0, STRETTO_HYPER_COUNT *size, mixed ? elements * 2 : 0, 0,
     flatRows *size},
    plan.gradients,
    (FAKE_ACTIVATIONS)-elements * size,
    elements,
    0, // all weights have the learning rate and the weight decay of the run
    2.0 * rows * hidden * (width + vocabulary),
    4.0 * rows * hidden * (width + vocabulary),
    0, // its loss is the negative log-likelihood
    0,
    "",
    "",
    parameters,
    3,
    nullptr,
    0,
    kernels,
    KernelCount,
    images,
    2,
    inputs,
    outputs,
    buckets,
    2,
    gradients,
    accumulate,
    takeAccumulated,
    sumSquares,
    takeNorm,
    apply,
    evaluate,
    roundParameters,
    &kernels[AddInto],
    {}, // it generates no text
    {},
};
