// Steps timed on request, for measurements that take turns with another program.
#include "runtime/train/bench.h"

#include "runtime/core/error.h"
#include "runtime/core/profile.h"
#include "runtime/train/json.h"
#include "runtime/train/memory.h"

#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <istream>
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
  Bench(const TrainingState &state, const RunConfig &config, const BatchSource &source, const MemoryPlan &plan)
      : state(state), config(config), plan(plan), stepper(state, config.accumulate),
        block(source.make(Stream::Train, 0, state.program.batch * config.accumulate, state.program.length)) {}

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
  double step() {
    return stepper
        .step(block, {config.learningRate, config.beta1, config.beta2, config.epsilon, config.weightDecay, config.clip,
                      ++updates})
        .loss;
  }

  std::string time(int64_t count) {
    std::string seconds, processor;
    double loss = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const double processorStart = processorSeconds();
      loss = step();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      processor += (i ? ", " : "") + formatJson(processorSeconds() - processorStart);
      seconds += (i ? ", " : "") + formatJson(taken.count());
    }
    return fmt::format("{{\"seconds\": [{}], \"cpu_seconds\": [{}], \"loss\": {}}}", seconds, processor,
                       formatJson(loss));
  }

  std::string profile(int64_t count) {
    Profile profile(state.device.threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
    state.device.observe(&profile);
    for (int64_t i = 0; i < count; ++i) {
      profile.beginStep();
      step();
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
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return fmt::format("{{\"planned\": {}, \"measured\": {}, \"arenas\": {{\"activations\": {}, \"weights\": {}, "
                       "\"gradients\": {}, \"moments\": {}, \"library\": {}, \"rest\": {}}}, \"resident\": {}}}",
                       plan.total(), state.arenas.totalBytes() + state.device.libraryPeakBytes(), plan.activations,
                       plan.weights, plan.gradients, plan.moments, plan.library, plan.rest, usage.ru_maxrss * 1024l);
  }

  const TrainingState &state;
  const RunConfig &config;
  const MemoryPlan &plan;
  Stepper stepper;
  TokenBlock block;
  int64_t updates = 0;
};

} // namespace

void answerRequests(const TrainingState &state, const RunConfig &config, const BatchSource &source,
                    const MemoryPlan &plan, std::istream &in, std::ostream &out) {
  Bench bench(state, config, source, plan);
  for (std::string request; std::getline(in, request);)
    out << bench.answer(request) << std::endl;
}

} // namespace stretto::runtime
