// Groups of ranks over memory of GPUs, which NCCL carries by c10d. Part of the library that programs for such devices
// load.
#pragma once

#include "runtime/dist/group.h"

namespace stretto::runtime {

struct GroupStore;

// A group of the ranks that give the same name; `rank`: in the group; `device`: the number of this rank's GPU, which no
// other rank has. All ranks make the same groups in the same order. Returns when all members are connected; throws
// Error where they cannot be.
//
// Its collectives go to the stream that is LibTorch's current one, in order with what is there, and return at once;
// they may be captured. Memory has to stay until they have run.
std::unique_ptr<Group> makeNcclGroup(const GroupStore &store, const std::string &name, int rank, int size, int device);

} // namespace stretto::runtime
