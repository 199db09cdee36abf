// Starts the ranks of a run on this host, and waits for them.
#include "runtime/dist/spawn.h"

#include "runtime/dist/addresses.h"
#include "runtime/dist/last_words.h"
#include "runtime/dist/launch.h"
#include "runtime/dist/process.h"
#include "runtime/dist/rank_ended.h"
#include "runtime/dist/signal_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include <poll.h>
#include <sys/wait.h>
#include <sysexits.h>

extern char **environ;

namespace stretto::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// What a rank finds in its environment.
std::vector<std::string> environmentOf(int rank, int ranks, const Listener &listener) {
  std::vector<std::string> result;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (name != strettoRank && name != strettoRanks && name != strettoStore && name != strettoListener)
      result.emplace_back(text);
  }
  result.push_back(fmt::format("{}={}", strettoRank, rank));
  result.push_back(fmt::format("{}={}", strettoRanks, ranks));
  result.push_back(fmt::format("{}={}:{}", strettoStore, loopback, listener.port()));
  if (rank == 0)
    result.push_back(fmt::format("{}={}", strettoListener, listener.descriptor()));
  return result;
}

// How a rank ended.
struct End {
  int rank = 0;
  int status = 0; // as waitpid tells it

  int code() const { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }
  // A program that ends so was asked to stop, and has saved what it had.
  bool wasStopped() const { return WIFEXITED(status) && WEXITSTATUS(status) > 128; }
  bool mayBeMended() const { return WIFSIGNALED(status) || WEXITSTATUS(status) == EX_TEMPFAIL; }
  // It ended because another one did.
  bool isFollowing() const {
    return WIFSIGNALED(status) ? WTERMSIG(status) == rankEndedSignal : WEXITSTATUS(status) == EX_TEMPFAIL;
  }
};

// How all ranks of one start ended.
struct Outcome {
  int status = 0;
  bool mayBeMended = false;
  std::string message; // of the rank that failed; empty where none did
  bool isTold = false; // that rank has said it on our stderr
};

// The ranks of one start.
class Attempt {
public:
  Attempt(const RanksToStart &what, const std::vector<std::string> &arguments, SignalQueue &signals);
  Outcome wait();

private:
  bool isRunning() const { return std::ranges::any_of(ranks, &Process::isRunning); }
  void signalAll(int number);
  void takeSignals();
  void collect();
  void endHalted();
  void press();
  void sleep();
  bool tells(const End &end) const;
  Outcome outcome() const;

  const RanksToStart &what;
  SignalQueue &signals;
  std::vector<Process> ranks;
  std::vector<End> failures, stops; // in the order in which they were seen
  std::set<size_t> halted;          // numbers of ranks that were ended because signals had stopped them
  int askedBy = 0;                  // the signal that asked for a stop
  bool isPressed = false;           // the ranks that are left were told to end
  Clock::time_point deadline = Clock::time_point::max();
};

Attempt::Attempt(const RanksToStart &what, const std::vector<std::string> &arguments, SignalQueue &signals)
    : what(what), signals(signals) {
  const Listener listener(loopback, 0, /*isShared=*/false);
  for (int rank = 0; rank < what.ranks; ++rank)
    ranks.emplace_back(ProcessCommand{.path = what.program,
                                      .arguments = arguments,
                                      .environment = environmentOf(rank, what.ranks, listener),
                                      .blocked = signals.blockedBefore(),
                                      .descriptor = rank == 0 ? listener.descriptor() : -1,
                                      .isQuiet = rank != 0});
}

void Attempt::signalAll(int number) {
  for (const Process &rank : ranks)
    rank.signal(number);
}

void Attempt::takeSignals() {
  while (const std::optional<int> number = signals.next()) {
    if (*number == SIGCHLD)
      continue;
    signalAll(askedBy ? SIGKILL : *number);
    askedBy = *number;
  }
}

// Takes in the ranks that have ended. Those that this process ended itself have not failed.
void Attempt::collect() {
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].isRunning())
      continue;
    const std::optional<int> status = ranks[i].status();
    if (!status || *status == 0 || halted.contains(i))
      continue;
    const End end{static_cast<int>(i), *status};
    if (end.wasStopped() || (askedBy && WIFSIGNALED(*status)))
      stops.push_back(end);
    else if (!isPressed)
      failures.push_back(end);
  }
  if (!failures.empty() && deadline == Clock::time_point::max()) {
    signalAll(rankEndedSignal);
    endHalted();
    deadline = Clock::now() + what.patience;
  }
}

// What cannot hear that another one has failed is not waited for.
void Attempt::endHalted() {
  for (size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i].isHalted()) {
      halted.insert(i);
      ranks[i].signal(SIGKILL);
    }
}

// Ends what did not end by itself after a failure.
void Attempt::press() {
  if (Clock::now() < deadline)
    return;
  signalAll(isPressed ? SIGKILL : SIGTERM);
  isPressed = true;
  deadline = Clock::now() + what.patience / 3;
}

// Until something happens.
void Attempt::sleep() {
  std::vector<pollfd> events{{signals.descriptor(), POLLIN, 0}};
  for (const Process &rank : ranks)
    events.push_back({rank.outputDescriptor(), POLLIN, 0}); // those below 0 are passed over
  int limit = -1;
  if (deadline != Clock::time_point::max())
    limit = static_cast<int>(
        std::chrono::ceil<std::chrono::milliseconds>(std::max(deadline - Clock::now(), Clock::duration::zero()))
            .count());
  poll(events.data(), events.size(), limit);
}

// Whether it is known why a rank ended. What all ranks know is told by one of them; the streams of the first are ours.
bool Attempt::tells(const End &end) const {
  return end.rank == 0 || WIFSIGNALED(end.status) || toldError(ranks[static_cast<size_t>(end.rank)].said());
}

Outcome Attempt::outcome() const {
  Outcome result;
  if (!stops.empty())
    result.status = WIFSIGNALED(stops.front().status) ? 128 + askedBy : stops.front().code();
  if (failures.empty())
    return result;
  // A rank that ended because of another one may be seen first, and so may one that leaves it to another to tell.
  auto first = std::ranges::find_if(failures, [this](const End &end) { return !end.isFollowing() && tells(end); });
  if (first == failures.end())
    first = std::ranges::find_if(failures, [](const End &end) { return !end.isFollowing(); });
  if (first == failures.end()) // rank 0, if it ended by itself, has told of it
    first = std::ranges::find_if(failures, [](const End &end) { return end.rank == 0 && WIFEXITED(end.status); });
  if (first == failures.end())
    first = failures.begin();
  const Process &process = ranks[static_cast<size_t>(first->rank)];
  return {.status = first->code(),
          .mayBeMended = first->mayBeMended() && !askedBy,
          .message = lastWords(first->rank, process.pid(), first->status, process.said()),
          .isTold = first->rank == 0 && WIFEXITED(first->status)}; // its streams are ours
}

Outcome Attempt::wait() {
  while (true) {
    takeSignals();
    collect();
    for (Process &rank : ranks)
      rank.readOutput();
    if (!isRunning())
      return outcome();
    press();
    sleep();
  }
}

} // namespace

int runRanks(const RanksToStart &what) {
  SignalQueue signals;
  for (int restart = 0;; ++restart) {
    const Outcome outcome = Attempt(what, restart ? what.again : what.arguments, signals).wait();
    if (!outcome.mayBeMended || restart == what.maxRestarts) {
      if (!outcome.message.empty() && !outcome.isTold)
        std::fprintf(stderr, "error: %s\n", outcome.message.c_str());
      return outcome.status;
    }
    std::fprintf(stderr, "restart %d of %d: %s\n", restart + 1, what.maxRestarts,
                 outcome.message.substr(0, outcome.message.find('\n')).c_str());
  }
}

} // namespace stretto::runtime
