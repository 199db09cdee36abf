// Linear mixers forward, and a few tokens on from a kept state.
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/mixer/chunk.h"
#include "runtime/device/cpu/mixer/narrow.h"

#include "runtime/abi/abi.h"
#include "runtime/core/threads.h"

#include <algorithm>

namespace stretto::runtime::mixer {
namespace {

// The memory of a piece of work.
template <typename Real> struct Memory {
  Memory(const Form &form, Scratch &scratch)
      : chunk(form, scratch), state(scratch.take<Real>(form.keys * form.values)),
        out(scratch.take<Real>(chunkRows * form.values)) {}
  Chunk<Real> chunk;
  Real *state;
  Real *out; // [rows, values]; also for what is solved for u
};

// out = qDecayed S + a u
template <typename Real>
void writeOut(const Head<Real> &head, Memory<Real> &memory, const Rows &out, int64_t token, int64_t tokens,
              const Real *state) {
  const Chunk<Real> &chunk = memory.chunk;
  const int64_t columns = head.form.values, rows = chunk.rows, column = head.head * columns;
  const int64_t step = head.form.rowsPerToken();
  const Matrix<Real> to = head.target(out, token, column, {memory.out, columns});
  if (state)
    matmul(rows, columns, head.form.keys, head.read(chunk.qDecayed), {state, columns}, {}, to);
  matmul(rows, columns, rows, head.read(chunk.a, Part::lower), chunk.u, {state ? to : Matrix<Real>()}, to);
  storeRows<Real>(out, token, tokens, column, columns, {to.row(step - 1), to.stride}, step);
}

// One chunk, from the state before it (null: zero) to that behind it (null: nobody reads it), which may lie in the same
// place.
template <typename Real>
void runChunk(const Head<Real> &head, Memory<Real> &memory, const Rows &out, int64_t token, int64_t tokens,
              const Real *state, Real *next) {
  head.prepare(memory.chunk, token, tokens);
  head.solve(memory.chunk, state, memory.out);
  writeOut<Real>(head, memory, out, token, tokens, state);
  if (next)
    head.advance(memory.chunk, state, next);
}

template <typename Real>
void runDocument(const Forward &op, const Document &document, int64_t headNumber, char *scratchBegin) {
  const FlushToZero guard;
  Scratch scratch(scratchBegin);
  const Head<Real> head(op, headNumber);
  Memory<Real> memory(head.form, scratch);
  const int64_t size = head.form.keys * head.form.values, end = document.first + document.length;
  // Where the state before a token is to be found later; null: nowhere.
  auto slotOf = [&](int64_t token) -> Real * {
    const bool isSaved = op.states && token % op.length % op.segment == 0;
    return isSaved ? static_cast<Real *>(op.states) + savedState(op, headNumber, token) * size : nullptr;
  };
  if (Real *slot = slotOf(document.first))
    std::fill_n(slot, size, Real(0));
  const Real *state = nullptr;
  for (int64_t token = document.first, next; token < end; token = next) {
    next = std::min(end, token + tokensOf(head.form) - token % op.length % tokensOf(head.form)); // as the backward does
    Real *slot = next < end ? slotOf(next) : nullptr;
    Real *behind = next == end ? nullptr : slot ? slot : memory.state;
    runChunk(head, memory, op.out, token, next - token, state, behind);
    state = behind;
  }
}

template <typename Real> void runAll(const Forward &op, char *scratch) {
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  const int64_t bytes = scratchBytes(op);
  parallelFor(static_cast<int64_t>(documents.size()) * op.heads, [&](int64_t piece, int thread) {
    runDocument<Real>(op, documents[piece / op.heads], piece % op.heads, scratch + thread * bytes);
  });
}

template <typename Real> void runStep(const Step &op, int64_t sequence, int64_t headNumber, char *scratchBegin) {
  const FlushToZero guard;
  Scratch scratch(scratchBegin);
  const Head<Real> head(op, headNumber);
  Memory<Real> memory(head.form, scratch);
  const int64_t first = sequence * op.length, valid = std::clamp<int64_t>(op.counts[sequence], 0, op.length);
  const int64_t columns = head.form.values;
  Real *state = static_cast<Real *>(op.state) + (sequence * op.heads + headNumber) * head.form.keys * columns;
  const bool isZero = valid > 0 && op.positions[first] == 0;
  for (int64_t at = 0, next; at < valid; at = next) {
    next = std::min(valid, at + tokensOf(head.form));
    runChunk(head, memory, op.out, first + at, next - at, at == 0 && isZero ? nullptr : state, state);
  }
  std::fill_n(memory.out, columns, Real(0));
  storeRows<Real>(op.out, first + valid, op.length - valid, headNumber * columns, columns, {memory.out, 0}, 1);
}

template <typename Real> void runAll(const Step &op, char *scratch) {
  const int64_t bytes = scratchBytes(op);
  parallelFor(op.batch * op.heads, [&](int64_t piece, int thread) {
    runStep<Real>(op, piece / op.heads, piece % op.heads, scratch + thread * bytes);
  });
}

template <typename Real> int64_t memoryBytes(const Operands &op) {
  Scratch scratch(nullptr);
  Memory<Real>(Form(op), scratch);
  return scratch.taken();
}

int64_t bytesOf(const Operands &op) {
  return op.real == STRETTO_F64 ? memoryBytes<double>(op) : memoryBytes<float>(op);
}

} // namespace

int64_t scratchBytes(const Forward &op) { return isNarrow(op) ? narrowBytes(op) : bytesOf(op); }
int64_t scratchBytes(const Step &op) { return isNarrow(op) ? narrowBytes(op) : bytesOf(op); }

void run(const Forward &op, char *scratch) {
  if (isNarrow(op))
    return runNarrow(op, scratch);
  op.real == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}
void run(const Step &op, char *scratch) {
  if (isNarrow(op))
    return runNarrow(op, scratch);
  op.real == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}

} // namespace stretto::runtime::mixer
