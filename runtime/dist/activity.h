// What a rank is at, and for how long it has got no further although it should have.
//
// A step is bounded by the steps before it, and a collective by what ranks do meanwhile: it ends soon after the last of
// them has come. Everything else (data, an evaluation, a checkpoint) may take as long as it needs.
#pragma once

#include "runtime/dist/group.h"
#include "runtime/dist/rank_state.h"

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace stretto::runtime {

enum class Phase {
  Step,
  Data, // waits for the thread that prepares the data of a step
  Other
};

// By any number of threads.
class Activity {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  // `least`: the shortest limit.
  Activity(Span least, Time now) : least(least), progress(now) {}

  // A phase begins, and the one before has ended.
  void begin(Phase phase, const std::string &name, Time now);
  // This process itself stood still.
  void forgive(Time now);

  RankState state(Time now) const;
  // How long ranks may get no further: 20 times the median of the steps, and at least `least`; ten times that before
  // there were some steps.
  Span limit() const;

  // The same group, whose collectives are seen here. `preparesData`: it serves the thread that prepares data.
  std::unique_ptr<Group> watch(std::unique_ptr<Group> group, const std::string &name, bool preparesData = false);

private:
  class WatchedGroup;
  // A group, with the collective that it is in.
  struct Lane {
    std::string name;
    bool preparesData;
    const char *pending; // null: none
    int64_t count;       // of collectives in this phase; of data: in all
    Time since;          // its latest progress
  };
  void enter(Lane &lane, const char *collective, Time now);
  void leave(Lane &lane, Time now);
  const Lane *awaited() const;
  bool knowsSteps() const;

  const Span least;
  mutable std::mutex mutex; // of what follows
  Phase phase = Phase::Other;
  std::string name = "the start";
  Time began, progress;
  std::deque<Span> steps; // the latest
  std::deque<Lane> lanes; // stay where they are
};

} // namespace stretto::runtime
