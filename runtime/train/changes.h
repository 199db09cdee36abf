// What a run does otherwise since it was resumed.
#pragma once

#include "runtime/train/config.h"

namespace stretto::runtime {

// What is otherwise than a run directory has it; without a step.
std::vector<SettingChange> changesOf(const ConfigLayer &run, const RunConfig &config);

// What was changed before, and what is now, where a run goes on behind a step: of later steps nothing is left but the
// values they were made with.
std::vector<SettingChange> changedAt(int64_t step, std::vector<SettingChange> before,
                                     const std::vector<SettingChange> &now);

// Whether other steps would have been made with these settings from the start.
bool changeSteps(const std::vector<SettingChange> &changes, const RunConfig &config);

// "lr = 0.5 instead of 0.003, clip = ..."
std::string changesText(const std::vector<SettingChange> &changes);

} // namespace stretto::runtime
