// The weights that a run starts from, where --init-from names some.
#include "runtime/train/initial_weights.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/train/batches.h"
#include "runtime/train/checksum.h"
#include "runtime/train/files.h"
#include "runtime/train/find_checkpoint.h"
#include "runtime/train/load_weights.h"
#include "runtime/train/rundir.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

namespace fs = std::filesystem;

bool liesIn(const std::string &path, const std::string &folder) {
  std::error_code none;
  const fs::path inner = fs::weakly_canonical(path, none), outer = fs::weakly_canonical(folder, none);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

std::string factOf(const Manifest &manifest, const std::string &name, const std::string &otherwise) {
  const auto found = manifest.facts.find(name);
  return found == manifest.facts.end() ? otherwise : found->second;
}

// A user may mean to: the shapes fit, and what the weights do elsewhere may be the question.
void compareModels(const Manifest &manifest, const stretto_program &program, const RunConfig &config,
                   const std::string &path, Progress &progress) {
  const std::string then = factOf(manifest, "spec_hash", "none");
  if (then != program.spec_hash && !config.ofRun.empty() && liesIn(path, config.ofRun))
    throw Error(fmt::format("weights '{}' must be of the spec and settings of the program, {}, but are of {}", path,
                            program.spec_hash, then));
  if (then != program.spec_hash)
    progress.warning(
        fmt::format("weights '{}' were trained with another spec or other settings, {}; those of this program are {}",
                    path, then, program.spec_hash));
  const std::string documents = factOf(manifest, "documents", "together"),
                    now = program.input.is_masked ? "apart" : "together";
  if (documents != now)
    progress.warning(fmt::format("weights '{}' were trained with documents {}, and this program computes them {}", path,
                                 documents, now));
}

// What ids mean, and what is asked, may be in the files of the task.
void compareFiles(const Manifest &manifest, const Task &task, const std::string &path, Progress &progress) {
  for (const std::string &parameter : changedFiles(task, factOf(manifest, "data", "")))
    progress.warning(fmt::format("weights '{}' were trained when {}", path, changedFileText(task, parameter)));
}

void tellFound(const FoundWeights &found, Progress &progress) {
  for (const std::string &text : found.warnings)
    progress.warning(text);
  if (found.manifest && !found.passedOver.empty())
    progress.warning(fmt::format("these are the weights of step {}, not those of step {}", found.manifest->step,
                                 found.passedOver.front()));
}

std::string checksumOfWeights(const TrainingState &state) {
  Checksum sum;
  std::vector<std::byte> data;
  for (const StateTensor &tensor : parameterTensors(state, STRETTO_ARENA_PARAMETERS)) {
    data.resize(tensor.entry.bytes());
    readTensor(state.device, tensor, data.data());
    sum.add(data.data(), data.size());
  }
  return sum.hex();
}

// Hosts may have different files under one path, and so may folders that ranks run in.
void checkSame(const std::vector<std::string> &checksums, const std::string &path) {
  const auto other = std::ranges::find_if(checksums, [&](const std::string &sum) { return sum != checksums[0]; });
  if (other != checksums.end())
    throw SharedError(fmt::format("rank {} must begin with the weights of rank 0, but has others under '{}', with the "
                                  "checksum {} instead of {}",
                                  other - checksums.begin(), path, *other, checksums[0]));
}

} // namespace

std::optional<WeightsOrigin> takeInitialWeights(const TrainingState &state, const RunConfig &config, const Task *task,
                                                Progress &progress, Group &group) {
  const FoundWeights found = findWeights(config.initFrom, group);
  if (config.strict && !found.warnings.empty())
    throw SharedError(found.warnings.front() + "; with --strict no other is used");
  outcomeOfFirst(group, [&] {
    tellFound(found, progress);
    if (found.manifest)
      compareModels(*found.manifest, state.program, config, found.path, progress);
    if (found.manifest && task)
      compareFiles(*found.manifest, *task, found.path, progress);
    return "";
  });
  const auto load = [&] {
    loadWeights(state, found);
    return group.size() == 1 ? "" : checksumOfWeights(state);
  };
  checkSame(gatherOutcomes(group, load), found.path);
  progress.message("weights: " + found.path);
  if (!found.manifest)
    return std::nullopt;
  return WeightsOrigin{found.manifest->step, found.passedOver};
}

void checkModelOf(const RunConfig &config, const stretto_program &program) {
  const std::string &run = config.ofRun, command = config.writesOnly() ? "stretto generate" : "stretto eval";
  std::string then = readFile(run + "/model.sha", 1 << 10);
  while (!then.empty() && then.back() == '\n')
    then.pop_back();
  if (then == program.spec_hash)
    return;
  if (const std::string stage = stageOf(run); pathExists(stage) && readFile(stage, 1 << 30) != program.stage)
    throw Error(fmt::format("the program must be compiled from '{0}', as that of run '{1}' was, which its spec does "
                            "not tell: {2} {0} --init-from {1} --task TASK",
                            stage, run, command));
  if (*program.stage)
    throw Error(fmt::format("the stage that the program is compiled from must be as run '{0}' was started with, {1} as "
                            "'{0}/model.sha' says, but is {2}",
                            run, printable(then), program.spec_hash));
  throw Error(
      fmt::format("spec and settings must be those that run '{0}' was started with, {1} as '{0}/model.sha' says, but "
                  "are {2}; so must --length where the model has weights for it, as embed(positions(), ...); to give "
                  "its weights to another model, name that: {3} SPEC --init-from {0}",
                  run, printable(then), program.spec_hash, command));
}

} // namespace stretto::runtime
