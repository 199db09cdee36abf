// The training loop: steps, evaluations, checkpoints, logs.
#include "runtime/program/trainer.h"

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/finite.h"
#include "runtime/dist/outcomes.h"
#include "runtime/train/files.h"
#include "runtime/train/json.h"
#include "runtime/train/memory.h"
#include "runtime/train/signals.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace stretto::runtime {

struct Trainer::Logs {
  AppendFile metrics, timing;
  EventFile events;
};

Trainer::Trainer(const TrainerParts &parts)
    : parts(parts), schedule{parts.config.learningRate,  parts.config.warmup,
                             parts.config.steps,         decayFromName(parts.config.schedule),
                             parts.config.finalFraction, parts.config.cooldown},
      evaluation(evaluationPlan(parts.config, parts.source, parts.state.program.batch)),
      stepper(parts.state, parts.config.accumulate, &parts.parallel, static_cast<uint64_t>(parts.config.seed)),
      peak(parts.peakFlops) {}

Trainer::~Trainer() = default;

// Of all ranks.
static int64_t virtualRanks(const DataParallel &parallel) { return parallel.virtualRanks() * parallel.ranks().size(); }

std::map<std::string, std::string> Trainer::facts() const {
  const stretto_program &program = parts.state.program;
  std::map<std::string, std::string> facts = {{"model", program.model},
                                              {"spec_hash", program.spec_hash},
                                              {"dtype", safetensorsDtype(program.dtype)},
                                              {"compiler", program.compiler},
                                              {"data", parts.source.identity()},
                                              {"documents", program.input.is_masked ? "apart" : "together"},
                                              {"seed", fmt::format("{}", parts.config.seed)},
                                              {"rows_per_step", fmt::format("{}", rowsPerStep())},
                                              {"virtual_ranks", fmt::format("{}", virtualRanks(parts.parallel))},
                                              {"data_position", fmt::format("{}", done * rowsPerStep())},
                                              {"updates", fmt::format("{}", updates)}};
  if (const std::string matmuls = parts.state.device.matmuls(); !matmuls.empty())
    facts["matmuls"] = matmuls;
  if (firstWeights)
    facts["first_weights"] = writeOrigin(*firstWeights);
  return facts;
}

// What a run keeps from its beginning to its end, as its bits depend on it.
static void checkResumable(const std::map<std::string, std::string> &checkpoint,
                           const std::map<std::string, std::string> &now) {
  struct Kept {
    const char *key, *name, *ofOlder; // what checkpoints have that do not say
  };
  for (const Kept &kept : {Kept{"spec_hash", "spec", ""},
                           {"dtype", "dtype", ""},
                           {"seed", "seed", ""},
                           {"data", "data", ""},
                           {"documents", "documents", "together"},
                           {"virtual_ranks", "number of virtual ranks", "1"},
                           {"rows_per_step", "sequences of a step", ""}}) {
    const auto found = checkpoint.find(kept.key);
    const std::string then = found == checkpoint.end() ? kept.ofOlder : found->second;
    if (then != now.at(kept.key))
      throw Error(fmt::format("a run must be resumed with the {} of its checkpoint, {}, but got {}", kept.name, then,
                              now.at(kept.key)));
  }
}

// Why the program has another model than the run, as far as its folder tells.
std::string Trainer::specRemark(const std::map<std::string, std::string> &before,
                                const std::map<std::string, std::string> &now) const {
  constexpr uint64_t most = 64 << 20;
  const auto hash = before.find("spec_hash");
  if (hash == before.end() || hash->second == now.at("spec_hash") || !parts.run)
    return "";
  const std::string spec = parts.run->file("spec.stretto"), options = parts.run->file("build/options.txt");
  if (!pathExists(spec))
    return "";
  if (readFile(spec, most) != parts.state.program.spec_text)
    return fmt::format("; it differs from '{}'", spec);
  const Task *task = parts.source.task();
  const auto data = before.find("data");
  if (task && data != before.end())
    if (const std::vector<std::string> changed = changedFiles(*task, data->second); !changed.empty())
      return fmt::format("; the text of the spec is the same, but {} then", changedFileText(*task, changed.front()));
  if (!pathExists(options))
    return "";
  if (!parts.run->hasModelOptions(parts.state.program))
    return fmt::format("; the text of the spec is the same, but its --set, --length or the vocabulary of the task is "
                       "another: '{}' has those of the run",
                       options);
  const std::string stage = stageOf(parts.run->path);
  if (pathExists(stage))
    return fmt::format("; spec and settings are the same, but the run was compiled from the stage '{}'", stage);
  return "; spec and settings are the same, but one of the two was compiled from a stage of it (a .mlir file), or by "
         "another version of Stretto";
}

void Trainer::resumeFrom(const Manifest &manifest) {
  const std::map<std::string, std::string> now = facts();
  try {
    checkResumable(manifest.facts, now);
  } catch (const Error &error) {
    throw Error(error.what() + specRemark(manifest.facts, now));
  }
  if (const std::string text = otherMatmuls(manifest.facts, now); !text.empty())
    parts.progress.warning(text);
  if (const auto found = manifest.facts.find("first_weights"); found != manifest.facts.end())
    firstWeights = readOrigin(found->second);
  done = manifest.step;
  noteSaved();
  updates = updatesOf(manifest);
  if (done > parts.config.steps)
    throw Error(fmt::format("--steps must be at least the {} of the checkpoint, but got {}", counted(done, "step"),
                            parts.config.steps));
}

StepRows Trainer::stepRows() const {
  const DataParallel &parallel = parts.parallel;
  const int64_t each = parts.state.program.batch * parts.config.accumulate;
  return {each * virtualRanks(parallel), each * parallel.firstVirtualRank(), each * parallel.virtualRanks()};
}

void Trainer::openLogs() {
  if (!parts.run->dropLinesAfter(done))
    parts.progress.warning(fmt::format("'{}' lacks lines of steps before {}, the step of the checkpoint",
                                       parts.run->file("metrics.jsonl"), done));
  logs.reset(new Logs{AppendFile(parts.run->file("metrics.jsonl")), AppendFile(parts.run->file("timing.jsonl")),
                      EventFile(parts.run->path, done)});
  syncDirectory(parts.run->path); // the names of the logs
}

int Trainer::run() {
  together(control(), [&] {
    if (parts.run)
      openLogs();
    if (isFirst() && !parts.config.scores.empty())
      scores = std::make_unique<AppendFile>(parts.config.scores, /*followLinks=*/true);
  });
  firstStep = done;
  if (!takesSteps() && evaluates()) {
    evaluate(); // the weights as they came in
    checkEvaluation();
  } else if (!takesSteps() && isFirst()) {
    parts.progress.warning(
        fmt::format("nothing is trained or evaluated: --steps and --eval-batches are 0 (the latter: {})",
                    parts.config.origins.at("eval-batches").text));
  }
  const int signal = trainSteps();
  parts.progress.finish();
  tellSkipped(skipped.rest());
  if (saved != done)
    save(true);
  together(control(), [&] {
    if (!scoresFailure.empty())
      throw Error(scoresFailure);
  });
  return done < parts.config.steps ? signal : 0;
}

static bool isDue(int64_t every, int64_t step) { return every > 0 && step % every == 0; }

bool Trainer::isEvaluatedAfter(int64_t step) const {
  return evaluates() && (step == parts.config.steps || isDue(parts.config.evalEvery, step));
}

// Returns the signal that asked for a stop, or 0.
int Trainer::trainSteps() {
  const RunConfig &config = parts.config;
  Prefetcher data(parts.source, done, stepRows(), parts.state.program.length, parts.parallel.ranks().ahead());
  int signal = 0;
  const Ranks &ranks = parts.parallel.ranks();
  const auto awaitData = [&] {
    ranks.note(Phase::Data, fmt::format("the data of step {}", done + 1));
    stepBegan = std::chrono::steady_clock::now();
    waitedBefore = data.waited();
    if (parts.profile)
      parts.profile->beginStep();
    return data.stopSignal(); // of several ranks, this waits for the data
  };
  while (done < config.steps && !(signal = awaitData())) {
    // What fails here alone is told at once: the thread of `data` would wait for the other ranks, and they for this
    // one.
    ranks.orLeave([&] { trainStep(data); });
    const bool saves = done != config.steps && isDue(config.saveEvery, done), isEvaluated = isEvaluatedAfter(done);
    if (isEvaluated || saves)
      ranks.orLeave([&] { finishStep(data); });
    if (isEvaluated)
      ranks.orLeave([&] { evaluate(); });
    if (saves)
      ranks.orLeave([&] { save(false); });
  }
  ranks.orLeave([&] { finishStep(data); });
  return signal;
}

// A step that has begun. Where the device works by itself, the host goes on to the next one, and sees the results of
// this one then.
struct Trainer::OpenStep {
  StepMetrics metrics;
  StepTimes times;
  std::chrono::steady_clock::time_point start;
  std::vector<double> ranksBefore; // what ranks told before it
  double exchangedBefore = 0;
  bool whole = false; // its results are with the stepper
};

// Steps that the device repeats are repeated whole, and what went wrong is seen afterwards.
bool Trainer::takesWholeSteps() const { return parts.state.device.repeats() && parts.config.onNonfinite != "skip"; }

// Profiles count what lies between the beginning and the end of a step.
bool Trainer::stepsOverlap() const { return takesWholeSteps() && stepper.overlaps() && !parts.profile; }

// The next block. What makes them may fail; the step before is told all the same.
TokenBlock Trainer::nextBlock(Prefetcher &data) {
  try {
    return data.next();
  } catch (...) {
    finishStep(data);
    throw;
  }
}

// Once for a run: a file of sequences may have many such steps.
void Trainer::tellUncounted(const TokenBlock &block, int64_t step) {
  if (block.counted > 0 || std::exchange(hasToldUncounted, true) || !isFirst())
    return;
  parts.progress.warning(
      fmt::format("no target of step {} counts, so that its loss is 0; further steps like it are not told", step));
}

void Trainer::trainStep(Prefetcher &data) {
  OpenStep step;
  step.start = stepBegan;
  step.exchangedBefore = parts.parallel.exchangeSeconds();
  step.ranksBefore = data.secondsOfRanks();
  TokenBlock block = nextBlock(data);
  step.times.waited = data.waited() - waitedBefore;
  parts.parallel.ranks().note(Phase::Step, fmt::format("step {}", done + 1));
  step.metrics = {done + 1, 0, 0, schedule.rate(done + 1), 0, false};
  step.metrics.tokens = step.metrics.step * rowsPerStep() * parts.state.program.length;
  const bool first = done == firstStep;
  step.whole = takesWholeSteps();
  tellUncounted(block, step.metrics.step);
  if (step.whole)
    stepper.begin(block, hyperOf(step.metrics));
  else
    takeInParts(block, step.metrics);
  updates += !step.metrics.skipped;
  ++done;
  finishStep(data); // the one before, while this one runs
  open = std::make_unique<OpenStep>(step);
  if (first || !stepsOverlap())
    finishStep(data);
  if (first && step.whole)
    dumpFirst(block);
}

void Trainer::finishStep(Prefetcher &data) {
  const std::unique_ptr<OpenStep> step = std::move(open);
  if (!step)
    return;
  StepMetrics &metrics = step->metrics;
  StepTimes &times = step->times;
  if (step->whole)
    readResult(metrics);
  times.exchanged = parts.parallel.exchangeSeconds() - step->exchangedBefore;
  if (parts.profile)
    parts.profile->endStep(times.waited, times.exchanged);
  const auto now = std::chrono::steady_clock::now();
  times.seconds = std::chrono::duration<double>(now - std::max(step->start, lastEnd)).count();
  lastEnd = now;
  if (!step->ranksBefore.empty() && metrics.step > firstStep + 2) // what ranks tell is two steps old
    times.balance = Balance::of(step->ranksBefore);
  data.tell(times.seconds - times.waited - times.exchanged);
  parts.parallel.ranks().note(Phase::Other, fmt::format("the log of step {}", metrics.step)); // a terminal may be held
  record(metrics, times);
}

Hyper Trainer::hyperOf(const StepMetrics &metrics) const {
  return runtime::hyperOf(parts.config, metrics.learningRate, updates + 1);
}

static std::string inStep(const StepMetrics &metrics, const Error &error) {
  return fmt::format("step {}: {}", metrics.step, error.what());
}

// The metrics end with the step, so that nobody takes the run for one that is well. `found`: what was, instead of a
// number; `left`: what the run has of the step.
void Trainer::failNonfinite(const StepMetrics &metrics, const char *what, const std::string &found,
                            const std::string &left) const {
  if (logs)
    logs->metrics.append(metricsLine(metrics));
  throw SharedError(fmt::format("step {}: the {} must be a number, but got {}; {} (--check-finite names the first op "
                                "that goes wrong, --on-nonfinite=skip leaves such steps out)",
                                metrics.step, what, found, left));
}

void Trainer::failLoss(const StepMetrics &metrics, const std::string &left) const {
  failNonfinite(metrics, "loss", fmt::format("{}{}", metrics.loss, stepper.whereLossIsLost()), left);
}

void Trainer::readResult(StepMetrics &metrics) {
  try {
    const Stepper::Result result = stepper.finish();
    metrics.loss = result.loss, metrics.gradNorm = result.gradNorm;
  } catch (const NonFiniteError &error) {
    throw Error(inStep(metrics, error));
  }
  if (!std::isfinite(metrics.loss))
    failLoss(metrics, "no checkpoint holds this step");
  checkNorm(metrics);
}

void Trainer::takeInParts(TokenBlock &block, StepMetrics &metrics) {
  try {
    metrics.loss = stepper.gradients(block);
    if (done == firstStep)
      dumpFirst(block);
    metrics.skipped = !applyStep(metrics);
  } catch (const NonFiniteError &error) {
    throw Error(inStep(metrics, error));
  }
}

void Trainer::checkNorm(const StepMetrics &metrics) const {
  if (!std::isfinite(metrics.gradNorm))
    failNonfinite(metrics, "gradient norm", fmt::format("{}", metrics.gradNorm), "no checkpoint holds this step");
}

void Trainer::tellSkipped(const std::string &text) {
  if (!text.empty())
    parts.progress.warning(text);
}

// Returns whether the weights were changed.
bool Trainer::applyStep(StepMetrics &metrics) {
  const RunConfig &config = parts.config;
  const bool skip = config.onNonfinite == "skip", hasLoss = std::isfinite(metrics.loss);
  metrics.gradNorm = NAN;
  if (!hasLoss && !skip)
    failLoss(metrics, fmt::format("weights are as after step {}", metrics.step - 1));
  if (hasLoss)
    metrics.gradNorm = stepper.gradientNorm(hyperOf(metrics));
  if (skip && !std::isfinite(metrics.gradNorm)) {
    tellSkipped(skipped.add(metrics.step, metrics.loss, metrics.gradNorm));
    return false;
  }
  checkNorm(metrics);
  stepper.applyGradients();
  return true;
}

void Trainer::dumpFirst(TokenBlock &block) {
  const RunConfig &config = parts.config;
  if (!config.dumpGradients.empty()) {
    const std::vector<StateTensor> tensors = parameterTensors(parts.state, STRETTO_ARENA_GRADIENTS);
    std::vector<TensorEntry> entries;
    for (const StateTensor &tensor : tensors)
      entries.push_back(tensor.entry);
    std::vector<std::byte> staging;
    size_t next = 0;
    writeSafetensors(config.dumpGradients, entries, [&](const TensorEntry &) -> const void * {
      staging.resize(tensors[next].entry.bytes());
      readTensor(parts.state.device, tensors[next++], staging.data());
      return staging.data();
    });
  }
  if (config.dumpBatch.empty())
    return;
  const std::vector<int64_t> shape = {rowsPerStep(), parts.state.program.length};
  const std::map<std::string, const void *> data = {{"tokens", block.tokens.data()},
                                                    {"targets", block.targets.data()},
                                                    {"weights", block.weights.data()},
                                                    {"positions", block.positions.data()},
                                                    {"mask", block.mask.data()}};
  writeSafetensors(config.dumpBatch,
                   {{"weights", "F64", shape, 0, 0},
                    {"tokens", "I32", shape, 0, 0},
                    {"targets", "I32", shape, 0, 0},
                    {"positions", "I32", shape, 0, 0},
                    {"mask", "U8", shape, 0, 0}},
                   [&](const TensorEntry &entry) { return data.at(entry.name); });
}

// One line of timing.jsonl.
std::string Trainer::timingLine(int64_t step, const StepTimes &times) const {
  std::string line =
      fmt::format("{{\"step\": {}, \"seconds\": {}, \"data_wait\": {}, \"tokens_per_second\": {}", step,
                  formatJson(times.seconds), formatJson(times.waited), formatJson(tokensPerStep() / times.seconds));
  if (const int ranks = parts.parallel.ranks().size(); ranks > 1)
    line += fmt::format(", \"ranks\": {}, \"exchange_exposed\": {}", ranks, formatJson(times.exchanged));
  if (times.balance)
    line += fmt::format(", \"slowest\": [{}, {}], \"imbalance\": {}", times.balance->slowest,
                        formatJson(times.balance->seconds), formatJson(times.balance->imbalance));
  return line + "}\n";
}

void Trainer::tellSlowRank(const Balance::Step &step) {
  if (const auto slow = balance.add(step); slow && isFirst())
    parts.progress.warning(fmt::format("{} has been {:.0f} % slower than the median for {} steps",
                                       parts.parallel.ranks().nameOf(slow->slowest), 100 * slow->imbalance,
                                       Balance::stepsUntilTold));
}

double Trainer::tokensPerStep() const { return static_cast<double>(rowsPerStep() * parts.state.program.length); }

ProgressState Trainer::progressOf(const StepMetrics &metrics, const StepTimes &times) {
  const stretto_program &program = parts.state.program;
  const double mean = std::accumulate(recentSeconds.begin(), recentSeconds.end(), 0.0) / recentSeconds.size();
  ProgressState state;
  state.step = metrics.step, state.steps = parts.config.steps;
  state.loss = metrics.loss, state.learningRate = metrics.learningRate;
  state.tokensPerSecond = tokensPerStep() / mean;
  if (!history.empty() && !isEvaluatedAfter(metrics.step)) // whose scores are told next
    state.score = headlineText(history.back().scores);
  const double flops = (program.flops_forward + program.flops_backward) *
                       static_cast<double>(parts.config.accumulate * parts.parallel.virtualRanks());
  if (const double mfu = peak.utilisation(flops, times.seconds, mean); mfu > 0)
    state.mfu = mfu;
  if (times.balance && times.balance->imbalance > 0.05)
    state.imbalance = times.balance->imbalance;
  state.etaSeconds = mean * static_cast<double>(parts.config.steps - metrics.step);
  state.resident = residentPeak();
  return state;
}

void Trainer::record(const StepMetrics &metrics, const StepTimes &times) {
  if (times.balance)
    tellSlowRank(*times.balance);
  recentSeconds.push_back(times.seconds);
  if (recentSeconds.size() > 50)
    recentSeconds.pop_front();
  parts.progress.update(progressOf(metrics, times));
  if (!logs)
    return;
  logs->metrics.append(metricsLine(metrics));
  logs->timing.append(timingLine(metrics.step, times));
  logs->events.scalars(metrics.step, {{"train/loss", metrics.loss},
                                      {"train/grad_norm", metrics.gradNorm},
                                      {"train/learning_rate", metrics.learningRate},
                                      {"train/tokens_per_second", tokensPerStep() / times.seconds}});
}

void Trainer::evaluate() {
  parts.parallel.ranks().note(Phase::Other, fmt::format("the evaluation after step {}", done));
  stepper.finishUpdate();
  history.push_back(
      stretto::runtime::evaluate(stepper, parts.source, parts.state.program, evaluation, done, control()));
  if (!isFirst())
    return;
  EvaluationMetrics &metrics = history.back();
  if (firstWeights && (!takesSteps() || !firstWeights->passedOver.empty()))
    metrics.weights = firstWeights;
  writeScores(metrics);
  tellEvaluation(metrics);
  if (!logs)
    return;
  logs->metrics.append(metricsLine(metrics));
  logs->events.scalars(done, scalarsOf(metrics));
}

// In one line; an evaluation by itself has its scores in a table.
void Trainer::tellEvaluation(const EvaluationMetrics &metrics) const {
  std::string text = takesSteps() ? fmt::format("evaluation at step {}:", done) : "evaluation:";
  if (metrics.loss)
    text += fmt::format(" loss {:.4f}", *metrics.loss);
  for (const Score &score : metrics.scores)
    if (score.count > 0 && takesSteps())
      text += "  " + scoreText(score);
  parts.progress.message(text);
  if (!takesSteps())
    parts.progress.message(scoreTable(metrics));
}

// An evaluation by itself is of the step that its weights are of. A failure ends the run, but not before all of it is
// saved.
void Trainer::writeScores(EvaluationMetrics metrics) {
  if (!scores)
    return;
  if (firstWeights && !takesSteps())
    metrics.step = firstWeights->step;
  try {
    scores->append(metricsLine(metrics));
  } catch (const Error &error) {
    scores.reset();
    scoresFailure = error.what();
    parts.progress.warning(scoresFailure + "; no more scores are written there");
  }
}

// Of an evaluation by itself. In training the losses of steps tell.
void Trainer::checkEvaluation() const {
  const std::optional<double> loss = history.back().loss;
  if (!loss || std::isfinite(*loss))
    return;
  const std::string text = fmt::format("the loss of the evaluation must be a number, but got {}", *loss);
  if (parts.config.onNonfinite == "stop")
    throw SharedError(text + "; --check-finite names the first op that goes wrong, or the weights that do");
  if (isFirst())
    parts.progress.warning(text);
}

// What the user is told where a rank fails later on.
void Trainer::noteSaved() {
  saved = done;
  parts.parallel.ranks().setAdvice(fmt::format("the checkpoint of step {} is good; go on with: {}", done, parts.goOn));
}

// A failure, which all ranks see, leaves earlier checkpoints as they are; between two of them training goes on, unless
// there is no folder for them any more.
bool Trainer::save(bool last) {
  if (!parts.checkpoints || saved == done)
    return false;
  parts.parallel.ranks().note(Phase::Other, fmt::format("the checkpoint of step {}", done));
  together(control(), [&] {
    if (parts.run)
      parts.run->checkHeld();
  });
  try {
    together(control(), [&] {
      if (logs)
        logs->metrics.sync();
    });
    stepper.finishUpdate();
    const std::string left = parts.checkpoints->save(parts.state, done, facts(), control());
    noteSaved();
    if (isFirst() && !left.empty())
      parts.progress.warning(left);
    return true;
  } catch (const LostRanks &) {
    throw;
  } catch (const Error &error) {
    const std::string text = fmt::format("the checkpoint of step {} could not be written: {}; {}", done, error.what(),
                                         saved < 0 ? "there is no earlier one" : "earlier checkpoints are intact");
    if (last)
      throw SharedError(text);
    if (isFirst())
      parts.progress.warning(text);
    return false;
  }
}

} // namespace stretto::runtime
