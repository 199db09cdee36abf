// The interface through which the trainer knows a task. Tasks implement it (tasks/); the runtime only
// declares it, so that it never includes a task.
#pragma once

#include "runtime/core/error.h"
#include "runtime/train/score.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::runtime {

// One batch: row-major arrays of `batch * length`.
//   tokens[b,t]     input token
//   targets[b,t]    the token that should follow tokens[b,t]
//   mask[b,t]       1 where the target counts for the loss, else 0
//   positions[b,t]  the place of tokens[b,t] in its document: 0 at the first token of each. A row whose first token
//                   lies inside a document starts counting there.
struct BatchView {
  int64_t batch = 0, length = 0;
  std::span<int32_t> tokens, targets;
  std::span<uint8_t> mask;
  std::span<int32_t> positions;
};

// Which counter-based stream a sample comes from. Streams never share a sample.
enum class Stream : uint32_t { Train = 0, Evaluation = 1 };

// What a model said about a batch, row-major as the batch.
struct Predictions {
  std::span<const int32_t> predicted; // [batch, length]: the most likely token after tokens[b,0..t]; -1: none is
  std::span<const double> nll;        // [batch, length]: negative log-likelihood of targets[b,t], in nats
  // [batch, length, vocabulary], natural; where a task asks for them. The vocabulary is the task's, of a model that may
  // know more.
  std::span<const double> logProbabilities{};
};

// A text that a model shall go on with.
struct Prompt {
  std::vector<int32_t> tokens;
  int64_t most = 0; // tokens to write at most
  int32_t end = -1; // the token after which the model stops (part of its answer); -1: none
};

// A task instance with all its parameters set. Thread-safe: everything is a pure function of its arguments.
//
// Scoring takes up to three roads: `score` looks at the predictions for whole evaluation rows; `prompts` and `judge`
// let the model write; `conclude` derives what needs the totals of an evaluation.
class Task {
public:
  virtual ~Task() = default;
  virtual std::string name() const = 0;
  virtual int64_t length() const = 0;     // tokens per sequence (the recipe's context, or as overridden)
  virtual int64_t vocabulary() const = 0; // ids are 0 .. vocabulary-1
  // Every parameter with its value as text, for the run directory.
  virtual std::map<std::string, std::string> settings() const = 0;
  // Digests of what the files said that the task was made from, by the parameter that names the file or its folder;
  // none, or an empty one, where no file was read. A run is resumed with the same ones only.
  virtual std::map<std::string, std::string> contents() const { return {}; }
  // What the token of an id says. Parameters may change it, and a model is used with those only that leave it as it was
  // when the model was trained. Empty: nothing is known.
  virtual std::string meaning(int32_t /*id*/) const { return {}; }
  // The text of the token of an id, with the space that belongs to it: "<query> ", " fox". Different ids have
  // different texts, and the texts of a sequence, joined, are its text.
  virtual std::string text(int32_t id) const { return std::to_string(id) + " "; }
  // Cuts text, whose words have one space before and behind them, into the texts of its tokens, but for that last
  // space; none: the longest token at each place is meant.
  virtual std::vector<std::string> cutText(const std::string & /*text*/) const { return {}; }

  // Tokens that each whole document has at least; 0: nothing is known. A row holds so many documents at most.
  virtual int64_t shortestDocument() const { return 0; }

  // Fills row r of the batch from the sample index first + r of the stream (seed, stream). Same arguments,
  // same tokens, whatever thread or process asks.
  virtual void fill(uint64_t seed, Stream stream, uint64_t first, BatchView batch) const = 0;

  // Scores of predictions on the evaluation batch made from the same (seed, first), given the true tokens before each
  // (teacher forcing). The first score is the headline.
  virtual std::vector<Score> score(uint64_t seed, uint64_t first, const BatchView &batch,
                                   const Predictions &predictions) const = 0;
  // How many evaluation samples differ, from 0 on; none: as many as are asked for.
  virtual std::optional<int64_t> evaluationRows() const { return {}; }
  // Whether `score` wants logProbabilities. They cost one evaluation for each token of the vocabulary.
  virtual bool wantsDistribution() const { return false; }

  // What the model shall write for the `count` evaluation instances from `first` on, one or more prompts each; none
  // where the task is not scored by what models write. A prompt and its answer fit into a row.
  virtual std::vector<Prompt> prompts(uint64_t /*seed*/, uint64_t /*first*/, int64_t /*count*/) const { return {}; }
  // Scores of the answers to prompts(seed, first, count), in their order. An answer holds the tokens written, the end
  // token included.
  virtual std::vector<Score> judge(uint64_t /*seed*/, uint64_t /*first*/, int64_t /*count*/,
                                   std::span<const std::vector<int32_t>> /*answers*/) const {
    return {};
  }
  // Whether what models write is what the task is about, so that every evaluation lets them.
  virtual bool judgedByWriting() const { return false; }
  // The temperature at which answers are drawn; 0: the most likely token each time.
  virtual double temperature() const { return 0; }

  // From the totals of one evaluation and the number of weights of the model: what is reported, the headline first.
  virtual std::vector<Score> conclude(std::vector<Score> totals, int64_t /*parameters*/) const { return totals; }

  // One row as readable text (for `stretto data`).
  virtual std::string describe(const BatchView &batch, int64_t row) const = 0;
};

// A request that no task can serve: an unknown task, parameter or preset, or a value out of range.
struct TaskError : Error {
  explicit TaskError(const std::string &message, std::string parameter = "")
      : Error(message), parameter(std::move(parameter)) {}

  std::string parameter; // whose value is refused; empty: it is not about the value of one
};

// Training constants: from the task's recipe file, then the command line.
struct Recipe {
  int64_t batch = 0, length = 0, steps = 0, warmup = 0;
  double learning_rate = 0, weight_decay = 0, beta1 = 0, beta2 = 0, epsilon = 0, clip = 0;
  std::string schedule;      // "constant", "linear" or "cosine"
  double final_fraction = 0; // learning rate at the end / learning rate
  // Coefficients of terms of the loss, see stretto_output; nothing: the recipe names none.
  std::optional<double> nll_square, z_loss;
};

} // namespace stretto::runtime
