// What a run directory says about how far its run has come.
#pragma once

#include <filesystem>

namespace stretto::tools {

enum class RunState { Absent, Begun, Finished };

// Finished: the newest checkpoint is that of the last step.
RunState stateOf(const std::filesystem::path &run);

// The headline score as it was last evaluated, "accuracy/k=1 79.5 %"; without scores the held-out loss; "" where
// nothing was evaluated or the metrics make no sense.
std::string headlineOf(const std::filesystem::path &run);

} // namespace stretto::tools
