// Gradients of linear mixers. A piece of work is one head of one document: it walks over segments from the last to the
// first, computes the states of a segment's chunks once more, and goes back over the chunks with the gradient of the
// state. Gradients of the decay leave out the pairs of a row with itself, which cancel.
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/mixer/chunk.h"

#include "runtime/abi/abi.h"
#include "runtime/core/threads.h"

#include <algorithm>
#include <utility>

namespace stretto::runtime::mixer {
namespace {

template <typename Real> using In = Matrix<const Real>;
template <typename Real> using Out = Matrix<Real>;

// The tokens of a chunk, and the state before it.
template <typename Real> struct Place {
  explicit Place(const Form &form, Scratch &scratch)
      : chunk(form, scratch), state(scratch.take<Real>(form.keys * form.values)) {}
  Chunk<Real> chunk;
  Real *state;
  int64_t token = 0, tokens = 0;
  bool isZero = false; // the state is zero
};

// The memory of a piece of work: the chunks of a segment, the gradient of the state, and gradients of one chunk.
template <typename Real> struct Memory {
  Memory(const Form &form, int64_t places, Scratch &scratch) {
    for (int64_t i = 0; i < places; ++i)
      chunks.emplace_back(form, scratch);
    auto take = [&](int64_t rows, int64_t columns) { return Out<Real>{scratch.take<Real>(rows * columns), columns}; };
    dState = take(form.keys, form.values);
    values = take(chunkRows, form.values);
    grad = take(chunkRows, form.values);
    du = take(chunkRows, form.values);
    dy = take(chunkRows, form.values);
    da = take(chunkRows, chunkRows);
    dm = take(chunkRows, chunkRows);
    pairs = take(chunkRows, chunkRows);
    dq = take(chunkRows, form.keys);
    dk = take(chunkRows, form.keys);
    dr = take(chunkRows, form.keys);
    ofPairs = take(chunkRows, form.keys);
    dGates = take(chunkRows, form.keys);
    ofTotal = scratch.take<Real>(form.keys);
  }
  std::vector<Place<Real>> chunks;
  Out<Real> dState, values, grad, du, dy, da, dm, pairs, dq, dk, dr, ofPairs, dGates;
  Real *ofTotal; // what the decay of the whole chunk is multiplied by in the loss, for each row of the state
};

template <typename Real> class Reverse {
public:
  Reverse(const Backward &op, const Document &document, int64_t headNumber, char *scratchBegin)
      : op(op), document(document), scratch(scratchBegin), head(op, headNumber, scratch), form(head.form),
        memory(form, placesOf(op, form), scratch) {}

  // How many chunks a segment has.
  static int64_t placesOf(const Backward &op, const Form &form) {
    return (std::min(op.segment, op.length) + form.tokens() - 1) / form.tokens();
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
  static Operand<Real> read(In<Real> matrix) { return Head<Real>::read(matrix); }
  static Operand<Real> transposed(In<Real> matrix) { return Head<Real>::transposed(matrix); }
  void multiply(Out<Real> c, int64_t rows, int64_t columns, int64_t inner, Operand<Real> a, Operand<Real> b,
                bool adds = false) const {
    head.multiplyInto(c, rows, columns, inner, a, b, adds);
  }

  void runSegment(int64_t begin, int64_t end, bool isLast) {
    int64_t count = 0;
    for (int64_t token = begin, next; token < end; token = next, ++count) {
      next = std::min(end, token + form.tokens() - token % op.length % form.tokens());
      forward(memory.chunks[count], count ? &memory.chunks[count - 1] : nullptr, token, next - token);
    }
    for (int64_t i = count - 1; i >= 0; --i) {
      backward(memory.chunks[i], isLast);
      isLast = false;
    }
  }

  // The state before the chunk, and all that its gradients need of the forward.
  void forward(Place<Real> &place, const Place<Real> *before, int64_t token, int64_t tokens) {
    const int64_t size = form.keys * form.values, time = token % op.length;
    place.token = token, place.tokens = tokens;
    place.isZero = token == document.first;
    if (before) {
      head.advance(before->chunk, before->isZero ? nullptr : before->state, place.state);
    } else if (!place.isZero) {
      const int64_t segments = (op.length + op.segment - 1) / op.segment, sequence = token / op.length;
      const int64_t number = (sequence * op.heads + head.head) * segments + time / op.segment;
      std::copy_n(static_cast<const Real *>(op.states) + number * size, size, place.state);
    }
    head.prepare(place.chunk, token, tokens);
    head.solve(place.chunk, place.isZero ? nullptr : place.state, memory.values.data);
  }

  // `isLast`: no state goes on from here.
  void backward(Place<Real> &place, bool isLast) {
    const Chunk<Real> &chunk = place.chunk;
    loadGrad(place);
    valueGradients(chunk, isLast);
    pairProducts(chunk);
    stateProducts(place, isLast);
    if (form.byChannel)
      gradientsByChannel(chunk);
    else
      gradientsByHead(chunk);
    store(place);
  }

  // The gradient of the output, times the scale.
  void loadGrad(const Place<Real> &place) {
    const int64_t columns = form.values, step = form.rowsPerToken(), rows = place.chunk.rows;
    Real scale[chunkRows];
    std::fill_n(scale, rows, static_cast<Real>(op.scale));
    if (step > 1)
      std::fill_n(memory.grad.data, rows * columns, Real(0));
    for (int64_t i = 0; i < place.tokens; ++i) {
      const In<Real> row = head.rowsOf(op.grad, place.token + i, 1, head.head * columns, columns, memory.values.data);
      scaleRows(1, columns, scale, row, {memory.grad.row(i * step + step - 1), columns});
    }
  }

  // du = a^T grad + kRest dState; dy, the gradient of what u is solved from, = inverse^T du.
  void valueGradients(const Chunk<Real> &chunk, bool isLast) {
    const int64_t rows = chunk.rows, columns = form.values;
    const Out<Real> du = form.erases ? memory.du : memory.dy;
    multiply(du, rows, columns, rows, transposed(chunk.a), read(memory.grad));
    if (!isLast)
      multiply(du, rows, columns, form.keys, read(chunk.kRest), read(memory.dState), true);
    if (form.erases)
      multiply(memory.dy, rows, columns, rows, transposed(chunk.inverse), read(memory.du));
  }

  // da = lower(grad u^T), dm = -strict(dy u^T)
  void pairProducts(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, columns = form.values;
    multiply(memory.da, rows, rows, columns, read(memory.grad), transposed(chunk.u));
    keepLower(rows, /*strict=*/false, memory.da);
    if (!form.erases)
      return;
    negate(memory.dy, memory.du, rows, columns); // from here on du is -dy
    multiply(memory.dm, rows, rows, columns, read(memory.du), transposed(chunk.u));
    keepLower(rows, /*strict=*/true, memory.dm);
  }

  static void negate(Out<Real> from, Out<Real> to, int64_t rows, int64_t columns) {
    Real minus[chunkRows];
    std::fill_n(minus, rows, Real(-1));
    scaleRows(rows, columns, minus, from, to);
  }

  // What comes by the states before and behind the chunk: dq, dk, dr (without the decay of their rows), the gradient of
  // the decay of the chunk, and the gradient of the state before.
  void stateProducts(Place<Real> &place, bool isLast) {
    const Chunk<Real> &chunk = place.chunk;
    const int64_t rows = chunk.rows, keys = form.keys, columns = form.values;
    const In<Real> state{place.state, columns};
    const bool isFirst = place.isZero;
    clearUnless(!isFirst, memory.dq, rows);
    clearUnless(!isFirst || !form.erases, memory.dr, rows);
    clearUnless(!isLast, memory.dk, rows);
    std::fill_n(memory.ofTotal, keys, Real(0));
    if (!isFirst) {
      multiply(memory.dq, rows, keys, columns, read(memory.grad), transposed(state));
      if (form.erases)
        multiply(memory.dr, rows, keys, columns, read(memory.du), transposed(state));
    }
    if (!isLast) {
      multiply(memory.dk, rows, keys, columns, read(chunk.u), transposed(memory.dState));
      if (op.decay && !isFirst)
        dotsAndScale(keys, columns, chunk.total, state, memory.dState, memory.ofTotal);
    }
    if (isFirst)
      return;
    multiply(memory.dState, keys, columns, rows, transposed(chunk.qDecayed), read(memory.grad), !isLast);
    if (form.erases)
      multiply(memory.dState, keys, columns, rows, transposed(chunk.rDecayed), read(memory.du), true);
  }

  void clearUnless(bool isWritten, Out<Real> matrix, int64_t rows) {
    if (!isWritten)
      std::fill_n(matrix.data, rows * matrix.stride, Real(0));
  }

  void gradientsByHead(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    Real *dGates = memory.dGates.data, ofErase[chunkRows] = {};
    std::fill_n(dGates, chunkRows, Real(0));
    if (form.byHead) {
      scaleRows(rows, keys, chunk.qFactors, memory.dq, memory.dq);
      scaleRows(rows, keys, chunk.kFactors, memory.dk, memory.dk);
      addDots(rows, keys, Real(1), chunk.q, memory.dq, dGates);
      if (form.erases) {
        scaleRows(rows, keys, chunk.rFactors, memory.dr, memory.dr);
        addDots(rows, keys, Real(1), chunk.r, memory.dr, ofErase);
      }
      Real ofKeys[chunkRows] = {}, whole = 0;
      addDots(rows, keys, Real(1), chunk.k, memory.dk, ofKeys);
      for (int64_t d = 0; d < keys; ++d)
        whole += memory.ofTotal[d];
      whole *= chunk.total[0];
      addPairBalance(rows, memory.da, chunk.a, dGates);
      if (form.erases)
        addErasePairs(chunk, dGates, ofErase);
      for (int64_t i = 0; i < rows; ++i) {
        dGates[i] += ofErase[i] - ofKeys[i];
        whole += ofKeys[i];
      }
      double sum = static_cast<double>(whole);
      for (int64_t i = rows - 1; i >= 0; --i) {
        sum += static_cast<double>(dGates[i]);
        dGates[i] = static_cast<Real>(form.before ? sum - static_cast<double>(ofErase[i]) : sum);
      }
      multiplyElements(rows, rows, memory.da, chunk.pairFactors, memory.da);
      if (form.erases)
        multiplyElements(rows, rows, memory.dm, chunk.erasePairFactors, memory.dm);
    }
    pairGradients(rows, memory.da, memory.dm, chunk.q, chunk.k, chunk.r, memory.dq, memory.dk, memory.dr);
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

  // dq += da k, dk += da^T q + dm^T r, dr += dm k
  void pairGradients(int64_t rows, In<Real> da, In<Real> dm, In<Real> q, In<Real> k, In<Real> r, Out<Real> dq,
                     Out<Real> dk, Out<Real> dr) {
    const int64_t keys = form.keys;
    multiply(dq, rows, keys, rows, read(da), read(k), true);
    multiply(dk, rows, keys, rows, transposed(da), read(q), true);
    if (!form.erases)
      return;
    multiply(dk, rows, keys, rows, transposed(dm), read(r), true);
    multiply(dr, rows, keys, rows, read(dm), read(k), true);
  }

  void gradientsByChannel(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    multiplyElements(rows, keys, memory.dq, chunk.fromBegin, memory.dq);
    multiplyElements(rows, keys, memory.dk, chunk.toEnd, memory.dk);
    if (form.erases)
      multiplyElements(rows, keys, memory.dr, chunk.rFromBegin, memory.dr);
    multiplyElements(1, keys, {memory.ofTotal, keys}, {chunk.total, keys}, {memory.ofTotal, keys});
    for (int64_t i = 0; i < rows; ++i)
      addProducts(1, keys, Real(1), {chunk.k.row(i), keys}, {memory.dk.row(i), keys}, {memory.ofTotal, keys});
    Real own[chunkRows]; // pairs of a row with itself come behind the gradient of the decay
    for (int64_t i = 0; i < rows; ++i)
      own[i] = std::exchange(memory.da.row(i)[i], Real(0));
    if (chunk.isWeak)
      pairsOfWeakDecay(chunk);
    else
      pairsByBlocks(chunk);
    gatesByChannel(chunk);
    for (int64_t i = 0; i < rows; ++i) {
      const Real pair = own[i];
      addScaledRows(1, keys, &pair, {chunk.k.row(i), keys}, {memory.dq.row(i), keys});
      addScaledRows(1, keys, &pair, {chunk.q.row(i), keys}, {memory.dk.row(i), keys});
    }
  }

  void pairsOfWeakDecay(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    const Out<Real> sums = memory.ofPairs;
    multiply(sums, rows, keys, rows, read(memory.da), read(chunk.kInverse));
    addProducts(rows, keys, Real(1), sums, chunk.fromBegin, memory.dq);
    multiply(sums, rows, keys, rows, transposed(memory.da), read(chunk.qScaled));
    if (form.erases)
      multiply(sums, rows, keys, rows, transposed(memory.dm), read(chunk.rScaled), true);
    addProducts(rows, keys, Real(1), sums, chunk.inverseDecay, memory.dk);
    if (!form.erases)
      return;
    multiply(sums, rows, keys, rows, read(memory.dm), read(chunk.kInverse));
    addProducts(rows, keys, Real(1), sums, chunk.rFromBegin, memory.dr);
  }

  void pairsByBlocks(const Chunk<Real> &chunk) {
    for (int64_t begin = 0; begin < chunk.rows; begin += blockRows)
      pairsOfBlock(chunk, begin, std::min(blockRows, chunk.rows - begin));
    if (chunk.rows > blockRows)
      pairsBetweenBlocks(chunk, chunk.rows - blockRows);
  }

  void pairsOfBlock(const Chunk<Real> &chunk, int64_t begin, int64_t rows) {
    auto from = [&](auto matrix) { return decltype(matrix){matrix.row(begin), matrix.stride}; };
    auto square = [&](Out<Real> matrix) { return In<Real>{matrix.row(begin) + begin, matrix.stride}; };
    blockPairGradients(rows, form.keys, form.before, from(chunk.kept), from(chunk.q), from(chunk.k),
                       form.erases ? from(chunk.r) : In<Real>(), square(memory.da),
                       form.erases ? square(memory.dm) : In<Real>(), from(memory.dq), from(memory.dk), from(memory.dr));
  }

  // Rows of the second block, `second` of them, with those of the first.
  void pairsBetweenBlocks(const Chunk<Real> &chunk, int64_t second) {
    const int64_t keys = form.keys, first = blockRows;
    const Out<Real> sums = memory.ofPairs;
    const In<Real> da{memory.da.row(first), memory.da.stride}, dm{memory.dm.row(first), memory.dm.stride};
    const In<Real> through{chunk.through.row(first), keys};
    multiply(sums, second, keys, first, read(da), read(chunk.kBlock));
    addProducts(second, keys, Real(1), sums, through, {memory.dq.row(first), keys});
    multiply(sums, first, keys, second, transposed(da), read(chunk.qBlock));
    if (form.erases)
      multiply(sums, first, keys, second, transposed(dm), read(chunk.rBlock), true);
    addProducts(first, keys, Real(1), sums, chunk.rest, memory.dk);
    if (!form.erases)
      return;
    multiply(sums, second, keys, first, read(dm), read(chunk.kBlock));
    const Out<Real> dr{memory.dr.row(first), keys};
    if (!form.before)
      return addProducts(second, keys, Real(1), sums, through, dr);
    const Real one = 1;
    addScaledRows(1, keys, &one, sums, dr);
    addProducts(second - 1, keys, Real(1), {sums.row(1), keys}, through, {dr.row(1), keys});
  }

  void gatesByChannel(const Chunk<Real> &chunk) {
    const int64_t rows = chunk.rows, keys = form.keys;
    multiplyElements(rows, keys, chunk.q, memory.dq, memory.dGates);
    addProducts(rows, keys, Real(-1), chunk.k, memory.dk, memory.dGates);
    if (form.erases)
      addProducts(rows, keys, Real(1), chunk.r, memory.dr, memory.dGates);
    const Real one = 1;
    addScaledRows(1, keys, &one, {memory.ofTotal, keys}, {memory.dGates.row(rows - 1), keys});
    sumBackwards(rows, keys, memory.dGates);
    if (form.before)
      addProducts(rows, keys, Real(-1), chunk.r, memory.dr, memory.dGates);
  }

  void store(const Place<Real> &place) {
    const Chunk<Real> &chunk = place.chunk;
    const int64_t keys = form.keys, columns = form.values, step = form.rowsPerToken(), last = step - 1;
    const int64_t own = head.head * keys;
    auto put = [&](const Rows &rows, int64_t column, int64_t count, In<Real> from) {
      if (rows)
        Head<Real>::storeRows(rows, place.token, place.tokens, column, count, from, step);
    };
    auto from = [](auto matrix, int64_t row) { return In<Real>{matrix.row(row), matrix.stride}; };
    Real strengths[chunkRows] = {};
    if (op.dWrite || op.dBeta)
      addDots(chunk.rows, columns, Real(1), chunk.v, memory.dy, strengths);
    if (op.beta) {
      addDots(chunk.rows, keys, Real(1), chunk.k, memory.dr, strengths);
      addScaledRows(chunk.rows, keys, chunk.w, memory.dr, memory.dk);
    }
    if (chunk.writes)
      scaleRows(chunk.rows, columns, chunk.w, memory.dy, memory.dy);
    put(op.dq, own, keys, from(memory.dq, last));
    put(op.dk, own, keys, from(memory.dk, last));
    put(op.dv, head.head * columns, columns, from(memory.dy, last));
    put(op.dErase, own, keys, memory.dr);
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
  const Form form = Head<Real>(op, 0, scratch).form;
  Memory<Real>(form, Reverse<Real>::placesOf(op, form), scratch);
  return scratch.taken();
}

} // namespace

int64_t scratchBytes(const Backward &op) {
  return op.real == STRETTO_F64 ? memoryBytes<double>(op) : memoryBytes<float>(op);
}

void run(const Backward &op, char *scratch) {
  op.real == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}

} // namespace stretto::runtime::mixer
