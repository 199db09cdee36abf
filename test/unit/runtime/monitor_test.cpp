// A rank that is gone or stands still is found and named; a store that never answers holds nobody up.
#include "runtime/dist/monitor.h"

#include <gtest/gtest.h>
#include <map>
#include <sysexits.h>

using namespace stretto::runtime;
using namespace std::chrono_literals;

namespace {

// A store in memory, which can be lost or stand still.
struct Store {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
  std::atomic<bool> isLost = false, standsStill = false;
};

class MemoryBoard final : public Board {
public:
  explicit MemoryBoard(Store &store) : store(store) {}
  void put(const std::string &key, const std::string &text) override {
    ask([&] { store.texts[key] = text; });
  }
  void putFirst(const std::string &key, const std::string &text) override {
    ask([&] { store.texts.try_emplace(key, text); });
  }
  std::string look(const std::string &key) override {
    std::string text;
    ask([&] { text = store.texts.contains(key) ? store.texts[key] : ""; });
    return text;
  }
  std::string await(const std::string &key, std::chrono::milliseconds) override { return look(key); }

private:
  template <typename Work> void ask(Work work) {
    while (store.standsStill)
      std::this_thread::sleep_for(5ms);
    if (store.isLost)
      throw std::runtime_error("connection lost");
    std::lock_guard lock(store.mutex);
    work();
  }
  Store &store;
};

// A rank whose end is noted instead of ending the process.
struct Rank {
  Rank(Store &store, int number, int ranks) {
    MonitorSettings settings;
    settings.rank = number;
    for (int i = 0; i < ranks; ++i)
      settings.names.push_back("rank " + std::to_string(i));
    settings.servesStore = true;
    settings.timeout = 400ms, settings.beat = 10ms, settings.gone = 100ms;
    settings.end = [this](const Fault &fault, bool) {
      std::lock_guard lock(mutex);
      said = fault.text, status = fault.status;
    };
    monitor = std::make_unique<Monitor>(std::make_unique<MemoryBoard>(store), std::move(settings));
  }
  std::string await() {
    for (const auto end = std::chrono::steady_clock::now() + 5s; std::chrono::steady_clock::now() < end;) {
      if (std::lock_guard lock(mutex); status)
        return said;
      std::this_thread::sleep_for(5ms);
    }
    return "nothing";
  }
  std::mutex mutex;
  std::string said;
  int status = 0;
  std::unique_ptr<Monitor> monitor;
};

TEST(Monitor, ARankThatStandsStillIsNamedByTheOneBeforeAndToldToAll) {
  Store store;
  Rank first(store, 0, 3), second(store, 1, 3); // the third never comes
  first.monitor->setAdvice("go on with: x");
  EXPECT_EQ(second.await(), "rank 2 gave no sign of life for 0.4 s, the last one was in the start");
  EXPECT_EQ(first.await(), "rank 2 gave no sign of life for 0.4 s, the last one was in the start");
  EXPECT_EQ(second.status, EX_TEMPFAIL);
}

TEST(Monitor, ARankThatIsDoneIsNoFault) {
  Store store;
  Rank first(store, 0, 2);
  {
    Rank second(store, 1, 2);
    std::this_thread::sleep_for(50ms);
  }
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(first.status, 0);
}

TEST(Monitor, AStoreThatIsLostMeansRankZero) {
  Store store;
  Rank second(store, 1, 2);
  store.isLost = true;
  EXPECT_EQ(second.await(), "rank 0, which holds the store, is gone");
  EXPECT_EQ(second.status, EX_TEMPFAIL);
}

TEST(Monitor, AStoreThatNeverAnswersHoldsNobodyUp) {
  Store store;
  Rank second(store, 1, 2);
  second.monitor->setAdvice("go on with: x");
  std::this_thread::sleep_for(30ms);
  store.standsStill = true;
  EXPECT_EQ(second.await(), "rank 0, which holds the store, gave no answer for 0.4 s; go on with: x");
  store.standsStill = false;
}

TEST(Monitor, AnotherRanksFaultEndsThisOneWithItsStatus) {
  Store store;
  Rank first(store, 0, 2), second(store, 1, 2);
  store.mutex.lock();
  store.texts["fault"] = writeFault({1, "rank 1: no disk"});
  store.mutex.unlock();
  EXPECT_EQ(first.await(), "rank 1: no disk");
  EXPECT_EQ(first.status, 1);
}

TEST(Monitor, AFaultIsReadAsItWasWritten) {
  EXPECT_EQ(readFault(writeFault({75, "a b"}))->text, "a b");
  EXPECT_EQ(readFault(writeFault({75, "a b"}))->status, 75);
  for (const char *none : {"", "75", "x y", "0 a", "300 a"})
    EXPECT_FALSE(readFault(none)) << none;
}

} // namespace
