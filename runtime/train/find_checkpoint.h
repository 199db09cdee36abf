// Where a path of the user leads that stands for a checkpoint.
#pragma once

#include "runtime/train/manifest.h"

#include <optional>
#include <string>
#include <vector>

namespace stretto::runtime {

// A safetensors file, and what is known about it.
struct FoundWeights {
  std::string path;
  std::optional<Manifest> manifest;  // of the checkpoint that the weights are of, which agree with it
  std::vector<int64_t> passedOver;   // steps of newer checkpoints that are not used
  std::vector<std::string> warnings; // why not
};

// The weights that a path stands for: a safetensors file itself; a checkpoint's folder or what `latest` names, their
// weights; a run directory or its folder `ckpt`, those of the newest checkpoint whose weights are good. Weights of a
// checkpoint are compared with its manifest. Throws Error where they do not agree, and where something else lies there,
// saying what; a path that leads nowhere is returned as it is.
FoundWeights findWeights(const std::string &path);

// The run directory that a path stands for: itself, its folder `ckpt`, or `ckpt/latest`. Throws Error for one
// checkpoint of it, because runs go on from the newest.
std::string findRunDirectory(const std::string &path);

} // namespace stretto::runtime
