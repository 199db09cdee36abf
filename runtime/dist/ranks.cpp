// The ranks of a run: processes that train one model together.
#include "runtime/dist/ranks.h"

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/host_name.h"
#include "runtime/dist/c10d_groups.h"
#include "runtime/dist/levels.h"
#include "runtime/dist/monitor.h"
#include "runtime/dist/rank_ended.h"
#include "runtime/dist/within.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <future>
#include <random>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace stretto::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int timeoutsOfStandstill = 6; // a minute, by default

// What a rank says of itself to begin with.
struct Hello {
  int ranks = 0; // that it expects
  std::string host;
  int64_t pid = 0;
  unsigned nonce = 0; // containers may have the same names and numbers

  std::string text() const { return fmt::format("{} {} {} {}", ranks, host, pid, nonce); }
};

Hello readHello(const std::string &text) {
  Hello hello;
  std::istringstream(text) >> hello.ranks >> hello.host >> hello.pid >> hello.nonce;
  return hello;
}

std::string helloKey(int rank) { return fmt::format("hello/{}", rank); }

// Leaves the name of this rank. Throws Error where another process has it.
void announce(Board &board, const Launch &launch) {
  const std::string mine = Hello{launch.ranks, hostName(), getpid(), std::random_device()()}.text();
  board.putFirst(helloKey(launch.rank), mine);
  const std::string there = board.look(helloKey(launch.rank));
  if (there == mine)
    return;
  const Hello other = readHello(there);
  throw Error(fmt::format("each rank must be started once, but {} is {} here and in process {} on host {}",
                          launch.rankVariable, launch.rank, other.pid, other.host));
}

// Tells all that wait, too, why they wait no longer, and throws Error.
[[noreturn]] void giveUp(Board &board, const Launch &launch, const std::string &text) {
  board.putFirst(faultKey, writeFault({EXIT_FAILURE, text}));
  if (launch.servesStore())
    std::this_thread::sleep_for(readingTime);
  throw Error(text);
}

// What a rank said; empty where it does not come until then. Throws Error where another one has given up waiting.
std::string awaitHello(Board &board, const Launch &launch, int rank, Clock::time_point end) {
  constexpr milliseconds look(200), least(1);
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    const std::string said = board.await(helloKey(rank), std::clamp(left, least, look));
    if (!said.empty() || left <= look)
      return said;
    if (const std::optional<Fault> fault = readFault(board.look(faultKey)))
      giveUp(board, launch, fault->text);
  }
}

// Each rank says that it is there and how many it expects; waits for all of them. Returns their names.
std::vector<std::string> meet(Board &board, const Launch &launch, std::chrono::seconds timeout) {
  announce(board, launch);
  const Clock::time_point end = Clock::now() + timeout;
  std::vector<std::string> names;
  std::vector<int> missing;
  for (int rank = 0; rank < launch.ranks; ++rank) {
    const std::string said = awaitHello(board, launch, rank, end);
    const Hello hello = readHello(said);
    if (said.empty())
      missing.push_back(rank);
    else if (hello.ranks != launch.ranks)
      giveUp(board, launch,
             fmt::format("rank {} was told of {} ranks, rank {} of {} ({})", rank, hello.ranks, launch.rank,
                         launch.ranks, launch.ranksVariable));
    names.push_back(fmt::format("rank {} (host {})", rank, hello.host));
  }
  if (!missing.empty())
    giveUp(board, launch,
           fmt::format("{} ranks must come within {} s (--join-timeout), but {} {} did not", launch.ranks,
                       timeout.count(), plural(missing.size(), "rank"), fmt::join(missing, " and ")));
  return names;
}

// The same, where the process that holds the store may stand still; it has `answer` for what it is asked.
std::vector<std::string> meetWithin(std::shared_ptr<Board> board, const Launch &launch, std::chrono::seconds timeout,
                                    std::chrono::seconds answer) {
  const LostStore late(storeSilent(launch.storeHolder(), answer));
  return within(timeout + answer, late, [=] { return meet(*board, launch, timeout); });
}

constexpr std::chrono::seconds abortTime(2); // for work on devices to end

} // namespace

Ranks::Ranks() : controlGroup(groupOfOne()), aheadGroup(groupOfOne()), names{"rank 0"} {}

Ranks::Ranks(const Launch &launch, std::chrono::seconds joinTimeout, std::chrono::seconds rankTimeout)
    : launch(launch), maker(std::make_unique<GroupMaker>(launch, joinTimeout)) {
  std::signal(SIGPIPE, SIG_IGN); // a connection that is lost is an error, which names the rank
  names = meetWithin(maker->board(), launch, joinTimeout, rankTimeout);
  activity = std::make_unique<Activity>(timeoutsOfStandstill * rankTimeout, std::chrono::steady_clock::now());
  watchOver(rankTimeout);
  orLeave([&] {
    controlGroup = activity->watch(maker->make("control", launch.rank, launch.ranks), "control");
    aheadGroup = activity->watch(maker->make("ahead", launch.rank, launch.ranks), "ahead", /*preparesData=*/true);
  });
}

void Ranks::watchOver(std::chrono::seconds timeout) {
  noteRankEnded();
  MonitorSettings settings;
  settings.rank = launch.rank;
  settings.names = names;
  settings.servesStore = !launch.isClient;
  settings.timeout = timeout;
  settings.hasRankEnded = [this] { return hasLostRank(); };
  settings.end = [this](const Fault &fault, bool tells) { leave(fault, tells); };
  monitor = std::make_unique<Monitor>(maker->board(), *activity, std::move(settings));
}

void Ranks::connect(const MakeGroup &make) {
  const std::vector<RankLevel> levels = rankLevels(launch.ranks, launch.localRanks);
  for (size_t i = 0; i < levels.size(); ++i) {
    const std::string name = fmt::format("level{}-{}", i, levels[i].groupOf(launch.rank));
    const int member = levels[i].memberOf(launch.rank), size = levels[i].size;
    auto group = make ? make(maker->store(), name, member, size) : maker->make(name, member, size);
    group = activity->watch(std::move(group), fmt::format("level{}", i));
    const std::lock_guard lock(mutex);
    levelGroups.push_back(std::move(group));
  }
}

// Says the launcher of this host, or what carries a group.
bool Ranks::hasLostRank() {
  const std::lock_guard lock(mutex);
  return hasRankEnded() || std::ranges::any_of(levelGroups, [](const auto &group) { return group->hasLostMember(); });
}

// Lets devices end what they wait for.
void Ranks::abortWork() {
  const auto done = std::make_shared<std::promise<void>>();
  const std::future<void> end = done->get_future();
  std::thread([this, done] {
    const std::lock_guard lock(mutex);
    for (const auto &group : levelGroups)
      group->abort();
    done->set_value();
  }).detach();
  end.wait_for(abortTime);
}

// Ends the process at once. The first rank waits until others have read what it told, as it may hold the store.
void Ranks::leave(const Fault &fault, bool tells) {
  if (tells)
    std::fprintf(stderr, "error: %s\n", fault.text.c_str());
  abortWork();
  if (isFirst())
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  _exit(fault.status);
}

Ranks::~Ranks() {
  if (!monitor)
    return;
  note(Phase::Other, "the end");
  try {
    barrier(control());              // still watched
  } catch (const std::exception &) { // the work is done
  }
}

void Ranks::orLeave(const std::function<void()> &work) const {
  if (!monitor)
    return work();
  try {
    work();
  } catch (const SharedError &) {
    throw;
  } catch (const LostRanks &error) {
    monitor->lost(error.what());
  } catch (const std::exception &error) {
    monitor->fail({EXIT_FAILURE, nameOf(rank()) + ": " + error.what()});
  }
}

void Ranks::note(Phase phase, const std::string &name) const {
  if (activity)
    activity->begin(phase, name, std::chrono::steady_clock::now());
}

void Ranks::setAdvice(const std::string &advice) const {
  if (monitor)
    monitor->setAdvice(advice);
}

void Ranks::compare(const std::vector<std::pair<std::string, std::string>> &facts) {
  std::string mine;
  for (const auto &[name, value] : facts)
    mine += name + '\0' + value + '\0';
  const std::vector<std::string> all = gatherTexts(control(), mine);
  for (int rank = 1; rank < size(); ++rank) {
    size_t at = 0;
    while (at < all[0].size() && at < all[rank].size()) {
      const std::string name = all[0].c_str() + at, first = all[0].c_str() + at + name.size() + 1,
                        other = all[rank].c_str() + at + name.size() + 1;
      if (first != other || name != all[rank].c_str() + at)
        throw SharedError(fmt::format("{} must run the same as {}, but its {} is {} instead of {}", nameOf(rank),
                                      nameOf(0), name, other, first));
      at += name.size() + first.size() + 2;
    }
  }
}

} // namespace stretto::runtime
