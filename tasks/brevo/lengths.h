// How many edges graphs of Brevo have.
#pragma once

#include <cstdint>

namespace stretto::tasks {

// The most edges a graph of n nodes can have: node i has at most min(i, 4) parents.
int64_t mostEdges(int64_t n);

// A number that graphs of n nodes exceed with a probability of at most `share`. Whatever came before, node i has at
// most as many parents as a uniform number in 1 .. min(i, 4); so the sum of such independent numbers bounds the edges.
int64_t likelyEdges(int64_t n, double share);

} // namespace stretto::tasks
