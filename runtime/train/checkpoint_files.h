// What lies in the folder of one checkpoint: weights.safetensors, moments.safetensors and manifest.json. Where several
// ranks wrote it, rank k may have written weights-<k>.safetensors and moments-<k>.safetensors.
#pragma once

#include "runtime/train/manifest.h"
#include "runtime/train/state.h"

#include <optional>

namespace stretto::runtime {

// What of a checkpoint is to be good: moments serve only who goes on training.
enum class CheckpointPart { all, weights };

// The name of a file in a checkpoint that may hold weights.
bool isWeightsName(std::string_view name);
// The rank that wrote the file of this name.
int64_t writerOf(std::string_view name);
// The step that a folder of this name is for, if it is one for a checkpoint.
std::optional<int64_t> stepOfName(std::string_view name);

// The paths of a checkpoint's files of weights, or of moments, as its manifest lists them.
std::vector<std::string> weightPaths(const std::string &folder, const Manifest &manifest);
std::vector<std::string> momentPaths(const std::string &folder, const Manifest &manifest);

// Which of several ranks writes, and the bytes of all weights from which on ranks share them out, by whole tensors;
// rank 0 writes smaller ones alone.
struct Writer {
  int rank = 0, ranks = 1;
  int64_t shareFrom = 0;
};

// Writes what a rank has to write of a state, synced; hashes it while it writes.
std::vector<ManifestFile> writeShare(const std::string &folder, const TrainingState &state, const Writer &writer);
void writeManifestFile(const std::string &folder, const Manifest &manifest);

// The manifest in a folder, which must be of this step, where one is given.
Manifest readManifestFile(const std::string &folder, std::optional<int64_t> step);
// Compares a file with what the manifest says of it.
void verifyFile(const std::string &folder, const ManifestFile &expected);
// Reads the manifest and compares the files of the part with it. All three throw Error with what is wrong.
Manifest verifyFolder(const std::string &folder, std::optional<int64_t> step, CheckpointPart part);

} // namespace stretto::runtime
