// What groups do by their two collectives.
#include "runtime/dist/group.h"

#include <algorithm>
#include <cstring>

namespace stretto::runtime {
namespace {

class GroupOfOne final : public Group {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(const void *from, void *to, int64_t bytes) override { std::memmove(to, from, bytes); }
  void gather(const void *from, void *to, int64_t bytes) override { std::memmove(to, from, bytes); }
};

} // namespace

std::unique_ptr<Group> groupOfOne() { return std::make_unique<GroupOfOne>(); }

std::vector<std::string> gatherTexts(Group &group, const std::string &mine) {
  const int64_t own = static_cast<int64_t>(mine.size());
  std::vector<int64_t> sizes(group.size());
  group.gather(&own, sizes.data(), sizeof(own));
  const int64_t most = *std::max_element(sizes.begin(), sizes.end());
  std::string padded = mine, all(group.size() * most, '\0');
  padded.resize(most);
  if (most > 0)
    group.gather(padded.data(), all.data(), most);
  std::vector<std::string> texts;
  for (int member = 0; member < group.size(); ++member)
    texts.push_back(all.substr(member * most, sizes[member]));
  return texts;
}

void together(Group &group, const std::function<void()> &work) {
  if (group.size() == 1)
    return work();
  std::string failure;
  try {
    work();
  } catch (const LostRanks &) {
    throw;
  } catch (const std::exception &error) {
    failure = *error.what() ? error.what() : "unknown failure";
  }
  const std::vector<std::string> all = gatherTexts(group, failure);
  if (!failure.empty() && std::all_of(all.begin(), all.end(), [&](const std::string &text) { return text == failure; }))
    throw SharedError(failure);
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].empty())
      throw SharedError("rank " + std::to_string(rank) + ": " + all[rank]);
}

void barrier(Group &group) {
  const char mine = 0;
  std::string all(group.size(), '\0');
  group.gather(&mine, all.data(), 1);
}

} // namespace stretto::runtime
