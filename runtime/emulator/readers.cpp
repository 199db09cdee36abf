// Who has read granules of shared memory, where parts of a block wait for each other.
#include "runtime/emulator/readers.h"

#include <bit>

namespace stretto::emulator {
namespace {

Record recordOf(const Readers &readers, uint32_t lane) {
  return makeRecord(readers.block, readers.warp * 32 + lane, readers.stamp);
}

// The lanes that do not come before the actor.
uint32_t unordered(const Readers &readers, const Actor &actor) {
  uint32_t result = 0;
  for (uint32_t lanes = readers.lanes; lanes; lanes &= lanes - 1)
    if (const uint32_t lane = std::countr_zero(lanes); !isOrdered(recordOf(readers, lane), actor))
      result |= 1u << lane;
  return result;
}

Readers single(Record record) {
  return {blockOf(record), whoOf(record) / 32, stampOf(record), 1u << whoOf(record) % 32};
}

bool areTogether(const Readers &a, const Readers &b) {
  return a.block == b.block && a.warp == b.warp && a.stamp == b.stamp;
}

bool holds(const std::vector<Readers> &list, const Readers &one) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Readers &each) { return areTogether(each, one) && each.lanes & one.lanes; });
}

void addTo(std::vector<Readers> &list, const Readers &one) {
  for (Readers &known : list)
    if (areTogether(known, one)) {
      known.lanes |= one.lanes;
      return;
    }
  list.push_back(one);
}

} // namespace

Record ReaderLists::add(Record readers, const Actor &actor) {
  if (!keeps)
    return addReader(readers, actor);
  const bool isList = whoOf(readers) == readerList;
  if (readers == 0 || (!isList && isOrdered(readers, actor)))
    return actor.record();
  if (!isList) {
    if (unused.empty()) {
      unused.push_back(lists.size());
      lists.emplace_back();
    }
    lists[unused.back()] = {single(readers)};
    readers = makeRecord(actor.block, readerList, unused.back());
    unused.pop_back();
  }
  std::vector<Readers> &list = lists[stampOf(readers)];
  const Readers one = single(actor.record());
  if (holds(list, one))
    return readers;
  for (Readers &each : list)
    each.lanes = unordered(each, actor);
  std::erase_if(list, [](const Readers &each) { return each.lanes == 0; });
  addTo(list, one);
  return readers;
}

bool ReaderLists::areOrdered(Record readers, const Actor &actor, Record &other) const {
  other = readers;
  if (whoOf(readers) != readerList)
    return isOrdered(readers, actor);
  for (const Readers &each : lists[stampOf(readers)])
    if (const uint32_t lanes = unordered(each, actor)) {
      other = recordOf(each, std::countr_zero(lanes));
      return false;
    }
  return true;
}

void ReaderLists::forget(Record &readers) {
  if (whoOf(readers) != readerList)
    return;
  unused.push_back(stampOf(readers));
  readers = 0;
}

} // namespace stretto::emulator
