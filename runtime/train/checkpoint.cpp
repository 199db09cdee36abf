// Checkpoints: a folder per step.
#include "runtime/train/checkpoint.h"

#include "runtime/core/error.h"
#include "runtime/core/whole_number.h"
#include "runtime/train/tensor_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

// What is left has a temporary name: no reader takes it for a checkpoint.
void removeQuietly(const std::string &folder) {
  try {
    removeTree(folder);
  } catch (const Error &) {
  }
}

// .tmp-STEP-NUMBER, or .tmp-old-STEP.
bool isTemporaryName(std::string_view name) {
  if (!name.starts_with(temporaryMark))
    return false;
  const std::string_view rest = name.substr(temporaryMark.size());
  const size_t dash = rest.find('-');
  return dash != std::string_view::npos && (rest.starts_with("old-") || isDigits(rest.substr(0, dash))) &&
         isDigits(rest.substr(dash + 1));
}

std::vector<TensorEntry> weightEntries(const TrainingState &state) {
  std::vector<TensorEntry> entries;
  for (const StateTensor &tensor : parameterTensors(state, STRETTO_ARENA_PARAMETERS))
    entries.push_back(tensor.entry);
  return entries;
}

// The tensors in a folder, of all ranks: those of the program, whole, and no others.
struct CheckpointTensors {
  CheckpointTensors(const std::string &folder, const Manifest &manifest, const TrainingState &state)
      : weights(folder, weightPaths(folder, manifest)), moments(folder, momentPaths(folder, manifest)) {
    weights.expectExactly(weightEntries(state));
    moments.expectExactly(momentEntries(state.program));
  }
  TensorFiles weights, moments;
};

// Fills a tensor, or the part of one that a rank has.
void restoreTensor(const TensorFiles &files, const StateTensor &tensor, Device &device) {
  const NamedPart part = namedPart(tensor.entry.name);
  const int64_t first = part.first.value_or(0);
  writeTensor(device, tensor, files.find(part.tensor)->read(first, first + tensor.entry.elements()));
}

} // namespace

std::string CheckpointFolder::folderOf(int64_t step) const { return fmt::format("{}/{:08}", path, step); }

std::vector<int64_t> CheckpointFolder::steps() const {
  std::vector<int64_t> steps;
  for (const std::string &name : listDirectory(path))
    if (const auto step = stepOfName(name))
      steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

void CheckpointFolder::clean(Group &group) const {
  outcomeOfFirst(group, [&] {
    for (const std::string &name : listDirectory(path))
      if (isTemporaryName(name))
        removeTree(path + "/" + name);
    return "";
  });
}

std::string CheckpointFolder::makeTemporary(int64_t step) const {
  makeDirectory(path);
  const std::string temporary = fmt::format("{}/{}{:08}-{}", path, temporaryMark, step, getpid());
  try {
    makeDirectory(temporary);
  } catch (...) {
    removeQuietly(temporary);
    throw;
  }
  return temporary;
}

// The manifest of what all ranks wrote: weights of all, then moments of all.
Manifest CheckpointFolder::writeAll(const std::string &temporary, const TrainingState &state, Manifest manifest,
                                    Group &group) const {
  const auto write = [&] {
    const Writer writer{group.rank(), group.size(), shareFrom};
    Manifest share{manifest.step, {}, writeShare(temporary, state, writer)};
    if (group.rank() > 0) // the first does it behind the manifest
      syncDirectory(temporary);
    return writeManifest(share);
  };
  for (const std::string &text : gatherOutcomes(group, write))
    std::ranges::move(readManifest(text).files, std::back_inserter(manifest.files));
  std::ranges::stable_partition(manifest.files, [](const ManifestFile &file) { return isWeightsName(file.name); });
  return manifest;
}

// A folder of the same step is there already after a resume from an older checkpoint (the newer one was refused): the
// two change places in one step, then the refused one is removed.
void CheckpointFolder::commit(const std::string &temporary, const Manifest &manifest) const {
  writeManifestFile(temporary, manifest);
  syncDirectory(temporary);
  const std::string folder = folderOf(manifest.step);
  if (pathExists(folder)) {
    exchangePaths(temporary, folder);
    syncDirectory(path);
    removeQuietly(temporary);
  } else {
    renameNew(temporary, folder);
    syncDirectory(path);
  }
}

// Each rank reads what it wrote.
void CheckpointFolder::readBack(const Manifest &manifest, Group &group) const {
  const std::string folder = folderOf(manifest.step);
  gatherOutcomes(group, [&] {
    if (group.rank() == 0)
      readManifestFile(folder, manifest.step);
    for (const ManifestFile &file : manifest.files)
      if (writerOf(file.name) == group.rank())
        verifyFile(folder, file);
    return "";
  });
}

std::string CheckpointFolder::save(const TrainingState &state, int64_t step,
                                   const std::map<std::string, std::string> &facts, Group &group) const {
  const bool isFirst = group.rank() == 0;
  // Tells all what the first rank does, as that of one of them.
  const auto first = [&](const std::function<std::string()> &work) {
    return gatherOutcomes(group, [&] { return isFirst ? work() : ""; }).front();
  };
  const std::string temporary = first([&] { return makeTemporary(step); });
  try {
    const Manifest manifest = writeAll(temporary, state, {step, facts, {}}, group);
    first([&] {
      const CheckpointTensors complete(temporary, manifest, state);
      return commit(temporary, manifest), "";
    });
    readBack(manifest, group);
  } catch (...) {
    if (isFirst)
      removeQuietly(temporary);
    throw;
  }
  return settle(step, group);
}

std::string CheckpointFolder::settle(int64_t step, Group &group) const {
  return outcomeOfFirst(group, [&]() -> std::string {
    try {
      return settleAlone(step), "";
    } catch (const Error &error) {
      return fmt::format("checkpoint '{}' is good, but older ones may be left over, or 'latest' names one: {}",
                         folderOf(step), error.what());
    }
  });
}

void CheckpointFolder::settleAlone(int64_t step) const {
  const std::string latest = path + "/latest", text = fmt::format("{:08}\n", step);
  if (!hasText(latest, text))
    replaceFile(latest, text);
  dropOld(step);
}

void CheckpointFolder::dropOld(int64_t newestStep) const {
  std::vector<int64_t> all = steps();
  all.erase(std::remove_if(all.begin(), all.end(), [&](int64_t step) { return step > newestStep; }), all.end());
  for (size_t i = 0; i + static_cast<size_t>(keep) < all.size(); ++i) {
    // Renamed first: an interrupted removal leaves no folder that looks like a damaged checkpoint.
    const std::string temporary = fmt::format("{}/{}old-{:08}", path, temporaryMark, all[i]);
    if (pathExists(temporary))
      removeTree(temporary);
    renameNew(folderOf(all[i]), temporary);
    syncDirectory(path);
    removeTree(temporary);
  }
}

Manifest CheckpointFolder::verify(int64_t step, CheckpointPart part, Group &group) const {
  const auto verifyHere = [&] { return writeManifest(verifyFolder(folderOf(step), step, part)); };
  return readManifest(outcomeOfFirst(group, verifyHere));
}

// The newest good one's manifest, or nothing, then step and reason of each that was skipped, as texts.
std::vector<std::string> CheckpointFolder::search(CheckpointPart part) const {
  std::vector<std::string> found{""};
  const std::vector<int64_t> all = steps();
  for (auto step = all.rbegin(); step != all.rend(); ++step) {
    try {
      found.front() = writeManifest(verifyFolder(folderOf(*step), *step, part));
      break;
    } catch (const Error &error) {
      found.push_back(fmt::format("{}", *step));
      found.push_back(fmt::format("checkpoint '{}' is refused: {}", folderOf(*step), error.what()));
    }
  }
  return found;
}

std::optional<Manifest> CheckpointFolder::newest(CheckpointPart part, const Skipped &skipped, Group &group) const {
  const auto searchHere = [&] { return packTexts(search(part)); };
  const std::vector<std::string> found = unpackTexts(outcomeOfFirst(group, searchHere));
  for (size_t i = 1; i + 1 < found.size(); i += 2)
    skipped(std::stoll(found[i]), found[i + 1]);
  return found.front().empty() ? std::nullopt : std::optional(readManifest(found.front()));
}

void CheckpointFolder::restore(const TrainingState &state, int64_t step, Group &group) const {
  gatherOutcomes(group, [&] {
    const std::string folder = folderOf(step);
    const Manifest manifest = readManifestFile(folder, step);
    const CheckpointTensors files(folder, manifest, state);
    for (const StateTensor &tensor : parameterTensors(state, STRETTO_ARENA_PARAMETERS))
      restoreTensor(files.weights, tensor, state.device);
    for (const StateTensor &tensor : momentTensors(state))
      restoreTensor(files.moments, tensor, state.device);
    state.device.wait();
    return "";
  });
}

} // namespace stretto::runtime
