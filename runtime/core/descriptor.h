// File descriptors that are owned.
#pragma once

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace stretto::runtime {

// A file or socket, closed when it goes out of scope; errno stays as it is then.
class Descriptor {
public:
  // Negative: none, as what could not be opened.
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    const int code = errno;
    if (number >= 0)
      close(number);
    errno = code;
  }

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }
  // Leaves it to the caller to close it.
  int release() { return std::exchange(number, -1); }

private:
  int number;
};

} // namespace stretto::runtime
