// Watches over the ranks of a run while it trains: a rank that is gone or stands still ends all of them, named, so that
// none waits for it, and so do ranks that live and wait for each other. One thread talks to the store, which may take
// forever; another looks at the clock alone.
#pragma once

#include "runtime/dist/activity.h"
#include "runtime/dist/board.h"
#include "runtime/dist/fault.h"
#include "runtime/dist/pulses.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stretto::runtime {

struct MonitorSettings {
  int rank = 0;
  std::vector<std::string> names;            // of all ranks, for messages
  bool servesStore = false;                  // rank 0 holds the store; else the launcher
  std::chrono::milliseconds timeout{10'000}; // without a sign of life
  std::chrono::milliseconds beat{250};       // between two of them
  std::chrono::milliseconds gone{1'000};     // silent that long, a rank is gone where the connection to it broke
  std::function<bool()> hasRankEnded;        // somebody else says that one is gone; may be empty
  // How the process ends; tests have others.
  std::function<void(const Fault &fault, bool tells)> end;

  std::string storeHolder() const { return servesStore ? names[0] : "the launcher"; } // for messages
};

class Monitor {
public:
  // Watches from now on. `activity`: of this rank.
  Monitor(std::unique_ptr<Board> board, Activity &activity, MonitorSettings settings);
  // Says that this rank is done, and watches no more; where it serves the store, waits until the others say so, too.
  ~Monitor();
  Monitor(const Monitor &) = delete;
  Monitor &operator=(const Monitor &) = delete;

  // What the user can go on with after a fault.
  void setAdvice(const std::string &advice);

  // Tells all ranks of a fault of this one, and ends the process.
  [[noreturn]] void fail(const Fault &fault);
  // The connection to some rank broke: finds out who is gone, tells all, and ends the process.
  [[noreturn]] void lost(const std::string &reason);

private:
  using Clock = std::chrono::steady_clock;
  void beat();
  void round(int64_t number);
  void judge();
  void beginCensus();
  void awaitOthers(std::chrono::milliseconds time);
  bool isGone(int rank) const;
  std::optional<Fault> verdict(Clock::time_point now);
  std::optional<Fault> standstill();
  std::vector<int> watched() const;
  void tellAndEnd(const Fault &fault, bool tells);
  void end(const Fault &fault, bool tells);
  void endTold(const Fault &fault, bool tells);
  std::string withAdvice(std::string text) const;
  void sleep(std::chrono::milliseconds span) const;

  const std::unique_ptr<Board> board;
  Activity &activity;
  const MonitorSettings settings;
  std::atomic<bool> stopping = false, census = false, hasEnded = false;
  std::atomic<Clock::time_point> lastRound; // of the thread that talks to the store
  mutable std::mutex mutex;                 // of what follows
  Pulses pulses;
  std::string advice;
  std::optional<Fault> untold; // left to the thread that talks to the store
  std::thread beating, judging;
};

} // namespace stretto::runtime
