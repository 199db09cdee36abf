// What a training program would go on from in a run directory.
#pragma once

#include "runtime/abi/abi.h"

#include <string>

namespace stretto::campaign {

// Reads a run directory as --resume does: cuts its logs, restores the newest checkpoint. One line of
// `step checksum-of-weights-and-moments checksum-of-metrics refused-checkpoints`; step -1 where there is none, and
// checksums of nothing then. Throws Error where a resume would.
std::string inspect(const stretto_program &program, const std::string &folder);

} // namespace stretto::campaign
