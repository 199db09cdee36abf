// Ends programs that compute for ever.
#include "frontend/sema/Budget.h"

using namespace stretto::frontend;

/// Far above what a model needs.
static constexpr uint64_t maxSteps = 4'000'000;

bool Budget::spend(unsigned count, SourceRange range) {
  steps += count;
  if (exhausted)
    return false;
  if (steps <= maxSteps)
    return true;
  exhausted = true;
  reporter.error(range, "the program takes more than " + llvm::Twine(maxSteps) + " steps to elaborate");
  return false;
}
