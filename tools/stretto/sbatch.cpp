// `stretto train --print-sbatch`: the script of a SLURM job.
#include "tools/stretto/sbatch.h"

#include "codegen/target/BackendOptions.h"
#include "runtime/core/command_line.h"
#include "runtime/core/counted.h"
#include "tools/stretto/check.h"
#include "tools/stretto/error.h"
#include "tools/stretto/train.h"
#include "tools/stretto/words.h"
#include "tools/support/argument_rules.h"

#include <algorithm>
#include <filesystem>

namespace stretto::tools {

using Words = std::vector<std::string>;

// What stands in the script for @NAME@. SLURM tells the ranks which of them they are, so the program has no --ranks.
static constexpr const char *text = R"sh(#!/bin/bash
# @RANKS@ on @HOSTS@: submit with `sbatch FILE`. The hosts have to share the folders of the run and of the cache; where
# their CPUs differ, the program needs a --cpu that fits all.
#SBATCH --job-name=@NAME@
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=@LOCAL@
#SBATCH --exclusive
@GPUS@#SBATCH --output=%x-%j.txt
#SBATCH --open-mode=append
# The ranks are told to stop 3 minutes before the time limit, and write a checkpoint.
#SBATCH --signal=TERM@180
#SBATCH --requeue
set -euo pipefail

restarts=@RESTARTS@ # after a rank was lost
program=$(@COMPILE@)
status=0
# A rank that ends leaves the others 5 minutes to end, too.
srun --cpu-bind=none --kill-on-bad-exit=0 --wait=300 \
  "$program" @TRAIN@ || status=$?
# 143: stopped, with a checkpoint. 75: a rank was lost; above 128 the signal that ended one.
if (( status == 143 || ((status == 75 || status > 128) && ${SLURM_RESTART_COUNT:-0} < restarts) )); then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
)sh";

int takeBatchOptions(Words &arguments) {
  const auto stop = std::ranges::find(arguments, "--");
  Words own(arguments.begin(), stop);
  const Words hosts = allValues(own, "--hosts");
  const bool isAsked = std::erase(own, "--print-sbatch") > 0;
  if (!isAsked && hasOption(own, "--hosts"))
    throw CommandError("--hosts needs --print-sbatch: SLURM starts ranks on several hosts (so do torchrun and mpirun, "
                       "which are told the hosts themselves)",
                       2);
  if (!isAsked)
    return 0;
  if (hosts.size() > 1)
    throw CommandError(givenTwice("--hosts", hosts[1]), 2);
  dropOption(own, "--hosts");
  own.insert(own.end(), stop, arguments.end());
  arguments = own;
  return hosts.empty() ? 1 : readCount("--hosts", hosts[0], 100'000);
}

static void replace(std::string &script, const std::string &name, const std::string &value) {
  for (size_t at = 0; (at = script.find(name, at)) != script.npos; at += value.size())
    script.replace(at, name.size(), value);
}

// What is wrong with the run, but for the GPU, which the machine that the job is sent from needs not have.
static void checkJob(TrainArguments arguments) {
  dropOption(arguments.compiler, "--target");
  dropOption(arguments.program, "--device");
  checkRun(arguments);
}

// The name of the run in lists of jobs.
static std::string jobName(const std::string &out) {
  std::string name = std::filesystem::path(out).lexically_normal().filename();
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '_' && c != '-'; }, '-');
  return name.empty() ? "stretto" : name;
}

static bool needsDevices(const TrainArguments &arguments) {
  const std::optional<std::string> target = lastValue(arguments.compiler, "--target");
  return target && *target != codegen::hostTarget && !hasOption(arguments.compiler, "--emulate");
}

std::string batchScript(const Words &arguments, int hosts) {
  Words words(arguments);
  if (!hasOption(words, "--resume"))
    words.insert(std::ranges::find(words, "--"), "--resume");
  TrainArguments split = splitTrainArguments(words);
  takeResumedSpec(split);
  const int ranks = readCount("--ranks", lastValue(split.program, "--ranks").value_or("1"), 1 << 20);
  if (ranks % hosts != 0)
    throw CommandError(
        "--ranks must be a multiple of --hosts, but got " + std::to_string(ranks) + " and " + std::to_string(hosts), 2);
  const std::string out = lastValue(split.program, "--out").value_or("none");
  if (out == "none")
    throw CommandError("--print-sbatch needs the run directory: give --out FOLDER", 2);
  checkJob(split);
  const std::string restarts = lastValue(split.program, "--max-restarts").value_or("3");
  for (const char *name : {"--ranks", "--max-restarts"})
    dropOption(split.program, name);
  Words compile{"stretto", "program", split.spec};
  compile.insert(compile.end(), split.compiler.begin(), split.compiler.end());
  const std::string localRanks = std::to_string(ranks / hosts);
  std::string script = text;
  replace(script, "@RANKS@", runtime::counted(ranks, "rank"));
  replace(script, "@HOSTS@", runtime::counted(hosts, "host"));
  replace(script, "@NODES@", std::to_string(hosts));
  replace(script, "@LOCAL@", localRanks);
  replace(script, "@GPUS@", needsDevices(split) ? "#SBATCH --gpus-per-node=" + localRanks + "\n" : "");
  replace(script, "@NAME@", jobName(out));
  replace(script, "@RESTARTS@", restarts);
  replace(script, "@COMPILE@", runtime::commandLine(compile));
  replace(script, "@TRAIN@", runtime::commandLine(split.program));
  return script;
}

} // namespace stretto::tools
