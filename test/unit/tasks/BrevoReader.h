// Reads Brevo rows back and solves them, from the documented ids alone; shares nothing with the generator.
#pragma once

#include "Support.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace stretto::test {

struct BrevoInstance {
  using Name = std::vector<int32_t>;

  std::vector<std::pair<Name, Name>> edges;
  Name query;
  std::vector<Name> answer;
  std::vector<int32_t> prompt, answerTokens; // up to <answer>; what follows, <end> included
  int64_t answerAt = 0;                      // index in the row of the first token of the answer
  bool whole = false;                        // false: the end of the row cuts it

  std::set<Name> nodes() const {
    std::set<Name> all;
    for (const auto &[from, to] : edges)
      all.insert({from, to});
    return all;
  }
  std::set<Name> parentsOf(const Name &node) const {
    std::set<Name> parents;
    for (const auto &[from, to] : edges)
      if (to == node)
        parents.insert(from);
    return parents;
  }
  // The query and all it depends on.
  std::set<Name> reachable() const {
    std::set<Name> reached = {query};
    for (size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const auto &[from, to] : edges)
        if (reached.contains(to))
          reached.insert(from);
    }
    return reached;
  }
  // Fewest edges from the query to a node without parents.
  int64_t depth() const {
    std::set<Name> level = {query};
    for (int64_t depth = 0;; ++depth) {
      std::set<Name> next;
      for (const Name &node : level) {
        std::set<Name> parents = parentsOf(node);
        if (parents.empty())
          return depth;
        next.insert(parents.begin(), parents.end());
      }
      level = next;
    }
  }
  // All right answers.
  std::set<std::vector<Name>> validOrders() const {
    const std::set<Name> nodes = reachable();
    std::set<std::vector<Name>> orders;
    std::vector<Name> order(nodes.begin(), nodes.end());
    do {
      bool valid = true;
      for (size_t i = 0; i < order.size(); ++i)
        for (size_t j = i + 1; j < order.size(); ++j)
          valid &= !parentsOf(order[i]).contains(order[j]);
      if (valid)
        orders.insert(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
  }
};

// A sequence of names as the tokens of an answer.
inline std::vector<int32_t> spell(const std::vector<BrevoInstance::Name> &names) {
  std::vector<int32_t> tokens;
  for (const auto &name : names)
    tokens.insert(tokens.end(), name.begin(), name.end());
  tokens.push_back(3);
  return tokens;
}

// The instances of a row, at most `most` of them. Letters have ids from 4 on, `v` for those inside a name (none where
// names have one letter), then those that end one.
inline std::vector<BrevoInstance> readBrevo(const runtime::Task &task, const Batch &batch, int64_t r,
                                            size_t most = SIZE_MAX) {
  const std::vector<int32_t> row = batch.row(r);
  const auto settings = task.settings();
  const int32_t ending = 4 + (settings.at("r_max") == "1" ? 0 : std::stoi(settings.at("v")));
  size_t at = 0;
  auto readNames = [&] {
    std::vector<BrevoInstance::Name> names;
    for (BrevoInstance::Name name; at < row.size() && row[at] >= 4;) {
      name.push_back(row[at++]);
      if (name.back() >= ending)
        names.push_back(std::exchange(name, {}));
    }
    return names;
  };
  std::vector<BrevoInstance> instances;
  while (at < row.size() && instances.size() < most) {
    const size_t from = at;
    BrevoInstance instance;
    EXPECT_EQ(row[at++], 0);
    auto ends = readNames();
    for (size_t i = 0; i + 1 < ends.size(); i += 2)
      instance.edges.emplace_back(ends[i], ends[i + 1]);
    if (at < row.size()) {
      EXPECT_EQ(ends.size() % 2, 0u);
      EXPECT_EQ(row[at++], 1);
      auto query = readNames();
      if (at < row.size()) {
        EXPECT_EQ(query.size(), 1u);
        instance.query = query.at(0);
        EXPECT_EQ(row[at++], 2);
        instance.prompt.assign(row.begin() + int64_t(from), row.begin() + int64_t(at));
        instance.answerAt = int64_t(at);
        instance.answer = readNames();
        instance.whole = at < row.size();
        if (instance.whole) {
          EXPECT_EQ(row[at++], 3);
        }
        instance.answerTokens.assign(row.begin() + instance.answerAt, row.begin() + int64_t(at));
      }
    }
    instances.push_back(std::move(instance));
  }
  return instances;
}

// The first instance of a row is never cut, so it is a fair sample of the distribution.
inline void forFirstInstances(const runtime::Task &task, runtime::Stream stream, int64_t count,
                              const std::function<void(const BrevoInstance &)> &look) {
  for (int64_t i = 0; i < count; ++i) {
    Batch batch(task, 5, stream, uint64_t(i), 1);
    look(readBrevo(task, batch, 0, 1)[0]);
  }
}

} // namespace stretto::test
