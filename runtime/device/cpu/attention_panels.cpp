// Blocks of queries, panels of keys and their scores.
#include "runtime/device/cpu/attention_panels.h"

#include "runtime/core/distance.h"

#include <limits>

namespace stretto::runtime::panels {

using In = tiles::Matrix<const float>;

Block::Block(const AttentionOp &op, int64_t query, int64_t length)
    : query(query), rows(std::min(blockQueries, length - query)),
      columns((rows + columnLanes - 1) / columnLanes * columnLanes), window(op.window),
      firstKey(firstSeenKey(window, query)) {}

ScoreColumns Panel::scores(const Block &block) const {
  const int64_t first = block.window ? block.query + 1 - block.window - key : -blockQueries;
  return {count, block.columns, blockQueries, first, diagonal ? 0 : count};
}

int64_t blockCount(int64_t length) { return (length + blockQueries - 1) / blockQueries; }

Rows rowsOf(void *data, int64_t dim, int64_t head, int64_t token, int64_t stride) {
  return {static_cast<float *>(data) + token * stride + head * dim, stride};
}

float *lseOf(const AttentionOp &op, int64_t head, int64_t token) {
  return static_cast<float *>(op.lse) + (token / op.length * op.heads + head) * op.length + token % op.length;
}

void copyRows(int64_t rows, int64_t columns, Rows from, Rows to) {
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(from.row(row), columns, to.row(row));
}

// Between rows of copies: an odd number of lines, so that rows lie in all sets of a cache.
static int64_t copyStride(int64_t dim) {
  constexpr int64_t line = 64 / sizeof(float);
  return ((dim + line - 1) / line | 1) * line;
}

int64_t keyCopies(const AttentionOp &op, int64_t tokens) {
  return tiles::tilesAreNarrow() ? tokens * (copyStride(op.head_dim) + copyStride(op.value_dim)) : 0;
}

Keys::Keys(const AttentionOp &op, int64_t kvHead, int64_t begin, int64_t token, int64_t count, float *copies)
    : begin(begin), end(begin + count), keys(rowsOf(op.k, op.head_dim, kvHead, token, op.k_stride)),
      values(rowsOf(op.v, op.value_dim, kvHead, token, op.v_stride)) {
  if (!tiles::tilesAreNarrow())
    return;
  for (const auto &[rows, dim] : {std::pair{&keys, op.head_dim}, {&values, op.value_dim}}) {
    const int64_t stride = copyStride(dim);
    const Rows copy{std::exchange(copies, copies + count * stride), stride};
    copyRows(count, dim, *rows, copy);
    *rows = copy;
  }
}

Panel Keys::behind(const Panel &panel) const {
  const int64_t key = panel.key + panel.count;
  return {key, std::min(panelKeys, end - key), false};
}

void packColumns(const Block &block, int64_t dim, Rows from, float *to) {
  if (block.rows < block.columns)
    std::fill_n(to, dim * blockQueries, 0.0f);
  tiles::transposeRows(block.rows, dim, In(from), Rows{to, blockQueries});
}

void multiply(const Block &block, const Panel &panel, int64_t dim, Rows rows, const float *columns, float *scores,
              tiles::Ahead &ahead) {
  // On the diagonal, queries before the first key of a step see none of its keys.
  const int64_t step = panel.diagonal ? columnLanes : panel.count;
  for (int64_t key = 0; key < panel.count; key += step) {
    const int64_t query = panel.diagonal ? key : 0;
    tiles::matmul(std::min(step, panel.count - key), block.columns - query, dim,
                  tiles::Left<float>{rows.row(key), rows.stride}, In{columns + query, blockQueries}, {},
                  Rows{scores + key * blockQueries + query, blockQueries}, tiles::Part::all, &ahead);
  }
}

// Queries that only fill a vector see nothing.
static void addDecay(const AttentionOp &op, const Block &block, const Panel &panel, const double *sums, float *scores) {
  DecayTerms<float, panelKeys> ofKeys;
  DecayTerms<float, blockQueries> ofQueries;
  decayOfKeys(sums, block.query, panel.key, panel.count, op.scale, ofKeys);
  decayOfQueries(sums, block.query, block.query, block.rows, op.scale, ofQueries);
  std::fill(ofQueries.whole + block.rows, ofQueries.whole + block.columns, -std::numeric_limits<float>::infinity());
  std::fill(ofQueries.rest + block.rows, ofQueries.rest + block.columns, 0.0f);
  runtime::addDecay(panel.scores(block), scores, ofKeys, ofQueries);
}

void changeScores(const AttentionOp &op, int64_t head, const Block &block, const Panel &panel,
                  const ScoreTerms<float> &terms, float *scores, const ScoreGrads *grads) {
  if (op.cap > 0) {
    const auto cap = static_cast<float>(op.cap / op.scale); // scores are scaled later
    if (grads && terms.areThere())
      capSlopeColumns(panel.scores(block), scores, grads->slopes, cap);
    else if (grads)
      capGradColumns(panel.scores(block), scores, grads->dScores, cap, grads->delta);
    else
      capColumns(panel.scores(block), scores, cap);
  }
  if (op.alibi)
    subtractDistances(panel.scores(block), scores, static_cast<float>(alibiSlope(head, op.heads) / op.scale),
                      block.query - panel.key);
  if (terms.sums)
    addDecay(op, block, panel, terms.sums, scores);
  if (terms.bias.numbers)
    addBias(panel.scores(block), scores, terms.bias, block.query - panel.key);
}

} // namespace stretto::runtime::panels
