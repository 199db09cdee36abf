// Work that the ranks of a group do between two collectives, and that may fail on any of them: nobody waits for a rank
// that threw.
#pragma once

#include "runtime/dist/group.h"

#include <functional>

namespace stretto::runtime {

// The group of this process alone.
Group &alone();

// Each rank does its work. Where it throws on some, throws the same SharedError on all: "rank 2: <message>" of the
// first of them, or the message alone where all say the same. Alone, a rank throws what was thrown.
void together(Group &group, const std::function<void()> &work);

// The same; returns what the work gave on all, by rank.
std::vector<std::string> gatherOutcomes(Group &group, const std::function<std::string()> &work);

// The first rank does the work for all: they get what it gave, or throw what it said.
std::string outcomeOfFirst(Group &group, const std::function<std::string()> &work);

// Several texts as one, and back.
std::string packTexts(const std::vector<std::string> &texts);
std::vector<std::string> unpackTexts(std::string_view packed);

} // namespace stretto::runtime
