// The ranks of a run: processes that train one model together.
#include "runtime/dist/ranks.h"

#include "runtime/core/error.h"
#include "runtime/dist/c10d_groups.h"
#include "runtime/dist/levels.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sysexits.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string nounFor(size_t count) { return count == 1 ? "rank" : "ranks"; }

// Each rank says that it is there and how many it expects; waits for all of them.
void meet(GroupMaker &maker, const Launch &launch, std::chrono::seconds timeout, std::vector<std::string> &names) {
  maker.put(fmt::format("hello/{}", launch.rank), fmt::format("{} {}", launch.ranks, hostName()));
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::vector<int> missing;
  for (int rank = 0; rank < launch.ranks; ++rank) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const std::string said = maker.get(fmt::format("hello/{}", rank), std::max(left, std::chrono::milliseconds(1)));
    if (said.empty()) {
      missing.push_back(rank);
      continue;
    }
    const size_t space = said.find(' ');
    if (const std::string count = said.substr(0, space); count != std::to_string(launch.ranks))
      throw Error(fmt::format("rank {} was told of {} ranks, rank {} of {} ({})", rank, count, launch.rank,
                              launch.ranks, launch.by));
    names.push_back(fmt::format("rank {} (host {})", rank, said.substr(space + 1)));
  }
  if (!missing.empty())
    throw Error(fmt::format("{} ranks must come within {} s (--join-timeout), but {} {} did not", launch.ranks,
                            timeout.count(), nounFor(missing.size()), fmt::join(missing, " and ")));
}

} // namespace

Ranks::Ranks() : controlGroup(groupOfOne()), aheadGroup(groupOfOne()), names{"rank 0"} {}

Ranks::Ranks(const Launch &launch, std::chrono::seconds joinTimeout)
    : launch(launch), maker(std::make_unique<GroupMaker>(launch, joinTimeout)) {
  meet(*maker, launch, joinTimeout, names);
  controlGroup = maker->make("control", launch.rank, launch.ranks);
  aheadGroup = maker->make("ahead", launch.rank, launch.ranks);
  const std::vector<RankLevel> levels = rankLevels(launch.ranks, launch.localRanks);
  for (size_t i = 0; i < levels.size(); ++i)
    levelGroups.push_back(maker->make(fmt::format("level{}-{}", i, levels[i].groupOf(launch.rank)),
                                      levels[i].memberOf(launch.rank), levels[i].size));
}

Ranks::~Ranks() = default;

void Ranks::orLeave(const std::function<void()> &work) const {
  if (size() == 1)
    return work();
  try {
    work();
  } catch (const SharedError &) {
    throw;
  } catch (const LostRanks &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    _exit(EX_TEMPFAIL);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s: %s\n", nameOf(rank()).c_str(), error.what());
    _exit(EXIT_FAILURE);
  }
}

void Ranks::compare(const std::vector<std::pair<std::string, std::string>> &facts) {
  std::string mine;
  for (const auto &[name, value] : facts)
    mine += name + '\0' + value + '\0';
  const std::vector<std::string> all = gatherTexts(control(), mine);
  for (int rank = 1; rank < size(); ++rank) {
    size_t at = 0;
    while (at < all[0].size() && at < all[rank].size()) {
      const std::string name = all[0].c_str() + at, first = all[0].c_str() + at + name.size() + 1,
                        other = all[rank].c_str() + at + name.size() + 1;
      if (first != other || name != all[rank].c_str() + at)
        throw SharedError(fmt::format("{} must run the same as {}, but its {} is {} instead of {}", nameOf(rank),
                                      nameOf(0), name, other, first));
      at += name.size() + first.size() + 2;
    }
  }
}

} // namespace stretto::runtime
