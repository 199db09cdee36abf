// Matmuls that warpgroups start and later wait for (wgmma). What they read of shared memory they read until then.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/clock.h"

#include <array>
#include <vector>

namespace stretto::emulator {

class Block;
class MatrixDescriptor;
struct Thread;

inline constexpr uint32_t groupThreads = 128; // of a warpgroup

class AsyncMatmuls {
public:
  explicit AsyncMatmuls(Block &block) : block(block) {}
  void clear();

  // Each is called by all threads of the group.
  void multiply(Thread &thread, const stretto_emulated_wait &wait, uint64_t a, uint64_t b, float *d);
  void commit(Thread &thread, const stretto_emulated_wait &wait);
  // All but the last `groups` commits.
  void await(Thread &thread, const stretto_emulated_wait &wait, uint32_t groups);

private:
  struct Group {
    std::vector<uint32_t> commits; // stamps; what was read with a lower one belongs to it or to one before
    std::array<std::array<uint64_t, 2>, groupThreads> operands;
    std::array<float *, groupThreads> d;
  };
  Clock knownToAll(uint32_t group);
  void checkOperands(Thread &thread, const stretto_emulated_wait &wait, const Group &group);
  void compute(Thread &thread, const stretto_emulated_wait &wait, const Group &group);

  Block &block;
  std::array<Group, mostGroups> groups;
};

} // namespace stretto::emulator
