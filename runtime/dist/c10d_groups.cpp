// Groups of ranks that c10d of LibTorch carries: Gloo over host memory.
#define USE_C10D_GLOO
#include "runtime/dist/c10d_groups.h"

#include "runtime/core/error.h"
#include "runtime/dist/addresses.h"
#include "runtime/dist/c10d_store.h"
#include "runtime/dist/fault.h"
#include "runtime/dist/within.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Logging.h>
#include <cstdlib>
#include <cstring>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace stretto::runtime {
namespace {

// Parts of so many bytes are broadcast one after the other where there are few of them.
constexpr int64_t largePart = 64 << 10;
constexpr int fewMembers = 8;

constexpr std::chrono::milliseconds leastAnswerTime(500); // of a store that has come at the last moment

at::Tensor bytesAt(const void *data, int64_t bytes) {
  return at::from_blob(const_cast<void *>(data), {bytes}, at::TensorOptions().dtype(at::kByte));
}

class GlooGroup final : public Group {
public:
  explicit GlooGroup(c10::intrusive_ptr<c10d::ProcessGroupGloo> group) : group(std::move(group)) {}
  int rank() const override { return group->getRank(); }
  int size() const override { return group->getSize(); }

  void exchange(const void *from, void *to, int64_t bytes) override {
    // The first and the last member leave out their own part: the others lie together.
    const bool isFirst = rank() == 0, leavesOut = isFirst || rank() == size() - 1;
    const int64_t begin = isFirst ? bytes : 0, all = bytes * (leavesOut ? size() - 1 : size());
    std::vector<int64_t> sent(size(), bytes);
    if (leavesOut)
      sent[rank()] = 0;
    std::vector<int64_t> received = sent;
    at::Tensor in = bytesAt(static_cast<const char *>(from) + begin, all);
    at::Tensor out = bytesAt(static_cast<char *>(to) + begin, all);
    finish([&] { return group->alltoall_base(out, in, received, sent, {}); });
  }
  void gather(const void *from, void *to, int64_t bytes) override {
    if (bytes >= largePart && size() <= fewMembers)
      return broadcastAll(from, static_cast<char *>(to), bytes);
    at::Tensor in = bytesAt(from, bytes), out = bytesAt(to, bytes * size());
    finish([&] { return group->_allgather_base(out, in, {}); });
  }

private:
  // Gloo gathers into memory of its own and copies; a broadcast leaves parts where they are.
  void broadcastAll(const void *from, char *to, int64_t bytes) {
    char *const own = to + rank() * bytes;
    if (own != from)
      std::memmove(own, from, bytes);
    for (int root = 0; root < size(); ++root) {
      std::vector<at::Tensor> part{bytesAt(to + root * bytes, bytes)};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      finish([&] { return group->broadcast(part, options); });
    }
  }

  template <typename Start> void finish(Start start) {
    try {
      start()->wait();
    } catch (const std::exception &error) {
      throw LostRanks(reasonOf(error));
    }
  }
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
};

// What `work` returns. Throws Error where it fails: what failed, and the first line of what c10d says of it.
template <typename Work> auto orTell(const std::string &what, Work work) {
  try {
    return work();
  } catch (const Error &) {
    throw;
  } catch (const std::exception &error) {
    throw Error(what + ": " + reasonOf(error));
  }
}

class StoreBoard final : public Board {
  template <typename Work> auto ask(Work work) {
    try {
      return work();
    } catch (const std::exception &) {
      throw LostStore(gone);
    }
  }

public:
  // `gone`: what is said where there is no store any more.
  StoreBoard(c10::intrusive_ptr<c10d::Store> store, std::string gone)
      : store(std::move(store)), gone(std::move(gone)) {}
  void put(const std::string &key, const std::string &text) override {
    ask([&] { store->set(key, bytesOf(text)); });
  }
  void putFirst(const std::string &key, const std::string &text) override {
    ask([&] { store->compareSet(key, bytesOf(""), bytesOf(text)); });
  }
  std::string look(const std::string &key) override {
    return ask([&] { return store->check({key}) ? read(key) : ""; });
  }
  std::string await(const std::string &key, std::chrono::milliseconds timeout) override {
    try {
      store->wait({key}, timeout);
    } catch (const std::exception &) {
      return look(key);
    }
    return ask([&] { return read(key); });
  }

private:
  static std::vector<uint8_t> bytesOf(const std::string &text) { return {text.begin(), text.end()}; }
  std::string read(const std::string &key) {
    const std::vector<uint8_t> bytes = store->get(key);
    return {bytes.begin(), bytes.end()};
  }
  c10::intrusive_ptr<c10d::Store> store;
  std::string gone;
};

std::shared_ptr<gloo::transport::Device> deviceOf(const char *interface) {
  try {
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  } catch (const std::exception &) {
    throw Error(std::string("GLOO_SOCKET_IFNAME must name an interface of this host that has an address, but got '") +
                interface + "'");
  }
}

// What this process exchanges over: as the user says; the loopback where all ranks are on one host; else the interface
// by which the store is reached.
std::shared_ptr<gloo::transport::Device> deviceFor(const Launch &launch) {
  if (const char *name = std::getenv("GLOO_SOCKET_IFNAME"); name && *name)
    return deviceOf(name);
  if (launch.isOnOneHost())
    return c10d::ProcessGroupGloo::createDeviceForHostname(loopback);
  const std::string address = addressTowards(launch.address, launch.port);
  if (isLoopback(address))
    throw Error("this host knows itself (" + launch.address + ") as " + address +
                ", where other hosts cannot reach it; name the interface between them: GLOO_SOCKET_IFNAME");
  return c10d::ProcessGroupGloo::createDeviceForHostname(address);
}

} // namespace

struct GroupMaker::Connection : GroupStore {
  std::shared_ptr<gloo::transport::Device> device;
  std::chrono::seconds joinTimeout;
  std::string unreachable, gone; // what is said where there is no store, and where there is none any more
};

// What c10d says of sockets is told by messages of ours; TORCH_CPP_LOG_LEVEL brings it back.
static void silenceLibrary() {
  if (!std::getenv("TORCH_CPP_LOG_LEVEL"))
    FLAGS_caffe2_log_level = c10::GLOG_FATAL;
}

// Ranks of one host connect their GPUs over the loopback, too, unless the user says otherwise. NCCL takes what is
// behind the `=` for the whole name of the interface.
static void keepToHost(const Launch &launch) {
  if (launch.isOnOneHost())
    setenv("NCCL_SOCKET_IFNAME", "=lo", /*overwrite=*/0);
}

// The store of rank 0 or the launcher, which answers within the time.
static c10::intrusive_ptr<c10d::Store> connectStore(const std::string &address, c10d::TCPStoreOptions options,
                                                    std::chrono::seconds time) {
  using std::chrono::steady_clock, std::chrono::milliseconds;
  const auto end = steady_clock::now() + time;
  if (!options.isServer && !awaitListener(address, options.port, time))
    throw std::runtime_error("nothing has listened there for " + std::to_string(time.count()) + " s");
  const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
  try {
    // The library waits for an answer for as long as the other side likes.
    return within(
        std::max(left, leastAnswerTime), std::runtime_error("what listens there does not answer as the store of a run"),
        [=]() -> c10::intrusive_ptr<c10d::Store> { return c10::make_intrusive<c10d::TCPStore>(address, options); });
  } catch (const std::exception &) {
    if (options.isServer)
      throw std::runtime_error("this rank serves the store itself, and that address does not lead to it");
    throw;
  }
}

GroupMaker::GroupMaker(const Launch &launch, std::chrono::seconds joinTimeout)
    : connection(std::make_unique<Connection>()) {
  connection->joinTimeout = joinTimeout;
  silenceLibrary();
  keepToHost(launch);
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(launch.port);
  options.isServer = launch.servesStore();
  options.waitWorkers = false;
  options.timeout = joinTimeout;
  if (options.isServer)
    options.masterListenFd =
        launch.listener >= 0 ? launch.listener : Listener(launch.address, launch.port, !launch.isOnOneHost()).release();
  const std::string rank = "rank " + std::to_string(launch.rank);
  connection->unreachable = rank + " cannot reach the store at " + launch.address + ":" + std::to_string(launch.port);
  connection->gone = storeGone(launch.storeHolder());
  connection->store = orTell(connection->unreachable, [&] {
    return c10::make_intrusive<c10d::PrefixStore>(launch.prefix, connectStore(launch.address, options, joinTimeout));
  });
  connection->device = orTell(rank + " cannot exchange with others", [&] { return deviceFor(launch); });
}

GroupMaker::~GroupMaker() = default;

std::unique_ptr<Group> GroupMaker::make(const std::string &name, int rank, int size) {
  auto options = c10d::ProcessGroupGloo::Options::create(connection->joinTimeout);
  options->devices.push_back(connection->device);
  options->threads = 1;
  try {
    auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("group/" + name, connection->store), rank, size, std::move(options));
    group->setTimeout(collectiveTimeout);
    return std::make_unique<GlooGroup>(std::move(group));
  } catch (const std::exception &error) {
    throw LostRanks(reasonOf(error), "could not be connected");
  }
}

const GroupStore &GroupMaker::store() const { return *connection; }

std::unique_ptr<Board> GroupMaker::board() const {
  return orTell(connection->unreachable,
                [&] { return std::make_unique<StoreBoard>(connection->store->clone(), connection->gone); });
}

} // namespace stretto::runtime
