// Rows: what tasks make, before it becomes part of a batch.
#pragma once

#include "runtime/train/task.h"

#include <cstdint>
#include <vector>

namespace stretto::tasks {

// An answer: tokens [begin, end) of a row. `group` says of which kind it is; the task numbers its kinds.
struct Answer {
  int64_t begin = 0, end = 0, group = 0;
};

// A row while it is made: its tokens, which of them count for the loss as targets, and its answers. A whole row has one
// token more than its inputs: the last one is a target only.
struct Row {
  std::vector<int32_t> tokens;
  std::vector<uint8_t> counted;
  std::vector<Answer> answers;

  void add(int32_t token, bool counts = false) {
    tokens.push_back(token);
    counted.push_back(counts);
  }
};

// Throws std::invalid_argument where the arrays of a batch, or `predictions` many predictions, do not fit the task's
// rows.
void checkShape(const runtime::Task &task, const runtime::BatchView &batch, size_t predictions);

// Writes a whole row as row r of a batch. A document starts with the row and at each token in begin .. lastBegin.
void writeRow(const Row &row, int32_t begin, int32_t lastBegin, runtime::BatchView batch, int64_t r);

// The inputs of row r and its last target.
std::vector<int32_t> rowTokens(const runtime::BatchView &batch, int64_t r);

} // namespace stretto::tasks
