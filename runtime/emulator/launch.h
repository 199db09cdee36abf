// What the blocks of one launch share, whichever host threads run them.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/settings.h"
#include "runtime/emulator/shadow.h"
#include "runtime/emulator/tensor_map.h"

#include <memory>
#include <vector>

namespace stretto::emulator {

// A stretch of global memory that the launch may write to, and who touched it.
struct Region {
  uintptr_t begin, end;
  std::unique_ptr<Cell[]> cells; // one for each granule
};

// A buffer of the launch. Its accesses are recorded where they fall into one of the regions [firstRegion, endRegion).
struct Buffer {
  uintptr_t begin;
  int64_t bytes;
  uint32_t firstRegion, endRegion;
};

class Launch {
public:
  Launch(const stretto_emulated_kernel &kernel, void *const *addresses, bool recordsGlobal);

  // A text that a description names by its offset.
  const char *text(int32_t offset) const { return kernel.texts + offset; }
  const char *name() const { return kernel.texts + kernel.name; }
  bool isWritten(size_t buffer) const { return kernel.buffers[buffer].uses & STRETTO_EMULATED_WRITTEN; }
  bool isReadOnly(size_t buffer) const { return kernel.buffers[buffer].uses & STRETTO_EMULATED_READ_ONLY; }

  // Ends the process where a read-only buffer overlaps one that is written: compilers may have moved reads over writes.
  // Of a whole launch: a part of one (a rank's share of the parameters, say) has other memory where the rest of its
  // buffers would lie.
  void checkReadOnly() const;

  const stretto_emulated_kernel &kernel;
  const std::vector<void *> addresses; // of the buffers
  std::vector<TensorMap> maps;
  std::vector<void *> arguments; // of threads
  std::vector<Buffer> buffers;
  std::vector<Region> regions;
  uint32_t granuleShift;

  // Whether a cluster has begun, and how many have not. Guarded by the registry.
  std::vector<bool> hasBegun;
  int64_t left;

private:
  void makeMaps();
  void makeRegions();
};

// The launch that the clusters begin .. end-1 of a kernel belong to: one that is going on, or a new one where one
// would begin twice or none is going on.
std::shared_ptr<Launch> joinLaunch(const stretto_emulated_kernel &kernel, void *const *addresses, int64_t begin,
                                   int64_t end, stretto_emulator_checks checks);

} // namespace stretto::emulator
