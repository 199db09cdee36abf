// The signal by which the launcher of one host tells ranks that another one has failed.
#pragma once

#include <csignal>

namespace stretto::runtime {

// It ends a rank that has not met the others yet, which would wait for one that never comes.
constexpr int rankEndedSignal = SIGUSR1;

// From now on it is noted instead.
void noteRankEnded();
bool hasRankEnded();

} // namespace stretto::runtime
