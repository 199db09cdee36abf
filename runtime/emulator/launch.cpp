// What the blocks of one launch share, whichever host threads run them.
#include "runtime/emulator/launch.h"

#include "runtime/emulator/report.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <list>
#include <mutex>

namespace stretto::emulator {

static bool overlap(const Buffer &a, const Buffer &b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

void Launch::checkReadOnly() const {
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t j = 0; j < buffers.size(); ++j)
      if (const Buffer &read = buffers[i], &other = buffers[j]; isReadOnly(i) && isWritten(j) && overlap(read, other))
        report(
            fmt::format("kernel {}: buffer {} of {} bytes is read-only and must not overlap a buffer that the kernel "
                        "writes, but buffer {} of {} bytes begins {} bytes {} its start",
                        name(), i, read.bytes, j, other.bytes,
                        std::max(read.begin, other.begin) - std::min(read.begin, other.begin),
                        other.begin < read.begin ? "before" : "behind"));
}

Launch::Launch(const stretto_emulated_kernel &kernel, void *const *addresses, bool recordsGlobal)
    : kernel(kernel), addresses(addresses, addresses + kernel.buffer_count),
      granuleShift(std::countr_zero(static_cast<uint64_t>(kernel.granule))),
      hasBegun(kernel.grid_x * kernel.grid_y / kernel.cluster), left(hasBegun.size()) {
  for (int64_t i = 0; i < kernel.buffer_count; ++i)
    buffers.push_back({reinterpret_cast<uintptr_t>(addresses[i]), kernel.buffers[i].bytes, 0, 0});
  makeMaps();
  if (recordsGlobal)
    makeRegions();
}

void Launch::makeMaps() {
  for (int64_t i = 0; i < kernel.map_count; ++i)
    maps.emplace_back(kernel.maps[i], addresses[kernel.maps[i].buffer]);
  arguments = addresses;
  for (TensorMap &map : maps)
    arguments.push_back(&map);
}

// The union of the buffers that may be written, in order of address, from granule to granule.
void Launch::makeRegions() {
  const uintptr_t mask = kernel.granule - 1;
  std::vector<std::pair<uintptr_t, uintptr_t>> written;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isWritten(i))
      written.push_back({buffers[i].begin & ~mask, (buffers[i].begin + buffers[i].bytes + mask) & ~mask});
  std::sort(written.begin(), written.end());
  for (auto [begin, end] : written)
    if (!regions.empty() && begin <= regions.back().end)
      regions.back().end = std::max(regions.back().end, end);
    else
      regions.push_back({begin, end, nullptr});
  for (Region &region : regions)
    region.cells = std::make_unique<Cell[]>((region.end - region.begin) >> granuleShift);
  for (Buffer &buffer : buffers) {
    auto first = std::find_if(regions.begin(), regions.end(), [&](const Region &r) { return r.end > buffer.begin; });
    auto last =
        std::find_if(first, regions.end(), [&](const Region &r) { return r.begin >= buffer.begin + buffer.bytes; });
    buffer.firstRegion = first - regions.begin();
    buffer.endRegion = last - regions.begin();
  }
}

namespace {

class Registry {
public:
  std::shared_ptr<Launch> join(const stretto_emulated_kernel &kernel, void *const *addresses, int64_t begin,
                               int64_t end) {
    std::lock_guard lock(mutex);
    auto at = std::find_if(launches.begin(), launches.end(), [&](const std::shared_ptr<Launch> &launch) {
      return &launch->kernel == &kernel && std::equal(launch->addresses.begin(), launch->addresses.end(), addresses);
    });
    if (at != launches.end() && anyHasBegun(**at, begin, end)) {
      launches.erase(at);
      at = launches.end();
    }
    if (at == launches.end())
      at = launches.insert(at, std::make_shared<Launch>(kernel, addresses, /*recordsGlobal=*/true));
    std::shared_ptr<Launch> launch = *at;
    std::fill(launch->hasBegun.begin() + begin, launch->hasBegun.begin() + end, true);
    launch->left -= end - begin;
    if (launch->left == 0) {
      launch->checkReadOnly();
      launches.erase(at);
    }
    return launch;
  }

private:
  static bool anyHasBegun(const Launch &launch, int64_t begin, int64_t end) {
    return std::find(launch.hasBegun.begin() + begin, launch.hasBegun.begin() + end, true) !=
           launch.hasBegun.begin() + end;
  }

  std::mutex mutex;
  std::list<std::shared_ptr<Launch>> launches; // those of which blocks are to come
};

Registry &registry() {
  static Registry instance;
  return instance;
}

} // namespace

std::shared_ptr<Launch> joinLaunch(const stretto_emulated_kernel &kernel, void *const *addresses, int64_t begin,
                                   int64_t end, stretto_emulator_checks checks) {
  if (checks == STRETTO_EMULATOR_CHECKS_FULL)
    return registry().join(kernel, addresses, begin, end);
  auto launch = std::make_shared<Launch>(kernel, addresses, /*recordsGlobal=*/false);
  if (checks == STRETTO_EMULATOR_CHECKS_FAST && end - begin == launch->left)
    launch->checkReadOnly();
  return launch;
}

} // namespace stretto::emulator
