// Ctrl-C, SIGTERM and SIGHUP (unless it is ignored, as nohup has it): the first asks for a stop after the running step,
// the second leaves at once. Output that nobody reads any more asks for a stop, too.
#pragma once

namespace stretto::runtime {

void catchStopSignals();
// A limit on the size of files is then an error of what writes one.
void outliveFileLimit();
void catchLostOutput();
// The signal that asked for a stop, or 0.
int stopSignal();

} // namespace stretto::runtime
