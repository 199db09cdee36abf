// What SLURM writes in short forms: lists of hosts, tasks of each node.
#include "runtime/dist/slurm.h"

#include <charconv>

namespace stretto::runtime {
namespace {

// Takes a number of at least `low` from the front of a text.
std::optional<int> takeNumber(std::string_view &text, int low) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '-' || value < low)
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool take(std::string_view &text, std::string_view what) {
  if (!text.starts_with(what))
    return false;
  text.remove_prefix(what.size());
  return true;
}

} // namespace

std::optional<std::string> firstHost(std::string_view list) {
  std::string host;
  while (!list.empty() && list.front() != ',') {
    if (list.front() != '[') {
      host += list.front();
      list.remove_prefix(1);
      continue;
    }
    const size_t close = list.find(']'), first = list.find_first_of("-,]");
    if (close == list.npos || first == 1)
      return std::nullopt;
    host += list.substr(1, first - 1);
    list.remove_prefix(close + 1);
  }
  return host.empty() ? std::nullopt : std::optional(host);
}

std::optional<int> tasksOfNode(std::string_view list, int node) {
  while (true) {
    const std::optional<int> tasks = takeNumber(list, 1);
    std::optional<int> nodes = 1;
    if (take(list, "(x")) {
      nodes = takeNumber(list, 1);
      if (!take(list, ")"))
        return std::nullopt;
    }
    if (!tasks || !nodes)
      return std::nullopt;
    if (node < *nodes)
      return tasks;
    node -= *nodes;
    if (!take(list, ","))
      return std::nullopt;
  }
}

} // namespace stretto::runtime
