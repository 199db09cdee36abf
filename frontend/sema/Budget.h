// Ends programs that compute for ever.
#pragma once

#include "frontend/sema/Reporter.h"

#include "llvm/Support/SaveAndRestore.h"

namespace stretto::frontend {

class Budget {
public:
  explicit Budget(Reporter &reporter) : reporter(reporter) {}

  /// Counts work that is done at `range`; false (after one error) when the program takes too much.
  bool spend(unsigned count, SourceRange range);
  /// The result of `work`, which is not counted.
  template <typename Work> auto uncounted(Work work) {
    llvm::SaveAndRestore noSteps(steps, uint64_t(0));
    llvm::SaveAndRestore kept(exhausted);
    return work();
  }
  /// Ends the elaboration, after an error that would repeat itself.
  void exhaust() { exhausted = true; }
  bool isExhausted() const { return exhausted; }

private:
  Reporter &reporter;
  uint64_t steps = 0;
  bool exhausted = false;
};

} // namespace stretto::frontend
