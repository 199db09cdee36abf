// Steps timed on request, for measurements that take turns with another program.
#pragma once

#include "runtime/train/memory.h"
#include "runtime/train/step.h"

#include <iosfwd>

namespace stretto::runtime {

// Answers requests, one a line, until the input ends; every answer is one line of JSON. All steps train on the first
// batch of the source, at the constant learning rate of the configuration. Of several ranks the first one reads and
// answers; `cpu_seconds` are then the mean over ranks, all else is its own.
//   time N      {"seconds": [one per step, from the end of the one before], "cpu_seconds": [of all threads],
//               "loss": of the last step}
//   profile N   {"seconds": per step, "groups": {name: seconds per step}, "kernels": [{"name", "seconds", "calls",
//               "gigabytes_per_second", "gigaflops"}]}; with one thread, seconds of it on a processor
//   memory      {"planned": bytes, "measured": arenas and libraries at their highest, "arenas": {name: bytes},
//               "resident": the process at its highest}
// A request that is none of these, or whose count is not in 1..1000000, throws Error.
void answerRequests(const TrainingState &state, const RunConfig &config, const BatchSource &source,
                    const MemoryPlan &plan, DataParallel &parallel, std::istream &in, std::ostream &out);

} // namespace stretto::runtime
