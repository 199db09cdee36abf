// The weights that a run starts from, where --init-from names some.
#pragma once

#include "runtime/dist/outcomes.h"
#include "runtime/train/config.h"
#include "runtime/train/metrics.h"
#include "runtime/train/progress.h"
#include "runtime/train/state.h"

namespace stretto::runtime {

// Fills the parameters with what --init-from names, and tells where newer checkpoints are not used (with --strict an
// Error) and where the weights were trained as another model. That is an Error where the run directory that they lie in
// is the one that spec and settings come from. It also tells where a file of the task, if there is one, was another
// then. Returns the checkpoint they are of, if they are of one. Called by all ranks of a group, it returns or throws
// the same on all: the first one chooses, and all must have read the same numbers.
std::optional<WeightsOrigin> takeInitialWeights(const TrainingState &state, const RunConfig &config, const Task *task,
                                                Progress &progress, Group &group);

// Throws Error unless a program is of the spec and the settings that the run directory of --of-run was started with.
void checkModelOf(const RunConfig &config, const stretto_program &program);

} // namespace stretto::runtime
