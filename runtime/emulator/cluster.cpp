// One cluster of a launch at a time, on one host thread.
#include "runtime/emulator/cluster.h"

#include "runtime/emulator/report.h"

#include <fmt/format.h>

namespace stretto::emulator {

void Cluster::enter(const Launch &of, Settings settings) {
  launch = &of;
  blocks.clear();
  for (uint32_t i = 0; i < of.kernel.cluster; ++i) {
    if (i == memory.size())
      memory.push_back(std::make_unique<Block>(*this, i));
    blocks.push_back(memory[i].get());
  }
  isShuffled = settings.seed && blocks.size() > 1;
  for (Block *block : blocks)
    block->enter(of, settings);
}

void Cluster::run(int64_t number) {
  const stretto_emulated_kernel &kernel = launch->kernel;
  stamp = 1;
  current = 0;
  Clock empty;
  empty.reset(kernel.partial ? kernel.block : 0, blocks.size(), 0);
  barrier.start(kernel.block * blocks.size(), empty);
  for (Block *block : blocks)
    block->start(number * kernel.cluster + block->rank());
  if (kernel.waits)
    return runFibers();
  for (Block *block : blocks)
    block->runInTurn();
}

void Cluster::runFibers() {
  for (Block *block : blocks)
    block->prepareFibers();
  inFiber = true;
  goOn(host);
  inFiber = false;
  if (!failure.empty())
    report(failure);
  for (const Block *block : blocks)
    if (!block->hasEnded())
      reportDeadlock();
  for (const Block *block : blocks)
    block->reportUnfinished();
}

// The next thread to run; threads that poll if all wait. Null if there is none.
Thread *Cluster::choose() {
  for (bool mayWakePolling : {true, false}) {
    const uint32_t first = isShuffled ? blocks[current]->random() % blocks.size() : current;
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const uint32_t number = (first + i) % blocks.size();
      if (Thread *thread = blocks[number]->choose()) {
        current = number;
        return thread;
      }
    }
    for (Block *block : blocks)
      if (mayWakePolling)
        block->wakePolling();
  }
  return nullptr;
}

void Cluster::goOn(Fiber &from) {
  Thread *next = choose();
  Fiber &to = next ? next->fiber : host;
  if (&to != &from)
    Fiber::change(from, to);
}

void Cluster::fail(const std::string &what) {
  failure = what;
  if (!inFiber)
    report(failure);
  Fiber unreachable;
  Fiber::change(unreachable, host);
  __builtin_unreachable();
}

void Cluster::reportDeadlock() const {
  if (blocks.size() == 1)
    report(fmt::format("kernel {}, {}: every thread waits or has ended: {}", launch->name(), blocks[0]->name(),
                       blocks[0]->describeWaiting()));
  std::string text;
  for (const Block *block : blocks)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", block->name(), block->describeWaiting());
  report(fmt::format("kernel {}, the cluster that begins at {}: every thread waits or has ended: {}", launch->name(),
                     blocks[0]->name(), text));
}

} // namespace stretto::emulator
