//===- CompileOptions.h - what the compiler can be told --------------------------===//
//
// Plain C++, without LLVM: `stretto`, which only starts other programs, reads the table, too.
#pragma once

#include <string_view>

namespace stretto::tools {

/// The commands of stretto-compile. An option may belong to several.
enum class Command : unsigned { compile = 1, explain = 2, summary = 4, check = 8, format = 16 };
constexpr Command operator|(Command a, Command b) {
  return static_cast<Command>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool holds(Command commands, Command command) {
  return (static_cast<unsigned>(commands) & static_cast<unsigned>(command)) != 0;
}
/// Those that make something of a model.
inline constexpr Command ofModels = Command::compile | Command::explain | Command::summary | Command::check;

/// How an option is written, what it means, and who reads it. Backends have more, see BackendOptions.h.
struct CompileOption {
  std::string_view name, value; // value: how it is shown in the help; empty: a flag
  /// Of `stretto-compile` alone; of `stretto train` as well, which hands it on, to the program too where that has one
  /// of the name.
  enum Reader { compileOnly, compiler } reader;
  std::string_view help;
  Command commands = ofModels;

  bool isOfTrain() const { return reader == compiler; }
  /// Whether two values contradict each other: settings of a run lie over each other, and some add up.
  bool isGivenOnce() const { return reader == compileOnly && !value.empty(); }
};

/// Tokens of a prompt that are taken at a time, where text is to be generated and nobody says how many.
inline constexpr int usualDecode = 64;

/// The value of --decode that makes what generates text, unless what is compiled is a stage that comes too late for it.
inline constexpr std::string_view whereItCan = "auto";

inline constexpr CompileOption compileOptions[] = {
    {"--task", "TASK", CompileOption::compiler, "batch, length and vocabulary of a task"},
    {"--task-set", "NAME=VALUE", CompileOption::compiler, "set a parameter of the task"},
    {"--preset", "PRESET", CompileOption::compiler, "parameters of a preset of the task's recipe"},
    {"--batch", "N", CompileOption::compiler, "sequences of a batch (default: the task's, or 8)"},
    {"--length", "N", CompileOption::compiler, "tokens of a sequence (default: the task's, or 256)"},
    {"--vocab", "N", CompileOption::compiler, "token ids are 0 ... N-1"},
    {"--model", "MODEL", CompileOption::compiler, "which model of the file"},
    {"--set", "NAME=VALUE", CompileOption::compiler, "override a parameter of the model"},
    {"-I", "FOLDER", CompileOption::compiler, "where imports are looked for, too"},
    {"--mask-documents", "", CompileOption::compiler,
     "mask documents packed into a sequence: attention, Canon and shift, positions"},
    {"--nll-square", "X", CompileOption::compiler,
     "coefficient of the squared negative log-likelihood in the loss (default: the recipe's, or 0)"},
    {"--z-loss", "X", CompileOption::compiler,
     "coefficient of the squared log-sum-exp of the logits in the loss (default: the recipe's, or 0)"},
    {"--lr-factors", "NAMES=X,...", CompileOption::compiler,
     "factors of the learning rates of some weights (* stands for any letters)"},
    {"--weight-decay-factors", "NAMES=X,...", CompileOption::compiler,
     "factors of the weight decays of some weights, such as '*norm*=0'"},
    {"--dtype", "TYPE", CompileOption::compiler,
     "f32 or f64; some targets have bf16, for activations and matmuls: weights stay f32"},
    {"--target", "NAME", CompileOption::compiler, "what the program runs on; 'stretto help compile' lists them"},
    {"--cpu", "NAME", CompileOption::compiler, "the machine, as LLVM names it; native: this one"},
    {"--fuse", "WHAT", CompileOption::compiler,
     "all; rows: row operations share kernels, matmuls stay apart; always: all in matmuls that can; none"},
    {"--kernel-schedule", "KERNELS:FIELD=N,...", CompileOption::compiler,
     "numbers of the schedules of some kernels (* stands for any letters), the others are chosen"},
    {"--memory-budget", "BYTES", CompileOption::compiler,
     "what saved values may take (K, M, G): the more, the less is recomputed; 0: where a byte saves six that are "
     "moved, on a GPU two"},
    {"--bucket-bytes", "BYTES", CompileOption::compiler,
     "the least that ranks exchange at once of their gradients (K, M, G), where there is so much; 0: what suits the "
     "target"},
    {"--decode", "N", CompileOption::compiler,
     "also make what generates text faster, with prompts taken N tokens at a time; 0: do not; auto: 64, but of a stage "
     "that comes too late for it nothing (default: auto for tasks judged by it, else 0)"},
    {"--sanitize", "", CompileOption::compiler,
     "end the program where one of its kernels touches memory outside of its arenas (AddressSanitizer); slower"},
    {"-o", "FILE", CompileOption::compileOnly, "where the program goes; else the text or object",
     ofModels | Command::format},
    {"--bundle", "", CompileOption::compileOnly,
     "copy the libraries that the program needs into the folder lib beside it, so that both can go to another machine",
     Command::compile},
    {"--emit", "STAGE", CompileOption::compileOnly,
     "ast, seq, train, fused, kernels, llvm, asm, object, pytorch; targets have more, see below", Command::compile},
    {"--dump-ir", "DIR", CompileOption::compileOnly, "leave a file for each pass that changes something"},
    {"--locations", "", CompileOption::compileOnly, "with --emit: print the locations in the source, too",
     Command::compile},
    {"--explain", "", CompileOption::compileOnly, "say what was fused, saved and moved, and why",
     Command::compile | Command::explain},
    {"--summary", "", CompileOption::compileOnly, "print parameters, FLOPs, bytes and memory",
     Command::compile | Command::summary},
    {"--ranks", "N", CompileOption::compileOnly, "processes that train the model together, each with one device",
     Command::check},
    {"--hosts", "N", CompileOption::compileOnly, "hosts of the ranks (default: as few as the device allows)",
     Command::check},
    {"--virtual-ranks", "N", CompileOption::compileOnly,
     "shares of a step whose gradients are added in a fixed order (default: one for each rank)", Command::check},
    {"--accumulate", "N", CompileOption::compileOnly, "micro-batches of a virtual rank in a step (default: 1)",
     Command::check},
    {"--device", "NAME", CompileOption::compileOnly, "what each rank runs on, see below", Command::check},
    {"--json", "", CompileOption::compileOnly, "with --summary, or check: as JSON", Command::summary | Command::check},
    {"--in-place", "", CompileOption::compileOnly, "write the file instead of printing it", Command::format},
    {"--help", "", CompileOption::compileOnly, "this text", ofModels | Command::format},
    {"--version", "", CompileOption::compileOnly, "the version of Stretto", ofModels | Command::format},
};

} // namespace stretto::tools
