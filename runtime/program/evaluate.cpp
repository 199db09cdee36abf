// An evaluation: scores on held-out instances, by predictions and by what the model writes.
#include "runtime/program/evaluate.h"

#include "runtime/generate/generator.h"
#include "runtime/generate/recompute.h"
#include "runtime/train/state.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

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

// Numbers in the text that a rank has for the others, behind how many there are; and taken from its beginning.
template <typename T> void append(std::string &text, const std::vector<T> &numbers) {
  const size_t count = numbers.size();
  text.append(reinterpret_cast<const char *>(&count), sizeof(count));
  text.append(reinterpret_cast<const char *>(numbers.data()), count * sizeof(T));
}

template <typename T> std::vector<T> take(std::string_view &text) {
  size_t count = 0;
  std::memcpy(&count, text.data(), sizeof(count));
  text.remove_prefix(sizeof(count));
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), text.data(), count * sizeof(T));
  text.remove_prefix(count * sizeof(T));
  return numbers;
}

// What is said about the first targets of a batch.
Predictions firstOf(size_t targets, const Stepper::Prediction &prediction, std::span<const double> distribution) {
  const size_t symbols = distribution.size() / prediction.nll.size();
  return {std::span(prediction.predicted).first(targets), std::span(prediction.nll).first(targets),
          distribution.first(targets * symbols)};
}

// Adds what predictions for whole rows say. Each rank predicts every so many batches; all add up all of them, in order.
void predictRows(Stepper &stepper, const BatchSource &source, const stretto_program &program, int64_t rows,
                 Group &ranks, EvaluationMetrics &metrics) {
  const int64_t batches = (rows + program.batch - 1) / program.batch;
  const int64_t tokens = source.task() && source.task()->wantsDistribution() ? source.task()->vocabulary() : 0;
  const auto make = [&](int64_t i) {
    return source.make(Stream::Evaluation, static_cast<uint64_t>(i * program.batch), program.batch, program.length);
  };
  double sum = 0;
  int64_t counted = 0;
  for (int64_t begin = 0; begin < batches; begin += ranks.size()) {
    std::string mine;
    if (const int64_t i = begin + ranks.rank(); i < batches) {
      TokenBlock block = make(i);
      const Stepper::Prediction prediction = stepper.evaluate(block);
      append(mine, prediction.nll);
      append(mine, prediction.predicted);
      append(mine, stepper.logProbabilities(block, tokens));
    }
    const std::vector<std::string> all = gatherTexts(ranks, mine);
    for (int64_t i = begin; i < std::min<int64_t>(batches, begin + ranks.size()); ++i) {
      TokenBlock block = make(i);
      std::string_view text = all[i - begin];
      Stepper::Prediction prediction;
      prediction.nll = take<double>(text);
      prediction.predicted = take<int32_t>(text);
      const std::vector<double> distribution = take<double>(text);
      const BatchView some = block.view(0, std::min(program.batch, rows - i * program.batch), program.length);
      for (size_t at = 0; at < some.mask.size(); ++at)
        if (some.mask[at])
          sum += prediction.nll[at], ++counted;
      addScores(metrics.scores, source.score(static_cast<uint64_t>(i * program.batch), some,
                                             firstOf(some.mask.size(), prediction, distribution)));
    }
  }
  if (counted)
    metrics.loss = sum / static_cast<double>(counted);
}

using Answers = std::vector<std::vector<int32_t>>;

// Answers to all prompts; each rank has its part of them written.
Answers shareAnswers(Group &ranks, size_t prompts, const std::function<Answers(size_t begin, size_t end)> &write) {
  const size_t size = static_cast<size_t>(ranks.size()), rank = static_cast<size_t>(ranks.rank());
  Answers own = write(prompts * rank / size, prompts * (rank + 1) / size);
  if (size == 1)
    return own;
  std::string mine;
  for (const std::vector<int32_t> &answer : own)
    append(mine, answer);
  Answers all;
  for (std::string_view text : gatherTexts(ranks, mine))
    while (!text.empty())
      all.push_back(take<int32_t>(text));
  return all;
}

// Adds what the model's own answers say.
void judgeAnswers(Stepper &stepper, const BatchSource &source, const stretto_program &program,
                  const EvaluationPlan &plan, Group &ranks, EvaluationMetrics &metrics) {
  const Task &task = *source.task();
  std::vector<Score> judged;
  uint64_t written = 0; // prompts
  std::optional<Generator> generator;
  if (canDecode(program))
    generator.emplace(stepper.trainingState());
  const int64_t most = generator ? 16 * program.batch : program.batch; // rows that are done take the next prompt
  for (int64_t first = 0; first < plan.generated; first += most) {
    const int64_t count = std::min(most, plan.generated - first);
    const std::vector<Prompt> prompts = task.prompts(source.seed(), static_cast<uint64_t>(first), count);
    const Answers answers = shareAnswers(ranks, prompts.size(), [&](size_t begin, size_t end) {
      const Writing writing{plan.temperature, plan.seed, written + begin};
      const std::span<const Prompt> some = std::span(prompts).subspan(begin, end - begin);
      return generator ? generator->answer(some, writing) : recomputeAnswers(stepper, program, some, writing);
    });
    addScores(judged, task.judge(source.seed(), static_cast<uint64_t>(first), count, answers));
    written += prompts.size();
  }
  // The headline is the first of all.
  metrics.scores.insert(task.judgedByWriting() ? metrics.scores.begin() : metrics.scores.end(), judged.begin(),
                        judged.end());
}

} // namespace

EvaluationPlan evaluationPlan(const RunConfig &config, const BatchSource &source, int64_t batch) {
  constexpr int64_t usual = 64;
  EvaluationPlan plan{config.evalBatches * batch, 0, 0, static_cast<uint64_t>(config.seed)};
  if (std::optional<int64_t> most = source.evaluationRows())
    plan.rows = std::min(plan.rows, *most);
  const Task *task = source.task();
  if (!task)
    return plan;
  plan.generated = config.evalGenerate >= 0 ? config.evalGenerate : task->judgedByWriting() ? usual : 0;
  plan.temperature = config.temperature >= 0 ? config.temperature : task->temperature();
  return plan;
}

EvaluationMetrics evaluate(Stepper &stepper, const BatchSource &source, const stretto_program &program,
                           const EvaluationPlan &plan, int64_t step, Group &ranks) {
  EvaluationMetrics metrics{step, {}, {}, {}};
  predictRows(stepper, source, program, plan.rows, ranks, metrics);
  if (plan.generated > 0)
    judgeAnswers(stepper, source, program, plan, ranks, metrics);
  if (source.task())
    metrics.scores = source.task()->conclude(std::move(metrics.scores), countParameters(program));
  return metrics;
}

std::string scoreText(const Score &score) {
  if (score.kind == Score::Kind::Share)
    return fmt::format("{} {:.1f} %", score.name, score.result() * 100);
  return fmt::format("{} {:.4g}{}{}", score.name, score.result(), score.unit.empty() ? "" : " ", score.unit);
}

std::string headlineText(const std::vector<Score> &scores) {
  const auto first = std::ranges::find_if(scores, [](const Score &score) { return score.count > 0; });
  return first == scores.end() ? "" : scoreText(*first);
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
