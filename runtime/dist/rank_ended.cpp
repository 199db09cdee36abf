// The signal by which the launcher of one host tells ranks that another one has failed.
#include "runtime/dist/rank_ended.h"

namespace stretto::runtime {

static volatile std::sig_atomic_t isNoted = 0;

void noteRankEnded() {
  struct sigaction action = {};
  action.sa_handler = [](int) { isNoted = 1; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(rankEndedSignal, &action, nullptr);
}

bool hasRankEnded() { return isNoted; }

} // namespace stretto::runtime
