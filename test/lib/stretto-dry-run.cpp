// What the ranks of a large run exchange in a step, found out by letting the exchange of each of them run in this
// process, one after the other, over groups that carry nothing and on a device that computes nothing. Arguments: a
// shared object (a compiled object, linked with nothing), how many ranks, how many of them on a host. Prints JSON: each
// call of a step of the first rank, of which all others must make the same; and the most bytes of moments that one of
// them keeps.
#include "runtime/core/error.h"
#include "runtime/dist/exchange.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace stretto;
using namespace stretto::runtime;

namespace {

const stretto_program &load(const char *path) {
  void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  const void *symbol = object ? dlsym(object, "stretto_compiled_program") : nullptr;
  if (!symbol)
    throw Error(dlerror());
  return *static_cast<const stretto_program *>(symbol);
}

// Hands out addresses that nothing lies at, and runs what libraries do, which here is to carry.
class EmptyDevice final : public Device {
public:
  std::string_view name() const override { return "empty"; }
  std::string describe() const override { return "a device that computes nothing"; }
  void *allocate(int64_t bytes) override {
    const uintptr_t address = next;
    next += (static_cast<uintptr_t>(bytes) + 4095) / 4096 * 4096;
    return reinterpret_cast<void *>(address);
  }
  void release(void *, int64_t) override {}
  void submit(Op op, const CallSite &) override {
    if (const auto *work = std::get_if<WorkOp>(&op))
      work->work();
  }
  void wait() override {}
  void observe(OpObserver *) override {}
  void setThreads(int) override {}
  int threads() const override { return 1; }
  int64_t libraryPeakBytes() const override { return 0; }

private:
  uintptr_t next = 4096;
};

// A collective of one rank: `bytes` of each part.
struct Call {
  const char *phase, *collective;
  size_t level;
  int members;
  int64_t bytes;

  std::string json() const {
    return fmt::format(R"({{"phase": "{}", "collective": "{}", "level": {}, "members": {}, "bytes": {}}})", phase,
                       collective, level, members, bytes);
  }
};

// The calls of a rank so far.
struct Record {
  const char *phase = "";
  std::vector<std::string> calls;
};

// Carries nothing: what would come from others is what was there before.
class RecordingGroup final : public Group {
public:
  RecordingGroup(Record &record, size_t level, int rank, int size)
      : record(record), level(level), own(rank), members(size) {}
  int rank() const override { return own; }
  int size() const override { return members; }
  void exchange(const void *, void *, int64_t bytes) override { note("exchange", bytes); }
  void gather(const void *, void *, int64_t bytes) override { note("gather", bytes); }

private:
  void note(const char *collective, int64_t bytes) {
    record.calls.push_back(Call{record.phase, collective, level, members, bytes}.json());
  }
  Record &record;
  size_t level;
  int own, members;
};

struct Memory {
  int64_t staging = 0, moments = 0;
};

// A step of one rank, as far as others take part in it.
std::vector<std::string> stepOf(const stretto_program &program, Device &device, int rank, int ranks, int localRanks,
                                Memory &memory) {
  const RowShares shares = shareRows(program, rank, ranks, localRanks);
  const Arenas arenas(device, program, /*accumulate=*/false, shares.shard);
  Record record;
  std::vector<std::unique_ptr<Group>> groups;
  for (const RankLevel &level : shares.levels)
    groups.push_back(std::make_unique<RecordingGroup>(record, groups.size(), level.memberOf(rank), level.size));
  Exchange exchange(program, device, arenas, shares, groups);
  record.phase = "gradients";
  for (int64_t ready = 1; ready <= program.bucket_count; ++ready)
    exchange.send(ready, {});
  exchange.finishSums({});
  record.phase = "squares";
  exchange.gatherSquares();
  record.phase = "weights";
  exchange.startParameters([](const RowRange &, SideStream &) {});
  exchange.finishParameters();
  memory.staging = std::max(memory.staging, Exchange::stagingBytes(program, shares));
  memory.moments = std::max(memory.moments, bytesOf(STRETTO_ARENA_MOMENT1, program, shares.shard) +
                                                bytesOf(STRETTO_ARENA_MOMENT2, program, shares.shard));
  return record.calls;
}

void dryRun(const stretto_program &program, int ranks, int localRanks) {
  EmptyDevice device;
  Memory memory;
  std::vector<std::string> first;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::string> calls = stepOf(program, device, rank, ranks, localRanks, memory);
    if (rank == 0)
      first = std::move(calls);
    else if (calls != first)
      throw Error(fmt::format("rank {} must make the calls of rank 0, {}, but makes {}", rank, first, calls));
  }
  fmt::print("{{\"staging\": {}, \"moments\": {}, \"calls\": [{}]}}\n", memory.staging, memory.moments,
             fmt::join(first, ", "));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: stretto-dry-run OBJECT.so RANKS RANKS-OF-A-HOST\n");
    return 2;
  }
  try {
    dryRun(load(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
