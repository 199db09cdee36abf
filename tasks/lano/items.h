// Places inside the rules of a grammar, as left-to-right parsers go through them.
#pragma once

#include "tasks/lano/grammar.h"

namespace stretto::tasks {

// For each symbol, a tree of the openings of its rules: rules that open alike share their places.
struct Items {
  // One child further: from the place behind an opening to the one behind that opening and `child`.
  struct Step {
    int32_t from, to;
  };

  explicit Items(const Grammar &grammar);

  std::vector<std::vector<int32_t>> whole;  // of a symbol: places where one of its rules ends
  std::vector<std::vector<Step>> waiting;   // of a symbol: steps over it
  std::vector<std::vector<int32_t>> next;   // of an item: the places one child further
  std::vector<std::vector<int32_t>> places; // of a symbol: all of its items, the empty opening first
  std::vector<int32_t> owner;               // of an item: the symbol whose rules it belongs to
  std::vector<int32_t> before;              // of an item: the place one child earlier; -1 at the start
  std::vector<int32_t> child;               // of an item: the child it lies behind; -1 at the start
  std::vector<double> share;                // of an item: the part of its owner's rules that open so
  std::vector<int32_t> slot; // of an item inside a rule, neither at its start nor only at an end: a number
  int32_t slots = 0;         // of those; others have the slot -1

  int32_t count() const { return int32_t(owner.size()); }
};

} // namespace stretto::tasks
