// A rank gets no further where its step takes far longer than others, or where it waits for others; all else takes the
// time that it takes. What ranks tell of it is read as it was written.
#include "runtime/dist/activity.h"

#include <functional>
#include <gtest/gtest.h>

using namespace stretto::runtime;
using namespace std::chrono_literals;

namespace {

using Time = Activity::Time;

// An activity after some steps, each a second long and with its data before it.
struct Trained {
  explicit Trained(int steps, Activity::Span of = 1s) {
    for (int step = 1; step <= steps; ++step) {
      activity.begin(Phase::Data, "the data of step " + std::to_string(step), now);
      activity.begin(Phase::Step, "step " + std::to_string(step), now += 3s);
      activity.begin(Phase::Other, "the log", now += of);
    }
  }
  Activity::Span after(Activity::Span span) const { return activity.state(now + span).standstill; }
  Time now{};
  Activity activity{60s, now};
};

TEST(Activity, AStepIsBoundedByTheStepsBefore) {
  EXPECT_EQ(Trained(4).activity.limit(), 600s) << "not yet known";
  EXPECT_EQ(Trained(5).activity.limit(), 60s) << "20 s are less than the least";
  EXPECT_EQ(Trained(5, 30s).activity.limit(), 600s);
  Trained mixed(50, 30s);
  for (int step = 0; step < 26; ++step) { // of the latest 50
    mixed.activity.begin(Phase::Step, "short", mixed.now);
    mixed.activity.begin(Phase::Other, "the log", mixed.now += 4s);
  }
  EXPECT_EQ(mixed.activity.limit(), 80s);
}

TEST(Activity, OnlyAStepAmongStepsStandsStillWhileItComputes) {
  Trained few(4), trained(5);
  for (Trained *each : {&few, &trained})
    each->activity.begin(Phase::Step, "step 7", each->now);
  EXPECT_EQ(few.after(1h), 0s);
  EXPECT_EQ(trained.after(90s), 90s);
  trained.activity.forgive(trained.now + 80s);
  EXPECT_EQ(trained.after(90s), 10s) << "the process itself stood still";
  for (Phase phase : {Phase::Data, Phase::Other}) {
    trained.activity.begin(phase, "long", trained.now);
    EXPECT_EQ(trained.after(1h), 0s);
  }
  EXPECT_EQ(trained.activity.state(trained.now).phase, "long");
}

// Says what the activity is while it is in a collective.
class Asking final : public Group {
public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void exchange(const void *, void *, int64_t) override { ask(); }
  void gather(const void *, void *, int64_t) override { ask(); }
  std::function<void()> ask;
};

TEST(Activity, WhoWaitsForOthersStandsStillInAnyPhase) {
  Activity activity(60s, std::chrono::steady_clock::now());
  auto owned = std::make_unique<Asking>();
  Asking &asking = *owned;
  const std::unique_ptr<Group> group = activity.watch(std::move(owned), "level0");
  std::vector<std::string> seen;
  Time before;
  asking.ask = [&] {
    const Time now = std::chrono::steady_clock::now();
    const RankState state = activity.state(now + 90s);
    seen.push_back(state.waitsFor);
    EXPECT_GE(state.standstill, 90s);
    EXPECT_LE(state.standstill, 90s + (now - before));
  };
  const auto wait = [&](auto collective) {
    before = std::chrono::steady_clock::now();
    ((*group).*collective)(nullptr, nullptr, 0);
  };
  activity.begin(Phase::Other, "the evaluation", std::chrono::steady_clock::now());
  wait(&Group::exchange);
  wait(&Group::gather);
  activity.begin(Phase::Step, "step 1", std::chrono::steady_clock::now());
  wait(&Group::exchange);
  EXPECT_EQ(seen, (std::vector<std::string>{"exchange 1 of group level0", "gather 2 of group level0",
                                            "exchange 1 of group level0"}));
  EXPECT_EQ(activity.state(std::chrono::steady_clock::now() + 90s).standstill, 0s) << "it computes";
}

TEST(Activity, TheThreadThatPreparesDataIsWaitedForWithTheData) {
  Activity activity(60s, std::chrono::steady_clock::now());
  auto owned = std::make_unique<Asking>();
  Asking &asking = *owned;
  const std::unique_ptr<Group> group = activity.watch(std::move(owned), "ahead", /*preparesData=*/true);
  RankState state;
  asking.ask = [&] { state = activity.state(std::chrono::steady_clock::now() + 90s); };
  group->gather(nullptr, nullptr, 0);
  EXPECT_EQ(state.standstill, 0s) << "nobody needs the data yet";
  EXPECT_EQ(state.waitsFor, "");
  activity.begin(Phase::Data, "the data of step 1", std::chrono::steady_clock::now());
  group->gather(nullptr, nullptr, 0);
  EXPECT_GE(state.standstill, 89s);
  EXPECT_EQ(state.waitsFor, "gather 2 of group ahead");
}

TEST(RankState, IsReadAsItWasWritten) {
  for (const RankState &state : {RankState{"step 12", "", 0ms}, {"the start", "gather 3 of group level0", 61'250ms}}) {
    const auto read = readBeat(writeBeat(7, state));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->phase, state.phase);
    EXPECT_EQ(read->waitsFor, state.waitsFor);
    EXPECT_EQ(read->standstill, state.standstill);
  }
  for (const char *none : {"", "done", "7", "7 x step 1"})
    EXPECT_FALSE(readBeat(none)) << none;
}

TEST(RankState, RareStatesAreToldFirst) {
  std::vector<std::string> names;
  for (int rank = 0; rank < 16; ++rank)
    names.push_back("rank " + std::to_string(rank));
  const RankState usual{"step 12", "exchange 4 of group level0", {}};
  std::vector<RankState> states(16, usual);
  EXPECT_EQ(describeStates(names, states), "all ranks: waiting for exchange 4 of group level0 in step 12");
  states[5].waitsFor = "";
  states[1] = states[2] = {"step 11", "", {}};
  EXPECT_EQ(describeStates(names, states),
            "rank 5: computing in step 12; ranks 1, 2: computing in step 11; all others: "
            "waiting for exchange 4 of group level0 in step 12");
  for (int rank = 0; rank < 12; ++rank)
    states[rank].phase = "step " + std::to_string(rank);
  const std::string many = describeStates(names, states);
  EXPECT_TRUE(many.starts_with("rank 0: waiting for")) << many;
  EXPECT_TRUE(many.ends_with("; most others: waiting for exchange 4 of group level0 in step 12")) << many;
  EXPECT_EQ(describeStates(std::span(names).first(2), std::vector{RankState{"step 3", "", {}}, usual}),
            "rank 0: computing in step 3; rank 1: waiting for exchange 4 of group level0 in step 12");
}

} // namespace
