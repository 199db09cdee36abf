// Who lives, by the texts that ranks leave and count up: one whose text stands still for a while is gone. Without
// threads and without a clock of its own.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::runtime {

class Pulses {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  Pulses(int ranks, Time now) : seen(ranks, {"", now, false}) {}

  // The text of a rank at this time; empty: there is none yet.
  void see(int rank, const std::string &text, Time now);
  // A rank that is done stands still rightly.
  void leave(int rank) { seen[rank].isDone = true; }
  // The first of some ranks whose text stands still for longer than that.
  std::optional<int> silent(std::span<const int> ranks, Span longer, Time now) const;
  // Nobody looked for a while: ages begin anew.
  void forgive(Time now);
  const std::string &text(int rank) const { return seen[rank].text; }

private:
  struct Seen {
    std::string text;
    Time since;
    bool isDone;
  };
  std::vector<Seen> seen;
};

} // namespace stretto::runtime
