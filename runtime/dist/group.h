// Collectives over the ranks of a group. They carry bytes and never add, so that results do not depend on how a library
// adds. Every member calls the same functions in the same order; one thread at a time.
#pragma once

#include "runtime/core/error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stretto::runtime {

// What all ranks throw alike: the first of them tells it.
struct SharedError : Error {
  using Error::Error;
};

// A rank cannot reach the others, or not any more. The run may go on from its last checkpoint.
struct LostRanks : Error {
  explicit LostRanks(const std::string &reason, const std::string &what = "lost each other")
      : Error("the ranks of the run " + what + ": " + reason) {}
};

class Group {
public:
  virtual ~Group() = default;
  virtual int rank() const = 0; // in this group
  virtual int size() const = 0;

  // Part j of `from` goes to member j, part i of `to` comes from member i; each part has `bytes` bytes. The own part of
  // `to` may stay as it is. The memory is that of the device of the group.
  virtual void exchange(const void *from, void *to, int64_t bytes) = 0;

  // `to` becomes what all members have in `from`, one behind the other; `from` may be this member's part of `to`.
  virtual void gather(const void *from, void *to, int64_t bytes) = 0;

  // Whether what carries it has lost a member. From any thread.
  virtual bool hasLostMember() { return false; }

  // What is under way on a device ends without a result, and nothing more can be carried. From any thread.
  virtual void abort() {}
};

// A group of this rank alone.
std::unique_ptr<Group> groupOfOne();

// Of host memory: the texts of all members, by rank.
std::vector<std::string> gatherTexts(Group &group, const std::string &mine);
// Returns when all members have come.
void barrier(Group &group);

} // namespace stretto::runtime
