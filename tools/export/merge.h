// The files of a checkpoint as one safetensors file.
#pragma once

#include "runtime/train/find_checkpoint.h"

namespace stretto::tools {

// Writes all weights of a checkpoint, in the order of its model, and with `moments` what AdamW keeps of each: the bytes
// of what one rank writes as weights.safetensors, however many ranks wrote the checkpoint. A file of that name is
// replaced. Throws Error.
void mergeCheckpoint(const runtime::FoundWeights &checkpoint, bool moments, const std::string &path);

} // namespace stretto::tools
