// Weights of a user's files as those of a program.
#pragma once

#include "runtime/train/find_checkpoint.h"
#include "runtime/train/state.h"

namespace stretto::runtime {

// Fills parameters by name (f32 or f64, converted). Throws Error when a parameter is missing or has another shape, or
// when there is a tensor of no parameter.
void loadWeights(const TrainingState &state, const FoundWeights &weights);

} // namespace stretto::runtime
