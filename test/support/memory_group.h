// Ranks that are threads of one process, for tests: a group over memory.
#pragma once

#include "runtime/dist/group.h"

#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

namespace stretto::runtime {

class MemoryGroup final : public Group {
public:
  // What the members share.
  struct Shared {
    explicit Shared(int size) : meeting(size), from(size), bytes(size) {}
    std::barrier<> meeting;
    std::vector<const char *> from;
    std::vector<int64_t> bytes;
  };

  MemoryGroup(std::shared_ptr<Shared> shared, int rank) : shared(std::move(shared)), own(rank) {}
  int rank() const override { return own; }
  int size() const override { return static_cast<int>(shared->from.size()); }

  void exchange(const void *from, void *to, int64_t bytes) override {
    meet(from, bytes, [&](int member) {
      std::memcpy(static_cast<char *>(to) + member * bytes, shared->from[member] + own * bytes, bytes);
    });
  }
  void gather(const void *from, void *to, int64_t bytes) override {
    const std::vector<char> mine(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
    meet(mine.data(), bytes,
         [&](int member) { std::memcpy(static_cast<char *>(to) + member * bytes, shared->from[member], bytes); });
  }

private:
  void meet(const void *from, int64_t bytes, const std::function<void(int)> &copy) {
    shared->from[own] = static_cast<const char *>(from);
    shared->bytes[own] = bytes;
    shared->meeting.arrive_and_wait();
    bool same = true;
    for (int member = 0; member < size(); ++member) {
      same &= shared->bytes[member] == bytes;
      if (bytes && same)
        copy(member);
    }
    shared->meeting.arrive_and_wait();
    if (!same)
      throw std::logic_error("members of a group gave parts of different sizes");
  }

  std::shared_ptr<Shared> shared;
  int own;
};

// Runs work(rank, group) on `size` threads, each a member of one group, and throws what the first of them threw.
inline void onRanks(int size, const std::function<void(int rank, Group &group)> &work) {
  const auto shared = std::make_shared<MemoryGroup::Shared>(size);
  std::vector<std::exception_ptr> failures(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        MemoryGroup group(shared, rank);
        work(rank, group);
      } catch (...) {
        failures[rank] = std::current_exception();
        shared->meeting.arrive_and_drop(); // the others go on
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace stretto::runtime
