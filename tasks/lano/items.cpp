// Places inside the rules of a grammar, as left-to-right parsers go through them.
#include "tasks/lano/items.h"

#include <algorithm>

namespace stretto::tasks {

Items::Items(const Grammar &grammar) : whole(grammar.symbols()), waiting(grammar.symbols()), places(grammar.symbols()) {
  auto add = [&](int32_t symbol, int32_t from, int32_t over) {
    const int32_t item = count();
    owner.push_back(symbol);
    before.push_back(from);
    child.push_back(over);
    share.push_back(0);
    next.emplace_back();
    places[symbol].push_back(item);
    return item;
  };
  for (int32_t symbol = grammar.terminals; symbol < grammar.symbols(); ++symbol) {
    const int32_t start = add(symbol, -1, -1);
    for (const Grammar::Rule &rule : grammar.rules[symbol]) {
      const double part = 1 / double(grammar.rules[symbol].size());
      int32_t at = start;
      share[at] += part;
      for (int32_t over : rule) {
        auto found = std::ranges::find_if(next[at], [&](int32_t item) { return child[item] == over; });
        int32_t to = found != next[at].end() ? *found : -1;
        if (to < 0) {
          to = add(symbol, at, over);
          next[at].push_back(to);
          waiting[over].push_back({at, to});
        }
        at = to;
        share[at] += part;
      }
      whole[symbol].push_back(at);
    }
  }
  for (int32_t item = 0; item < count(); ++item)
    slot.push_back(before[item] < 0 || next[item].empty() ? -1 : slots++);
}

} // namespace stretto::tasks
