// One sweep at a time in a folder.
#pragma once

#include <filesystem>

namespace stretto::tools {

// Held until this process and every run it started have ended, so that a sweep that was killed is not continued while
// its runs still write their checkpoints.
class SweepLock {
public:
  // Throws Error where somebody else holds it.
  explicit SweepLock(const std::filesystem::path &folder);
  ~SweepLock();
  SweepLock(const SweepLock &) = delete;
  SweepLock &operator=(const SweepLock &) = delete;

private:
  int file = -1; // handed on to children
};

} // namespace stretto::tools
