// One block of a launch at a time: its threads, who may run, who waits for what.
#include "runtime/emulator/cluster.h"
#include "runtime/emulator/report.h"

#include <bit>
#include <fmt/format.h>
#include <numeric>

namespace stretto::emulator {
namespace {

// What addresses in shared memory are counted from is aligned to this. The first ones belong to the system (sm_90).
constexpr uint64_t sharedAlignment = 1024, systemShared = 1024;
constexpr uint32_t mostIdlePolls = 64;

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// The set bit of `bits` that comes first from position `from` on, round the end.
uint32_t nextBit(uint32_t bits, uint32_t from) { return (std::countr_zero(std::rotr(bits, from)) + from) % 32; }

} // namespace

uint64_t Block::random() { return mix(randomState += 0x9e3779b97f4a7c15u); }

uint64_t strideThrough(uint64_t count, uint64_t random) {
  uint64_t stride = random % count + 1;
  while (std::gcd(stride, count) != 1)
    stride = stride % count + 1;
  return stride;
}

// What was recorded of another launch means nothing; records of another block of this one are known by its number.
void Block::enter(const Launch &of, Settings settings) {
  launch = &of;
  kernel = &of.kernel;
  checks = settings.checks;
  seed = settings.seed;
  const uint64_t alignment = kernel->shared_alignment, shift = alignment < sharedAlignment ? alignment : 0;
  sharedMemory.resize(sharedAlignment + systemShared + shift + kernel->shared_bytes);
  const uintptr_t address = reinterpret_cast<uintptr_t>(sharedMemory.data());
  sharedWindow = sharedMemory.data() + (-address & (sharedAlignment - 1));
  shared = sharedWindow + systemShared + shift;
  cells.assign((kernel->shared_bytes >> launch->granuleShift) + 1, {0, 0});
  sharedCells = cells.data();
}

void Block::start(int64_t blockIndex) {
  index = blockIndex;
  firstBlock = index - ownRank;
  clusterBlocks = kernel->cluster;
  count = kernel->block;
  randomState = mix(seed) ^ mix(index);
  blockStamp = 1;
  arrived = ended = 0;
  readers.start(kernel->partial);
  asyncMatmuls.clear();
  boxStores.clear();
  mbarriers.clear();
  namedBarriers.clear();
  registers.clear();
  polling.clear();
  visits.clear();
  reset(knownAtEnd);
  groups.assign(count / groupThreads, {0, nullptr});
  while (threads.size() < count) {
    threads.push_back(std::make_unique<Thread>());
    threads.back()->owner = this;
  }
  warps.resize(mostThreads / 32);
  for (uint32_t i = 0; i < count; ++i)
    startThread(i);
  for (uint32_t i = 0; i < count / 32; ++i) {
    warps[i].ready = ~0u;
    warps[i].stamp = 1;
    warps[i].gatherings.clear();
  }
  readyWarps = count == mostThreads ? ~0u : (1u << count / 32) - 1;
  currentWarp = seed ? random() % (count / 32) : 0;
}

void Block::startThread(int32_t i) {
  Thread &thread = *threads[i];
  static_cast<stretto_emulated_thread &>(thread) = {i, static_cast<int32_t>(index % kernel->grid_x),
                                                    static_cast<int32_t>(index / kernel->grid_x),
                                                    static_cast<int32_t>(ownRank), shared};
  thread.state = ThreadState::ready;
  thread.stamp = 1;
  reset(thread.clock);
  thread.polls = {0, 0};
  thread.clusterArrivals = thread.clusterWaits = 0;
  thread.commits = 0;
  thread.copies.clear();
  thread.stores = {};
}

void Block::reset(Clock &clock) const { clock.reset(kernel->partial ? count : 0, kernel->cluster, ownRank); }

void Block::runInTurn() {
  const uint64_t step = seed ? strideThrough(count, random()) : 1;
  for (uint64_t i = 0, at = seed ? random() % count : 0; i < count; ++i, at = (at + step) % count)
    kernel->function(threads[at].get(), launch->arguments.data());
}

void Block::runThread(void *data) {
  Thread &thread = *static_cast<Thread *>(data);
  Block &block = *thread.owner;
  block.kernel->function(&thread, block.launch->arguments.data());
  block.end(thread);
  block.suspend(thread);
}

void Block::prepareFibers() {
  for (uint32_t i = 0; i < count; ++i)
    threads[i]->fiber.prepare(runThread, threads[i].get());
}

void Block::end(Thread &thread) {
  thread.state = ThreadState::ended;
  ++ended;
  cluster.barrier.leave(thread);
  knownAtEnd.join(thread.clock);
  if (hasEnded() && checks != STRETTO_EMULATOR_CHECKS_NONE)
    checkVisits(thread);
}

// In another order of threads, those that nobody here knows of might still have been to come.
void Block::checkVisits(const Thread &last) {
  for (const auto &[visitor, visit] : visits)
    if (const auto [block, thread] = visitor; !knownAtEnd.knows(block, thread, visit.stamp))
      fail(last,
           fmt::format("it is the last one to end, but nothing says that thread {} of {} is done with what it does "
                       "to the block's shared memory at {}",
                       thread, peers()[block]->name(), launch->text(visit.place)));
}

void Block::reportUnfinished() const {
  for (const std::string &left : {mbarriers.unfinished(), boxStores.unfinished()})
    if (!left.empty())
      report(fmt::format("kernel {}, {}: {}", launch->name(), name(), left));
}

// Lanes of the current warp in order, then another warp.
Thread *Block::choose() {
  if (!readyWarps)
    return nullptr;
  if (!warps[currentWarp].ready)
    currentWarp = nextBit(readyWarps, seed ? random() % 32 : (currentWarp + 1) % 32);
  return threads[currentWarp * 32 + std::countr_zero(warps[currentWarp].ready)].get();
}

void Block::suspend(Thread &thread) {
  Warp &warp = warpOf(thread);
  warp.ready &= ~(1u << thread.thread % 32);
  if (!warp.ready)
    readyWarps &= ~(1u << thread.thread / 32);
  cluster.goOn(thread.fiber);
}

void Block::suspend(Thread &thread, ThreadState state, const stretto_emulated_wait &wait) {
  thread.state = state;
  thread.waitsAt = &wait;
  suspend(thread);
}

void Block::wake(Thread &thread) {
  ++cluster.events;
  makeReady(thread);
}

void Block::makeReady(Thread &thread) {
  thread.state = ThreadState::ready;
  warpOf(thread).ready |= 1u << thread.thread % 32;
  readyWarps |= 1u << thread.thread / 32;
}

void Block::poll(Thread &thread, const stretto_emulated_wait &wait) {
  if (thread.polls.seen == cluster.events)
    ++thread.polls.idle;
  else
    thread.polls = {0, cluster.events};
  polling.push_back(&thread);
  suspend(thread, ThreadState::polls, wait);
}

void Block::wakePolling() {
  std::erase_if(polling, [&](Thread *thread) {
    const bool mayGoOn = thread->polls.seen != cluster.events || thread->polls.idle < mostIdlePolls;
    if (mayGoOn)
      makeReady(*thread);
    return mayGoOn;
  });
}

void Block::yield(Thread &thread) {
  if (!seed || random() % 2)
    return;
  currentWarp = nextBit(readyWarps, random() % 32);
  cluster.goOn(thread.fiber);
}

uint32_t Block::elect(uint32_t mask) const { return nextBit(mask, seed ? mix(seed ^ mask) % 32 : 0); }

void Block::publish(Thread &thread, Clock &to) {
  ++cluster.events;
  advance(thread.stamp);
  thread.clock.of(thread.thread) = thread.stamp;
  to.join(thread.clock);
}

// All of these threads know from now on what each of them knows, and what they did before the stamp.
void Block::joinClocks(uint32_t first, uint32_t end, uint32_t stamp) {
  if (!kernel->partial)
    return;
  Clock &all = threads[first]->clock;
  for (uint32_t i = first; i < end; ++i) {
    all.join(threads[i]->clock);
    all.of(i) = stamp;
  }
  for (uint32_t i = first + 1; i < end; ++i)
    threads[i]->clock = all;
}

void Block::fence(Thread &thread) {
  advance(thread.stamp);
  thread.clock.of(thread.thread) = thread.stamp;
  thread.clock.fence(blockStamp);
  mbarriers.fence(thread);
}

uint32_t Block::nextStamp() {
  if (cluster.stamp == mostStamps)
    report(
        fmt::format("kernel {}: the blocks of a cluster may synchronise {} times at most", launch->name(), mostStamps));
  return ++cluster.stamp;
}

void Block::advance(uint32_t &of) { of = nextStamp(); }

void Block::barrier(Thread &thread, const stretto_emulated_wait &wait) {
  thread.state = ThreadState::atBarrier;
  thread.waitsAt = &wait;
  if (!namedBarriers.isIdle(0))
    fail(thread, fmt::format("{} of the whole block, but others are at {}", describe(wait), namedBarriers.describe(0)));
  if (arrived == 0)
    barrierAt = &wait;
  if (barrierAt != &wait)
    fail(thread, fmt::format("divergent barrier: it waits at {}, other threads of its block at {}", describe(wait),
                             describe(*barrierAt)));
  if (++arrived < count)
    return suspend(thread);
  arrived = 0;
  ++cluster.events;
  advance(blockStamp);
  joinClocks(0, count, blockStamp);
  for (uint32_t i = 0; i < count; ++i)
    threads[i]->state = ThreadState::ready;
  for (uint32_t i = 0; i < count / 32; ++i) {
    warps[i].stamp = blockStamp;
    warps[i].ready = ~0u;
    readyWarps |= 1u << i;
  }
  if (seed) {
    currentWarp = random() % (count / 32);
    cluster.goOn(thread.fiber);
  }
}

void Block::fail(const Thread &thread, const std::string &what) { cluster.fail(describe(thread) + ": " + what); }

void Block::failEnded(const Thread &thread, const Block &memory, const std::string &what) {
  fail(thread, fmt::format("{}: all threads of {}, in whose shared memory that is, have ended", what, memory.name()));
}

const std::vector<Block *> &Block::peers() const { return cluster.blocks; }

ClusterBarrier &Block::clusterBarrier() { return cluster.barrier; }

bool Block::holds(const void *address) const {
  const char *at = static_cast<const char *>(address);
  return at >= shared && at < shared + kernel->shared_bytes;
}

Block &Block::holder(const void *address) {
  if (!holds(address))
    for (Block *block : peers())
      if (block->holds(address))
        return *block;
  return *this;
}

Actor Block::inBackground(uint32_t who, const Clock &known) const {
  return {number(), who, blockStamp, 0, cluster.stamp, &known, firstBlock, true};
}

std::string Block::name() const {
  return fmt::format("block ({}, {})", index % kernel->grid_x, index / kernel->grid_x);
}

std::string Block::describe(const Thread &thread) const {
  return fmt::format("kernel {}, {}, thread {}", launch->name(), thread.owner->name(), thread.thread);
}

std::string Block::describe(const stretto_emulated_wait &wait) const {
  return fmt::format("{} {}", launch->text(wait.operation), launch->text(wait.place));
}

std::string Block::describeWait(const Thread &thread) const {
  if (thread.state == ThreadState::ended)
    return "ended";
  const std::string text = "wait at " + describe(*thread.waitsAt);
  switch (thread.state) {
  case ThreadState::atCollective:
    return text + fmt::format(" with mask 0x{:08x}", thread.mask);
  case ThreadState::atNamedBarrier:
    return text + " for " + namedBarriers.describe(thread.namedBarrier);
  case ThreadState::awaitsRegisters:
    return text + " for " + registers.describe();
  case ThreadState::atClusterBarrier:
    return text + " for " + cluster.barrier.describe();
  case ThreadState::atMbarrier:
  case ThreadState::polls:
    return text + " for " + mbarriers.describe(*thread.mbarrier);
  default:
    return text;
  }
}

// Runs of threads together.
std::string Block::describeWaiting() const {
  std::string text;
  for (uint32_t i = 0; i < count;) {
    const std::string what = describeWait(*threads[i]);
    const uint32_t first = i;
    while (i < count && describeWait(*threads[i]) == what)
      ++i;
    text += fmt::format("{}threads {} to {} {}", first ? "; " : "", first, i - 1, what);
  }
  return text;
}

} // namespace stretto::emulator
