// The training loop: steps, evaluations, checkpoints, logs.
#pragma once

#include "runtime/core/profile.h"
#include "runtime/program/evaluate.h"
#include "runtime/train/balance.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/peak.h"
#include "runtime/train/progress.h"
#include "runtime/train/rundir.h"
#include "runtime/train/schedule.h"
#include "runtime/train/skipped_steps.h"
#include "runtime/train/step.h"

#include <chrono>
#include <deque>

namespace stretto::runtime {

// What the trainer works with; run (of the first rank alone) and checkpoints are null without a run directory, profile
// when unused.
struct TrainerParts {
  TrainingState state;
  const RunConfig &config;
  const BatchSource &source;
  RunDirectory *run = nullptr;
  CheckpointFolder *checkpoints = nullptr;
  Profile *profile = nullptr;
  Progress &progress;
  double peakFlops = 0; // measured; 0: unknown
  DataParallel &parallel;
  std::string goOn; // the command that goes on with the run
};

class Trainer {
public:
  explicit Trainer(const TrainerParts &parts);
  ~Trainer();

  // Where the first weights come from, if they are of a checkpoint; a resume knows it from its own.
  void startFrom(const std::optional<WeightsOrigin> &origin) { firstWeights = origin; }

  // Takes over step and counters of a checkpoint; throws Error when it is of another model, data or seed.
  void resumeFrom(const Manifest &manifest);

  // Trains to the last step, or until a signal asks to stop. Returns the signal, or 0. All ranks do the same.
  int run();

  int64_t step() const { return done; }
  const std::vector<EvaluationMetrics> &evaluations() const { return history; }

private:
  struct Logs;
  void openLogs();
  int trainSteps();
  struct OpenStep;
  void trainStep(Prefetcher &data);
  // Waits for the step that has begun, if there is one, and records it.
  void finishStep(Prefetcher &data);
  void tellUncounted(const TokenBlock &block, int64_t step);
  bool takesWholeSteps() const;
  bool stepsOverlap() const;
  TokenBlock nextBlock(Prefetcher &data);
  void readResult(StepMetrics &metrics);
  // Gradients and update one after the other, for who looks in between. Waits.
  void takeInParts(TokenBlock &block, StepMetrics &metrics);
  void evaluate();
  void writeScores(EvaluationMetrics metrics);
  void tellEvaluation(const EvaluationMetrics &metrics) const;
  bool save(bool last);
  void noteSaved();
  bool applyStep(StepMetrics &metrics);
  void tellSkipped(const std::string &text);
  Hyper hyperOf(const StepMetrics &metrics) const;
  [[noreturn]] void failNonfinite(const StepMetrics &metrics, const char *what, const std::string &found,
                                  const std::string &left) const;
  [[noreturn]] void failLoss(const StepMetrics &metrics, const std::string &left) const;
  void checkNorm(const StepMetrics &metrics) const;
  void dumpFirst(TokenBlock &block);
  struct StepTimes {
    double seconds = 0, waited = 0, exchanged = 0; // waited: for data; exchanged: with other ranks
    std::optional<Balance::Step> balance;
  };
  void record(const StepMetrics &metrics, const StepTimes &times);
  ProgressState progressOf(const StepMetrics &metrics, const StepTimes &times);
  std::string timingLine(int64_t step, const StepTimes &times) const;
  void tellSlowRank(const Balance::Step &step);
  std::map<std::string, std::string> facts() const;
  void checkEvaluation() const;
  std::string specRemark(const std::map<std::string, std::string> &before,
                         const std::map<std::string, std::string> &now) const;
  bool evaluates() const { return evaluation.rows > 0 || evaluation.generated > 0; }
  bool isEvaluatedAfter(int64_t step) const;
  bool takesSteps() const { return parts.config.steps > 0; }
  // Sequences of a step, of all ranks, and their tokens.
  int64_t rowsPerStep() const { return stepRows().all; }
  double tokensPerStep() const;
  StepRows stepRows() const;
  Group &control() const { return parts.parallel.ranks().control(); }
  bool isFirst() const { return parts.parallel.ranks().isFirst(); }

  TrainerParts parts;
  Schedule schedule;
  EvaluationPlan evaluation;
  Stepper stepper;
  PeakRate peak;
  std::unique_ptr<Logs> logs;
  std::unique_ptr<AppendFile> scores; // what --scores names
  std::string scoresFailure;          // why nothing is written there any more
  bool hasToldUncounted = false;      // that no target of a step counts
  SkippedSteps skipped;
  std::vector<EvaluationMetrics> history;
  std::optional<WeightsOrigin> firstWeights;
  // Steps that weights are after, those included that the device is still at.
  int64_t done = 0, updates = 0, firstStep = 0, saved = -1;
  std::unique_ptr<OpenStep> open;
  std::chrono::steady_clock::time_point stepBegan; // when the data of the step to come was asked for
  double waitedBefore = 0;                         // for data, until then
  std::chrono::steady_clock::time_point lastEnd;   // of a step
  std::deque<double> recentSeconds;                // of the latest steps
  Balance balance;
};

} // namespace stretto::runtime
