// The options of training programs: the one table for the program itself, for `stretto train`, which hands them on, and
// for sweeps. Plain data: `stretto` reads it without the rest of the runtime.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace stretto::runtime {

struct ProgramOption {
  // value: how it is shown in the help: FILE, FOLDER or PATH (either) where it is a path, TASK or PRESET; empty: a flag
  std::string_view name, value;
  // What it is about:
  enum Kind : uint8_t {
    experiment, // stored in run.toml, taken over by --resume
    conduct,    // no result depends on it: no axis of a sweep, which may go on with another
    oneRank,    // refused where several ranks share a run
    thisRun,    // other settings, not stored
    commandLine // no setting
  } kind;
  std::string_view help;
  // What has a use for it: training: only what takes steps; scoring: training and evaluations; writing: what goes on
  // with prompts.
  enum Reader : uint8_t { anyRun, training, scoring, writing } reader = anyRun;

  constexpr bool isSetting() const { return kind != commandLine; }
  constexpr bool isPath() const { return value == "FILE" || value == "FOLDER" || value == "PATH"; }
  // What its value names; empty where that is no name.
  constexpr std::string_view named() const {
    return value == "FILE"     ? "a file"
           : value == "FOLDER" ? "a folder"
           : value == "PATH"   ? "a file or a folder"
           : value == "TASK"   ? "a task"
           : value == "PRESET" ? "a preset"
                               : "";
  }
  // Whether two values contradict each other: of all other settings, which lie over each other, the last one counts.
  constexpr bool isGivenOnce() const { return isPath() || name == "--prompt"; }
};

// In the order of the help text. runtime/train/config.cpp says where the value of each setting lies, and its range.
inline constexpr ProgramOption programOptions[] = {
    {"--task", "TASK", ProgramOption::experiment, "task to train on"},
    {"--preset", "PRESET", ProgramOption::experiment, "named size of the task (default: its first)"},
    {"--tokens", "FILE", ProgramOption::experiment,
     "train on the sequences of this safetensors file instead of a task"},
    {"--steps", "N", ProgramOption::experiment, "optimizer steps", ProgramOption::training},
    {"--lr", "X", ProgramOption::experiment, "learning rate", ProgramOption::training},
    {"--schedule", "TEXT", ProgramOption::experiment,
     "how the rate falls behind warm-up: constant, linear, cosine or 1-sqrt", ProgramOption::training},
    {"--warmup", "N", ProgramOption::experiment, "steps of linear warm-up", ProgramOption::training},
    {"--final-fraction", "X", ProgramOption::experiment, "learning rate at the end / learning rate",
     ProgramOption::training},
    {"--cooldown", "X", ProgramOption::experiment,
     "part of the steps behind warm-up, at their end, in which the rate falls; 1: all", ProgramOption::training},
    {"--weight-decay", "X", ProgramOption::experiment, "decoupled weight decay of AdamW", ProgramOption::training},
    {"--beta1", "X", ProgramOption::experiment, "decay of AdamW's first moment", ProgramOption::training},
    {"--beta2", "X", ProgramOption::experiment, "decay of AdamW's second moment", ProgramOption::training},
    {"--epsilon", "X", ProgramOption::experiment, "AdamW's epsilon", ProgramOption::training},
    {"--clip", "X", ProgramOption::experiment, "largest global gradient norm; inf: no clipping",
     ProgramOption::training},
    {"--nll-square", "X", ProgramOption::experiment,
     "coefficient of the squared negative log-likelihood in the loss; it has to be that of the program"},
    {"--z-loss", "X", ProgramOption::experiment,
     "coefficient of the squared log-sum-exp of the logits in the loss; it has to be that of the program"},
    {"--lr-factors", "NAMES=X,...", ProgramOption::experiment,
     "factors of the learning rates of some weights; they have to be those of the program"},
    {"--weight-decay-factors", "NAMES=X,...", ProgramOption::experiment,
     "factors of the weight decays of some weights; they have to be those of the program"},
    {"--accumulate", "N", ProgramOption::experiment, "micro-batches per step", ProgramOption::training},
    {"--seed", "N", ProgramOption::experiment, "seed of weights and data"},
    {"--init-from", "PATH", ProgramOption::experiment,
     "take the weights from this safetensors file, run directory or checkpoint"},
    {"--eval-every", "N", ProgramOption::experiment, "steps between evaluations; 0: only at the end",
     ProgramOption::training},
    {"--eval-batches", "N", ProgramOption::experiment, "held-out batches per evaluation; 0: none",
     ProgramOption::scoring},
    {"--eval-generate", "N", ProgramOption::experiment,
     "held-out instances per evaluation that the model answers by writing; -1: some where the task is judged by it",
     ProgramOption::scoring},
    {"--temperature", "X", ProgramOption::experiment,
     "of what the model writes; 0: the likeliest token each time; -1: the task's, or 0 for prompts"},
    {"--prompt", "TEXT", ProgramOption::oneRank,
     "go on with these tokens instead of training, \"3 1 4\"; several prompts with ; between", ProgramOption::writing},
    {"--prompts", "FILE", ProgramOption::oneRank, "the same with the prompts of a file, one a line",
     ProgramOption::writing},
    {"--text", "", ProgramOption::thisRun, "prompts and answers are text of the task, not numbers of tokens",
     ProgramOption::writing},
    {"--write", "N", ProgramOption::thisRun, "tokens to write behind a prompt, at most", ProgramOption::writing},
    {"--end-token", "N", ProgramOption::thisRun, "the token that ends an answer; -1: none", ProgramOption::writing},
    {"--scores", "FILE", ProgramOption::thisRun,
     "append the scores of each evaluation to this file, one JSON object a line", ProgramOption::scoring},
    {"--save-every", "N", ProgramOption::experiment, "steps between checkpoints; 0: only at the end",
     ProgramOption::training},
    {"--keep", "N", ProgramOption::experiment, "checkpoints kept", ProgramOption::training},
    {"--on-nonfinite", "TEXT", ProgramOption::experiment,
     "at a NaN or infinite loss or gradient: stop, or skip the step"},
    {"--out", "FOLDER", ProgramOption::thisRun,
     "run directory, usually a new one in runs; the word none: write no files", ProgramOption::training},
    {"--resume", "", ProgramOption::thisRun, "go on from the newest checkpoint of the run directory",
     ProgramOption::training},
    {"--strict", "", ProgramOption::thisRun,
     "a newest checkpoint that is damaged is an error, and not a warning and the one before it"},
    {"--of-run", "FOLDER", ProgramOption::commandLine,
     "run directory whose settings lie under the command line, and whose spec must be the program's"},
    {"--threads", "N", ProgramOption::conduct, "threads; 0: all cores (results do not depend on it)"},
    {"--ranks", "N", ProgramOption::thisRun,
     "start the program so often on this host, to share each step; where torchrun, SLURM or mpirun start it: how many "
     "they are to start, or 1 for runs of their own"},
    {"--virtual-ranks", "N", ProgramOption::experiment,
     "parts of a step that are added in a fixed order, whichever ranks compute them; 0: as many as ranks",
     ProgramOption::training},
    {"--max-restarts", "N", ProgramOption::conduct,
     "with --ranks: how often all ranks are started again, with --resume, after one was lost", ProgramOption::training},
    {"--join-timeout", "N", ProgramOption::conduct, "seconds within which all ranks must come"},
    {"--rank-timeout", "N", ProgramOption::conduct, "seconds without a sign of life after which a rank counts as lost"},
    {"--device", "TEXT", ProgramOption::thisRun,
     "auto (what the model was compiled for), {} (null-async, for tests: everything runs late, on the cpu)"},
    {"--graph", "TEXT", ProgramOption::thisRun,
     "GPUs: a step is captured once as a graph and replayed; off: its ops are submitted each time"},
    {"--deterministic", "TEXT", ProgramOption::experiment,
     "GPUs: the same bits each time; off: attention may use a faster backward without that"},
    {"--tf32", "TEXT", ProgramOption::experiment, "GPUs: matmuls of floats may round their operands to 10 bits (TF32)"},
    {"--check-finite", "", ProgramOption::thisRun,
     "stop at the first op that writes a NaN or an infinity, and name it (slow)"},
    {"--profile", "", ProgramOption::thisRun, "print where the time of a step goes"},
    {"--bench", "", ProgramOption::thisRun,
     "take requests from standard input, one a line: 'time N', 'profile N' (steps on the first batch), 'memory'; "
     "answers are JSON on standard output, and nothing is written"},
    {"--quiet", "", ProgramOption::conduct, "print only warnings and errors"},
    {"--progress", "TEXT", ProgramOption::conduct, "auto, line (redrawn) or plain"},
    {"--log-every", "N", ProgramOption::conduct, "steps between plain progress lines"},
    {"--dump-gradients", "FILE", ProgramOption::oneRank,
     "write the gradients of the first step to this safetensors file", ProgramOption::training},
    {"--dump-batch", "FILE", ProgramOption::oneRank, "write the tokens of the first step to this safetensors file",
     ProgramOption::training},
    {"--memory-limit", "N", ProgramOption::thisRun,
     "bytes that the ranks of a host (each rank, on a GPU) may plan for; 0: what there is"},
    {"--task-set", "NAME=VALUE", ProgramOption::commandLine, "set a parameter of the task: name=value"},
    {"--config", "FILE", ProgramOption::commandLine, "run file (TOML) under the command line"},
    {"--help", "", ProgramOption::commandLine, "Print this help message and exit"},
    {"-h", "", ProgramOption::commandLine, "the same as --help"},
    {"--version", "", ProgramOption::commandLine, "Display program version information and exit"},
};

// Those that name a file which is written only for the user.
inline constexpr std::string_view outputOptions[] = {"--scores", "--dump-gradients", "--dump-batch"};

// Null where the program has no such option. `name`: with its dashes.
constexpr const ProgramOption *findProgramOption(std::string_view name) {
  const ProgramOption *option = std::ranges::find(programOptions, name, &ProgramOption::name);
  return option == std::end(programOptions) ? nullptr : option;
}

} // namespace stretto::runtime
