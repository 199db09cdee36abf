// Addresses by which ranks find each other.
#include "runtime/dist/addresses.h"

#include "runtime/core/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace stretto::runtime {
namespace {

// Of an internet socket.
struct Address {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr *generic() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr *generic() const { return reinterpret_cast<const sockaddr *>(&storage); }
  std::string text() const {
    char number[NI_MAXHOST] = "";
    getnameinfo(generic(), size, number, sizeof number, nullptr, 0, NI_NUMERICHOST);
    return number;
  }
  int port() const {
    return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6 *>(&storage)->sin6_port
                                               : reinterpret_cast<const sockaddr_in *>(&storage)->sin_port);
  }
};

// Of IPv4 where there is one. `host` null: all addresses of this host, of a family.
Address resolve(const char *host, int port, int family = AF_UNSPEC) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_family = family;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = getaddrinfo(host, std::to_string(port).c_str(), &hints, &list))
    throw Error(fmt::format("cannot find the host '{}': {}", host ? host : "*", gai_strerror(code)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owned(list, freeaddrinfo);
  const addrinfo *chosen = list;
  for (const addrinfo *each = list; each; each = each->ai_next)
    if (each->ai_family == AF_INET) {
      chosen = each;
      break;
    }
  Address address;
  address.size = chosen->ai_addrlen;
  std::memcpy(&address.storage, chosen->ai_addr, chosen->ai_addrlen);
  return address;
}

// A socket for such an address that is not handed to programs this one starts.
Descriptor openSocket(const Address &address, int type) {
  Descriptor socket(::socket(address.storage.ss_family, type | SOCK_CLOEXEC, 0));
  if (!socket.isOpen())
    throw Error(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  return socket;
}

// A socket that listens there; none where that cannot be, with errno.
Descriptor listenOn(const Address &address) {
  Descriptor socket = openSocket(address, SOCK_STREAM);
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(socket.get(), address.generic(), address.size) == 0 && listen(socket.get(), SOMAXCONN) == 0)
    return socket;
  return Descriptor();
}

} // namespace

Listener::Listener(const std::string &address, int port, bool isShared) {
  const Address wanted = resolve(address.c_str(), port);
  const auto all = [&] { return resolve(nullptr, port, wanted.storage.ss_family); };
  socket = listenOn(isShared && isLoopback(wanted.text()) ? all() : wanted);
  if (!socket.isOpen() && errno == EADDRNOTAVAIL && isShared)
    socket = listenOn(all());
  if (!socket.isOpen() && errno == EADDRINUSE)
    throw Error(fmt::format("the store must listen on {}:{}, but the port is in use; set MASTER_PORT to another",
                            address, port));
  Address bound;
  if (!socket.isOpen() || getsockname(socket.get(), bound.generic(), &bound.size) != 0)
    throw Error(fmt::format("the store cannot listen on {}:{}: {}", address, port, std::strerror(errno)));
  number = bound.port();
}

// Whether a connection can be made before `end`.
static bool accepts(const Address &there, std::chrono::steady_clock::time_point end) {
  using std::chrono::milliseconds;
  const Descriptor socket = openSocket(there, SOCK_STREAM | SOCK_NONBLOCK);
  const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
  int status = connect(socket.get(), there.generic(), there.size) == 0 ? 0 : errno;
  pollfd ready{socket.get(), POLLOUT, 0};
  if (status == EINPROGRESS && poll(&ready, 1, static_cast<int>(std::max(left, milliseconds(0)).count())) == 1) {
    socklen_t size = sizeof status;
    getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &status, &size);
  }
  return status == 0;
}

bool awaitListener(const std::string &host, int port, std::chrono::seconds time) {
  const Address there = resolve(host.c_str(), port);
  const auto end = std::chrono::steady_clock::now() + time;
  while (!accepts(there, end)) {
    if (std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

std::string addressTowards(const std::string &host, int port) {
  const Address there = resolve(host.c_str(), port);
  const Descriptor socket = openSocket(there, SOCK_DGRAM); // sends nothing
  Address here;
  if (connect(socket.get(), there.generic(), there.size) != 0 ||
      getsockname(socket.get(), here.generic(), &here.size) != 0)
    throw Error(fmt::format("cannot reach {} ({}): {}", host, there.text(), std::strerror(errno)));
  return here.text();
}

bool isLoopback(const std::string &address) { return address.starts_with("127.") || address == "::1"; }

} // namespace stretto::runtime
