// The signal by which the launcher of one host tells ranks that another one has failed.
#include "runtime/dist/rank_ended.h"

#include <atomic>

namespace stretto::runtime {

// The handler runs on any thread, and the monitor's asks.
static std::atomic<bool> isNoted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "handlers must not lock");

void noteRankEnded() {
  struct sigaction action = {};
  action.sa_handler = [](int) { isNoted = true; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(rankEndedSignal, &action, nullptr);
}

bool hasRankEnded() { return isNoted; }

} // namespace stretto::runtime
