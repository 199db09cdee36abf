// Groups of ranks that c10d of LibTorch carries, and its store.
#pragma once

#include "runtime/dist/board.h"
#include "runtime/dist/group.h"
#include "runtime/dist/launch.h"

#include <chrono>
#include <memory>

namespace stretto::runtime {

struct GroupStore; // runtime/dist/c10d_store.h

// Makes groups: they find each other by a store that rank 0, or the launcher, serves. All ranks make the same ones in
// the same order.
class GroupMaker {
public:
  // Joins the store. Throws Error where that is not there within the time.
  GroupMaker(const Launch &launch, std::chrono::seconds joinTimeout);
  ~GroupMaker();

  // A group over host memory of the ranks that give the same name; `rank`: in the group. Throws LostRanks where they
  // cannot be connected.
  std::unique_ptr<Group> make(const std::string &name, int rank, int size);

  // The store, for groups over other memory.
  const GroupStore &store() const;

  // The store, by a connection of its own. Throws Error where the store is gone.
  std::unique_ptr<Board> board() const;

private:
  struct Connection;
  std::unique_ptr<Connection> connection;
};

} // namespace stretto::runtime
