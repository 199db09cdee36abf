// What lies in the folder of one checkpoint.
#include "runtime/train/checkpoint_files.h"

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/whole_number.h"
#include "runtime/train/checksum.h"
#include "runtime/train/tensor_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace stretto::runtime {
namespace {

constexpr std::string_view weightsStem = "weights", momentsStem = "moments", extension = ".safetensors";
constexpr const char *manifestName = "manifest.json";
constexpr uint64_t maxManifestBytes = 256u << 20;

// The rank in "<stem>-<rank>.safetensors", 0 of "<stem>.safetensors"; nothing of other names.
std::optional<int64_t> writerOf(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || !name.ends_with(extension) || name.size() < stem.size() + extension.size())
    return std::nullopt;
  const std::string_view between = name.substr(stem.size(), name.size() - stem.size() - extension.size());
  if (between.empty())
    return 0;
  if (between.size() > 10 || between.front() != '-' || !isDigits(between.substr(1)))
    return std::nullopt;
  return std::stoll(std::string(between.substr(1)));
}

bool hasStem(std::string_view name, std::string_view stem) { return writerOf(name, stem).has_value(); }

std::vector<std::string> pathsOf(const std::string &folder, const Manifest &manifest, std::string_view stem) {
  std::vector<std::string> paths;
  for (const ManifestFile &file : manifest.files)
    if (hasStem(file.name, stem))
      paths.push_back(folder + "/" + file.name);
  return paths;
}

// A safetensors file that is hashed while it is written.
ManifestFile writeTensors(const std::string &folder, const std::string &name, const std::vector<StateTensor> &tensors,
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

int64_t bytesOf(const std::vector<StateTensor> &tensors) {
  int64_t bytes = 0;
  for (const StateTensor &tensor : tensors)
    bytes += static_cast<int64_t>(tensor.entry.bytes());
  return bytes;
}

// Neighbours, about as many bytes for each rank: a tensor goes to the rank in whose part of the bytes its middle lies.
std::vector<StateTensor> shareOf(const std::vector<StateTensor> &tensors, const Writer &writer) {
  const double part = static_cast<double>(bytesOf(tensors)) / writer.ranks;
  std::vector<StateTensor> share;
  double begin = 0;
  for (const StateTensor &tensor : tensors) {
    const double bytes = static_cast<double>(tensor.entry.bytes());
    if (std::min(static_cast<int>((begin + bytes / 2) / part), writer.ranks - 1) == writer.rank)
      share.push_back(tensor);
    begin += bytes;
  }
  return share;
}

std::string checksumOfRange(const InputFile &file, uint64_t begin, uint64_t end) {
  std::vector<char> block(std::min<uint64_t>(1 << 20, end - begin));
  Checksum checksum;
  while (begin < end) {
    const size_t bytes = std::min<uint64_t>(block.size(), end - begin);
    file.read(begin, block.data(), bytes);
    checksum.add(block.data(), bytes);
    begin += bytes;
  }
  return checksum.hex();
}

void checkNames(const Manifest &manifest) {
  std::set<std::string_view> names;
  for (const ManifestFile &file : manifest.files) {
    if (!hasStem(file.name, weightsStem) && !hasStem(file.name, momentsStem))
      throw Error(fmt::format("the manifest must list files of weights and moments, but lists '{}'", file.name));
    if (!names.insert(file.name).second)
      throw Error(fmt::format("the manifest must list each file once, but lists '{}' twice", file.name));
  }
  if (std::ranges::none_of(names, isWeightsName))
    throw Error("the manifest must list files of weights, but lists none");
}

} // namespace

bool isWeightsName(std::string_view name) { return hasStem(name, weightsStem); }

int64_t writerOf(std::string_view name) {
  return writerOf(name, weightsStem).value_or(writerOf(name, momentsStem).value_or(0));
}

std::optional<int64_t> stepOfName(std::string_view name) {
  if (name.size() < 8 || name.size() > 18 || !isDigits(name))
    return std::nullopt;
  return std::stoll(std::string(name));
}

std::vector<std::string> weightPaths(const std::string &folder, const Manifest &manifest) {
  return pathsOf(folder, manifest, weightsStem);
}

std::vector<std::string> momentPaths(const std::string &folder, const Manifest &manifest) {
  return pathsOf(folder, manifest, momentsStem);
}

std::vector<ManifestFile> writeShare(const std::string &folder, const TrainingState &state, const Writer &writer) {
  std::vector<ManifestFile> files;
  const auto write = [&](std::string_view stem, const std::string &number, const std::vector<StateTensor> &tensors) {
    if (!tensors.empty() || writer.ranks == 1)
      files.push_back(writeTensors(folder, fmt::format("{}{}{}", stem, number, extension), tensors, state.device));
  };
  const std::string number = writer.ranks == 1 ? "" : fmt::format("-{}", writer.rank);
  const std::vector<StateTensor> weights = parameterTensors(state, STRETTO_ARENA_PARAMETERS);
  if (writer.ranks > 1 && bytesOf(weights) >= writer.shareFrom)
    write(weightsStem, number, shareOf(weights, writer));
  else if (writer.rank == 0)
    write(weightsStem, "", weights);
  write(momentsStem, number, momentTensors(state));
  return files;
}

void writeManifestFile(const std::string &folder, const Manifest &manifest) {
  const std::string text = writeManifest(manifest);
  OutputFile file(folder + "/" + manifestName);
  file.write(text.data(), text.size());
  file.finish();
}

Manifest readManifestFile(const std::string &folder, std::optional<int64_t> step) {
  Manifest manifest = readManifest(readFile(folder + "/" + manifestName, maxManifestBytes));
  if (step && manifest.step != *step)
    throw Error(fmt::format("the manifest must be of step {}, but got step {}", *step, manifest.step));
  checkNames(manifest);
  return manifest;
}

void verifyFile(const std::string &folder, const ManifestFile &expected) {
  const InputFile file(folder + "/" + expected.name);
  if (file.bytes() != expected.bytes)
    throw Error(
        fmt::format("'{}' must have {}, but got {}", expected.name, counted(expected.bytes, "byte"), file.bytes()));
  if (checksumOfRange(file, 0, file.bytes()) == expected.checksum)
    return;
  for (const ManifestTensor &tensor : expected.tensors)
    if (tensor.begin <= tensor.end && tensor.end <= file.bytes() &&
        checksumOfRange(file, tensor.begin, tensor.end) != tensor.checksum)
      throw Error(
          fmt::format("'{}' is damaged: the checksum of tensor '{}' does not match", expected.name, tensor.name));
  throw Error(fmt::format("'{}' is damaged: the checksum of its header does not match", expected.name));
}

Manifest verifyFolder(const std::string &folder, std::optional<int64_t> step, CheckpointPart part) {
  Manifest manifest = readManifestFile(folder, step);
  for (const ManifestFile &file : manifest.files)
    if (part == CheckpointPart::all || isWeightsName(file.name))
      verifyFile(folder, file);
  const TensorFiles weights(folder, weightPaths(folder, manifest));
  if (part == CheckpointPart::all)
    const TensorFiles moments(folder, momentPaths(folder, manifest));
  return manifest;
}

} // namespace stretto::runtime
