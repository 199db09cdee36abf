// Which layers of a repeat can share one loop.
#include "frontend/sema/elaborate/Layers.h"

#include <algorithm>
#include <tuple>

using namespace stretto;
using namespace stretto::frontend;

std::vector<LayerRun> frontend::findLayerRuns(llvm::ArrayRef<unsigned> kinds) {
  // Longer periods are written out anyway.
  constexpr int64_t maxPeriod = 64;
  int64_t n = kinds.size();
  // equal[period][i]: how many layers from i on equal the layer a period later.
  std::vector<std::vector<int64_t>> equal(maxPeriod + 1, std::vector<int64_t>(n + 1, 0));
  for (int64_t period = 1; period <= maxPeriod; ++period)
    for (int64_t i = n - period - 1; i >= 0; --i)
      equal[period][i] = kinds[i] == kinds[i + period] ? equal[period][i + 1] + 1 : 0;
  struct Best {
    int64_t bodies = 0, runs = 0;
    LayerRun run;
  };
  std::vector<Best> best(n + 1);
  for (int64_t first = n - 1; first >= 0; --first) {
    bool isSet = false;
    for (int64_t period = 1; period <= std::min(maxPeriod, n - first); ++period) {
      int64_t count = 1 + equal[period][first] / period;
      // A period of several layers that never repeats is the same as runs of one layer.
      if (count == 1 && period > 1)
        continue;
      const Best &rest = best[first + period * count];
      Best candidate{period + rest.bodies, 1 + rest.runs, {first, period, count}};
      // Of equally good divisions, the one whose first run is longer.
      if (!isSet || std::tie(candidate.bodies, candidate.runs) < std::tie(best[first].bodies, best[first].runs) ||
          (std::tie(candidate.bodies, candidate.runs) == std::tie(best[first].bodies, best[first].runs) &&
           period * count > best[first].run.period * best[first].run.count))
        best[first] = candidate;
      isSet = true;
    }
  }
  std::vector<LayerRun> runs;
  for (int64_t at = 0; at < n; at += runs.back().period * runs.back().count)
    runs.push_back(best[at].run);
  return runs;
}
