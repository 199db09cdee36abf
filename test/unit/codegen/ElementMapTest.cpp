// Where a loop nest is divided whose map is not affine.
#include "codegen/rows/ElementMap.h"

#include "gtest/gtest.h"

#include <set>

using namespace stretto::codegen;
using stretto::seq::Element;

namespace {
/// Divides a domain until the map fits all parts, as plans of kernels do.
std::vector<std::pair<Domain, Index>> divide(ElementMap map, Domain domain, Index index) {
  std::vector<std::pair<Domain, Index>> open{{domain, index}}, fitting;
  while (!open.empty()) {
    auto [part, at] = open.back();
    open.pop_back();
    if (std::optional<Split> split = fitMap(map, at, part, /*period=*/1).split)
      for (const auto &piece : splitDomain(part, at, *split))
        open.push_back(piece);
    else
      fitting.emplace_back(part, at);
  }
  return fitting;
}

std::multiset<int64_t> elementsOf(llvm::ArrayRef<std::pair<Domain, Index>> parts) {
  std::multiset<int64_t> elements;
  for (const auto &[domain, index] : parts)
    for (int64_t h = 0; h < domain.heads; ++h)
      for (int64_t j = 0; j < domain.length; ++j)
        elements.insert(index.base + h * index.head + j * index.column);
  return elements;
}

std::multiset<int64_t> firstElements(int64_t count) {
  std::multiset<int64_t> all;
  for (int64_t e = 0; e < count; ++e)
    all.insert(e);
  return all;
}

/// What each element of heads of `width` reads, if there is one number for a head.
auto numberOfHead(int64_t width) {
  return [width](int64_t element) { return Element{0, element / width}; };
}
} // namespace

TEST(ElementMap, HeadsOfHalfTheWidthAreTwoParts) {
  auto parts = divide(numberOfHead(16), {256, 8}, {0, 8, 1});
  EXPECT_EQ(parts.size(), 2u);
  EXPECT_EQ(elementsOf(parts), firstElements(2048));
}

TEST(ElementMap, HeadsThatCrossOthersAreAsManyPartsAsUntilTheyMeetAgain) {
  auto parts = divide(numberOfHead(4), {512, 3}, {0, 3, 1}); // they meet each 12 columns: 3, 1 + 2, 2 + 1, 3
  EXPECT_EQ(parts.size(), 6u);
  EXPECT_EQ(elementsOf(parts), firstElements(1536));
}

TEST(ElementMap, RunsOfHeadsAreFewerParts) {
  auto parts = divide(numberOfHead(32), {8, 8}, {0, 8, 1});
  EXPECT_EQ(parts.size(), 2u);
  EXPECT_EQ(elementsOf(parts), firstElements(64));
}

TEST(ElementMap, HeadsOfAnotherOrderAreOneByOne) {
  const int64_t order[] = {3, 1, 4, 0, 5, 2};
  auto parts = divide([&](int64_t element) { return Element{0, order[element]}; }, {6, 1}, {0, 1, 0});
  EXPECT_EQ(elementsOf(parts), firstElements(6));
}
