// Parameters that nothing reads: warnings of a whole program.
#pragma once

#include "frontend/sema/Loader.h"
#include "frontend/sema/Reporter.h"

namespace stretto::frontend {

/// Warns of each parameter of the model, and of the blocks and defs of all files, whose name stands nowhere in its
/// declaration, unless that begins with '_'.
void warnOfUnreadParameters(const LoadedProgram &loaded, const Declaration &model, Reporter &reporter);

} // namespace stretto::frontend
