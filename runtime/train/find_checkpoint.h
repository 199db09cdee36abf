// Where a path of the user leads that stands for a checkpoint.
#pragma once

#include "runtime/dist/outcomes.h"
#include "runtime/train/checkpoint_files.h"

#include <optional>
#include <string>
#include <vector>

namespace stretto::runtime {

// Files of weights, and what is known about them.
struct FoundWeights {
  std::string path;                  // the file, or the folder that several lie in: for messages
  std::vector<std::string> files;    // safetensors files that hold the weights together
  std::string folder;                // of the checkpoint that they are of
  std::optional<Manifest> manifest;  // of that checkpoint; they agree with it
  std::vector<int64_t> passedOver;   // steps of newer checkpoints that are not used
  std::vector<std::string> warnings; // why not
};

// The weights that a path stands for: a safetensors file itself; a checkpoint's folder, one of its files of weights or
// what `latest` names, all weights of that checkpoint; a run directory or its folder `ckpt`, those of the newest
// checkpoint of which the part is good. What is of a checkpoint is compared with its manifest. Throws Error where they
// do not agree, and where something else lies there, saying what; a path that leads nowhere is returned as it is.
FoundWeights findWeights(const std::string &path, CheckpointPart part = CheckpointPart::weights);
// The first rank finds them for all.
FoundWeights findWeights(const std::string &path, Group &group);

// The run directory that a path stands for: itself, its folder `ckpt`, or `ckpt/latest`. Throws Error for one
// checkpoint of it, because runs go on from the newest.
std::string findRunDirectory(const std::string &path);

} // namespace stretto::runtime
