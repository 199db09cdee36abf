// Steps timed on request, for measurements that take turns with another program.
#include "runtime/program/bench.h"

#include "runtime/core/error.h"
#include "runtime/core/profile.h"
#include "runtime/train/json.h"
#include "runtime/train/memory.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <istream>
#include <numeric>
#include <optional>
#include <ostream>
#include <sstream>
#include <sys/resource.h>

namespace stretto::runtime {
namespace {

// Time of all threads of the process on a processor.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Bench {
public:
  Bench(const TrainingState &state, const RunConfig &config, const BatchSource &source, const MemoryPlan &plan,
        DataParallel &parallel)
      : state(state), config(config), plan(plan), parallel(parallel),
        stepper(state, config.accumulate, &parallel, static_cast<uint64_t>(config.seed)) {
    const int64_t rows = state.program.batch * config.accumulate;
    block = source.make(Stream::Train, static_cast<uint64_t>(rows * parallel.firstVirtualRank()),
                        rows * parallel.virtualRanks(), state.program.length);
    block.weigh(onesOfRanks());
  }

  std::string answer(const std::string &request) {
    std::istringstream words(request);
    std::string what, rest;
    int64_t count = 0;
    words >> what;
    if (what == "memory" && !(words >> rest))
      return memory();
    const bool counted = words >> count && count >= 1 && count <= 1'000'000 && !(words >> rest);
    if (counted && what == "time")
      return time(count);
    if (counted && what == "profile")
      return profile(count);
    throw Error(
        fmt::format("a request must be 'time N', 'profile N' (N in 1..1000000) or 'memory', but got '{}'", request));
  }

private:
  // Targets that count in a step.
  int64_t onesOfRanks() {
    const std::vector<double> all = parallel.gather({static_cast<double>(block.ones())});
    return static_cast<int64_t>(std::accumulate(all.begin(), all.end(), 0.0));
  }

  void begin() { stepper.begin(block, hyperOf(config, config.learningRate, ++updates)); }

  // Not within the time of a step: it waits for the others.
  double meanOverRanks(double own) {
    const std::vector<double> all = parallel.gather({own});
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  }

  // As the trainer does, one is begun before the one before is finished, where that may be. The time of a step is that
  // since the end of the one before.
  std::string time(int64_t count) {
    std::string seconds, processor;
    double loss = 0;
    const int64_t most = stepper.overlaps() ? 2 : 1;
    auto start = std::chrono::steady_clock::now();
    double processorStart = processorSeconds();
    for (int64_t done = 0; done < count; ++done) {
      while (stepper.unfinished() < std::min(most, count - done))
        begin();
      loss = stepper.finish().loss;
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      processor += (done ? ", " : "") + formatJson(meanOverRanks(processorSeconds() - processorStart));
      seconds += (done ? ", " : "") + formatJson(taken.count());
      start = std::chrono::steady_clock::now();
      processorStart = processorSeconds();
    }
    return fmt::format("{{\"seconds\": [{}], \"cpu_seconds\": [{}], \"loss\": {}}}", seconds, processor,
                       formatJson(loss));
  }

  std::string profile(int64_t count) {
    Profile profile(state.device.threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
    state.device.observe(&profile);
    for (int64_t i = 0; i < count; ++i) {
      profile.beginStep();
      begin();
      stepper.finish();
      profile.endStep(0);
    }
    state.device.observe(nullptr);
    std::string groups, kernels;
    for (const Profile::Line &line : profile.groups())
      groups += fmt::format("{}{}: {}", groups.empty() ? "" : ", ", quoteJson(line.name), formatJson(line.seconds));
    for (const Profile::Line &line : profile.details())
      kernels += fmt::format("{}{{\"name\": {}, \"seconds\": {}, \"calls\": {}, \"gigabytes_per_second\": {}, "
                             "\"gigaflops\": {}}}",
                             kernels.empty() ? "" : ", ", quoteJson(line.name), formatJson(line.seconds), line.calls,
                             formatJson(line.gigabytesPerSecond), formatJson(line.gigaflops));
    return fmt::format("{{\"seconds\": {}, \"groups\": {{{}}}, \"kernels\": [{}]}}",
                       formatJson(profile.secondsPerStep()), groups, kernels);
  }

  std::string memory() const {
    return fmt::format(
        "{{\"planned\": {}, \"measured\": {}, \"arenas\": {{\"activations\": {}, \"weights\": {}, "
        "\"gradients\": {}, \"moments\": {}, \"library\": {}, \"exchange\": {}, \"batches\": {}, \"rest\": {}}}, "
        "\"resident\": {}}}",
        plan.total(), state.arenas.totalBytes() + parallel.bytes() + state.device.libraryPeakBytes() + plan.batches,
        plan.activations, plan.weights, plan.gradients, plan.moments, plan.library, plan.exchange, plan.batches,
        plan.rest, residentPeak());
  }

  const TrainingState &state;
  const RunConfig &config;
  const MemoryPlan &plan;
  DataParallel &parallel;
  Stepper stepper;
  TokenBlock block;
  int64_t updates = 0;
};

} // namespace

// The next request, which the first rank reads for all; nothing at the end.
static std::optional<std::string> readRequest(const Ranks &ranks, std::istream &in) {
  constexpr char begin = '+'; // of a line; the end has none
  std::string line;
  if (ranks.isFirst() && std::getline(in, line))
    line.insert(line.begin(), begin);
  const std::string read = gatherTexts(ranks.control(), line)[0];
  return read.empty() ? std::nullopt : std::optional(read.substr(1));
}

void answerRequests(const TrainingState &state, const RunConfig &config, const BatchSource &source,
                    const MemoryPlan &plan, DataParallel &parallel, std::istream &in, std::ostream &out) {
  const Ranks &ranks = parallel.ranks();
  Bench bench(state, config, source, plan, parallel);
  while (const std::optional<std::string> request = readRequest(ranks, in)) {
    const std::string answer = bench.answer(*request);
    if (ranks.isFirst())
      out << answer << std::endl;
  }
}

} // namespace stretto::runtime
