// Where the time of a step goes: an observer that adds up the time of ops by group and by kernel.
#include "runtime/core/profile.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto {
namespace {

const char *const knownGroups[] = {"products", "attention", "rowwise", "loss", "optimizer", "embedding", "rest", "data"};

double attentionFlops(const AttentionOp &op) {
  const double all = 4.0 * op.batch * op.heads * op.length * op.length * op.headDim;
  return op.causal ? all / 2 : all;
}

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

void Profile::endStep(double waited) {
  active = false;
  ++steps;
  total += now() - stepStart;
  byGroup["data"].seconds += waited;
}

void Profile::before(const Op &) { opStart = now(); }

void Profile::add(const std::string &group, const std::string &detail, double seconds, double bytes, double flops) {
  for (Sum *sum : {&byGroup[group], &byDetail[detail]}) {
    sum->seconds += seconds;
    sum->bytes += bytes;
    sum->flops += flops;
    ++sum->calls;
  }
}

void Profile::after(const Op &op, const CallSite &, double measured) {
  if (!active)
    return;
  const double seconds = measured < 0 ? now() - opStart : measured;
  struct Add {
    Profile &profile;
    double seconds;
    void operator()(const LaunchOp &op) {
      const stretto_kernel &kernel = *op.kernel;
      profile.add(kernel.group, kernel.name, seconds, static_cast<double>(kernel.bytes_moved),
                  static_cast<double>(kernel.flops));
    }
    void operator()(const MatmulOp &op) {
      profile.add("products", fmt::format("product {} x {} x {}", op.m, op.n, op.k), seconds, 0,
                  2.0 * op.m * op.n * op.k);
    }
    void operator()(const AttentionOp &op) { profile.add("attention", "attention", seconds, 0, attentionFlops(op)); }
    void operator()(const AttentionGradOp &op) {
      profile.add("attention", "attention backward", seconds, 0, 2.5 * attentionFlops(op.forward));
    }
    void operator()(const WriteCacheOp &) { profile.add("caches", "caches", seconds, 0, 0); }
    void operator()(const ReadCacheOp &) { profile.add("caches", "caches", seconds, 0, 0); }
    void operator()(const LastRowOp &) { profile.add("caches", "caches", seconds, 0, 0); }
    void operator()(const AttentionStepOp &) { profile.add("attention", "attention of a step", seconds, 0, 0); }
    void operator()(const EmbedOp &) { profile.add("embedding", "embedding", seconds, 0, 0); }
    void operator()(const EmbedGradOp &) { profile.add("embedding", "embedding backward", seconds, 0, 0); }
    void operator()(const ZeroOp &) { profile.add("rest", "clearing", seconds, 0, 0); }
    void operator()(const CopyOp &op) {
      profile.add("rest", "copies", seconds, 2.0 * op.rows * op.rowBytes, 0);
    }
    void operator()(const CopyInOp &) { profile.add("rest", "copies", seconds, 0, 0); }
    void operator()(const CopyOutOp &) { profile.add("rest", "copies", seconds, 0, 0); }
    void operator()(const ReserveOp &) {}
  };
  std::visit(Add{*this, seconds}, op);
}

double Profile::secondsPerStep() const { return steps ? total / static_cast<double>(steps) : 0; }

Profile::Line Profile::lineOf(const std::string &name, const Sum &sum) const {
  Line line{name, 0, 0, 0, 0, 0};
  if (steps == 0)
    return line;
  line.seconds = sum.seconds / static_cast<double>(steps);
  line.share = total > 0 ? sum.seconds / total : 0;
  line.calls = sum.calls / steps;
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
    out += fmt::format("  {:<40} {:>6} {:>12.3f} {:>8.1f} {:>8} {:>8}\n", line.name, line.calls, line.seconds * 1e3,
                       line.share * 100, line.gigabytesPerSecond > 0 ? fmt::format("{:.1f}", line.gigabytesPerSecond) : "",
                       line.gigaflops > 0 ? fmt::format("{:.1f}", line.gigaflops) : "");
  return out;
}

} // namespace stretto
