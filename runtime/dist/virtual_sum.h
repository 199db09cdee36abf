// Adds the gradients of several virtual ranks, which one rank computes one after the other, as a binary counter counts.
#pragma once

#include "runtime/core/arenas.h"

#include <vector>

namespace stretto::runtime {

class VirtualSum {
public:
  // Of `count` virtual ranks.
  VirtualSum(const stretto_program &program, Device &device, const Arenas &arenas, int64_t count);
  ~VirtualSum();
  VirtualSum(const VirtualSum &) = delete;
  VirtualSum &operator=(const VirtualSum &) = delete;

  // GRADIENTS have what virtual rank `number` (from 0) computed. After the last, they have the sum of all.
  void add(int64_t number);
  // The sums that are to be added to what the last virtual rank computes, first to last, instead of `add`.
  std::vector<void *> takePending();

  // Bytes of the device that it takes.
  static int64_t bytes(const stretto_program &program, int64_t count);

private:
  void copy(const void *from, void *to);
  void addPending();

  const stretto_program &program;
  Device &device;
  const Arenas &arenas;
  int64_t count;
  std::vector<void *> memory; // a sum of earlier virtual ranks each
  size_t pending = 0;         // how many of them are in use
};

} // namespace stretto::runtime
