// How samples and tasks are shown.
#pragma once

#include "tasks/registry.h"

#include <ostream>

namespace stretto::tools {

// Sequences `first`, `first`+1, ... of one stream, `batch` of them.
struct Samples {
  Samples(const runtime::Task &task, uint64_t seed, runtime::Stream stream, uint64_t first, int64_t batch);

  runtime::BatchView view();

  uint64_t first;
  int64_t batch, length;
  std::vector<int32_t> tokens, targets;
  std::vector<uint8_t> mask;
  std::vector<int32_t> positions;
};

// How many sequences to take at a time: 16, fewer where they are long.
int64_t rowsAtOnce(const runtime::Task &task);

struct PrintOptions {
  bool published = false; // ids in the published numbering
  bool colour = false;    // counted tokens in colour
};

// Each sequence as text, then as ids; the ids that count for the loss stand in brackets. Throws TaskError where
// the task has no published numbering.
void printSamples(std::ostream &out, const runtime::Task &task, Samples &samples, PrintOptions options);

// One JSON object per sequence and line: {"sample":..,"tokens":[..],"targets":[..],"mask":[..],"positions":[..]}.
void printJson(std::ostream &out, const runtime::Task &task, Samples &samples, PrintOptions options);

// Generates sequences on one thread for a second of processor time, scores some for another, and prints the rates.
// Throws TaskError where the probabilities that a scorer wants are more than 2^28.
void printSpeed(std::ostream &out, const runtime::Task &task, uint64_t seed, runtime::Stream stream);

// Each id with its text: a line 4 " fox", or with `json` the object {"id":4,"text":" fox"}, which has the bytes, too,
// where they are no UTF-8.
void printVocabulary(std::ostream &out, const runtime::Task &task, PrintOptions options, bool json);

// {"batch":..,"length":..,"vocabulary":..}, the batch as the recipe has it.
void printShape(std::ostream &out, const runtime::Task &task, const runtime::Recipe &recipe);

// Every parameter of a task with default, range and meaning, and the presets of its recipe.
void printTask(std::ostream &out, const tasks::TaskInfo &task);

} // namespace stretto::tools
