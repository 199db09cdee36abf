// Checkpoints: a folder per step holding weights.safetensors, moments.safetensors and manifest.json.
#include "runtime/train/checkpoint.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/train/checksum.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace stretto::runtime {
namespace {

constexpr const char *weightsName = "weights.safetensors", *momentsName = "moments.safetensors",
                     *manifestName = "manifest.json", *temporaryPrefix = ".tmp-";
constexpr uint64_t maxManifestBytes = 256u << 20;

// A safetensors file that is hashed while it is written.
ManifestFile writeTensors(const std::string &folder, const std::string &name, std::vector<StateTensor> tensors,
                          Device &device) {
  std::vector<TensorEntry> entries;
  for (const StateTensor &tensor : tensors)
    entries.push_back(tensor.entry);
  const std::string prefix = safetensorsPrefix(entries, {});
  Checksum whole;
  OutputFile file(folder + "/" + name);
  file.write(prefix.data(), prefix.size());
  whole.add(prefix.data(), prefix.size());
  ManifestFile result{name, prefix.size(), "", {}};
  std::vector<std::byte> staging;
  for (size_t i = 0; i < tensors.size(); ++i) {
    staging.resize(entries[i].bytes());
    readTensor(device, tensors[i], staging.data());
    file.write(staging.data(), staging.size());
    whole.add(staging.data(), staging.size());
    result.tensors.push_back(
        {entries[i].name, result.bytes, result.bytes + staging.size(), checksumOf(staging.data(), staging.size())});
    result.bytes += staging.size();
  }
  file.finish();
  result.checksum = whole.hex();
  return result;
}

std::string checksumOfRange(const InputFile &file, uint64_t begin, uint64_t end) {
  std::vector<char> block(1 << 20);
  Checksum checksum;
  while (begin < end) {
    const size_t bytes = std::min<uint64_t>(block.size(), end - begin);
    file.read(begin, block.data(), bytes);
    checksum.add(block.data(), bytes);
    begin += bytes;
  }
  return checksum.hex();
}

void verifyFile(const std::string &folder, const ManifestFile &expected) {
  const InputFile file(folder + "/" + expected.name);
  if (file.bytes() != expected.bytes)
    throw Error(fmt::format("'{}' must have {} bytes, but got {}", expected.name, expected.bytes, file.bytes()));
  if (checksumOfRange(file, 0, file.bytes()) == expected.checksum)
    return;
  for (const ManifestTensor &tensor : expected.tensors)
    if (tensor.begin <= tensor.end && tensor.end <= file.bytes() &&
        checksumOfRange(file, tensor.begin, tensor.end) != tensor.checksum)
      throw Error(
          fmt::format("'{}' is damaged: the checksum of tensor '{}' does not match", expected.name, tensor.name));
  throw Error(fmt::format("'{}' is damaged: the checksum of its header does not match", expected.name));
}

std::string shapeText(const std::vector<int64_t> &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void restoreFile(const std::string &path, const std::vector<StateTensor> &tensors, Device &device) {
  const SafetensorsFile file(path);
  if (file.tensors().size() != tensors.size())
    throw Error(fmt::format("'{}' must hold {} tensors, but got {}", path, tensors.size(), file.tensors().size()));
  for (const StateTensor &tensor : tensors) {
    const TensorEntry *entry = file.find(tensor.entry.name);
    if (!entry || entry->shape != tensor.entry.shape || entry->dtype != tensor.entry.dtype)
      throw Error(fmt::format("'{}' must hold '{}' as {}{}, but does not", path, tensor.entry.name, tensor.entry.dtype,
                              shapeText(tensor.entry.shape)));
    std::vector<std::byte> data(entry->bytes());
    file.read(*entry, data.data());
    writeTensor(device, tensor, std::move(data));
  }
  device.wait();
}

template <typename To, typename From> std::vector<std::byte> convert(const std::vector<std::byte> &data) {
  std::vector<std::byte> result(data.size() / sizeof(From) * sizeof(To));
  for (size_t i = 0; i < data.size() / sizeof(From); ++i) {
    From from;
    std::memcpy(&from, &data[i * sizeof(From)], sizeof(From));
    const To to = static_cast<To>(from);
    std::memcpy(&result[i * sizeof(To)], &to, sizeof(To));
  }
  return result;
}

} // namespace

std::string CheckpointFolder::folderOf(int64_t step) const { return fmt::format("{}/{:08}", path, step); }

// The step that a folder of this name is for, if it is one for a checkpoint.
static std::optional<int64_t> stepOfName(const std::string &name) {
  const bool isStep = name.size() >= 8 && name.size() <= 18 &&
                      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return isStep ? std::optional<int64_t>(std::stoll(name)) : std::nullopt;
}

std::vector<int64_t> CheckpointFolder::steps() const {
  std::vector<int64_t> steps;
  for (const std::string &name : listDirectory(path))
    if (const auto step = stepOfName(name))
      steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

void CheckpointFolder::clean() const {
  for (const std::string &name : listDirectory(path))
    if (name.starts_with(temporaryPrefix))
      removeTree(path + "/" + name);
}

void CheckpointFolder::writeFolder(const std::string &folder, const TrainingState &state, int64_t step,
                                   const std::map<std::string, std::string> &facts) const {
  makeDirectory(folder);
  Manifest manifest{step, facts, {}};
  manifest.files.push_back(
      writeTensors(folder, weightsName, parameterTensors(state, STRETTO_ARENA_PARAMETERS), state.device));
  manifest.files.push_back(writeTensors(folder, momentsName, momentTensors(state), state.device));
  const std::string text = writeManifest(manifest);
  OutputFile file(folder + "/" + manifestName);
  file.write(text.data(), text.size());
  file.finish();
  syncDirectory(folder);
}

// A folder of the same step is there already after a resume from an older checkpoint (the newer one was
// refused): the two change places in one step, then the refused one is removed.
void CheckpointFolder::publish(const std::string &temporary, int64_t step) const {
  const std::string folder = folderOf(step);
  if (pathExists(folder)) {
    exchangePaths(temporary, folder);
    syncDirectory(path);
    removeTree(temporary);
  } else {
    renameNew(temporary, folder);
    syncDirectory(path);
  }
}

void CheckpointFolder::save(const TrainingState &state, int64_t step,
                            const std::map<std::string, std::string> &facts) const {
  makeDirectory(path);
  const std::string temporary = fmt::format("{}/{}{:08}-{}", path, temporaryPrefix, step, getpid());
  try {
    writeFolder(temporary, state, step, facts);
    publish(temporary, step);
  } catch (...) {
    // What is left has a temporary name: no reader takes it for a checkpoint.
    try {
      removeTree(temporary);
    } catch (const Error &) {
    }
    throw;
  }
  verify(step);
  settle(step);
}

void CheckpointFolder::settle(int64_t step) const {
  const std::string latest = path + "/latest", text = fmt::format("{:08}\n", step);
  if (!pathExists(latest) || readFile(latest, 64) != text)
    replaceFile(latest, text);
  dropOld(step);
}

void CheckpointFolder::dropOld(int64_t newestStep) const {
  std::vector<int64_t> all = steps();
  all.erase(std::remove_if(all.begin(), all.end(), [&](int64_t step) { return step > newestStep; }), all.end());
  for (size_t i = 0; i + static_cast<size_t>(keep) < all.size(); ++i) {
    // Renamed first: an interrupted removal leaves no folder that looks like a damaged checkpoint.
    const std::string temporary = fmt::format("{}/{}old-{:08}", path, temporaryPrefix, all[i]);
    if (pathExists(temporary))
      removeTree(temporary);
    renameNew(folderOf(all[i]), temporary);
    syncDirectory(path);
    removeTree(temporary);
  }
}

// Of the checkpoint in a folder. `step`: that it must be of, if it is known.
static Manifest verifyFolder(const std::string &folder, std::optional<int64_t> step, CheckpointPart part) {
  Manifest manifest = readManifest(readFile(folder + "/" + manifestName, maxManifestBytes));
  if (step && manifest.step != *step)
    throw Error(fmt::format("the manifest must be of step {}, but got step {}", *step, manifest.step));
  if (manifest.files.size() != 2 || manifest.files[0].name != weightsName || manifest.files[1].name != momentsName)
    throw Error(fmt::format("the manifest must list '{}' and '{}'", weightsName, momentsName));
  verifyFile(folder, manifest.files[0]);
  if (part == CheckpointPart::all)
    verifyFile(folder, manifest.files[1]);
  return manifest;
}

Manifest CheckpointFolder::verify(int64_t step, CheckpointPart part) const {
  return verifyFolder(folderOf(step), step, part);
}

Manifest verifyWeights(const std::string &folder) {
  return verifyFolder(folder, stepOfName(folder.substr(folder.rfind('/') + 1)), CheckpointPart::weights);
}

std::optional<Manifest> CheckpointFolder::newest(CheckpointPart part, const Skipped &skipped) const {
  const std::vector<int64_t> all = steps();
  for (auto step = all.rbegin(); step != all.rend(); ++step) {
    try {
      return verify(*step, part);
    } catch (const Error &error) {
      skipped(*step, fmt::format("checkpoint '{}' is refused: {}", folderOf(*step), error.what()));
    }
  }
  return std::nullopt;
}

void CheckpointFolder::restore(const TrainingState &state, int64_t step) const {
  restoreFile(folderOf(step) + "/" + weightsName, parameterTensors(state, STRETTO_ARENA_PARAMETERS), state.device);
  restoreFile(folderOf(step) + "/" + momentsName, momentTensors(state), state.device);
}

// What to say of a shape that is as it must be but for the vocabulary; empty of any other.
static std::string tellVocabulary(const std::vector<int64_t> &wanted, const std::vector<int64_t> &got,
                                  int64_t vocabulary) {
  if (wanted.size() != got.size())
    return "";
  int64_t other = vocabulary;
  for (size_t i = 0; i < wanted.size(); ++i)
    if ((wanted[i] == vocabulary) == (wanted[i] == got[i]))
      return "";
    else if (wanted[i] != got[i])
      other = got[i];
  return fmt::format("; the model was compiled for a vocabulary of {}, the weights are of one of {}", vocabulary,
                     other);
}

void loadWeights(const TrainingState &state, const std::string &path) {
  const SafetensorsFile file(path, /*followLinks=*/true);
  std::set<std::string> known;
  for (const StateTensor &tensor : parameterTensors(state, STRETTO_ARENA_PARAMETERS)) {
    known.insert(tensor.entry.name);
    const TensorEntry *entry = file.find(tensor.entry.name);
    if (!entry)
      throw Error(fmt::format("'{}' must hold every parameter, but got no '{}'", path, tensor.entry.name));
    if (entry->shape != tensor.entry.shape)
      throw Error(fmt::format("'{}' in '{}' must have shape {}, but got {}{}", entry->name, path,
                              shapeText(tensor.entry.shape), shapeText(entry->shape),
                              tellVocabulary(tensor.entry.shape, entry->shape, state.program.vocabulary)));
    if (entry->dtype != "F32" && entry->dtype != "F64")
      throw Error(fmt::format("'{}' in '{}' must be F32 or F64, but got {}", entry->name, path, entry->dtype));
    std::vector<std::byte> data(entry->bytes());
    file.read(*entry, data.data());
    if (entry->dtype != tensor.entry.dtype)
      data = entry->dtype == "F32" ? convert<double, float>(data) : convert<float, double>(data);
    writeTensor(state.device, tensor, std::move(data));
  }
  for (const TensorEntry &entry : file.tensors())
    if (!known.contains(entry.name))
      throw Error(fmt::format("each tensor of '{}' must be a parameter, but got '{}'{}", path, entry.name,
                              suggestName(entry.name, std::vector<std::string>(known.begin(), known.end()))));
  state.device.wait();
}

} // namespace stretto::runtime
