// Where tokens come from, and the thread that prepares them while the step before runs.
#pragma once

#include "runtime/dist/group.h"
#include "runtime/train/task.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace stretto::runtime {

// The tokens of some micro-batches, one after another; micro-batch i is sequences [i * batch, (i + 1) * batch).
struct TokenBlock {
  uint64_t first = 0; // which sample of its stream the first sequence is
  std::vector<int32_t> tokens, targets;
  std::vector<uint8_t> mask;
  std::vector<int32_t> positions; // places of the tokens in their documents
  std::vector<double> weights;    // loss weight of each target: mask / number of ones in the block
  bool hasOwnWeights = false;     // the weights are those of a file instead
  int64_t counted = 0;            // targets that count, here and in the blocks that are weighed with this one

  BatchView view(int64_t firstRow, int64_t rows, int64_t length);
  // How many targets count.
  int64_t ones() const;
  // Takes over how many targets count, and makes the weights mask / ones, unless they are those of a file.
  void weigh(int64_t ones);

  // What a token takes in one.
  static constexpr int64_t bytesOfToken = 3 * sizeof(int32_t) + sizeof(uint8_t) + sizeof(double);
};

// Which sequences of a step a rank trains on.
struct StepRows {
  int64_t all = 0;   // of all ranks: the block of step s (from 0) starts at sample s * all
  int64_t first = 0; // of this rank, from there
  int64_t own = 0;
};

// A source of samples; sample r of a stream is always the same.
class BatchSource {
public:
  virtual ~BatchSource() = default;
  // Fills `rows` rows from sample `first`, weights included.
  virtual TokenBlock make(Stream stream, uint64_t first, int64_t rows, int64_t length) const = 0;
  virtual std::vector<Score> score(uint64_t first, const BatchView &batch, const Predictions &predictions) const = 0;
  // How many samples of an evaluation differ, from 0 on; none: as many as are asked for.
  virtual std::optional<int64_t> evaluationRows() const { return {}; }
  // The task behind it and the seed of its samples; null where there is none.
  virtual const Task *task() const { return nullptr; }
  virtual uint64_t seed() const { return 0; }
  // What the samples depend on, for the run directory: another text means other samples.
  virtual std::string identity() const = 0;
};

// Samples of a task.
std::unique_ptr<BatchSource> taskSource(std::unique_ptr<Task> task, uint64_t seed);

// The rows of a safetensors file, in a circle: `tokens` and `targets` (I32 or I64, [rows, length]), and
// optionally `mask` (U8 or BOOL) or `weights` (F32 or F64; then used as they are), and `positions` (I32 or I64; a row
// is one document without). Throws Error when the file does not fit the program, a token is outside the vocabulary, or
// positions do not count.
std::unique_ptr<BatchSource> fileSource(const std::string &path, int64_t batch, int64_t length, int64_t vocabulary);

// The parameters of a task that name a file or folder as in the identity of a source of the same task, though what is
// there has changed.
std::vector<std::string> changedFiles(const Task &task, const std::string &identity);
// Says so of one of them: "'FOLDER', the parameter 'lists' of task 'capo', had another content".
std::string changedFileText(const Task &task, const std::string &parameter);

// Prepares the blocks of steps first, first + 1, ... on a background thread, one ahead. Ranks tell each other what
// concerns all of them: how many targets of the step count, whether to stop, what went wrong, how long their latest
// step took.
class Prefetcher {
public:
  Prefetcher(const BatchSource &source, int64_t firstStep, const StepRows &rows, int64_t length, Group &ranks);
  ~Prefetcher();
  // The next block; throws what the source threw, of any rank.
  TokenBlock next();
  // The signal that asked for a stop before the next block, or 0: of several ranks, of any of them when it was
  // prepared.
  int stopSignal();
  // What a step took this rank, without waiting for others; and what the others told last, by rank: empty for one rank.
  void tell(double seconds) { ownSeconds = seconds; }
  std::vector<double> secondsOfRanks();
  // Seconds that next() has waited, in all.
  double waited() const { return waitedSeconds; }

private:
  void serve();
  TokenBlock prepare();
  void agree(TokenBlock &block, const std::string &failed);
  void awaitNext(std::unique_lock<std::mutex> &lock);
  const BatchSource &source;
  int64_t step;
  StepRows rows;
  int64_t length;
  Group &ranks;
  int stop = 0; // belongs to `ready`, and so do:
  std::vector<double> seconds;
  std::atomic<double> ownSeconds = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<TokenBlock> ready;
  std::exception_ptr failure;
  bool stopping = false;
  double waitedSeconds = 0;
  std::thread server;
};

} // namespace stretto::runtime
