// Flash attention (Dao et al., arXiv 2205.14135) over blocks of queries and panels of keys. A block of scores is a
// matmul by MKL on one thread; under a causal mask only keys up to the end of the block take part. Who does
// which block never changes a bit: blocks of queries are whole in the forward; in the backward, one thread goes
// through all queries of a head of keys, so that its gradients are summed in one order. Documents that share a row of
// tokens are worked on as if each had a row of its own: nothing is computed that a mask would hide, and the bits are
// those of the document alone.
#include "runtime/device/cpu/attention.h"

#include "runtime/core/distance.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/device/cpu/bf16.h"
#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/device/cpu/score_terms.h"
#include "runtime/device/cpu/sinks.h"
#include "runtime/device/cpu/softmax_rows.h"

#include <algorithm>
#include <vector>

namespace stretto::runtime {
namespace {

constexpr int64_t blockRows = 32;  // queries worked on together
constexpr int64_t panelKeys = 512; // keys whose scores are held at once; a multiple of blockRows and rowMultiple

// Scores of a block of queries against a panel of keys; on the stack of the thread that works on them.
template <typename Real> struct alignas(64) Scores {
  Real data[blockRows * panelKeys];
  Real *row(int64_t index) { return data + index * panelKeys; }
};

// One block of queries of one head, and the keys [firstKey, endKey) that some query of it may see, in panels; counted
// from the begin of its document. As both begin at multiples of blockRows, each query sees some key of each panel.
struct Block {
  int64_t begin, rows, firstKey, endKey;

  Block(const AttentionOp &op, int64_t length, int64_t index)
      : begin(index * blockRows), rows(std::min(blockRows, length - begin)),
        firstKey(firstSeenKey(op.window, begin) / blockRows * blockRows), endKey(op.causal ? begin + rows : length) {}
  int64_t panelSize(int64_t panel) const { return std::min(panelKeys, endKey - panel); }
  // The keys of the panel that query `row` of the block may see.
  SeenKeys seen(const AttentionOp &op, int64_t row, int64_t panel) const {
    const int64_t count = panelSize(panel), query = begin + row;
    return {std::max<int64_t>(0, firstSeenKey(op.window, query) - panel),
            op.causal ? std::min(count, query + 1 - panel) : count, count};
  }
};

int64_t blockCount(int64_t length) { return (length + blockRows - 1) / blockRows; }

// The row of one head at a token in [batch, length, heads * dim].
template <typename Real> Real *rowOf(void *data, int64_t dim, int64_t head, int64_t token, int64_t stride) {
  return static_cast<Real *>(data) + token * stride + head * dim;
}
template <typename Real> Real *lseOf(const AttentionOp &op, int64_t head, int64_t token) {
  return static_cast<Real *>(op.lse) + (token / op.length * op.heads + head) * op.length + token % op.length;
}

// What is added to scores of the keys of a panel and the queries of a block. Of a decay, both add something.
template <typename Real> struct BlockTerms {
  const ScoreTerms<Real> &all;
  DecayTerms<Real, panelKeys> ofKeys;
  DecayTerms<Real, blockRows> ofQueries;
  BlockTerms(const AttentionOp &op, const Block &block, int64_t panel, const ScoreTerms<Real> &all) : all(all) {
    if (!all.sums)
      return;
    decayOfKeys(all.sums, block.begin, panel, block.panelSize(panel), op.scale, ofKeys);
    decayOfQueries(all.sums, block.begin, block.begin, block.rows, op.scale, ofQueries);
  }
};

// What a softmax takes with scores, and the slopes of capped scores where there are terms.
template <typename Real> struct ScoreGrads {
  Scores<Real> dScores, slopes;
  Real delta[blockRows];
};

template <typename Real>
void capScores(const AttentionOp &op, int64_t row, SeenKeys seen, bool hasTerms, Scores<Real> &scores,
               ScoreGrads<Real> *grads) {
  const auto cap = static_cast<Real>(op.cap / op.scale);
  if (grads && hasTerms)
    capSlopeRow(scores.row(row), grads->slopes.row(row), seen, cap);
  else if (grads)
    capGradRow(scores.row(row), grads->dScores.row(row), seen, cap, grads->delta[row]);
  else
    capRow(scores.row(row), seen, cap);
}

// Scores of a query, before they are scaled, become capped, and get what the distance of its keys takes from them and
// the terms. `grads`: where they are wanted; what a softmax takes with them becomes those of the scores before, which
// with terms are multiplied by the slopes later.
template <typename Real>
void changeScores(const AttentionOp &op, int64_t head, const Block &block, int64_t row, int64_t panel,
                  const BlockTerms<Real> &terms, Scores<Real> &scores, ScoreGrads<Real> *grads = nullptr) {
  const SeenKeys seen = block.seen(op, row, panel);
  const int64_t query = block.begin + row - panel;
  if (op.cap > 0)
    capScores(op, row, seen, terms.all.areThere(), scores, grads);
  if (op.alibi)
    subtractDistances(scores.row(row), seen, query, static_cast<Real>(alibiSlope(head, op.heads) / op.scale));
  if (terms.all.sums)
    addDecay(scores.row(row), seen, terms.ofKeys, terms.ofQueries, row);
  if (terms.all.bias.numbers)
    addBias(scores.row(row), seen, query, terms.all.bias, static_cast<Real>(1 / op.scale));
}

template <typename Real>
void forwardBlock(const AttentionOp &op, const Document &document, const ScoreTerms<Real> &all, int64_t head,
                  int64_t index) {
  const Block block(op, document.length, index);
  const int64_t first = document.first, begin = first + block.begin;
  const int64_t kvHead = head * op.kv_heads / op.heads;
  const Real scale = static_cast<Real>(op.scale);
  Scores<Real> scores;
  Real *out = rowOf<Real>(op.o, op.value_dim, head, begin, op.o_stride);
  const Operand<Real> q{rowOf<Real>(op.q, op.head_dim, head, begin, op.q_stride), op.q_stride};
  SoftmaxState<Real> states[blockRows];
  for (int64_t panel = block.firstKey; panel < block.endKey; panel += panelKeys) {
    const bool isFirst = panel == block.firstKey;
    const int64_t keys = block.panelSize(panel);
    const Operand<Real> k{rowOf<Real>(op.k, op.head_dim, kvHead, first + panel, op.k_stride), op.k_stride, true};
    const Operand<Real> v{rowOf<Real>(op.v, op.value_dim, kvHead, first + panel, op.v_stride), op.v_stride};
    const BlockTerms<Real> terms(op, block, panel, all);
    multiply<Real>(block.rows, keys, op.head_dim, q, k, 0, scores.data, panelKeys);
    for (int64_t row = 0; row < block.rows; ++row) {
      changeScores(op, head, block, row, panel, terms, scores);
      const Real shrink = softmaxRow(scores.row(row), block.seen(op, row, panel), scale, isFirst, states[row]);
      if (!isFirst)
        scaleRow(out + row * op.o_stride, op.value_dim, shrink);
    }
    multiply<Real>(block.rows, op.value_dim, keys, {scores.data, panelKeys}, v, !isFirst, out, op.o_stride);
  }
  for (int64_t row = 0; row < block.rows; ++row) {
    const auto [factor, lse, share] = normaliser(states[row].maximum, states[row].sum, sinkOf<Real>(op, head));
    scaleRow(out + row * op.o_stride, op.value_dim, factor);
    *lseOf<Real>(op, head, begin + row) = lse;
    writeShare(op, head, begin + row, share);
  }
}

// What is added to scores, and what gradients of it are made of.
template <typename Real> struct Terms {
  DecaySums decay;
  ScoreTermGrads<Real> grads;
};

// A query of a block, and keys of a panel, each counted from the begin of the document.
struct Place {
  const Document &document;
  int64_t number; // of the document
  int64_t head, query, panel;
};

// Gradients of the scores of a query behind their cap become part of the sums for their terms, then those of scores
// before it.
template <typename Real>
void addSumsOfScores(const AttentionOp &op, SeenKeys seen, const Place &at, Real *dScores, const Real *slopes,
                     ScoreTermGrads<Real> &sums) {
  const int64_t first = at.document.first;
  if (op.decay)
    *sums.decay.ofQueries(at.head, first + at.query) +=
        addSums(dScores, seen, sums.decay.ofKeys(at.head, first + at.panel));
  if (op.bias)
    addByDistance(dScores, seen, at.query - at.panel, sums.bias.of(at.number, at.head, 0));
  if (op.cap > 0)
    multiplyBySlopes(dScores, seen, slopes);
}

// Gradients of a block of queries of the document of this number. `sets`: dk and dv hold nothing yet, and the block
// sees all keys.
template <typename Real>
void backwardBlock(const AttentionGradOp &grad, const Document &document, int64_t number, Terms<Real> &of, int64_t head,
                   int64_t index, bool sets) {
  const AttentionOp &op = grad.forward;
  const Block block(op, document.length, index);
  const int64_t kvHead = head * op.kv_heads / op.heads, first = document.first, begin = first + block.begin;
  const Real scale = static_cast<Real>(op.scale), keep = sets ? 0 : 1;
  const ScoreTerms<Real> all{of.decay.of(head, first), biasOf<Real>(op, head)};
  Scores<Real> scores;
  ScoreGrads<Real> grads;
  Scores<Real> &dScores = grads.dScores;
  const Operand<Real> q{rowOf<Real>(op.q, op.head_dim, head, begin, op.q_stride), op.q_stride};
  const Operand<Real> dOut{rowOf<Real>(grad.d_o, op.value_dim, head, begin, grad.do_stride), grad.do_stride};
  const Operand<Real> out{rowOf<Real>(op.o, op.value_dim, head, begin, op.o_stride), op.o_stride};
  for (int64_t row = 0; row < block.rows; ++row)
    grads.delta[row] = dotRow(dOut.data + row * dOut.stride, out.data + row * out.stride, op.value_dim);
  for (int64_t panel = block.firstKey; panel < block.endKey; panel += panelKeys) {
    const int64_t keys = block.panelSize(panel);
    const Operand<Real> k{rowOf<Real>(op.k, op.head_dim, kvHead, first + panel, op.k_stride), op.k_stride};
    const Operand<Real> v{rowOf<Real>(op.v, op.value_dim, kvHead, first + panel, op.v_stride), op.v_stride};
    multiply<Real>(block.rows, keys, op.head_dim, q, {k.data, k.stride, true}, 0, scores.data, panelKeys);
    multiply<Real>(block.rows, keys, op.value_dim, dOut, {v.data, v.stride, true}, 0, dScores.data, panelKeys);
    const BlockTerms<Real> terms(op, block, panel, all);
    for (int64_t row = 0; row < block.rows; ++row) {
      const SeenKeys seen = block.seen(op, row, panel);
      changeScores(op, head, block, row, panel, terms, scores, &grads);
      softmaxGradRow(scores.row(row), dScores.row(row), seen, scale, *lseOf<Real>(op, head, begin + row),
                     grads.delta[row]);
      if (all.areThere())
        addSumsOfScores(op, seen, {document, number, head, block.begin + row, panel}, dScores.row(row),
                        grads.slopes.row(row), of.grads);
    }
    multiply<Real>(block.rows, op.head_dim, keys, {dScores.data, panelKeys}, k, panel > block.firstKey,
                   rowOf<Real>(grad.d_q, op.head_dim, head, begin, grad.dq_stride), grad.dq_stride);
    multiply<Real>(keys, op.head_dim, block.rows, {dScores.data, panelKeys, true}, q, keep,
                   rowOf<Real>(grad.d_k, op.head_dim, kvHead, first + panel, grad.dk_stride), grad.dk_stride);
    multiply<Real>(keys, op.value_dim, block.rows, {scores.data, panelKeys, true}, dOut, keep,
                   rowOf<Real>(grad.d_v, op.value_dim, kvHead, first + panel, grad.dv_stride), grad.dv_stride);
  }
}

template <typename Real> void clearKeyGradients(const AttentionGradOp &grad, const Document &document, int64_t kvHead) {
  const AttentionOp &op = grad.forward;
  for (int64_t token = document.first; token < document.first + document.length; ++token) {
    std::fill_n(rowOf<Real>(grad.d_k, op.head_dim, kvHead, token, grad.dk_stride), op.head_dim, Real(0));
    std::fill_n(rowOf<Real>(grad.d_v, op.value_dim, kvHead, token, grad.dv_stride), op.value_dim, Real(0));
  }
}

// The blocks of a head follow each other, so that its keys stay in a cache; long ones come first, so that threads end
// together.
template <typename Real> void forward(const AttentionOp &op) {
  struct Piece {
    const Document *document;
    int64_t head, index;
  };
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  std::vector<Piece> pieces;
  for (const Document &document : documents)
    for (int64_t head = 0; head < op.heads; ++head)
      for (int64_t index = blockCount(document.length) - 1; index >= 0; --index)
        pieces.push_back({&document, head, index});
  const DecaySums decay(op, documents);
  parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t i, int) {
    const Piece &piece = pieces[i];
    const ScoreTerms<Real> terms{decay.of(piece.head, piece.document->first), biasOf<Real>(op, piece.head)};
    forwardBlock<Real>(op, *piece.document, terms, piece.head, piece.index);
  });
}

template <typename Real> void backward(const AttentionGradOp &grad) {
  const AttentionOp &op = grad.forward;
  const int64_t group = op.heads / op.kv_heads;
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  Terms<Real> terms{{op, documents}, ScoreTermGrads<Real>(op)};
  std::vector<typename BiasGrads<Real>::Distances> distances;
  for (const Document &document : documents)
    distances.push_back({0, document.length});
  terms.grads.bias.begin(std::move(distances));
  parallelFor(static_cast<int64_t>(documents.size()) * op.kv_heads, [&](int64_t i, int) {
    const int64_t number = i / op.kv_heads, kvHead = i % op.kv_heads;
    const Document &document = documents[number];
    const int64_t last = blockCount(document.length) - 1;
    const bool lastSeesAll = Block(op, document.length, last).firstKey == 0;
    if (!lastSeesAll)
      clearKeyGradients<Real>(grad, document, kvHead);
    for (int64_t member = 0; member < group; ++member)
      for (int64_t index = last; index >= 0; --index)
        backwardBlock<Real>(grad, document, number, terms, kvHead * group + member, index,
                            lastSeesAll && member == 0 && index == last);
  });
  terms.grads.bias.end();
  terms.grads.write(grad, documents);
}

// Calls `visit` with the rows and keys of each block and panel of a whole row: documents have no larger ones.
template <typename Visit> void forEachPanel(const AttentionOp &op, Visit visit) {
  for (int64_t index = 0; index < blockCount(op.length); ++index) {
    const Block block(op, op.length, index);
    for (int64_t panel = block.firstKey; panel < block.endKey; panel += panelKeys)
      visit(block.rows, block.panelSize(panel));
  }
}

// What is not f64 is computed in f32.
bool isTiled(int32_t dtype) { return dtype != STRETTO_F64 && prefersTiles(); }

} // namespace

void collectShapes(const AttentionOp &given, std::set<MatmulShape> &shapes) {
  if (isTiled(given.dtype))
    return;
  const AttentionOp op = given.dtype == STRETTO_BF16 ? inFloat(given) : given;
  forEachPanel(op, [&](int64_t rows, int64_t keys) {
    shapes.insert({.dtype = op.dtype, .m = rows, .n = keys, .k = op.head_dim, .transposeB = true, .shared = true});
    shapes.insert({.dtype = op.dtype, .m = rows, .n = op.value_dim, .k = keys, .shared = true});
  });
}

void collectShapes(const AttentionGradOp &given, std::set<MatmulShape> &shapes) {
  if (isTiled(given.forward.dtype))
    return;
  const AttentionOp op = given.forward.dtype == STRETTO_BF16 ? inFloat(given.forward) : given.forward;
  forEachPanel(op, [&](int64_t rows, int64_t keys) {
    for (const int64_t dim : {op.head_dim, op.value_dim}) {
      shapes.insert({.dtype = op.dtype, .m = rows, .n = keys, .k = dim, .transposeB = true, .shared = true});
      shapes.insert({.dtype = op.dtype, .m = keys, .n = dim, .k = rows, .transposeA = true, .shared = true});
    }
    shapes.insert({.dtype = op.dtype, .m = rows, .n = op.head_dim, .k = keys, .shared = true});
  });
}

int64_t attentionScratch(const AttentionOp &op) { return isTiled(op.dtype) ? tiledScratch(op) : 0; }
int64_t attentionScratch(const AttentionGradOp &op) { return isTiled(op.forward.dtype) ? tiledScratch(op) : 0; }

void attention(const AttentionOp &op, char *scratch) {
  if (isTiled(op.dtype))
    tiledAttention(op, scratch);
  else if (op.dtype == STRETTO_F64)
    forward<double>(op);
  else
    forward<float>(op);
}

void attentionGrad(const AttentionGradOp &op, char *scratch) {
  if (isTiled(op.forward.dtype))
    tiledAttentionGrad(op, scratch);
  else if (op.forward.dtype == STRETTO_F64)
    backward<double>(op);
  else
    backward<float>(op);
}

} // namespace stretto::runtime
