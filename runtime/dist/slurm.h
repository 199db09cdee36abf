// What SLURM writes in short forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto::runtime {

// The first host of a list like "gpu[003-006,9],login1": "gpu003". Nothing where it is no list.
std::optional<std::string> firstHost(std::string_view list);

// How many tasks a node has, of a list like "8(x2),4": 8 on the nodes 0 and 1, 4 on node 2. Nothing where the list does
// not say.
std::optional<int> tasksOfNode(std::string_view list, int node);

} // namespace stretto::runtime
