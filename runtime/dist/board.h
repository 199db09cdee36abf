// Where ranks leave texts for each other: a store of keys that rank 0, or the launcher, serves.
#pragma once

#include <chrono>
#include <string>

namespace stretto::runtime {

class Board {
public:
  virtual ~Board() = default;
  // Each throws where the store is not there any more, and may never return where its server stands still.
  virtual void put(const std::string &key, const std::string &text) = 0;
  // Leaves a text unless there is one already.
  virtual void putFirst(const std::string &key, const std::string &text) = 0;
  // Empty where there is none.
  virtual std::string look(const std::string &key) = 0;
  // Waits for it at most that long; empty where it did not come.
  virtual std::string await(const std::string &key, std::chrono::milliseconds timeout) = 0;
};

} // namespace stretto::runtime
