// Weights that nothing reads: warnings of a whole model.
#pragma once

#include "frontend/sema/Program.h"
#include "frontend/sema/Reporter.h"

namespace stretto::frontend {

/// Warns of weights of the model that no function reads, or only for what repeats carry and nothing reads; one for each
/// place of the source. Callees stand before their callers, the last function is that of the model.
void warnOfUnreadWeights(llvm::ArrayRef<Function> functions, Reporter &reporter);

} // namespace stretto::frontend
