// How the ranks of a communicator of the made-up NCCL reach each other.
#include "test/integration/runtime/fake/nccl_links.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::chrono::seconds patience(20);

// The address of a rank; no file.
std::pair<sockaddr_un, socklen_t> addressOf(const std::string &name, int rank) {
  const std::string text = "stretto-nccl-" + name + "-" + std::to_string(rank);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  text.copy(address.sun_path + 1, sizeof(address.sun_path) - 2);
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())};
}

int newSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int listenAt(const std::string &name, int rank, int backlog) {
  const int listener = newSocket();
  const auto [address, length] = addressOf(name, rank);
  if (bind(listener, reinterpret_cast<const sockaddr *>(&address), length) != 0 || listen(listener, backlog) != 0)
    throw std::runtime_error(std::strerror(errno));
  return listener;
}

} // namespace

Links::Links(const std::string &name, int rank, int size) : own(rank), sockets(static_cast<size_t>(size), -1) {
  const int listener = listenAt(name, rank, size);
  for (int other = 0; other < rank; ++other)
    connectTo(name, other);
  acceptOthers(listener);
  close(listener);
  for (int socket : sockets)
    if (socket >= 0)
      fcntl(socket, F_SETFL, O_NONBLOCK);
}

Links::~Links() {
  for (int socket : sockets)
    if (socket >= 0)
      close(socket);
}

void Links::connectTo(const std::string &name, int other) {
  const auto [address, length] = addressOf(name, other);
  const auto end = std::chrono::steady_clock::now() + patience;
  int socket = newSocket();
  while (connect(socket, reinterpret_cast<const sockaddr *>(&address), length) != 0) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("rank " + std::to_string(other) + " of the communicator did not come");
    close(socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    socket = newSocket();
  }
  sockets[static_cast<size_t>(other)] = socket;
  if (write(socket, &own, sizeof own) != sizeof own)
    throw std::runtime_error(std::strerror(errno));
}

void Links::acceptOthers(int listener) {
  for (int missing = size() - own - 1; missing > 0; --missing) {
    pollfd event{listener, POLLIN, 0};
    if (poll(&event, 1, std::chrono::milliseconds(patience).count()) != 1)
      throw std::runtime_error(std::to_string(missing) + " ranks of the communicator did not come");
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    int other = -1;
    if (read(socket, &other, sizeof other) != sizeof other || other <= own || other >= size())
      throw std::runtime_error("a rank of the communicator is gone");
    sockets[static_cast<size_t>(other)] = socket;
  }
}

// As much as goes through now. Returns whether the other side is still there.
bool Links::move(int socket, Piece &piece, bool out) {
  const ssize_t moved =
      out ? send(socket, piece.data, piece.bytes, MSG_NOSIGNAL) : recv(socket, piece.data, piece.bytes, 0);
  if (moved > 0) {
    piece.data += moved;
    piece.bytes -= static_cast<size_t>(moved);
    return true;
  }
  return moved < 0 && (errno == EAGAIN || errno == EINTR);
}

bool Links::exchange(std::vector<Piece> out, std::vector<Piece> in) {
  const auto self = static_cast<size_t>(own);
  std::memcpy(in[self].data, out[self].data, in[self].bytes);
  out[self].bytes = in[self].bytes = 0;
  while (!aborted) {
    std::vector<pollfd> events;
    std::vector<size_t> ranks;
    for (size_t rank = 0; rank < sockets.size(); ++rank)
      if (const int wanted = (out[rank].bytes ? POLLOUT : 0) | (in[rank].bytes ? POLLIN : 0)) {
        events.push_back({lost ? -1 : sockets[rank], static_cast<short>(wanted), 0});
        ranks.push_back(rank);
      }
    if (events.empty())
      return true;
    poll(events.data(), events.size(), 10);
    for (size_t i = 0; i < events.size(); ++i) {
      const bool writes = events[i].revents & (POLLOUT | POLLERR), reads = events[i].revents & (POLLIN | POLLHUP);
      if ((out[ranks[i]].bytes && writes && !move(events[i].fd, out[ranks[i]], true)) ||
          (in[ranks[i]].bytes && reads && !move(events[i].fd, in[ranks[i]], false)))
        lost = true;
    }
  }
  return false;
}
