// Where a path of the user leads that stands for a checkpoint.
#pragma once

#include <string>

namespace stretto {

// The weights that a path stands for: a safetensors file itself; a checkpoint's folder or what `latest` names, their
// weights; a run directory or its folder `ckpt`, those of the newest checkpoint that is good. Throws Error saying what
// lies there if it is none of these; a path that leads nowhere is returned as it is.
std::string findWeights(const std::string &path);

// The run directory that a path stands for: itself, its folder `ckpt`, or `ckpt/latest`. Throws Error for one
// checkpoint of it, because runs go on from the newest.
std::string findRunDirectory(const std::string &path);

} // namespace stretto
