// Where the time of a step goes: an observer that adds up the time of ops by group and by kernel.
#include "runtime/core/profile.h"

#include "runtime/core/op_table.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

const char *const knownGroups[] = {"matmuls", "attention", "rowwise", "loss", "optimizer", "embedding", "rest", "data"};

} // namespace

double Profile::now() const {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Profile::beginStep() {
  active = true;
  stepStart = now();
}

void Profile::endStep(double waited, double exchanged) {
  active = false;
  ++steps;
  total += now() - stepStart;
  byGroup["data"].seconds += waited;
  if (exchanged > 0)
    byGroup["exchange"].seconds += exchanged;
}

void Profile::before(const Op &) { opStart = now(); }

void Profile::after(const Op &op, const CallSite &, double measured) {
  if (!active)
    return;
  const double seconds = measured < 0 ? now() - opStart : measured;
  const OpFacts facts = factsOf(op);
  if (!facts.group)
    return;
  for (Sum *sum : {&byGroup[facts.group], &byDetail[facts.detail]}) {
    sum->seconds += seconds;
    sum->bytes += facts.bytes;
    sum->flops += facts.flops;
    ++sum->calls;
  }
}

double Profile::secondsPerStep() const { return steps ? total / static_cast<double>(steps) : 0; }

Profile::Line Profile::lineOf(const std::string &name, const Sum &sum) const {
  Line line{name, 0, 0, 0, 0, 0};
  if (steps == 0)
    return line;
  line.seconds = sum.seconds / static_cast<double>(steps);
  line.share = total > 0 ? sum.seconds / total : 0;
  line.calls = (sum.calls + steps - 1) / steps; // those that not every step has are of one
  if (sum.seconds > 0) {
    line.gigabytesPerSecond = sum.bytes / sum.seconds * 1e-9;
    line.gigaflops = sum.flops / sum.seconds * 1e-9;
  }
  return line;
}

std::vector<Profile::Line> Profile::groups() const {
  std::vector<Line> lines;
  Sum left{total, 0, 0, 0};
  auto take = [&](const std::string &name) {
    const auto found = byGroup.find(name);
    const Sum sum = found == byGroup.end() ? Sum{} : found->second;
    left.seconds -= sum.seconds;
    lines.push_back(lineOf(name, sum));
  };
  for (const char *name : knownGroups)
    take(name);
  for (const auto &[name, sum] : byGroup)
    if (std::find(std::begin(knownGroups), std::end(knownGroups), name) == std::end(knownGroups))
      take(name);
  lines.push_back(lineOf("unattributed", left));
  return lines;
}

std::vector<Profile::Line> Profile::details() const {
  std::vector<Line> lines;
  for (const auto &[name, sum] : byDetail)
    lines.push_back(lineOf(name, sum));
  std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.seconds > b.seconds; });
  return lines;
}

std::string profileReport(const Profile &profile) {
  std::string out = fmt::format("time of a step: {:.3f} ms\n", profile.secondsPerStep() * 1e3);
  for (const Profile::Line &line : profile.groups())
    out += fmt::format("  {:<14} {:>9.3f} ms {:>6.1f} %\n", line.name, line.seconds * 1e3, line.share * 100);
  out += fmt::format("by kernel:\n  {:<40} {:>6} {:>12} {:>8} {:>8} {:>8}\n", "", "calls", "ms", "%", "GB/s", "GF/s");
  for (const Profile::Line &line : profile.details())
    out +=
        fmt::format("  {:<40} {:>6} {:>12.3f} {:>8.1f} {:>8} {:>8}\n", line.name, line.calls, line.seconds * 1e3,
                    line.share * 100, line.gigabytesPerSecond > 0 ? fmt::format("{:.1f}", line.gigabytesPerSecond) : "",
                    line.gigaflops > 0 ? fmt::format("{:.1f}", line.gigaflops) : "");
  return out;
}

} // namespace stretto::runtime
