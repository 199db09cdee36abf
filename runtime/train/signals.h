// Ctrl-C and SIGTERM: the first asks for a stop after the running step, the second leaves at once.
#pragma once

namespace stretto {

void catchStopSignals();
// The signal that asked for a stop, or 0.
int stopSignal();

} // namespace stretto
