//===- CompileOptions.h - what the compiler can be told --------------------------===//
//
// Plain C++, without LLVM: `stretto`, which only starts other programs, reads the table, too.
#pragma once

#include <string_view>

namespace stretto::tools {

/// How an option is written, what it means, and who reads it. Backends have more, see BackendOptions.h.
struct CompileOption {
  std::string_view name, value; // value: how it is shown in the help; empty: a flag
  /// Of `stretto compile` alone; of `stretto check` alone; of `stretto train` as well, which hands it on, to the
  /// program too where that has one of the name.
  enum Reader { compileOnly, checkOnly, compiler } reader;
  std::string_view help;

  bool isOfTrain() const { return reader == compiler; }
};

/// Tokens of a prompt that are taken at a time, where text is to be generated and nobody says how many.
inline constexpr int usualDecode = 64;

inline constexpr CompileOption compileOptions[] = {
    {"--task", "NAME", CompileOption::compiler, "batch, length and vocabulary of a task"},
    {"--task-set", "NAME=VALUE", CompileOption::compiler, "set a parameter of the task"},
    {"--preset", "NAME", CompileOption::compiler, "parameters of a preset of the task's recipe"},
    {"--batch", "N", CompileOption::compiler, "sequences of a batch"},
    {"--length", "N", CompileOption::compiler, "tokens of a sequence"},
    {"--vocab", "N", CompileOption::compiler, "token ids are 0 ... N-1"},
    {"--model", "NAME", CompileOption::compiler, "which model of the file"},
    {"--set", "NAME=VALUE", CompileOption::compiler, "override a parameter of the model"},
    {"-I", "FOLDER", CompileOption::compiler, "where imports are looked for, too"},
    {"--mask-documents", "", CompileOption::compiler,
     "mask documents packed into a sequence: attention, Canon and shift, positions"},
    {"--nll-square", "X", CompileOption::compiler,
     "coefficient of the squared negative log-likelihood in the loss (default: the recipe's, or 0)"},
    {"--z-loss", "X", CompileOption::compiler,
     "coefficient of the squared log-sum-exp of the logits in the loss (default: the recipe's, or 0)"},
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
     "also make what generates text, with prompts taken N tokens at a time; 0: do not; 64 for tasks judged by it"},
    {"--sanitize", "", CompileOption::compiler,
     "end the program where one of its kernels touches memory outside of its arenas (AddressSanitizer); slower"},
    {"-o", "FILE", CompileOption::compileOnly, "where the program goes; with --emit: the text or object"},
    {"--bundle", "", CompileOption::compileOnly,
     "copy the libraries that the program needs into the folder lib beside it, so that both can go to another machine"},
    {"--emit", "STAGE", CompileOption::compileOnly,
     "ast, seq, train, fused, kernels, llvm, asm, object, pytorch; targets have more, see below"},
    {"--dump-ir", "DIR", CompileOption::compileOnly, "leave a file for each pass that changes something"},
    {"--locations", "", CompileOption::compileOnly, "with --emit: print the locations in the source, too"},
    {"--explain", "", CompileOption::compileOnly, "say what was fused, saved and moved, and why"},
    {"--summary", "", CompileOption::compileOnly, "print parameters, FLOPs, bytes and memory"},
    {"--ranks", "N", CompileOption::checkOnly, "processes that train the model together, each with one device"},
    {"--hosts", "N", CompileOption::checkOnly, "hosts of the ranks (default: as few as the device allows)"},
    {"--virtual-ranks", "N", CompileOption::checkOnly,
     "shares of a step whose gradients are added in a fixed order (default: one for each rank)"},
    {"--accumulate", "N", CompileOption::checkOnly, "micro-batches of a virtual rank in a step (default: 1)"},
    {"--device", "NAME", CompileOption::checkOnly, "what each rank runs on, see below"},
    {"--json", "", CompileOption::compileOnly, "with --summary, or check: as JSON"},
    {"--in-place", "", CompileOption::compileOnly, "fmt: write the file instead of printing it"},
    {"--help", "", CompileOption::compileOnly, "this text"},
    {"--version", "", CompileOption::compileOnly, "the version of Stretto"},
};

} // namespace stretto::tools
