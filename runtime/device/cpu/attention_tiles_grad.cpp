// The gradient of flash attention by tiles. A piece of work is a range of queries and one of keys of a document and a
// head of keys. Pieces of one round share no range, so that threads write apart; rounds follow each other, so that sums
// have one order whoever computes what.
#include "runtime/device/cpu/attention_tiles.h"

#include "runtime/core/distance.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention_panels.h"
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/softmax_rows.h"

#include <limits>
#include <vector>

namespace stretto::runtime {
namespace {

using namespace panels;
using tiles::Ahead;
using tiles::Base;
using tiles::Left;

constexpr int64_t rangeTokens = 512; // a multiple of blockQueries

// Ranges of a document by number. In round 0 they are the same, and nothing has been added to gradients yet.
struct Piece {
  Document document;
  int64_t keys, queries;
  bool isFirst() const { return keys == queries; }
  int64_t firstKey() const { return keys * rangeTokens; }
  int64_t firstQuery() const { return queries * rangeTokens; }
  int64_t endOf(int64_t begin) const { return std::min(document.length, begin + rangeTokens); }
};

// Numbers that a thread holds of slopes of capped scores.
int64_t slopeCount(const AttentionOp &op) {
  return (op.has_decay || op.reach) && op.cap > 0 ? panelKeys * blockQueries : 0;
}

// What a thread holds of a block: queries and gradients of outputs as rows and as columns, and gradients of queries.
struct Space {
  float *scores, *dScores, *slopes, *queries, *dOuts, *lse, *delta;
  Rows q, dOut, dQ;
  float *copies; // of keys and values
  Space(Scratch scratch, const AttentionOp &op)
      : scores(scratch.take(panelKeys * blockQueries)), dScores(scratch.take(panelKeys * blockQueries)),
        slopes(scratch.take(slopeCount(op))), queries(scratch.take(op.head_dim * blockQueries)),
        dOuts(scratch.take(op.value_dim * blockQueries)), lse(scratch.take(blockQueries)),
        delta(scratch.take(blockQueries)), q(scratch.takeRows(blockQueries, op.head_dim)),
        dOut(scratch.takeRows(blockQueries, op.value_dim)), dQ(scratch.takeRows(blockQueries, op.head_dim)),
        copies(scratch.take(keyCopies(op, rangeTokens))) {}
};

// A block of queries of a head, as a piece goes through them.
struct Turn {
  const AttentionGradOp &grad;
  const Piece &piece;
  int64_t number; // of the piece in its round
  int64_t head;   // of queries
  Block block;
  Space space;
  Keys keys;
  const ScoreTerms<float> &terms;
  ScoreTermGrads<float> &sums;

  const AttentionOp &op() const { return grad.forward; }
  int64_t kvHead() const { return head * op().kv_heads / op().heads; }
  int64_t token() const { return piece.document.first + block.query; }
  // The first key of the piece that it sees.
  int64_t firstKey() const { return std::max(piece.firstKey(), block.firstKey); }
  bool isFirst(const Panel &panel) const { return panel.key == firstKey(); }
  Rows dQueries() const { return rowsOf(grad.d_q, op().head_dim, head, token(), grad.dq_stride); }
};

void readBlock(const Turn &turn) {
  const AttentionOp &op = turn.op();
  const auto &[grad, piece, number, head, block, space, keys, terms, sums] = turn;
  copyRows(block.rows, op.head_dim, rowsOf(op.q, op.head_dim, head, turn.token(), op.q_stride), space.q);
  copyRows(block.rows, op.value_dim, rowsOf(grad.d_o, op.value_dim, head, turn.token(), grad.do_stride), space.dOut);
  if (!piece.isFirst())
    copyRows(block.rows, op.head_dim, turn.dQueries(), space.dQ);
  packColumns(block, op.head_dim, space.q, space.queries);
  packColumns(block, op.value_dim, space.dOut, space.dOuts);
  const Rows out = rowsOf(op.o, op.value_dim, head, turn.token(), op.o_stride);
  const float *const lse = lseOf(op, head, turn.token());
  constexpr float seesNothing = std::numeric_limits<float>::infinity();
  for (int64_t row = 0; row < block.columns; ++row) {
    space.lse[row] = row < block.rows ? lse[row] : seesNothing;
    space.delta[row] = row < block.rows ? dotRow(space.dOut.row(row), out.row(row), op.value_dim) : 0;
  }
}

// How many queries the piece has behind a block, in the next one.
int64_t queriesBehind(const Turn &turn) {
  return std::min(blockQueries, turn.piece.endOf(turn.piece.firstQuery()) - turn.block.query - blockQueries);
}

// Keys that the piece reads behind a panel for the first time: on the diagonal with the next queries, else for its
// first queries.
Panel newKeys(const Turn &turn, const Panel &panel) {
  const auto &[grad, piece, number, head, block, space, keys, terms, sums] = turn;
  if (head % (turn.op().heads / turn.op().kv_heads) != 0)
    return {};
  if (turn.op().causal && piece.isFirst())
    return turn.isFirst(panel) ? Panel{block.query + blockQueries, queriesBehind(turn), false} : Panel{};
  return block.query == piece.firstQuery() ? keys.behind(panel) : Panel{};
}

void addKeys(const Turn &turn, const Panel &panel, Ahead &ahead) {
  const AttentionOp &op = turn.op();
  const AttentionGradOp &grad = turn.grad;
  const int64_t token = turn.piece.document.first + panel.key, kvHead = turn.kvHead();
  ahead.add(turn.keys.keysOf(panel), panel.count, op.head_dim);
  ahead.add(turn.keys.valuesOf(panel), panel.count, op.value_dim);
  ahead.add(rowsOf(grad.d_k, op.head_dim, kvHead, token, grad.dk_stride), panel.count, op.head_dim);
  ahead.add(rowsOf(grad.d_v, op.value_dim, kvHead, token, grad.dv_stride), panel.count, op.value_dim);
}

void addQueriesBehind(const Turn &turn, Ahead &ahead) {
  const auto &[grad, piece, number, head, block, space, keys, terms, sums] = turn;
  const AttentionOp &op = turn.op();
  const int64_t token = turn.token() + blockQueries, count = queriesBehind(turn);
  ahead.add(rowsOf(op.q, op.head_dim, head, token, op.q_stride), count, op.head_dim);
  ahead.add(rowsOf(op.o, op.value_dim, head, token, op.o_stride), count, op.value_dim);
  ahead.add(rowsOf(grad.d_o, op.value_dim, head, token, grad.do_stride), count, op.value_dim);
  ahead.add(rowsOf(grad.d_q, op.head_dim, head, token, grad.dq_stride), count, op.head_dim);
}

// What the piece uses behind a panel for the first time.
Ahead usedBehind(const Turn &turn, const Panel &panel) {
  Ahead ahead{.ofTile = 6};
  if (turn.isFirst(panel))
    addQueriesBehind(turn, ahead);
  addKeys(turn, newKeys(turn, panel), ahead);
  return ahead;
}

// c (+)= a b, of `rows` rows; what `adds` says.
void add(bool adds, int64_t rows, int64_t dim, int64_t terms, const Left<float> &a, Rows b, Rows c, Ahead &ahead) {
  tiles::matmul(rows, dim, terms, a, b, adds ? Base<float>{c} : Base<float>{}, c, tiles::Part::all, &ahead);
}

void addSumsForDecay(const Turn &turn, const Panel &panel) {
  float ofQueries[blockQueries] = {};
  addSums(panel.scores(turn.block), turn.space.dScores,
          turn.sums.decay.ofKeys(turn.head, turn.piece.document.first + panel.key), ofQueries);
  float *const sums = turn.sums.decay.ofQueries(turn.head, turn.token());
  for (int64_t row = 0; row < turn.block.rows; ++row)
    sums[row] += ofQueries[row];
}

// Gradients of scores behind their cap become part of the sums for their terms, then those of scores before it.
void addSumsOfScores(const Turn &turn, const Panel &panel) {
  const ScoreColumns scores = panel.scores(turn.block);
  if (turn.terms.sums)
    addSumsForDecay(turn, panel);
  if (turn.terms.bias.numbers)
    addByDistance(scores, turn.space.dScores, turn.sums.bias.of(turn.number, turn.head, turn.block.query - panel.key));
  if (turn.op().cap > 0)
    multiplyBySlopes(scores, turn.space.dScores, turn.space.slopes);
}

// `addsToKeys`: gradients of these keys hold something already; `addsToQueries` likewise.
void addPanel(const Turn &turn, const Panel &panel, bool addsToKeys, bool addsToQueries) {
  const AttentionOp &op = turn.op();
  const auto &[grad, piece, number, head, block, space, keys, terms, sums] = turn;
  const int64_t key = piece.document.first + panel.key;
  Ahead ahead = usedBehind(turn, panel);
  multiply(block, panel, op.head_dim, keys.keysOf(panel), space.queries, space.scores, ahead);
  multiply(block, panel, op.value_dim, keys.valuesOf(panel), space.dOuts, space.dScores, ahead);
  const ScoreGrads grads{space.dScores, space.delta, space.slopes};
  changeScores(op, head, block, panel, terms, space.scores, &grads);
  softmaxGradColumns(panel.scores(block), space.scores, space.dScores, static_cast<float>(op.scale), space.lse,
                     space.delta);
  if (terms.areThere())
    addSumsOfScores(turn, panel);
  add(addsToQueries, block.rows, op.head_dim, panel.count, {space.dScores, blockQueries, true, panel.ofQueries()},
      keys.keysOf(panel), space.dQ, ahead);
  add(addsToKeys, panel.count, op.head_dim, block.rows, {space.dScores, blockQueries, false, panel.ofKeys()}, space.q,
      rowsOf(grad.d_k, op.head_dim, turn.kvHead(), key, grad.dk_stride), ahead);
  add(addsToKeys, panel.count, op.value_dim, block.rows, {space.scores, blockQueries, false, panel.ofKeys()},
      space.dOut, rowsOf(grad.d_v, op.value_dim, turn.kvHead(), key, grad.dv_stride), ahead);
}

// `isFirst`: of the heads of queries that share these keys.
void addBlock(const Turn &turn, bool isFirst) {
  const Piece &piece = turn.piece;
  const int64_t begin = piece.firstKey();
  const bool causal = turn.op().causal && piece.isFirst(), sets = isFirst && piece.isFirst();
  readBlock(turn);
  forEach(turn.block, causal, begin, piece.endOf(begin), [&](const Panel &panel) {
    // The first block that sees a key sets its gradients: its own, unless all see all.
    const bool setsKeys = sets && (causal ? panel.diagonal : turn.block.query == piece.firstQuery());
    addPanel(turn, panel, !setsKeys, !piece.isFirst() || !turn.isFirst(panel));
  });
  copyRows(turn.block.rows, turn.op().head_dim, turn.space.dQ, turn.dQueries());
}

// What is added to scores, and what gradients of it are made of.
struct Terms {
  DecaySums decay;
  BiasTable bias;
  ScoreTermGrads<float> grads;
  Terms(const AttentionOp &op, const std::vector<Document> &documents) : decay(op, documents), bias(op), grads(op) {}
};

void run(const AttentionGradOp &grad, const Piece &piece, int64_t number, int64_t kvHead, Terms &of, char *scratch) {
  const AttentionOp &op = grad.forward;
  const int64_t group = op.heads / op.kv_heads, begin = piece.firstQuery(), key = piece.firstKey();
  const Space space(Scratch(scratch), op);
  const Keys keys(op, kvHead, key, piece.document.first + key, piece.endOf(key) - key, space.copies);
  for (int64_t head = kvHead * group; head < (kvHead + 1) * group; ++head) {
    const ScoreTerms<float> terms{of.decay.of(head, piece.document.first), of.bias.of(head)};
    for (int64_t query = begin; query < piece.endOf(begin); query += blockQueries)
      if (const Block block(op, query, piece.document.length); block.firstKey < piece.endOf(key))
        addBlock({grad, piece, number, head, block, space, keys, terms, of.grads}, head == kvHead * group);
  }
}

int64_t rangeCount(const Document &document) { return (document.length + rangeTokens - 1) / rangeTokens; }

// Whether any query of a piece sees any of its keys.
bool isSeen(const AttentionOp &op, const Piece &piece) {
  return (!op.causal || piece.keys <= piece.queries) &&
         firstSeenKey(op.window, piece.firstQuery()) < piece.endOf(piece.firstKey());
}

std::vector<Piece> piecesOf(const AttentionOp &op, const std::vector<Document> &documents, int64_t round) {
  std::vector<Piece> pieces;
  for (const Document &document : documents) {
    const int64_t count = rangeCount(document);
    for (int64_t keys = 0; keys < count && round < count; ++keys)
      if (const Piece piece{document, keys, (keys + round) % count}; isSeen(op, piece))
        pieces.push_back(piece);
  }
  return pieces;
}

// Distances of the queries of a piece, with those that fill a vector, from its keys.
BiasGrads<float>::Distances distancesOf(const Piece &piece) {
  const int64_t key = piece.firstKey(), query = piece.firstQuery();
  const int64_t first = query - (piece.endOf(key) - 1);
  return {first, piece.endOf(query) + blockQueries - key - first};
}

} // namespace

int64_t tiledScratch(const AttentionGradOp &op) {
  const AttentionOp &of = op.forward;
  const int64_t ofQueries = blockQueries * (3 * of.head_dim + 2 * of.value_dim + 2 * panelKeys + 2);
  return sizeof(float) * (ofQueries + slopeCount(of) + keyCopies(of, rangeTokens));
}

void tiledAttentionGrad(const AttentionGradOp &grad, char *scratch) {
  const AttentionOp &op = grad.forward;
  const int64_t bytes = tiledScratch(grad);
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  Terms terms(op, documents);
  for (int64_t round = 0; !documents.empty() && round < rangeCount(documents.front()); ++round) {
    const std::vector<Piece> pieces = piecesOf(op, documents, round);
    std::vector<BiasGrads<float>::Distances> distances;
    for (const Piece &piece : pieces)
      distances.push_back(distancesOf(piece));
    terms.grads.bias.begin(std::move(distances));
    parallelFor(static_cast<int64_t>(pieces.size()) * op.kv_heads, [&](int64_t i, int thread) {
      run(grad, pieces[i / op.kv_heads], i / op.kv_heads, i % op.kv_heads, terms, scratch + thread * bytes);
    });
    terms.grads.bias.end();
  }
  terms.grads.write(grad, documents);
}

} // namespace stretto::runtime
