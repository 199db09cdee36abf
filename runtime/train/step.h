// One optimizer step and one evaluation of a compiled program.
#pragma once

#include "runtime/core/context.h"
#include "runtime/dist/data_parallel.h"
#include "runtime/train/batches.h"
#include "runtime/train/config.h"
#include "runtime/train/metrics.h"
#include "runtime/train/state.h"

#include <deque>
#include <initializer_list>

namespace stretto::runtime {

// The optimizer's numbers for one update.
struct Hyper {
  double learningRate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0, clip = 0;
  int64_t update = 1; // 1 for the first one applied; for the bias corrections
};
inline Hyper hyperOf(const RunConfig &config, double learningRate, int64_t update) {
  return {learningRate, config.beta1, config.beta2, config.epsilon, config.weightDecay, config.clip, update};
}

class Stepper {
public:
  // A virtual rank has `accumulate` micro-batches in a step. `parallel`: the ranks that share it; null: this one alone.
  // `seed`: of what is random in a step.
  Stepper(const TrainingState &state, int64_t accumulate, DataParallel *parallel = nullptr, uint64_t seed = 0)
      : state(state), context(state.device, state.arenas, state.program.dtype), accumulate(accumulate), seed(seed),
        parallel(parallel && !parallel->isAlone() ? parallel : nullptr) {}
  // Waits for what has begun: the device writes to it.
  ~Stepper();
  Stepper(const Stepper &) = delete;
  Stepper &operator=(const Stepper &) = delete;

  // All of an optimizer step at once: gradients of a block of all micro-batches of this rank, and their application.
  struct Result {
    double loss = 0, gradNorm = 0; // norm: before clipping
  };
  // Begins it: where the device works by itself, the host goes on.
  void begin(TokenBlock &block, const Hyper &hyper);
  // Waits for the oldest step that has begun and is not finished, but for nothing that began since.
  Result finish();
  // How many these are.
  int64_t unfinished() const { return static_cast<int64_t>(begun.size()); }
  // Whether a step may begin before the one before is finished. Ranks tell each other of a step before the next.
  bool overlaps() const { return !parallel && state.device.repeats(); }

  // Its three parts, for who wants to look in between. Gradients, in GRADIENTS (of several ranks: in the rows that this
  // one owns); returns the loss. Waits.
  double gradients(TokenBlock &block);
  // Of the latest step of several virtual ranks whose loss is no number: " (virtual rank 3, computed by rank 1)"; else
  // empty.
  std::string whereLossIsLost() const;
  // The norm of GRADIENTS before clipping; no number, or infinite, where one of them is. Waits.
  double gradientNorm(const Hyper &hyper);
  // Clips and applies GRADIENTS, whose norm is known. Waits. Of several ranks, weights are those of the update only
  // after finishUpdate, or in the next step.
  void applyGradients();
  // Weights and moments are as after the latest update. All ranks call it, before anything but a step looks at them
  // (evaluations, checkpoints). Waits.
  void finishUpdate();

  // Predictions and negative log-likelihoods of one micro-batch; where these are NaN, so are the logits, and -1 is
  // predicted. Waits.
  struct Prediction {
    std::vector<double> nll;
    std::vector<int32_t> predicted;
  };
  Prediction evaluate(TokenBlock &block);

  // The log-probability of each of the first `tokens` of the vocabulary at each place of one micro-batch, [batch,
  // length, tokens]: an evaluation for each, so for few. Waits.
  std::vector<double> logProbabilities(const TokenBlock &block, int64_t tokens);

  const TrainingState &trainingState() const { return state; }

private:
  using Losses = std::vector<std::vector<std::byte>>; // of micro-batches
  // What a step leaves to be read.
  struct Begun {
    Losses losses;
    std::vector<std::byte> norm;
    Device::Mark mark = 0; // behind both
  };

  // Work that comes again, for Device::repeat.
  enum Repeated {
    GradientsAndUpdate,
    Gradients, // added up, where there are several micro-batches
    LastGradients,
    TakeAccumulated,
    Update,
    Norm,
    Apply,
    RestOfUpdate,
    Evaluate,
    BehindUpdate // beside the others: with the rest of the update before
  };

  // Losses are there at the next wait.
  void submitGradients(TokenBlock &block, Losses &losses);
  void runMicroBatch(bool isLast, bool isBehindUpdate);
  void submitUpdate(const Hyper &hyper);
  void submitNorm();
  void startUpdate();
  bool exchanges() const { return parallel && parallel->exchanges(); }
  double totalOf(const Losses &losses);
  int64_t ownVirtualRanks() const { return parallel ? parallel->virtualRanks() : 1; }
  std::vector<RowRange> ownRows() const;
  void runOnOwnRows(void (*entry)(stretto_context *));
  double biasCorrection(double beta, int64_t update) const;
  void setHyper(const Hyper &hyper);
  void repeat(Repeated what, std::initializer_list<void (*)(stretto_context *)> entries);
  void setInputs(TokenBlock &block, int64_t microBatch);
  void copyReals(stretto_arena arena, int64_t offset, const double *values, int64_t count);
  void *real(std::vector<std::byte> &storage, int64_t offset, int64_t count);
  std::vector<double> widen(const std::vector<std::byte> &storage) const;

  TrainingState state;
  Context context;
  int64_t accumulate;
  uint64_t seed;
  std::deque<Begun> begun;           // oldest first
  bool updateIsOpen = false;         // the norm is known, and nothing is applied yet
  DataParallel *parallel;            // null where the step is that of one rank
  std::vector<double> lossesOfRanks; // of virtual ranks, of the latest step that is finished
};

} // namespace stretto::runtime
