// A rank that is gone or stands still is found and named, and so are ranks that wait for each other; a store that never
// answers holds nobody up.
#include "runtime/dist/monitor.h"

#include <gtest/gtest.h>
#include <map>
#include <regex>
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

// Longer than what a monitor takes for a halt of its own process.
constexpr auto silence = 1200ms;

// A rank whose end is noted instead of ending the process.
struct Rank {
  Rank(Store &store, int number, int ranks, std::chrono::milliseconds timeout = 60s) {
    MonitorSettings settings;
    settings.rank = number;
    for (int i = 0; i < ranks; ++i)
      settings.names.push_back("rank " + std::to_string(i));
    settings.servesStore = true;
    settings.timeout = timeout, settings.beat = 10ms, settings.gone = 100ms;
    settings.end = [this, &store, number](const Fault &fault, bool) {
      std::scoped_lock lock(mutex, store.mutex);
      said = fault.text, status = fault.status, sign = store.texts["beat/" + std::to_string(number)];
    };
    monitor = std::make_unique<Monitor>(std::make_unique<MemoryBoard>(store), activity, std::move(settings));
  }
  std::string await() {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      if (std::lock_guard lock(mutex); status)
        return said;
      std::this_thread::sleep_for(5ms);
    }
    return "nothing";
  }
  std::mutex mutex;
  std::string said, sign; // the sign of life at its end
  int status = 0;
  Activity activity{10ms, std::chrono::steady_clock::now()}; // 100 ms before there were steps
  std::unique_ptr<Monitor> monitor;
};

TEST(Monitor, ARankThatStandsStillIsNamedByTheOneBeforeAndToldToAll) {
  Store store;
  Rank first(store, 0, 3, silence), second(store, 1, 3, silence); // the third never comes
  first.monitor->setAdvice("go on with: x");
  EXPECT_EQ(second.await(), "rank 2 gave no sign of life for 1.2 s, the last one was in the start");
  EXPECT_EQ(first.await(), "rank 2 gave no sign of life for 1.2 s, the last one was in the start");
  EXPECT_EQ(second.status, EX_TEMPFAIL);
}

// A store that goes with the first rank must not go before the others have read why.
TEST(Monitor, TheFirstRankAwaitsThatAllHaveReadAFault) {
  Store store;
  store.texts["fault"] = "1 no luck";
  const auto begin = std::chrono::steady_clock::now();
  Rank first(store, 0, 2);
  EXPECT_EQ(first.await(), "no luck");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 700ms) << "the second one has not read it";
  Rank second(store, 1, 2);
  EXPECT_EQ(second.await(), "no luck");
  EXPECT_EQ(second.sign, "done");
  EXPECT_EQ(second.status, 1);
}

// Its collectives end when they are let.
class StuckGroup final : public Group {
public:
  explicit StuckGroup(std::atomic<bool> &isFree) : isFree(isFree) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void exchange(const void *, void *, int64_t) override { isFree.wait(false); }
  void gather(const void *, void *, int64_t) override { isFree.wait(false); }

private:
  std::atomic<bool> &isFree;
};

TEST(Monitor, RanksThatWaitForEachOtherAreFoundAndNamed) {
  Store store;
  std::atomic<bool> isFree = false;
  std::vector<std::thread> threads;
  Rank first(store, 0, 3), second(store, 1, 3), third(store, 2, 3);
  std::vector<std::unique_ptr<Group>> groups;
  for (Rank *rank : {&first, &second, &third}) {
    groups.push_back(rank->activity.watch(std::make_unique<StuckGroup>(isFree), "level0"));
    rank->activity.begin(Phase::Step, "step 12", std::chrono::steady_clock::now());
  }
  threads.emplace_back([&] { groups[0]->exchange(nullptr, nullptr, 0); });
  threads.emplace_back([&] { groups[1]->gather(nullptr, nullptr, 0); });
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(first.status, 0) << "the third still computes: " << first.said;
  threads.emplace_back([&] { groups[2]->exchange(nullptr, nullptr, 0); });
  EXPECT_TRUE(
      std::regex_match(second.await(), std::regex("no rank has got any further for \\d+ s: "
                                                  "rank 1: waiting for gather 1 of group level0 in step 12; all "
                                                  "others: waiting for exchange 1 of group level0 in step 12")))
      << second.said;
  EXPECT_EQ(second.status, EX_TEMPFAIL);
  EXPECT_EQ(first.await(), second.said);
  isFree = true;
  isFree.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Monitor, ARankThatIsDoneIsNoFault) {
  Store store;
  Rank first(store, 0, 2, silence);
  {
    Rank second(store, 1, 2, silence);
    std::this_thread::sleep_for(50ms);
  }
  std::this_thread::sleep_for(silence + 200ms);
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
  Rank second(store, 1, 2, silence);
  second.monitor->setAdvice("go on with: x");
  std::this_thread::sleep_for(30ms);
  store.standsStill = true;
  EXPECT_EQ(second.await(), "rank 0, which holds the store, gave no answer for 1.2 s; go on with: x");
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
