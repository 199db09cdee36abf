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
using tiles::Base;
using tiles::Left;

// Queries [query, end) of a document; they share copies of keys.
struct Piece {
  Document document;
  int64_t query, end;
};

// Keys that are copied at once: with as many queries, what a piece reads stays in a second-level cache.
int64_t rangeTokens(const AttentionOp &op) { return op.head_dim + op.value_dim <= 128 ? 256 : 128; }
int64_t mostQueries(const AttentionOp &op) { return tiles::tilesAreNarrow() ? rangeTokens(op) : blockQueries; }

// A block of queries with what a thread holds of it: its queries as columns, and results that are not yet divided by
// their sums.
struct Turn {
  Block block;
  float *queries;
  Rows out;
  SoftmaxColumns state;
  Turn(const Block &block, Scratch &scratch, const AttentionOp &op)
      : block(block), queries(scratch.take(op.head_dim * blockQueries)),
        out(scratch.takeRows(blockQueries, op.value_dim)),
        state{scratch.take(blockQueries), scratch.take(blockQueries), scratch.take(blockQueries)} {}
};

void addPanel(const AttentionOp &op, int64_t head, const Turn &turn, const Panel &panel, const Keys &keys,
              float *scores) {
  const auto &[block, queries, out, state] = turn;
  const bool isFirst = panel.key == block.firstKey;
  multiplyKeys(op, head, block, panel, keys.keysOf(panel), queries, scores);
  const bool shrinks = softmaxColumns(panel.scores(block), scores, static_cast<float>(op.scale), isFirst, state);
  Base<float> base;
  if (!isFirst)
    base = {out, shrinks ? state.shrink : nullptr};
  tiles::matmul(block.rows, op.value_dim, panel.count, Left<float>{scores, blockQueries, true, panel.ofQueries()},
                keys.valuesOf(panel), base, out);
}

void writeBlock(const AttentionOp &op, int64_t head, int64_t token, const Turn &turn) {
  const Rows out = rowsOf(op.o, op.value_dim, head, token, op.o_stride);
  float *const lse = lseOf(op, head, token);
  for (int64_t row = 0; row < turn.block.rows; ++row) {
    const auto made = normaliser(turn.state.maximum[row], turn.state.sum[row], sinkOf<float>(op, head));
    for (int64_t i = 0; i < op.value_dim; ++i)
      out.row(row)[i] = turn.out.row(row)[i] * made.factor;
    lse[row] = made.lse;
    writeShare(op, head, token + row, made.share);
  }
}

void attend(const AttentionOp &op, const Piece &piece, int64_t head, char *memory) {
  const auto [first, length] = piece.document;
  const int64_t kvHead = head * op.kv_heads / op.heads, range = rangeTokens(op);
  const int64_t seen = op.causal ? piece.end : length;
  Scratch scratch(memory);
  float *const scores = scratch.take(panelKeys * blockQueries);
  float *const copies = scratch.take(keyCopies(op, range));
  auto forEachTurn = [&, first = first, length = length](auto visit) {
    Scratch ofTurns = scratch;
    for (int64_t query = piece.query; query < piece.end; query += blockQueries)
      visit(Turn(Block(op, query, length), ofTurns, op), first + query);
  };
  forEachTurn([&](const Turn &turn, int64_t token) {
    packColumns(turn.block, op.head_dim, rowsOf(op.q, op.head_dim, head, token, op.q_stride), turn.queries);
  });
  for (int64_t begin = firstSeenKey(op.window, piece.query) / range * range; begin < seen; begin += range) {
    const int64_t end = std::min(seen, begin + range);
    const Keys keys(op, kvHead, begin, first + begin, end - begin, copies);
    forEachTurn([&](const Turn &turn, int64_t) {
      forEach(turn.block, op.causal, begin, end,
              [&](const Panel &panel) { addPanel(op, head, turn, panel, keys, scores); });
    });
  }
  forEachTurn([&](const Turn &turn, int64_t token) { writeBlock(op, head, token, turn); });
}

// Pieces of so many queries. Long ones first, so that threads end together.
std::vector<Piece> piecesOf(const std::vector<Document> &documents, int64_t queries) {
  std::vector<Piece> pieces;
  for (const Document &document : documents)
    for (int64_t query = 0; query < document.length; query += queries)
      pieces.push_back({document, query, std::min(query + queries, document.length)});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.query > b.query; });
  return pieces;
}

// As many queries as share copies well, or fewer, so that threads have enough to share.
std::vector<Piece> piecesOf(const AttentionOp &op) {
  const std::vector<Document> documents = documentsOf(op.batch, op.length, op.positions);
  for (int64_t queries = mostQueries(op);; queries /= 2) {
    std::vector<Piece> pieces = piecesOf(documents, queries);
    if (queries == blockQueries || static_cast<int64_t>(pieces.size()) * op.heads >= 4 * threadCount())
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
  const std::vector<Piece> pieces = piecesOf(op);
  parallelFor(static_cast<int64_t>(pieces.size()) * op.heads,
              [&](int64_t i, int thread) { attend(op, pieces[i / op.heads], i % op.heads, scratch + thread * bytes); });
}

} // namespace stretto::runtime
