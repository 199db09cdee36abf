// Sockets listen where they are told to, and say where that cannot be.
#include "runtime/dist/addresses.h"

#include "test/unit/runtime/small.h"

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

std::string boundTo(const Listener &listener) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr *>(&address), &size);
  return inet_ntoa(address.sin_addr);
}

std::string listenError(const std::string &address, int port) {
  return errorOf([&] { const Listener listener(address, port, false); });
}

TEST(Addresses, ASocketListensOnTheAddressAlone) {
  const Listener here("127.0.0.1", 0, false);
  EXPECT_GT(here.port(), 0);
  EXPECT_EQ(boundTo(here), "127.0.0.1");
  EXPECT_EQ(listenError("127.0.0.1", here.port()), "the store must listen on 127.0.0.1:" + std::to_string(here.port()) +
                                                       ", but the port is in use; set MASTER_PORT to another");
}

TEST(Addresses, OneThatIsNoUseToOtherHostsStandsForAll) {
  for (const char *address : {"127.0.1.1", "192.0.2.1"}) // the second is of documentation, and nobody's
    EXPECT_EQ(boundTo(Listener(address, 0, /*isShared=*/true)), "0.0.0.0") << address;
  EXPECT_EQ(listenError("192.0.2.1", 0), "the store cannot listen on 192.0.2.1:0: Cannot assign requested address");
}

TEST(Addresses, AnAddressOfIPv6StandsForAllOfIPv6) {
  try {
    const Listener listener("::1", 0, /*isShared=*/true);
    EXPECT_TRUE(awaitListener("::1", listener.port(), std::chrono::seconds(1)));
  } catch (const Error &none) {
    GTEST_SKIP() << none.what();
  }
}

TEST(Addresses, ASocketThatCannotBeMadeIsTold) {
  rlimit files = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  const rlimit none = {0, files.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string told = listenError("127.0.0.1", 0);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(told, "cannot make a socket: Too many open files");
}

TEST(Addresses, TheWayToThisHostIsTheLoopback) {
  EXPECT_TRUE(isLoopback(addressTowards("127.0.0.1", 1)));
  EXPECT_TRUE(isLoopback("::1"));
  EXPECT_FALSE(isLoopback("10.0.0.1"));
}

} // namespace
