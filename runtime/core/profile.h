// Where the time of a step goes: an observer that adds up the time of ops by group and by kernel.
#pragma once

#include "runtime/core/device.h"

#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace stretto::runtime {

class Profile : public OpObserver {
public:
  struct Line {
    std::string name;
    double seconds = 0;                           // per step
    double share = 0;                             // of the step
    int64_t calls = 0;                            // per step
    double gigabytesPerSecond = 0, gigaflops = 0; // 0: unknown
  };

  // The clock that counts: CLOCK_PROCESS_CPUTIME_ID shows where one thread's time goes on a busy machine.
  explicit Profile(clockid_t clock = CLOCK_MONOTONIC) : clock(clock) {}

  void before(const Op &op) override;
  void after(const Op &op, const CallSite &at, double seconds) override;
  bool looksAtResults() const override { return false; }

  // Only ops between begin and end of a step count. Seconds: `waited` for data, `exchanged` with other ranks and
  // nothing else.
  void beginStep();
  void endStep(double waited, double exchanged = 0);

  // Matmuls, attention, rowwise, loss, optimizer, embedding, rest (clearing and copies), data (waiting for
  // it), unattributed; then whatever groups kernels name besides, and exchange where there are several ranks.
  std::vector<Line> groups() const;
  // Kernels and matmuls of each shape, longest first.
  std::vector<Line> details() const;
  double secondsPerStep() const;

private:
  struct Sum {
    double seconds = 0, bytes = 0, flops = 0;
    int64_t calls = 0;
  };
  double now() const;
  Line lineOf(const std::string &name, const Sum &sum) const;

  clockid_t clock;
  bool active = false;
  int64_t steps = 0;
  double total = 0;
  double stepStart = 0, opStart = 0; // seconds
  std::map<std::string, Sum> byGroup, byDetail;
};

// Both as a table of text.
std::string profileReport(const Profile &profile);

} // namespace stretto::runtime
