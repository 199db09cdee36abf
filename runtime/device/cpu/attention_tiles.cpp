// Flash attention (Dao et al., arXiv 2205.14135) forward: a piece of work is a block of queries of a head, so that who
// does it never changes a bit, nor do documents that lie beside it.
#include "runtime/device/cpu/attention_tiles.h"

#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention_panels.h"
#include "runtime/device/cpu/documents.h"

#include <cmath>
#include <vector>

namespace stretto::runtime {
namespace {

using namespace panels;
using mixer::Base;
using mixer::Left;

struct Piece {
  Document document;
  int64_t query;
};

// What a thread holds of a block: its queries as columns, scores, and results that are not yet divided by their sums.
struct Space {
  float *queries, *scores;
  Rows out;
  SoftmaxColumns state;
  Space(Scratch scratch, int64_t headDim)
      : queries(scratch.take(headDim * blockQueries)), scores(scratch.take(panelKeys * blockQueries)),
        out(scratch.takeRows(blockQueries, headDim)),
        state{scratch.take(blockQueries), scratch.take(blockQueries), scratch.take(blockQueries)} {}
};

void addPanel(const AttentionOp &op, int64_t kvHead, int64_t first, const Block &block, const Panel &panel,
              const Space &space) {
  const bool isFirst = panel.key == 0;
  const Rows k = rowsOf(op.k, op, kvHead, first + panel.key, op.k_stride);
  const Rows v = rowsOf(op.v, op, kvHead, first + panel.key, op.v_stride);
  multiply(block, panel, op.head_dim, k, space.queries, space.scores);
  const bool shrinks =
      softmaxColumns(panel.scores(block), space.scores, static_cast<float>(op.scale), isFirst, space.state);
  Base<float> base;
  if (!isFirst)
    base = {space.out, shrinks ? space.state.shrink : nullptr};
  mixer::matmul(block.rows, op.head_dim, panel.count, Left<float>{space.scores, blockQueries, true, panel.ofQueries()},
                v, base, space.out);
}

void writeBlock(const AttentionOp &op, int64_t head, int64_t token, const Block &block, const Space &space) {
  const Rows out = rowsOf(op.o, op, head, token, op.o_stride);
  float *const lse = lseOf(op, head, token);
  for (int64_t row = 0; row < block.rows; ++row) {
    const float factor = 1 / space.state.sum[row];
    for (int64_t i = 0; i < op.head_dim; ++i)
      out.row(row)[i] = space.out.row(row)[i] * factor;
    lse[row] = space.state.maximum[row] + std::log(space.state.sum[row]);
  }
}

void attend(const AttentionOp &op, const Piece &piece, int64_t head, char *scratch) {
  const auto [first, length] = piece.document;
  const Block block(piece.query, length);
  const Space space(Scratch(scratch), op.head_dim);
  const int64_t token = first + block.query, kvHead = head * op.kv_heads / op.heads;
  packColumns(block, op.head_dim, rowsOf(op.q, op, head, token, op.q_stride), space.queries);
  forEach(block, op.causal, 0, length,
          [&, first = first](const Panel &panel) { addPanel(op, kvHead, first, block, panel, space); });
  writeBlock(op, head, token, block, space);
}

// Long ones first, so that threads end together.
std::vector<Piece> piecesOf(const AttentionOp &op) {
  std::vector<Piece> pieces;
  for (const Document &document : documentsOf(op.batch, op.length, op.positions))
    for (int64_t query = 0; query < document.length; query += blockQueries)
      pieces.push_back({document, query});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.query > b.query; });
  return pieces;
}

} // namespace

int64_t tiledScratch(const AttentionOp &op) { return sizeof(float) * blockQueries * (2 * op.head_dim + panelKeys + 3); }

void tiledAttention(const AttentionOp &op, char *scratch) {
  const int64_t bytes = tiledScratch(op);
  const std::vector<Piece> pieces = piecesOf(op);
  parallelFor(static_cast<int64_t>(pieces.size()) * op.heads,
              [&](int64_t i, int thread) { attend(op, pieces[i / op.heads], i % op.heads, scratch + thread * bytes); });
}

} // namespace stretto::runtime
