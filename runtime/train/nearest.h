// The nearest of some names to one that is wrong, for error messages.
#pragma once

#include <string>
#include <vector>

namespace stretto {

// Number of insertions, deletions, replacements and swaps of neighbours between two words.
int editDistance(const std::string &a, const std::string &b);

// ", did you mean 'x'?" for the nearest name within a third of the length, else "".
std::string didYouMean(const std::string &wrong, const std::vector<std::string> &names);

} // namespace stretto
