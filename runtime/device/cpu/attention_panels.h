// What attention by tiles and its gradient share: blocks of queries, panels of keys and their scores, which have a row
// for each key. So the maxima and sums of queries are vectors, keys and values are read as they lie, and all that is
// transposed is a block of queries, once for all of its keys.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/score_terms.h"
#include "runtime/device/cpu/softmax_columns.h"
#include "runtime/device/cpu/tiles/matmul.h"

#include <algorithm>
#include <utility>

namespace stretto::runtime::panels {

constexpr int64_t blockQueries = biasRoom; // queries worked on together: the stride of scores
constexpr int64_t panelKeys = 128;         // keys whose scores are held at once

using Rows = tiles::Matrix<float>;

// Hands out parts of a thread's scratch memory.
class Scratch {
public:
  explicit Scratch(char *memory) : next(reinterpret_cast<float *>(memory)) {}
  float *take(int64_t count) { return std::exchange(next, next + count); }
  Rows takeRows(int64_t count, int64_t columns) { return {take(count * columns), columns}; }

private:
  float *next;
};

// A block of queries of a document, counted from its begin; `columns`: the queries with those that fill the last
// vector.
struct Block {
  int64_t query, rows, columns;
  int64_t window, firstKey; // firstKey: that the first query sees
  Block(const AttentionOp &op, int64_t query, int64_t length);
};
int64_t blockCount(int64_t length);

// Keys that a block is multiplied with at once. On the diagonal they are those of its own tokens.
struct Panel {
  int64_t key, count;
  bool diagonal;
  // What counts of scores in the order of queries, and in that of keys.
  tiles::Part ofQueries() const { return diagonal ? tiles::Part::lower : tiles::Part::all; }
  tiles::Part ofKeys() const { return diagonal ? tiles::Part::upper : tiles::Part::all; }
  ScoreColumns scores(const Block &block) const;
};

// Calls `visit` with the panels of the keys [begin, end) that a block sees; the first one of all begins at its
// firstKey.
template <typename Visit> void forEach(const Block &block, bool causal, int64_t begin, int64_t end, Visit visit) {
  const int64_t common = causal ? std::min(block.query, end) : end;
  for (int64_t key = std::max(begin, block.firstKey); key < common; key += panelKeys)
    visit(Panel{key, std::min(panelKeys, common - key), false});
  if (causal && block.query < end)
    visit(Panel{block.query, block.rows, true});
}

// The rows of one head from a token on, in [batch, length, heads * dim].
Rows rowsOf(void *data, int64_t dim, int64_t head, int64_t token, int64_t stride);
// The logarithm of a query's sum of exponentials; those of the next tokens follow.
float *lseOf(const AttentionOp &op, int64_t head, int64_t token);

void copyRows(int64_t rows, int64_t columns, Rows from, Rows to);

// Numbers that copies of keys and values of some tokens take.
int64_t keyCopies(const AttentionOp &op, int64_t tokens);

// Keys and values of a head from `begin` on, counted like a panel's, in memory as attention has them or in copies.
struct Keys {
  int64_t begin, end;
  Rows keys, values;
  // Those of `count` tokens from `token` on. `copies`: so many numbers, taken where tiles are narrow.
  Keys(const AttentionOp &op, int64_t kvHead, int64_t begin, int64_t token, int64_t count, float *copies);
  // The keys behind those of a panel, which may be none.
  Panel behind(const Panel &panel) const;
  Rows keysOf(const Panel &panel) const { return {keys.row(panel.key - begin), keys.stride}; }
  Rows valuesOf(const Panel &panel) const { return {values.row(panel.key - begin), values.stride}; }
};

// The rows of a block, of `dim` numbers, as columns, `blockQueries` apart; zeros in the last vector.
void packColumns(const Block &block, int64_t dim, Rows from, float *to);

// scores = rows of the panel times the columns of a block, as far as they count.
void multiply(const Block &block, const Panel &panel, int64_t dim, Rows rows, const float *columns, float *scores,
              tiles::Ahead &ahead);

// What a softmax takes with them: gradients of scores, and what it takes from those of each query.
struct ScoreGrads {
  float *dScores;
  const float *delta;
  float *slopes; // of capped scores, where there are terms
};
// Scores of queries and keys of a head, before they are scaled, become capped, and get what distances take from them
// and the terms. `grads`: where they are wanted; they become those of the scores before, which with terms are
// multiplied by the slopes later.
void changeScores(const AttentionOp &op, int64_t head, const Block &block, const Panel &panel,
                  const ScoreTerms<float> &terms, float *scores, const ScoreGrads *grads = nullptr);

} // namespace stretto::runtime::panels
