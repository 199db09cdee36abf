// The other side of Brevo: reads an instance and tells which answers are right.
#include "tasks/brevo/question.h"

#include <algorithm>

namespace stretto::tasks {

Question::Question(std::span<const int32_t> tokens, const Names &names) : names(names) {
  auto take = [&] {
    auto name = names.take(tokens);
    return Name(name.begin(), name.end());
  };
  tokens = tokens.subspan(1);
  std::map<Name, std::vector<Name>> parents; // of all nodes
  while (names.isLetter(tokens[0])) {
    Name from = take();
    parents[take()].push_back(std::move(from));
  }
  tokens = tokens.subspan(1);
  keepAncestors(take(), parents);
}

void Question::keepAncestors(const Name &asked, const std::map<Name, std::vector<Name>> &parents) {
  std::vector<Name> all = {asked};
  numbers[asked] = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    nodes.emplace_back();
    auto found = parents.find(all[i]);
    if (found == parents.end())
      continue;
    for (const Name &parent : found->second) {
      auto [place, isNew] = numbers.emplace(parent, all.size());
      if (isNew)
        all.push_back(parent);
      nodes[i].parents.push_back(place->second);
    }
  }
}

Fault Question::judge(std::span<const int32_t> answer) const {
  if (answer.empty() || answer.back() != brevoEnd)
    return Fault::NoEnd;
  std::vector<size_t> order;
  for (std::span<const int32_t> rest = answer.first(answer.size() - 1); !rest.empty();) {
    auto name = names.take(rest);
    auto found = numbers.find(Name(name.begin(), name.end()));
    if (found == numbers.end())
      return Fault::Foreign;
    order.push_back(found->second);
  }
  std::vector<bool> stands(nodes.size(), false);
  for (size_t node : order) {
    if (stands[node])
      return Fault::Duplicate;
    stands[node] = true;
  }
  if (order.size() < nodes.size())
    return Fault::Missing;
  stands.assign(nodes.size(), false);
  for (size_t node : order) {
    if (!isReady(node, stands))
      return Fault::Order;
    stands[node] = true;
  }
  return Fault::None;
}

bool Question::isReady(size_t node, const std::vector<bool> &stands) const {
  return std::ranges::all_of(nodes[node].parents, [&](size_t parent) { return stands[parent]; });
}

bool Question::canContinue(const Name &letters, const std::vector<bool> &stands) const {
  for (auto found = numbers.lower_bound(letters); found != numbers.end(); ++found) {
    const auto &[name, node] = *found;
    if (!std::equal(letters.begin(), letters.end(), name.begin(), name.begin() + std::min(letters.size(), name.size())))
      return false;
    if (!stands[node] && isReady(node, stands))
      return true;
  }
  return false;
}

std::vector<bool> Question::validNext(std::span<const int32_t> answer, std::span<const int32_t> predicted) const {
  std::vector<bool> valid, stands(nodes.size(), false);
  Name letters; // of the name that is being written
  for (size_t i = 0; i < answer.size(); ++i) {
    bool allStand = std::ranges::find(stands, false) == stands.end();
    Name next = letters;
    next.push_back(predicted[i]);
    valid.push_back(allStand ? predicted[i] == brevoEnd : canContinue(next, stands));
    letters.push_back(answer[i]);
    if (names.endsName(answer[i])) {
      stands[numbers.at(letters)] = true;
      letters.clear();
    }
  }
  return valid;
}

} // namespace stretto::tasks
