// Lanes of the made-up GPU: work that runs in its order, places in it, and waits for places in other lanes. Streams
// have one each, and so have the branches of a graph.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

struct Lane;

// A place in a lane, which an event keeps.
struct Mark {
  std::shared_ptr<Lane> lane;
  unsigned long long capture = 0; // the one that it was recorded in; 0: none
  bool reached = false;
  float time = 0; // when it was reached
};

// One of the three.
struct Task {
  std::function<void()> work;
  std::shared_ptr<Mark> mark, awaited;
};

struct Lane {
  std::deque<Task> tasks;
  int priority = 0; // the lower the sooner
};

using Lanes = std::vector<std::shared_ptr<Lane>>;

// Runs one of some lanes up to a place in it (null: to its end), and of the others as little as it waits for: as late
// as CUDA may. With STRETTO_FAKE_GPU_EARLY=1 all others run first, as far as they get: as early as CUDA may.
void runLane(const Lanes &lanes, const std::shared_ptr<Lane> &lane, const Mark *end = nullptr);
