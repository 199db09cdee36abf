// `stretto train --print-sbatch`: the script of a SLURM job.
#pragma once

#include <string>
#include <vector>

namespace stretto::tools {

// Takes --print-sbatch and --hosts M out of the arguments of `stretto train`. Returns the number of hosts, 0 where no
// script is asked for. Throws CommandError where M is no number of hosts, or is given without --print-sbatch.
int takeBatchOptions(std::vector<std::string> &arguments);

// A script for sbatch that compiles the spec once, then starts --ranks programs on the hosts, as many on each, and goes
// on from the newest checkpoint where SLURM starts the job again. Throws CommandError where the arguments of `stretto
// train` do not say what is needed, or are wrong.
std::string batchScript(const std::vector<std::string> &arguments, int hosts);

} // namespace stretto::tools
