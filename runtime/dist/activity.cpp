// What a rank is at, and for how long it has got no further although it should have.
#include "runtime/dist/activity.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr size_t keptSteps = 50, knownAfter = 5; // the first ones warm up
constexpr int medians = 20, unknownFactor = 10;

} // namespace

class Activity::WatchedGroup final : public Group {
public:
  WatchedGroup(std::unique_ptr<Group> group, Activity &activity, Lane &lane)
      : group(std::move(group)), activity(activity), lane(lane) {}
  int rank() const override { return group->rank(); }
  int size() const override { return group->size(); }
  void exchange(const void *from, void *to, int64_t bytes) override {
    const Entry entry(activity, lane, "exchange");
    group->exchange(from, to, bytes);
  }
  void gather(const void *from, void *to, int64_t bytes) override {
    const Entry entry(activity, lane, "gather");
    group->gather(from, to, bytes);
  }
  bool hasLostMember() override { return group->hasLostMember(); }
  void abort() override { group->abort(); }

private:
  struct Entry {
    Entry(Activity &activity, Lane &lane, const char *collective) : activity(activity), lane(lane) {
      activity.enter(lane, collective, std::chrono::steady_clock::now());
    }
    ~Entry() { activity.leave(lane, std::chrono::steady_clock::now()); }
    Activity &activity;
    Lane &lane;
  };

  const std::unique_ptr<Group> group;
  Activity &activity;
  Lane &lane;
};

std::unique_ptr<Group> Activity::watch(std::unique_ptr<Group> group, const std::string &called, bool preparesData) {
  std::lock_guard lock(mutex);
  lanes.push_back({called, preparesData, nullptr, 0, progress});
  return std::make_unique<WatchedGroup>(std::move(group), *this, lanes.back());
}

void Activity::begin(Phase next, const std::string &called, Time now) {
  std::lock_guard lock(mutex);
  if (phase == Phase::Step) {
    steps.push_back(now - began);
    if (steps.size() > keptSteps)
      steps.pop_front();
  }
  phase = next, name = called;
  began = progress = now;
  for (Lane &lane : lanes)
    if (!lane.preparesData && !lane.pending)
      lane.count = 0;
}

void Activity::enter(Lane &lane, const char *collective, Time now) {
  std::lock_guard lock(mutex);
  lane.pending = collective;
  ++lane.count;
  (lane.preparesData ? lane.since : progress) = now;
}

void Activity::leave(Lane &lane, Time now) {
  std::lock_guard lock(mutex);
  lane.pending = nullptr;
  (lane.preparesData ? lane.since : progress) = now;
}

void Activity::forgive(Time now) {
  std::lock_guard lock(mutex);
  progress = now;
  for (Lane &lane : lanes)
    lane.since = now;
}

bool Activity::knowsSteps() const { return steps.size() >= knownAfter; }

// The group whose collective this rank waits for; null where it computes.
const Activity::Lane *Activity::awaited() const {
  const auto found = std::ranges::find_if(
      lanes, [&](const Lane &lane) { return lane.pending && (!lane.preparesData || phase == Phase::Data); });
  return found == lanes.end() ? nullptr : &*found;
}

RankState Activity::state(Time now) const {
  std::lock_guard lock(mutex);
  RankState result{name, "", {}};
  const Lane *lane = awaited();
  if (lane)
    result.waitsFor = fmt::format("{} {} of group {}", lane->pending, lane->count, lane->name);
  if (lane || (phase == Phase::Step && knowsSteps())) {
    const Time since = lane && lane->preparesData ? std::max(progress, lane->since) : progress;
    result.standstill = std::chrono::duration_cast<std::chrono::milliseconds>(std::max(now - since, Span::zero()));
  }
  return result;
}

Activity::Span Activity::limit() const {
  std::lock_guard lock(mutex);
  if (!knowsSteps())
    return unknownFactor * least;
  std::vector<Span> sorted(steps.begin(), steps.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return std::max(least, medians * *middle);
}

} // namespace stretto::runtime
