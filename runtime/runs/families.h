// Scores that are one quantity measured at several values of a key: accuracy/k=1, accuracy/k=2, ..
#pragma once

#include "runtime/runs/curves.h"

namespace stretto::runtime {

// One member: the value of the key, whether it stands for larger ones too, and the score's name.
struct FamilyMember {
  double value = 0;
  bool andMore = false;
  std::string metric;
};

// Scores named "<base>/<key>=<number>", or "<base>/<key>=<number>+" for that number and more.
struct Family {
  std::string base, key;
  std::vector<FamilyMember> members; // by value, ascending

  std::string title() const { return base + " by " + key; }
};

// The families with at least two members, in the order in which they occur.
std::vector<Family> familiesOf(std::span<const RunGroup> groups);

} // namespace stretto::runtime
