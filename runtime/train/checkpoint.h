// Checkpoints: a folder per step holding weights.safetensors, moments.safetensors and manifest.json.
//
// Protocol: everything is written and synced under a temporary name, the manifest last; the folder is
// renamed into place and its parent synced; the new checkpoint is read back and verified; only then are
// older ones deleted. A checkpoint counts if and only if its manifest and all checksums agree.
#pragma once

#include "runtime/train/manifest.h"
#include "runtime/train/state.h"

#include <optional>

namespace stretto::runtime {

// What of a checkpoint is to be good: moments serve only who goes on training.
enum class CheckpointPart { all, weights };

class CheckpointFolder {
public:
  // `path` need not exist yet. `keep`: how many of the newest checkpoints stay (at least 1).
  CheckpointFolder(std::string path, int64_t keep) : path(std::move(path)), keep(keep) {}

  // Removes what an interrupted writer left.
  void clean() const;

  // Steps that have a folder, oldest first; not verified.
  std::vector<int64_t> steps() const;
  std::string folderOf(int64_t step) const;

  // Writes a checkpoint of the state. Throws Error; whatever goes wrong, older checkpoints are intact.
  void save(const TrainingState &state, int64_t step, const std::map<std::string, std::string> &facts) const;

  // What follows a good checkpoint: `latest` names it, older ones beyond `keep` go. An interrupted save may not have
  // come to it.
  void settle(int64_t step) const;

  // Reads the manifest of one checkpoint and compares every checksum; throws Error with what is wrong.
  Manifest verify(int64_t step, CheckpointPart part = CheckpointPart::all) const;

  // The newest checkpoint of which the part is good. `skipped` is told about each newer one: its step, and what is
  // wrong.
  using Skipped = std::function<void(int64_t step, const std::string &reason)>;
  std::optional<Manifest> newest(CheckpointPart part, const Skipped &skipped) const;

  // Fills parameters and moments. Throws Error when names or shapes are not those of the program.
  void restore(const TrainingState &state, int64_t step) const;

private:
  void writeFolder(const std::string &folder, const TrainingState &state, int64_t step,
                   const std::map<std::string, std::string> &facts) const;
  void publish(const std::string &temporary, int64_t step) const;
  void dropOld(int64_t newestStep) const;

  std::string path;
  int64_t keep;
};

// Compares the weights in a folder with the manifest there, and that with the folder's name, where it is a step. Throws
// Error with what is wrong.
Manifest verifyWeights(const std::string &folder);

// Fills parameters by name from any safetensors file of the user (f32 or f64, converted). Throws Error when a parameter
// is missing or has another shape, or when the file has a tensor of no parameter.
void loadWeights(const TrainingState &state, const std::string &path);

} // namespace stretto::runtime
