// What sequences of a task are like, over many of them.
#pragma once

#include "tools/data/print.h"

namespace stretto::tools {

// Counts over sequences: documents are found by their positions, so that every task has these.
struct RowStatistics {
  int64_t rows = 0, tokens = 0, counted = 0;
  int64_t documents = 0; // begun in a sequence, the cut ones included
  std::map<int64_t, int64_t>
      lengths; // documents of each length, those that the end of a sequence may have cut left out
  std::map<int32_t, int64_t> frequencies; // inputs of each id that occurs

  void add(const Samples &samples);
};

// Statistics of sequences first .. first+rows-1 as text: documents and counted targets in a sequence, lengths of whole
// documents as a histogram, how often tokens occur, their entropy; of the evaluation stream also how many instances
// there are of each difficulty that the task scores.
void printStatistics(std::ostream &out, const runtime::Task &task, uint64_t seed, runtime::Stream stream,
                     uint64_t first, int64_t rows);

} // namespace stretto::tools
