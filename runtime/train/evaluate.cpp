// An evaluation: scores on held-out instances, by predictions and by what the model writes.
#include "runtime/train/evaluate.h"

#include "runtime/generate/generator.h"
#include "runtime/generate/recompute.h"
#include "runtime/train/state.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace stretto::runtime {
namespace {

void addScores(std::vector<Score> &all, const std::vector<Score> &some) {
  for (const Score &score : some) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Score &other) { return other.name == score.name; });
    if (found == all.end())
      all.push_back(score);
    else
      found->merge(score);
  }
}

// Adds what predictions for whole rows say.
void predictRows(Stepper &stepper, const BatchSource &source, const stretto_program &program, int64_t batches,
                 EvaluationMetrics &metrics) {
  const bool wantsDistribution = source.task() && source.task()->wantsDistribution();
  int64_t counted = 0;
  for (int64_t i = 0; i < batches; ++i) {
    const uint64_t first = static_cast<uint64_t>(i * program.batch);
    TokenBlock block = source.make(Stream::Evaluation, first, program.batch, program.length);
    const Stepper::Prediction prediction = stepper.evaluate(block);
    const std::vector<double> distribution =
        wantsDistribution ? stepper.logProbabilities(block) : std::vector<double>();
    for (size_t at = 0; at < block.mask.size(); ++at)
      if (block.mask[at])
        metrics.loss += prediction.nll[at], ++counted;
    addScores(metrics.scores, source.score(first, block.view(0, program.batch, program.length),
                                           {prediction.predicted, prediction.nll, distribution}));
  }
  metrics.loss /= static_cast<double>(std::max<int64_t>(1, counted));
}

// Adds what the model's own answers say.
void judgeAnswers(Stepper &stepper, const BatchSource &source, const stretto_program &program,
                  const EvaluationPlan &plan, EvaluationMetrics &metrics) {
  const Task &task = *source.task();
  std::vector<Score> judged;
  Writing writing{plan.temperature, plan.seed, 0};
  std::optional<Generator> generator;
  if (canDecode(program))
    generator.emplace(stepper.trainingState());
  const int64_t most = generator ? 16 * program.batch : program.batch; // rows that are done take the next prompt
  for (int64_t first = 0; first < plan.generated; first += most) {
    const int64_t count = std::min(most, plan.generated - first);
    const std::vector<Prompt> prompts = task.prompts(source.seed(), static_cast<uint64_t>(first), count);
    const auto answers =
        generator ? generator->answer(prompts, writing) : recomputeAnswers(stepper, program, prompts, writing);
    writing.firstPrompt += prompts.size();
    addScores(judged, task.judge(source.seed(), static_cast<uint64_t>(first), count, answers));
  }
  // The headline is the first of all.
  metrics.scores.insert(task.judgedByWriting() ? metrics.scores.begin() : metrics.scores.end(), judged.begin(),
                        judged.end());
}

} // namespace

EvaluationPlan evaluationPlan(const RunConfig &config, const Task *task) {
  constexpr int64_t usual = 64;
  EvaluationPlan plan{config.evalBatches, 0, 0, static_cast<uint64_t>(config.seed)};
  if (!task)
    return plan;
  plan.generated = config.evalGenerate >= 0 ? config.evalGenerate : task->judgedByWriting() ? usual : 0;
  plan.temperature = config.temperature >= 0 ? config.temperature : task->temperature();
  return plan;
}

EvaluationMetrics evaluate(Stepper &stepper, const BatchSource &source, const stretto_program &program,
                           const EvaluationPlan &plan, int64_t step) {
  EvaluationMetrics metrics{step, 0, {}, {}};
  predictRows(stepper, source, program, plan.batches, metrics);
  if (plan.generated > 0)
    judgeAnswers(stepper, source, program, plan, metrics);
  if (source.task())
    metrics.scores = source.task()->conclude(std::move(metrics.scores), countParameters(program));
  return metrics;
}

std::string scoreText(const Score &score) {
  if (score.kind == Score::Kind::Share)
    return fmt::format("{} {:.1f} %", score.name, score.result() * 100);
  return fmt::format("{} {:.4g}{}{}", score.name, score.result(), score.unit.empty() ? "" : " ", score.unit);
}

std::string scoreTable(const EvaluationMetrics &metrics) {
  size_t width = 5;
  for (const Score &score : metrics.scores)
    width = std::max(width, score.count ? score.name.size() : 0);
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>22}  {:>10}\n", "score", width, "result", "95 % interval", "instances");
  for (const Score &score : metrics.scores) {
    if (score.count == 0)
      continue;
    const bool isShare = score.kind == Score::Kind::Share;
    const bool isPercentage = score.unit == "%";
    auto show = [&](double number) {
      return isShare || isPercentage ? fmt::format("{:.2f} %", isShare ? 100 * number : number)
                                     : fmt::format("{:.5g}", number);
    };
    const Interval interval = score.interval();
    const bool isSure = score.kind == Score::Kind::Value;
    text += fmt::format("{:<{}}  {:>10}  {:>22}  {:>10}", score.name, width, show(score.result()),
                        isSure ? "" : fmt::format("{} .. {}", show(interval.low), show(interval.high)),
                        isSure ? "" : fmt::format("{}", score.count));
    text += score.unit.empty() || isPercentage ? "\n" : "  " + score.unit + "\n";
  }
  if (metrics.weights && !metrics.weights->passedOver.empty())
    text += fmt::format("these are the scores of step {}, not those of step {}\n", metrics.weights->step,
                        metrics.weights->passedOver.front());
  return text;
}

} // namespace stretto::runtime
