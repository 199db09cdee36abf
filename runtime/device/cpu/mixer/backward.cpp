// Gradients of linear mixers. A piece of work is one head of one document: it walks over segments from the last to the
// first, computes the states of a segment's chunks once more, and goes back over the chunks with the gradient of the
// state. Gradients of the decay leave out the pairs of a row with itself, which cancel.
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/mixer/chunk.h"
#include "runtime/device/cpu/mixer/narrow.h"

#include "runtime/abi/abi.h"
#include "runtime/core/error.h"
#include "runtime/core/threads.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace stretto::runtime::mixer {
namespace {

template <typename Real> using In = Matrix<const Real>;
template <typename Real> using Out = Matrix<Real>;

// The tokens of a chunk, and the state before it.
template <typename Real> struct Place {
  // The first chunk of a segment reads the state where the forward left it.
  Place(const Form &form, bool isFirst, Scratch &scratch)
      : chunk(form, scratch), own(isFirst ? nullptr : scratch.take<Real>(form.keys * form.values)) {}
  Chunk<Real> chunk;
  Real *const own;             // memory for the state
  const Real *state = nullptr; // null: zero
  int64_t token = 0, tokens = 0;
};

// The memory of a piece of work: the chunks of a segment, the gradient of the state, and gradients of one chunk.
template <typename Real> struct Memory {
  Memory(const Form &form, int64_t places, Scratch &scratch) {
    for (int64_t i = 0; i < places; ++i)
      chunks.emplace_back(form, i == 0, scratch);
    auto take = [&](int64_t rows, int64_t columns) { return Out<Real>{scratch.take<Real>(rows * columns), columns}; };
    const int64_t readers = form.erases ? 2 : 1; // of the state: q, r
    dState = take(form.keys, form.values);
    values = take(chunkRows, form.values);
    du = take(chunkRows, form.values);
    dy = take(chunkRows, form.values);
    da = take(chunkRows, chunkRows);
    dm = take(chunkRows, chunkRows);
    dq = take(readers * chunkRows, form.keys);
    dk = take(chunkRows, form.keys);
    ofPairs = take(chunkRows, form.keys);
    dGates = take(chunkRows, form.keys);
    ofTotal = scratch.take<Real>(form.keys);
    uTransposed = take(form.values, chunkRows);
    readTransposed = take(form.values, readers * chunkRows);
    ofKeys = take(form.keys, readers * chunkRows);
  }
  std::vector<Place<Real>> chunks;
  Out<Real> dState, values, du, dy, da, dm, dk, ofPairs, dGates;
  Out<Real> dq;  // behind its rows those of dr
  Real *ofTotal; // what the decay of the whole chunk is multiplied by in the loss, for each row of the state
  // Matmuls take right operands as they lie: u^T, [grad; du]^T, and transposes of results.
  Out<Real> uTransposed, readTransposed, ofKeys;
};

template <typename Real> class Reverse {
public:
  Reverse(const Backward &op, const Document &document, int64_t headNumber, char *scratchBegin)
      : op(op), document(document), scratch(scratchBegin), head(op, headNumber), form(head.form),
        memory(form, placesOf(op, form), scratch) {}

  // How many chunks a segment has.
  static int64_t placesOf(const Backward &op, const Form &form) {
    return (std::min(op.segment, op.length) + tokensOf(form) - 1) / tokensOf(form);
  }

  void run() {
    const int64_t first = document.first, end = first + document.length;
    bool isLast = true;
    for (int64_t until = end; until > first;) {
      const int64_t time = (until - 1) % op.length, begin = std::max(first, until - 1 - time % op.segment);
      runSegment(begin, until, isLast);
      until = begin;
      isLast = false;
    }
  }

private:
  static Left<Real> read(In<Real> matrix, Part part = Part::all) { return Head<Real>::read(matrix, part); }
  static Left<Real> transposed(In<Real> matrix, Part part = Part::all) { return Head<Real>::transposed(matrix, part); }

  void runSegment(int64_t begin, int64_t end, bool isLast) {
    int64_t count = 0;
    for (int64_t token = begin, next; token < end; token = next, ++count) {
      next = std::min(end, token + tokensOf(form) - token % op.length % tokensOf(form));
      forward(memory.chunks[count], count ? &memory.chunks[count - 1] : nullptr, token, next - token);
    }
    for (int64_t i = count - 1; i >= 0; --i) {
      backward(memory.chunks[i], isLast);
      isLast = false;
    }
  }

  const Real *stateBefore(int64_t token) const {
    return static_cast<const Real *>(op.states) + savedState(op, head.head, token) * form.keys * form.values;
  }

  // The state before the chunk, and all that its gradients need of the forward.
  void forward(Place<Real> &place, const Place<Real> *before, int64_t token, int64_t tokens) {
    place.token = token, place.tokens = tokens;
    place.state = token == document.first ? nullptr : before ? place.own : stateBefore(token);
    if (before)
      head.advance(before->chunk, before->state, place.own);
    head.prepare(place.chunk, token, tokens);
    head.solve(place.chunk, place.state, memory.values.data);
  }

  // `isLast`: no state goes on from here.
  void backward(Place<Real> &place, bool isLast) {
    const Chunk<Real> &chunk = place.chunk;
    loadGrad(place);
    valueGradients(chunk, isLast);
    pairGradients(chunk);
    stateGradients(place, isLast);
    if (form.byChannel)
      gradientsByChannel(chunk);
    else
      gradientsByHead(chunk);
    store(place);
  }

  void loadGrad(const Place<Real> &place) {
    const int64_t columns = form.values, column = head.head * columns;
    Real *const buffer = memory.values.data;
    grad = form.twoRows ? head.interleave(op.grad, place.token, place.tokens, column, columns, 1, buffer)
                        : readRows(op.grad, place.token, place.tokens, column, columns, buffer);
    dr = {memory.dq.row(place.chunk.rows), form.keys};
  }

  // du = a^T grad + kRest dState; dy, the gradient of what u is solved from, = inverse^T du.
  void valueGradients(const Chunk<Real> &chunk, bool isLast) {
    const int64_t rows = chunk.rows, columns = form.values;
    const Out<Real> du = form.erases ? memory.du : memory.dy;
    matmul(rows, columns, rows, transposed(chunk.a, Part::upper), grad, {}, du);
    if (!isLast)
      matmul(rows, columns, form.keys, read(chunk.kRest), memory.dState, {du}, du);
    if (form.erases)
      matmul(rows, columns, rows, transposed(chunk.inverse, Part::upper), memory.du, {}, memory.dy);
  }

  // da = lower(grad u^T), dm = -strict(dy u^T)
  void pairGradients(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, columns = form.values;
    const Out<Real> u{memory.uTransposed.data, rows};
    transposeRows(rows, columns, chunk.u, u);
    matmul(rows, rows, columns, read(grad), u, {}, memory.da, Part::lower);
    if (form.erases) {
      negate(memory.dy, memory.du, rows, columns); // from here on du is -dy
      matmul(rows, rows, columns, read(memory.du), u, {}, memory.dm, Part::lower);
    }
    if (!form.byHead)
      keepPairs(rows);
  }

  void keepPairs(int64_t rows) {
    keepLower(rows, /*strict=*/false, memory.da);
    if (form.erases)
      keepLower(rows, /*strict=*/true, memory.dm);
  }

  static void negate(Out<Real> from, Out<Real> to, int64_t rows, int64_t columns) {
    Real minus[chunkRows];
    std::fill_n(minus, rows, Real(-1));
    scaleRows(rows, columns, minus, from, to);
  }

  // What comes by the states before and behind the chunk: dq, dk, dr (without the decay of their rows), the gradient of
  // the decay of the chunk, and the gradient of the state before.
  void stateGradients(Place<Real> &place, bool isLast) {
    const Chunk<Real> &chunk = place.chunk;
    const int64_t rows = chunk.rows, keys = form.keys, columns = form.values;
    const bool isFirst = !place.state;
    std::fill_n(memory.ofTotal, keys, Real(0));
    if (isFirst)
      std::fill_n(memory.dq.data, (form.erases ? 2 : 1) * rows * keys, Real(0));
    else
      readState({place.state, columns}, rows);
    if (isLast) {
      std::fill_n(memory.dk.data, rows * keys, Real(0));
    } else {
      const Out<Real> dk{memory.ofKeys.data, rows};
      matmul(keys, rows, columns, read(memory.dState), {memory.uTransposed.data, rows}, {}, dk);
      transposeRows(keys, rows, dk, memory.dk);
      if (op.decay && !isFirst)
        addDots(keys, columns, Real(1), {place.state, columns}, memory.dState, memory.ofTotal);
    }
    if (isFirst)
      return;
    const Base<Real> behind{{isLast ? nullptr : memory.dState.data, columns}, op.decay ? chunk.total : nullptr};
    matmul(keys, columns, rows, transposed(chunk.qDecayed), grad, behind, memory.dState);
    if (form.erases)
      matmul(keys, columns, rows, transposed(chunk.rDecayed), memory.du, {memory.dState}, memory.dState);
  }

  // [dq; dr] = [grad; du] state^T, as the transpose of state [grad; du]^T.
  void readState(In<Real> state, int64_t rows) {
    const int64_t keys = form.keys, columns = form.values, readers = (form.erases ? 2 : 1) * rows;
    const Out<Real> right{memory.readTransposed.data, readers}, result{memory.ofKeys.data, readers};
    transposeRows(rows, columns, grad, right);
    if (form.erases)
      transposeRows(rows, columns, memory.du, {right.data + rows, readers});
    matmul(keys, readers, columns, read(state), right, {}, result);
    transposeRows(keys, readers, result, memory.dq);
  }

  // dq += da k, dk += da^T q + dm^T r, dr += dm k, after what comes by states has decayed; beta k is read with k, so
  // that dk gets beta dr.
  void gradientsByHead(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    if (form.byHead) {
      gatesByHead(chunk);
      multiplyLower(rows, /*strict=*/false, chunk.pairFactors, memory.da);
      if (form.erases)
        multiplyLower(rows, /*strict=*/true, chunk.erasePairFactors, memory.dm);
    }
    auto decayed = [&](In<Real> rows, const Real *factors) {
      return Base<Real>{rows, form.byHead ? factors : nullptr};
    };
    matmul(rows, keys, rows, read(memory.da, Part::lower), chunk.k, decayed(memory.dq, chunk.qFactors), memory.dq);
    matmul(rows, keys, rows, transposed(memory.da, Part::upper), chunk.q, decayed(memory.dk, chunk.kFactors),
           memory.dk);
    if (!form.erases)
      return;
    matmul(rows, keys, rows, transposed(memory.dm, Part::upper), chunk.r, {memory.dk}, memory.dk);
    matmul(rows, keys, rows, read(memory.dm, Part::lower), chunk.k, decayed(dr, chunk.rFactors), dr);
  }

  // From dq, dk and dr without what comes by pairs, and from the pairs themselves.
  void gatesByHead(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    Real *dGates = memory.dGates.data, ofErase[chunkRows] = {}, ofKeys[chunkRows] = {};
    std::fill_n(dGates, chunkRows, Real(0));
    addDots(rows, keys, Real(1), chunk.qDecayed, memory.dq, dGates);
    addDots(rows, keys, Real(1), chunk.kRest, memory.dk, ofKeys);
    addPairBalance(rows, memory.da, chunk.a, dGates);
    if (form.erases) {
      addDots(rows, keys, Real(1), chunk.rDecayed, dr, ofErase);
      addErasePairs(chunk, dGates, ofErase);
    }
    double sum = chunk.total[0] * std::accumulate(memory.ofTotal, memory.ofTotal + keys, Real(0));
    sum += std::accumulate(ofKeys, ofKeys + rows, Real(0));
    for (int64_t i = rows - 1; i >= 0; --i) {
      sum += static_cast<double>(dGates[i] + (ofErase[i] - ofKeys[i]));
      dGates[i] = static_cast<Real>(form.before ? sum - static_cast<double>(ofErase[i]) : sum);
    }
  }

  // Pairs of r and k: what r gets of them goes into `ofErase`, what k loses into dGates.
  void addErasePairs(const Chunk<Real> &chunk, Real *dGates, Real *ofErase) {
    for (int64_t i = 0; i < chunk.rows; ++i)
      for (int64_t j = 0; j < i; ++j) {
        const Real pair = memory.dm.row(i)[j] * chunk.m.row(i)[j];
        ofErase[i] += pair;
        dGates[j] -= pair;
      }
  }

  void gradientsByChannel(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    multiplyElements(1, keys, {memory.ofTotal, keys}, {chunk.total, keys}, {memory.ofTotal, keys});
    scaleAndSum(rows, keys, chunk.toEnd, chunk.k, memory.dk, memory.ofTotal);
    Real own[chunkRows]; // pairs of a row with itself come behind the gradient of the decay
    for (int64_t i = 0; i < rows; ++i)
      own[i] = std::exchange(memory.da.row(i)[i], Real(0));
    if (chunk.isWeak)
      pairsOfWeakDecay(chunk);
    else
      pairsByBlocks(chunk);
    channelGates(rows, keys, form.before, memory.ofTotal, chunk.q, chunk.k, chunk.r, memory.dq, memory.dk, dr,
                 memory.dGates);
    addScaledRows(rows, keys, own, chunk.k, memory.dq);
    addScaledRows(rows, keys, own, chunk.q, memory.dk);
  }

  void pairsOfWeakDecay(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    const Out<Real> sums = memory.ofPairs;
    matmul(rows, keys, rows, read(memory.da, Part::lower), chunk.kInverse, {memory.dq}, memory.dq);
    multiplyElements(rows, keys, memory.dq, chunk.fromBegin, memory.dq);
    matmul(rows, keys, rows, transposed(memory.da, Part::upper), chunk.qScaled, {}, sums);
    if (form.erases)
      matmul(rows, keys, rows, transposed(memory.dm, Part::upper), chunk.rScaled, {sums}, sums);
    addProducts(rows, keys, Real(1), sums, chunk.inverseDecay, memory.dk);
    if (!form.erases)
      return;
    matmul(rows, keys, rows, read(memory.dm, Part::lower), chunk.kInverse, {dr}, dr);
    multiplyElements(rows, keys, dr, chunk.rFromBegin, dr);
  }

  void pairsByBlocks(const Chunk<Real> &chunk) {
    multiplyElements(chunk.rows, form.keys, memory.dq, chunk.fromBegin, memory.dq);
    if (form.erases)
      multiplyElements(chunk.rows, form.keys, dr, chunk.rFromBegin, dr);
    for (int64_t begin = 0; begin < chunk.rows; begin += blockRows)
      pairsOfBlock(chunk, begin);
    if (chunk.rows > blockRows)
      pairsBetweenBlocks(chunk, chunk.rows - blockRows);
  }

  void pairsOfBlock(const Chunk<Real> &chunk, int64_t begin) {
    auto from = [&](Out<Real> matrix) { return Out<Real>{matrix.row(begin), matrix.stride}; };
    auto square = [&](Out<Real> matrix) { return In<Real>{matrix.row(begin) + begin, matrix.stride}; };
    blockPairGradients(chunk.pairBlock(form, begin), square(memory.da), form.erases ? square(memory.dm) : In<Real>(),
                       from(memory.dq), from(memory.dk), from(dr));
  }

  // Rows of the second block, `second` of them, with those of the first.
  void pairsBetweenBlocks(const Chunk<Real> &chunk, int64_t second) {
    const int64_t keys = form.keys, first = blockRows;
    const Out<Real> sums = memory.ofPairs;
    const In<Real> da{memory.da.row(first), memory.da.stride}, dm{memory.dm.row(first), memory.dm.stride};
    const In<Real> through{chunk.through.row(first), keys};
    matmul(second, keys, first, read(da), chunk.kBlock, {}, sums);
    addProducts(second, keys, Real(1), sums, through, {memory.dq.row(first), keys});
    matmul(first, keys, second, transposed(da), chunk.qBlock, {}, sums);
    if (form.erases)
      matmul(first, keys, second, transposed(dm), chunk.rBlock, {sums}, sums);
    addProducts(first, keys, Real(1), sums, chunk.rest, memory.dk);
    if (!form.erases)
      return;
    matmul(second, keys, first, read(dm), chunk.kBlock, {}, sums);
    const Out<Real> ofBlock{dr.row(first), keys};
    if (!form.before)
      return addProducts(second, keys, Real(1), sums, through, ofBlock);
    const Real one = 1;
    addScaledRows(1, keys, &one, sums, ofBlock);
    addProducts(second - 1, keys, Real(1), {sums.row(1), keys}, through, {ofBlock.row(1), keys});
  }

  void store(const Place<Real> &place) {
    const Chunk<Real> &chunk = place.chunk;
    const int64_t keys = form.keys, columns = form.values, step = form.rowsPerToken(), last = step - 1;
    const int64_t own = head.head * keys;
    auto put = [&](const Rows &rows, int64_t column, int64_t count, In<Real> from) {
      if (rows)
        storeRows<Real>(rows, place.token, place.tokens, column, count, from, step);
    };
    auto from = [](auto matrix, int64_t row) { return In<Real>{matrix.row(row), matrix.stride}; };
    auto target = [&](const Rows &rows, int64_t column, Out<Real> buffer) {
      return head.target(rows, place.token, column, buffer);
    };
    Real strengths[chunkRows] = {};
    if (op.dWrite || op.dBeta)
      addDots(chunk.rows, columns, Real(1), chunk.v, memory.dy, strengths);
    if (op.beta) {
      addDots(chunk.rows, keys, Real(1), chunk.k, dr, strengths);
      addScaledRows(chunk.rows, keys, chunk.w, dr, memory.dk);
    }
    const Out<Real> dv = chunk.writes ? target(op.dv, head.head * columns, memory.dy) : memory.dy;
    if (chunk.writes)
      scaleRows(chunk.rows, columns, chunk.w, memory.dy, dv);
    const Out<Real> dq = target(op.dq, own, memory.dq);
    scaleRows(chunk.rows, keys, head.scales, memory.dq, dq);
    put(op.dq, own, keys, from(dq, last));
    put(op.dk, own, keys, from(memory.dk, last));
    put(op.dv, head.head * columns, columns, from(dv, last));
    put(op.dErase, own, keys, dr);
    put(op.dEraseWrite, own, keys, memory.dk);
    put(op.dWrite, head.head, 1, {strengths + last, 1});
    put(op.dBeta, head.head, 1, {strengths + last, 1});
    if (form.byHead)
      put(op.dDecay, head.head, 1, {memory.dGates.data, 1});
    else
      put(op.dDecay, own, keys, memory.dGates);
  }

  const Backward &op;
  const Document &document;
  Scratch scratch;
  const Head<Real> head;
  const Form &form;
  Memory<Real> memory;
  In<Real> grad; // of the rows of a chunk of `out`
  Out<Real> dr;
};

template <typename Real> void runAll(const Backward &op, char *scratch) {
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  const int64_t bytes = scratchBytes(op);
  parallelFor(static_cast<int64_t>(documents.size()) * op.heads, [&](int64_t piece, int thread) {
    const FlushToZero guard;
    Reverse<Real>(op, documents[piece / op.heads], piece % op.heads, scratch + thread * bytes).run();
  });
}

template <typename Real> int64_t memoryBytes(const Backward &op) {
  Scratch scratch(nullptr);
  const Form form(op);
  Memory<Real>(form, Reverse<Real>::placesOf(op, form), scratch);
  return scratch.taken();
}

} // namespace

int64_t scratchBytes(const Backward &op) {
  if (isNarrow(op))
    return narrowBytes(op);
  return op.real == STRETTO_F64 ? memoryBytes<double>(op) : memoryBytes<float>(op);
}

void run(const Backward &op, char *scratch) {
  if (!canAddUp(op))
    throw Error(
        fmt::format("gradients of queries and keys must have a part for each head, or be sums over 16 narrow heads, "
                    "but got sums over {}",
                    op.headsOfPart));
  if (isNarrow(op))
    return runNarrow(op, scratch);
  op.real == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}

} // namespace stretto::runtime::mixer
