// What options are called elsewhere, so that a name typed by habit is answered with ours.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::runtime {

struct OptionHabit {
  std::string_view name, ours; // without dashes in front
};

inline constexpr std::array optionHabits{
    OptionHabit{"learning-rate", "lr"},
    OptionHabit{"max-lr", "lr"},
    OptionHabit{"batch-size", "batch"},
    OptionHabit{"train-batch-size", "batch"},
    OptionHabit{"per-device-train-batch-size", "batch"},
    OptionHabit{"micro-batch-size", "batch"},
    OptionHabit{"bs", "batch"},
    OptionHabit{"max-steps", "steps"},
    OptionHabit{"num-steps", "steps"},
    OptionHabit{"train-steps", "steps"},
    OptionHabit{"total-steps", "steps"},
    OptionHabit{"iterations", "steps"},
    OptionHabit{"num-iterations", "steps"},
    OptionHabit{"iters", "steps"},
    OptionHabit{"max-iters", "steps"},
    OptionHabit{"warmup-steps", "warmup"},
    OptionHabit{"warmup-iters", "warmup"},
    OptionHabit{"num-warmup-steps", "warmup"},
    OptionHabit{"lr-scheduler", "schedule"},
    OptionHabit{"lr-scheduler-type", "schedule"},
    OptionHabit{"lr-schedule", "schedule"},
    OptionHabit{"lr-decay", "schedule"},
    OptionHabit{"decay", "schedule"},
    OptionHabit{"min-lr", "final-fraction"},
    OptionHabit{"decay-fraction", "cooldown"},
    OptionHabit{"decay-ratio", "cooldown"},
    OptionHabit{"warmdown", "cooldown"},
    OptionHabit{"warmdown-ratio", "cooldown"},
    OptionHabit{"cooldown-fraction", "cooldown"},
    OptionHabit{"wd", "weight-decay"},
    OptionHabit{"eps", "epsilon"},
    OptionHabit{"adam-epsilon", "epsilon"},
    OptionHabit{"adam-beta1", "beta1"},
    OptionHabit{"adam-beta2", "beta2"},
    OptionHabit{"grad-clip", "clip"},
    OptionHabit{"clip-grad", "clip"},
    OptionHabit{"gradient-clip", "clip"},
    OptionHabit{"max-grad-norm", "clip"},
    OptionHabit{"max-norm", "clip"},
    OptionHabit{"grad-accum", "accumulate"},
    OptionHabit{"gradient-accumulation", "accumulate"},
    OptionHabit{"gradient-accumulation-steps", "accumulate"},
    OptionHabit{"accumulation-steps", "accumulate"},
    OptionHabit{"nproc-per-node", "ranks"},
    OptionHabit{"num-processes", "ranks"},
    OptionHabit{"world-size", "ranks"},
    OptionHabit{"random-seed", "seed"},
    OptionHabit{"weights", "init-from"},
    OptionHabit{"checkpoint", "init-from"},
    OptionHabit{"ckpt", "init-from"},
    OptionHabit{"load", "init-from"},
    OptionHabit{"pretrained", "init-from"},
    OptionHabit{"resume-from", "resume"},
    OptionHabit{"resume-from-checkpoint", "resume"},
    OptionHabit{"continue", "resume"},
    OptionHabit{"output", "out"},
    OptionHabit{"output-dir", "out"},
    OptionHabit{"out-dir", "out"},
    OptionHabit{"save-dir", "out"},
    OptionHabit{"run", "out"},
    OptionHabit{"run-dir", "out"},
    OptionHabit{"logdir", "out"},
    OptionHabit{"eval-interval", "eval-every"},
    OptionHabit{"eval-steps", "eval-every"},
    OptionHabit{"eval-iters", "eval-batches"},
    OptionHabit{"save-interval", "save-every"},
    OptionHabit{"save-steps", "save-every"},
    OptionHabit{"checkpoint-every", "save-every"},
    OptionHabit{"save-total-limit", "keep"},
    OptionHabit{"log-interval", "log-every"},
    OptionHabit{"logging-steps", "log-every"},
    OptionHabit{"max-new-tokens", "write"},
    OptionHabit{"max-tokens", "write"},
    OptionHabit{"eos-token", "end-token"},
    OptionHabit{"temp", "temperature"},
    OptionHabit{"num-threads", "threads"},
    OptionHabit{"workers", "threads"},
    OptionHabit{"num-workers", "threads"},
    OptionHabit{"jobs", "threads"},
    OptionHabit{"seq-len", "length"},
    OptionHabit{"seq-length", "length"},
    OptionHabit{"sequence-length", "length"},
    OptionHabit{"max-length", "length"},
    OptionHabit{"max-seq-len", "length"},
    OptionHabit{"context-length", "length"},
    OptionHabit{"block-size", "length"},
    OptionHabit{"ctx", "length"},
    OptionHabit{"vocab-size", "vocab"},
    OptionHabit{"precision", "dtype"},
    OptionHabit{"bf16", "dtype"},
    OptionHabit{"fp16", "dtype"},
    OptionHabit{"amp", "dtype"},
    OptionHabit{"mixed-precision", "dtype"},
    OptionHabit{"gpu", "target"},
    OptionHabit{"dataset", "task"},
    OptionHabit{"data", "task"},
    OptionHabit{"task-config", "task-set"},
    OptionHabit{"param", "set"},
    OptionHabit{"epochs", "steps"},
    OptionHabit{"num-epochs", "steps"},
    OptionHabit{"num-train-epochs", "steps"},
};

// Our name for an option: what `word` ("--batch_size") is called here if it is known from elsewhere, or is written with
// underscores. With the dashes in front.
inline std::optional<std::string> optionByHabit(std::string_view word) {
  if (!word.starts_with("--"))
    return std::nullopt;
  std::string name(word.substr(2));
  std::ranges::replace(name, '_', '-');
  for (char &c : name)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto habit = std::ranges::find(optionHabits, name, &OptionHabit::name);
  return "--" + (habit == optionHabits.end() ? name : std::string(habit->ours));
}

// What has to be known beside the name, where one does not stand for the other.
inline std::string_view habitRemark(std::string_view word) {
  if (word.find("epochs") != word.npos)
    return " (the data of a task has no end, so that there are no epochs)";
  if (word.find("min-lr") != word.npos || word.find("min_lr") != word.npos)
    return " (a fraction of --lr)";
  return "";
}

} // namespace stretto::runtime
