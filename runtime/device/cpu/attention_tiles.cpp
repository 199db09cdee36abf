// Flash attention (Dao et al., arXiv 2205.14135) forward: a piece of work is a few blocks of queries of a head.
// Each block goes through its keys in one order, so that who does it never changes a bit, nor do documents beside it.
#include "runtime/device/cpu/attention_tiles.h"

#include "runtime/core/distance.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention_panels.h"
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/sinks.h"

#include <vector>

namespace stretto::runtime {
namespace {

using namespace panels;
using tiles::Ahead;
using tiles::Base;
using tiles::Left;

// Queries [query, end) of a head in a document; they share copies of keys.
struct Piece {
  Document document;
  int64_t head, query, end;
};

// Keys that are copied at once: with as many queries, what a piece reads stays in a second-level cache.
int64_t rangeTokens(const AttentionOp &op) { return op.head_dim + op.value_dim <= 128 ? 256 : 128; }
int64_t mostQueries(const AttentionOp &op) { return tiles::tilesAreNarrow() ? rangeTokens(op) : blockQueries; }

// A block of queries with what a thread holds of it: its queries as columns, and results that are not yet divided by
// their sums.
struct Turn {
  Block block;
  int64_t token; // of its first query, among all
  bool isLast;   // of the document
  float *queries;
  Rows out;
  SoftmaxColumns state;
  Turn(const AttentionOp &op, const Document &document, int64_t query, Scratch &scratch)
      : block(op, query, document.length), token(document.first + query),
        isLast(query + blockQueries >= document.length), queries(scratch.take(op.head_dim * blockQueries)),
        out(scratch.takeRows(blockQueries, op.value_dim)),
        state{scratch.take(blockQueries), scratch.take(blockQueries), scratch.take(blockQueries)} {}
};

Rows resultsOf(const AttentionOp &op, int64_t head, const Turn &turn) {
  return rowsOf(op.o, op.value_dim, head, turn.token, op.o_stride);
}

// What is used behind a panel and was not yet: the results of its block, and keys that the last block of a document,
// which comes first, is the first to see.
Ahead usedBehind(const AttentionOp &op, int64_t head, const Turn &turn, const Panel &panel, const Keys &keys) {
  Ahead ahead{.ofTile = 8};
  if (panel.key == turn.block.firstKey)
    ahead.add(resultsOf(op, head, turn), turn.block.rows, op.value_dim);
  if (!turn.isLast)
    return ahead;
  const Panel next = keys.behind(panel);
  ahead.add(keys.keysOf(next), next.count, op.head_dim);
  ahead.add(keys.valuesOf(next), next.count, op.value_dim);
  return ahead;
}

void addPanel(const AttentionOp &op, int64_t head, const Turn &turn, const Panel &panel, const Keys &keys,
              const ScoreTerms<float> &terms, float *scores) {
  const auto &[block, token, isLast, queries, out, state] = turn;
  const bool isFirst = panel.key == block.firstKey;
  Ahead ahead = usedBehind(op, head, turn, panel, keys);
  multiply(block, panel, op.head_dim, keys.keysOf(panel), queries, scores, ahead);
  changeScores(op, head, block, panel, terms, scores);
  const bool shrinks = softmaxColumns(panel.scores(block), scores, static_cast<float>(op.scale), isFirst, state);
  Base<float> base;
  if (!isFirst)
    base = {out, shrinks ? state.shrink : nullptr};
  tiles::matmul(block.rows, op.value_dim, panel.count, Left<float>{scores, blockQueries, true, panel.ofQueries()},
                keys.valuesOf(panel), base, out, tiles::Part::all, &ahead);
}

void writeBlock(const AttentionOp &op, int64_t head, const Turn &turn) {
  const Rows out = resultsOf(op, head, turn);
  float *const lse = lseOf(op, head, turn.token);
  for (int64_t row = 0; row < turn.block.rows; ++row) {
    const auto made = normaliser(turn.state.maximum[row], turn.state.sum[row], sinkOf<float>(op, head));
    for (int64_t i = 0; i < op.value_dim; ++i)
      out.row(row)[i] = turn.out.row(row)[i] * made.factor;
    lse[row] = made.lse;
    writeShare(op, head, turn.token + row, made.share);
  }
}

void attend(const AttentionOp &op, const Piece &piece, const ScoreTerms<float> &terms, char *memory) {
  const auto [first, length] = piece.document;
  const int64_t head = piece.head, kvHead = head * op.kv_heads / op.heads, range = rangeTokens(op);
  const int64_t seen = op.causal ? piece.end : length;
  Scratch scratch(memory);
  float *const scores = scratch.take(panelKeys * blockQueries);
  float *const copies = scratch.take(keyCopies(op, range));
  auto forEachTurn = [&](auto visit) {
    Scratch ofTurns = scratch;
    for (int64_t query = piece.query; query < piece.end; query += blockQueries)
      visit(Turn(op, piece.document, query, ofTurns));
  };
  forEachTurn([&](const Turn &turn) {
    packColumns(turn.block, op.head_dim, rowsOf(op.q, op.head_dim, head, turn.token, op.q_stride), turn.queries);
  });
  for (int64_t begin = firstSeenKey(op.window, piece.query) / range * range; begin < seen; begin += range) {
    const int64_t end = std::min(seen, begin + range);
    const int64_t known = tiles::tilesAreNarrow() ? end : seen; // copies end with their range
    const Keys keys(op, kvHead, begin, first + begin, known - begin, copies);
    forEachTurn([&](const Turn &turn) {
      forEach(turn.block, op.causal, begin, end,
              [&](const Panel &panel) { addPanel(op, head, turn, panel, keys, terms, scores); });
    });
  }
  forEachTurn([&](const Turn &turn) { writeBlock(op, head, turn); });
}

// Pieces of so many queries. Those of a head follow each other, so that its keys stay in a cache; long ones come first,
// so that threads end together.
std::vector<Piece> piecesOf(const AttentionOp &op, const std::vector<Document> &documents, int64_t queries) {
  std::vector<Piece> pieces;
  for (const Document &document : documents)
    for (int64_t head = 0; head < op.heads; ++head)
      for (int64_t query = (document.length - 1) / queries * queries; query >= 0; query -= queries)
        pieces.push_back({document, head, query, std::min(query + queries, document.length)});
  return pieces;
}

// As many queries as share copies well, or fewer, so that threads have enough to share.
std::vector<Piece> piecesOf(const AttentionOp &op, const std::vector<Document> &documents) {
  for (int64_t queries = mostQueries(op);; queries /= 2) {
    std::vector<Piece> pieces = piecesOf(op, documents, queries);
    if (queries == blockQueries || static_cast<int64_t>(pieces.size()) >= 4 * threadCount())
      return pieces;
  }
}

} // namespace

int64_t tiledScratch(const AttentionOp &op) {
  const int64_t ofTurns = mostQueries(op) * (op.head_dim + op.value_dim + 3);
  return sizeof(float) * (ofTurns + blockQueries * panelKeys + keyCopies(op, rangeTokens(op)));
}

void tiledAttention(const AttentionOp &op, char *scratch) {
  const int64_t bytes = tiledScratch(op);
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  const std::vector<Piece> pieces = piecesOf(op, documents);
  const DecaySums decay(op, documents);
  const BiasTable bias(op);
  parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t i, int thread) {
    const auto &[document, head, query, end] = pieces[i];
    attend(op, pieces[i], {decay.of(head, document.first), bias.of(head)}, scratch + thread * bytes);
  });
}

} // namespace stretto::runtime
