// An evaluation: scores on held-out instances, by predictions and by what the model writes.
#pragma once

#include "runtime/train/step.h"

namespace stretto::runtime {

// What an evaluation covers.
struct EvaluationPlan {
  int64_t rows = 0;       // held-out rows whose tokens are predicted
  int64_t generated = 0;  // held-out instances that the model answers by writing
  double temperature = 0; // of writing
  uint64_t seed = 0;      // of drawn tokens
};

// The plan of a run with batches of `batch` rows: no held-out row counts twice, and a task that can only be judged by
// what a model writes is, unless the configuration says otherwise.
EvaluationPlan evaluationPlan(const RunConfig &config, const BatchSource &source, int64_t batch);

// Scores and mean loss of the model as it is, the same on all ranks, which share the work; `step` is only noted.
EvaluationMetrics evaluate(Stepper &stepper, const BatchSource &source, const stretto_program &program,
                           const EvaluationPlan &plan, int64_t step, Group &ranks);

// One score on a line: "accuracy 37.5 %", "nll 0.5 nats".
std::string scoreText(const Score &score);

// The first score that has instances, on a line; empty where none has.
std::string headlineText(const std::vector<Score> &scores);

// The scores that have instances as a table: name, result, 95 % interval, instances.
std::string scoreTable(const EvaluationMetrics &metrics);

} // namespace stretto::runtime
