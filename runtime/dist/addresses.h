// Addresses by which ranks find each other.
#pragma once

#include "runtime/core/descriptor.h"

#include <chrono>
#include <string>

namespace stretto::runtime {

// The address by which the ranks of one host reach each other, and nobody else reaches them.
inline constexpr const char *loopback = "127.0.0.1";

// A socket that listens, and is closed in whatever this process starts.
class Listener {
public:
  // Port 0: a free one. `address`: a name or a number. Of several hosts (`isShared`), one that only this host can
  // reach, and one that this host does not have itself (behind a translation), stand for all of its addresses. Throws
  // Error where that cannot be, with MASTER_PORT where the port is in use.
  Listener(const std::string &address, int port, bool isShared);

  int descriptor() const { return socket.get(); }
  int port() const { return number; }
  // Leaves it to the caller to close the socket.
  int release() { return socket.release(); }

private:
  Descriptor socket;
  int number = 0;
};

// Waits until something listens there; whether it does within the time. Throws Error where the host is unknown.
bool awaitListener(const std::string &host, int port, std::chrono::seconds time);

// The address of this host, as a number, that another one sees it by; of the loopback where that host is this one and
// knows itself so. Throws Error where it cannot be reached.
std::string addressTowards(const std::string &host, int port);

// Whether only this host can reach an address, which is a number.
bool isLoopback(const std::string &address);

} // namespace stretto::runtime
