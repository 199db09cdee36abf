// The ranks of a run: processes that train one model together, each with one device. A run of one rank has a Ranks,
// too, which opens no socket and starts no thread.
#pragma once

#include "runtime/dist/activity.h"
#include "runtime/dist/fault.h"
#include "runtime/dist/group.h"
#include "runtime/dist/launch.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace stretto::runtime {

class GroupMaker;
class Monitor;
struct GroupStore;

// Makes a group over the memory of a device; `rank`: in the group. Ranks that give the same name find each other by the
// store.
using MakeGroup =
    std::function<std::unique_ptr<Group>(const GroupStore &store, const std::string &name, int rank, int size)>;

class Ranks {
public:
  // Alone.
  Ranks();
  // Joins the others of a launch, watches over them as soon as all have come, and returns when they are connected.
  // Throws Error with the numbers of those that did not come, and LostStore.
  Ranks(const Launch &launch, std::chrono::seconds joinTimeout, std::chrono::seconds rankTimeout);
  // Returns when all are done.
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  int rank() const { return launch.rank; }
  int size() const { return launch.ranks; }
  bool isFirst() const { return launch.rank == 0; }
  int localRank() const { return launch.localRank; } // among those of this host
  int localSize() const { return launch.localRanks; }

  // All ranks, over host memory: for the thread that trains, and for the one that prepares data ahead.
  Group &control() const { return *controlGroup; }
  Group &ahead() const { return *aheadGroup; }

  // Connects the ranks for gradients and weights; empty: over host memory. Called once, by all of them.
  void connect(const MakeGroup &make);
  // A group for each level (runtime/dist/levels.h).
  const std::vector<std::unique_ptr<Group>> &levels() const { return levelGroups; }

  // "rank 3 (host b7)".
  const std::string &nameOf(int rank) const { return names[rank]; }

  // Stops where ranks are not of one kind: `facts` are what must agree, with names for the message; compared with those
  // of rank 0. All ranks throw the same Error.
  void compare(const std::vector<std::pair<std::string, std::string>> &facts);

  // Calls `work`. What it throws on this rank alone is told to all and ends them, before anything here waits for
  // others.
  void orLeave(const std::function<void()> &work) const;

  // What this rank is at from now on ("step 318"); a step that takes far longer than others is a fault.
  void note(Phase phase, const std::string &name) const;
  // How the user can go on where a rank fails: for messages.
  void setAdvice(const std::string &advice) const;

private:
  void watchOver(std::chrono::seconds timeout);
  bool hasLostRank();
  void leave(const Fault &fault, bool tells);
  void abortWork();

  Launch launch;
  std::unique_ptr<GroupMaker> maker;
  std::unique_ptr<Activity> activity; // null where there is one rank
  std::unique_ptr<Group> controlGroup, aheadGroup;
  std::vector<std::unique_ptr<Group>> levelGroups;
  std::mutex mutex; // of these, as long as they are made
  std::vector<std::string> names;
  std::unique_ptr<Monitor> monitor; // likewise
};

} // namespace stretto::runtime
