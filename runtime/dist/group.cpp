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

void barrier(Group &group) {
  const char mine = 0;
  std::string all(group.size(), '\0');
  group.gather(&mine, all.data(), 1);
}

} // namespace stretto::runtime
