// Watches over the ranks of a run while it trains.
#include "runtime/dist/monitor.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sysexits.h>

namespace stretto::runtime {

namespace {

constexpr std::chrono::milliseconds look(50);          // of the judge, between two looks at the clock
constexpr std::chrono::milliseconds patience(500);     // for the store to take the text of a fault
constexpr std::chrono::milliseconds searchTime(3'000); // for who is gone
constexpr std::chrono::milliseconds frozenFor(1'000);  // the judge did not look: this process itself stood still

std::string beatKey(int rank) { return "beat/" + std::to_string(rank); }
constexpr const char *doneText = "done";

// What a rank was at, by its latest beat.
std::string phaseIn(const std::string &text) { return readBeat(text).value_or(RankState()).phase; }

} // namespace

Monitor::Monitor(std::unique_ptr<Board> board, Activity &activity, MonitorSettings given)
    : board(std::move(board)), activity(activity), settings(std::move(given)), lastRound(Clock::now()),
      pulses(static_cast<int>(settings.names.size()), Clock::now()), beating([this] { beat(); }),
      judging([this] { judge(); }) {}

Monitor::~Monitor() {
  stopping = true;
  beating.join();
  judging.join();
  try {
    if (!hasEnded)
      awaitOthers(settings.timeout);
  } catch (const std::exception &) { // the store is gone
  }
}

// The store may go with this process: others may still look at it.
void Monitor::awaitOthers(std::chrono::milliseconds time) {
  if (settings.rank != 0 || !settings.servesStore)
    return;
  const auto end = Clock::now() + time;
  for (int rank = 1; rank < static_cast<int>(settings.names.size()); ++rank)
    while (!isGone(rank) && board->look(beatKey(rank)) != doneText && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Where somebody is gone: whether it may be this one.
bool Monitor::isGone(int rank) const {
  std::lock_guard lock(mutex);
  return census && pulses.silent({{rank}}, settings.gone, Clock::now());
}

void Monitor::setAdvice(const std::string &text) {
  std::lock_guard lock(mutex);
  advice = text;
}

std::string Monitor::withAdvice(std::string text) const {
  std::lock_guard lock(mutex);
  return advice.empty() ? text : text + "; " + advice;
}

// Until then, or until the monitor stops.
void Monitor::sleep(std::chrono::milliseconds span) const {
  for (const auto end = Clock::now() + span; !stopping && Clock::now() < end;)
    std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(10)));
}

// The next rank; where somebody is gone, all others.
std::vector<int> Monitor::watched() const {
  const int ranks = static_cast<int>(settings.names.size());
  if (!census)
    return {(settings.rank + 1) % ranks};
  std::vector<int> others(ranks);
  std::iota(others.begin(), others.end(), 0);
  std::erase(others, settings.rank);
  return others;
}

void Monitor::beat() {
  try {
    for (int64_t number = 1; !stopping; ++number) {
      round(number);
      lastRound = Clock::now();
      sleep(census ? look : settings.beat);
    }
    board->put(beatKey(settings.rank), doneText);
  } catch (const std::exception &) {
    if (!stopping)
      end({EX_TEMPFAIL, withAdvice(storeGone(settings.storeHolder()))}, true);
  }
}

void Monitor::round(int64_t number) {
  std::unique_lock lock(mutex);
  const std::optional<Fault> fault = untold;
  lock.unlock();
  if (fault)
    board->putFirst(faultKey, writeFault(*fault));
  board->put(beatKey(settings.rank), writeBeat(number, activity.state(Clock::now())));
  if (const std::optional<Fault> told = readFault(board->look(faultKey)))
    endTold(*told, settings.rank == 0);
  for (int rank : watched()) {
    const std::string text = board->look(beatKey(rank));
    lock.lock();
    if (text == doneText)
      pulses.leave(rank);
    pulses.see(rank, text, Clock::now());
    lock.unlock();
  }
  if (const std::optional<Fault> found = standstill()) {
    board->putFirst(faultKey, writeFault(*found));
    endTold(*found, true);
  }
}

// Where no rank gets any further, each waits for another one, or for itself. One that may take its time is waited for.
// The first rank alone asks all others, and only while it stands still itself.
std::optional<Fault> Monitor::standstill() {
  const auto limit = activity.limit();
  std::vector<RankState> states = {activity.state(Clock::now())};
  if (settings.rank != 0 || states[0].standstill <= limit)
    return std::nullopt;
  for (int rank = 1; rank < static_cast<int>(settings.names.size()); ++rank) {
    const std::optional<RankState> state = readBeat(board->look(beatKey(rank)));
    if (!state || state->standstill <= limit)
      return std::nullopt;
    states.push_back(*state);
  }
  const auto since = std::ranges::min(states, {}, &RankState::standstill).standstill;
  return Fault{EX_TEMPFAIL, withAdvice(fmt::format("no rank has got any further for {} s: {}", since.count() / 1000,
                                                   describeStates(settings.names, states)))};
}

void Monitor::judge() {
  for (Clock::time_point before = Clock::now(); !stopping; sleep(look)) {
    const Clock::time_point now = Clock::now();
    if (now - before > frozenFor) {
      lastRound = now;
      activity.forgive(now);
      std::lock_guard lock(mutex);
      pulses.forgive(now);
    }
    before = now;
    if (!census && settings.hasRankEnded && settings.hasRankEnded())
      beginCensus();
    if (const std::optional<Fault> fault = verdict(now))
      return tellAndEnd(*fault, settings.rank == 0);
  }
}

std::optional<Fault> Monitor::verdict(Clock::time_point now) {
  const Clock::time_point looked = lastRound;
  if (now - looked > settings.timeout) {
    end({EX_TEMPFAIL, withAdvice(storeSilent(settings.storeHolder(), settings.timeout))}, true);
    return std::nullopt;
  }
  // As of the latest look: what happened since is not known.
  const std::chrono::milliseconds limit = census ? settings.gone : settings.timeout;
  std::unique_lock lock(mutex);
  const std::optional<int> rank = pulses.silent(watched(), limit, looked);
  if (!rank)
    return std::nullopt;
  const std::string how =
      census ? "is gone; of its signs of life"
             : fmt::format("gave no sign of life for {} s", std::chrono::duration<double>(limit).count());
  const std::string text = settings.names[*rank] + " " + how + ", the last one was in " + phaseIn(pulses.text(*rank));
  lock.unlock();
  return Fault{EX_TEMPFAIL, withAdvice(text)};
}

// The thread that talks to the store tells, and ends the process when it reads what was told first. Where the store
// takes too long, the process ends without it.
void Monitor::tellAndEnd(const Fault &fault, bool tells) {
  {
    std::lock_guard lock(mutex);
    untold = fault;
  }
  sleep(patience + settings.beat);
  end(fault, tells);
}

void Monitor::end(const Fault &fault, bool tells) {
  if (!stopping && !hasEnded.exchange(true))
    settings.end(fault, tells);
}

// The store has the text of the fault: the first rank ends when all others have read it.
void Monitor::endTold(const Fault &fault, bool tells) {
  try {
    board->put(beatKey(settings.rank), doneText);
    awaitOthers(readingTime);
  } catch (const std::exception &) { // the store is gone
  }
  end(fault, tells);
}

void Monitor::fail(const Fault &fault) {
  tellAndEnd(fault, true);
  sleep(searchTime); // another thread ends the process
  std::abort();
}

// Somebody is gone: all others are looked at, more often, and soon judged.
void Monitor::beginCensus() {
  std::lock_guard lock(mutex);
  if (!census)
    pulses.forgive(Clock::now());
  census = true;
}

void Monitor::lost(const std::string &reason) {
  beginCensus();
  sleep(searchTime);
  tellAndEnd({EX_TEMPFAIL, withAdvice(reason)}, settings.rank == 0);
  sleep(searchTime);
  std::abort();
}

} // namespace stretto::runtime
