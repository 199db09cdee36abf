// The interface through which the trainer knows a task. Tasks implement it (tasks/); the runtime only
// declares it, so that it never includes a task.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stretto {

// One batch: three row-major arrays of `batch * length`.
//   tokens[b,t]   input token
//   targets[b,t]  the token that should follow tokens[b,t]
//   mask[b,t]     1 where the target counts for the loss, else 0
struct BatchView {
  int64_t batch = 0, length = 0;
  std::span<int32_t> tokens, targets;
  std::span<uint8_t> mask;
};

// Which counter-based stream a sample comes from. Streams never share a sample.
enum class Stream : uint32_t { Train = 0, Evaluation = 1 };

// One score, e.g. {"accuracy/k=2", 37, 40}: 37 of 40 answers right.
struct Score {
  std::string name;
  int64_t right = 0, total = 0;
};

// A task instance with all its parameters set. Thread-safe: generation is a pure function of its arguments.
class Task {
public:
  virtual ~Task() = default;
  virtual std::string name() const = 0;
  virtual int64_t length() const = 0;      // tokens per row (the recipe's context, or as overridden)
  virtual int64_t vocabulary() const = 0;  // ids are 0 .. vocabulary-1
  // Every parameter with its value as text, for the run directory.
  virtual std::map<std::string, std::string> settings() const = 0;

  // Fills row r of the batch from the sample index first + r of the stream (seed, stream). Same arguments,
  // same tokens, whatever thread or process asks.
  virtual void fill(uint64_t seed, Stream stream, uint64_t first, BatchView batch) const = 0;

  // Teacher-forced scores of predictions on the evaluation batch made from the same (seed, first):
  // predicted[b,t] is the most likely token after tokens[b,0..t]. The first score is the headline.
  virtual std::vector<Score> score(uint64_t seed, uint64_t first, const BatchView &batch,
                                   std::span<const int32_t> predicted) const = 0;

  // One row as readable text (for `stretto data`).
  virtual std::string describe(const BatchView &batch, int64_t row) const = 0;
};

// Training constants: from the task's recipe file, then the command line.
struct Recipe {
  int64_t batch = 0, length = 0, steps = 0, warmup = 0;
  double learning_rate = 0, weight_decay = 0, beta1 = 0, beta2 = 0, epsilon = 0, clip = 0;
  std::string schedule;       // "constant", "linear" or "cosine"
  double final_fraction = 0;  // learning rate at the end / learning rate
};

} // namespace stretto
