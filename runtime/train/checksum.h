// xxh3-128 checksums as 32 lower-case hex digits. They find accidents, not forgery.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace stretto::runtime {

class Checksum {
public:
  Checksum();
  ~Checksum();
  void add(const void *data, size_t bytes);
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

std::string checksumOf(const void *data, size_t bytes);

} // namespace stretto::runtime
