// Groups of ranks over memory of GPUs, which NCCL carries by c10d.
#define USE_C10D_NCCL
#include "runtime/dist/nccl_groups.h"

#include "runtime/dist/c10d_store.h"

#include <ATen/Context.h>
#include <ATen/ops/from_blob.h>
#include <atomic>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace stretto::runtime {
namespace {

using Nccl = c10d::ProcessGroupNCCL;

// What NCCL says, where it says something; else the first line of what c10d says.
std::string ncclReason(const std::exception &error) {
  const std::string text = error.what(), mark = "Last error:\n";
  const size_t at = text.find(mark), begin = at == text.npos ? at : at + mark.size();
  const std::string said = begin == text.npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
  return said.empty() ? reasonOf(error) : said;
}

class NcclGroup final : public Group {
public:
  NcclGroup(const c10::intrusive_ptr<Nccl> &group, at::Device device)
      : group(group), device(device), communicator(reinterpret_cast<ncclComm_t>(group->getCommPtr())) {}
  ~NcclGroup() override {
    try {
      group->shutdown();
    } catch (const std::exception &) { // the others are gone, and so is this rank
    }
  }
  int rank() const override { return group->getRank(); }
  int size() const override { return group->getSize(); }

  void exchange(const void *from, void *to, int64_t bytes) override {
    at::Tensor in = bytesAt(from, bytes * size()), out = bytesAt(to, bytes * size());
    std::vector<int64_t> equal;
    c10d::AllToAllOptions options;
    options.asyncOp = false; // on the current stream
    put([&] { return group->alltoall_base(out, in, equal, equal, options); });
  }
  void gather(const void *from, void *to, int64_t bytes) override {
    at::Tensor in = bytesAt(from, bytes), out = bytesAt(to, bytes * size());
    c10d::AllgatherOptions options;
    options.asyncOp = false;
    put([&] { return group->_allgather_base(out, in, options); });
  }
  // c10d looks at what is not in a graph alone, and after errors of its own the communicator may be gone.
  bool hasLostMember() override {
    if (aborted || group->getError() != c10d::ErrorType::SUCCESS)
      return !aborted;
    ncclResult_t result = ncclSuccess;
    return ncclCommGetAsyncError(communicator, &result) != ncclSuccess ||
           (result != ncclSuccess && result != ncclInProgress);
  }
  void abort() override {
    aborted = true;
    try {
      group->abort();
    } catch (const std::exception &) { // the process ends all the same
    }
  }

private:
  at::Tensor bytesAt(const void *data, int64_t bytes) const {
    return at::for_blob(const_cast<void *>(data), {bytes})
        .options(at::TensorOptions(at::kByte).device(device))
        .target_device(device)
        .make_tensor();
  }
  template <typename Start> void put(Start start) {
    try {
      if (const auto work = start()) // none where it is on the current stream
        work->wait();
    } catch (const std::exception &error) {
      throw LostRanks(reasonOf(error));
    }
  }
  const c10::intrusive_ptr<Nccl> group;
  const at::Device device;
  const ncclComm_t communicator;
  std::atomic<bool> aborted = false;
};

} // namespace

std::unique_ptr<Group> makeNcclGroup(const GroupStore &store, const std::string &name, int rank, int size, int device) {
  const at::Device gpu(at::kCUDA, static_cast<c10::DeviceIndex>(device));
  setenv("TORCH_NCCL_RETHROW_CUDA_ERRORS", "0", /*overwrite=*/0); // whoever waits for the GPU tells what it says
  const auto options = Nccl::Options::create(/*is_high_priority_stream=*/true);
  options->timeout = collectiveTimeout;
  try {
    at::globalContext().lazyInitDevice(at::kCUDA);
    // A connection of its own: where the store does not answer, nobody else waits.
    auto group = c10::make_intrusive<Nccl>(c10::make_intrusive<c10d::PrefixStore>("gpu/" + name, store.store->clone()),
                                           rank, size, options);
    group->eagerConnectSingleDevice(gpu);
    return std::make_unique<NcclGroup>(std::move(group), gpu);
  } catch (const std::exception &error) {
    throw Error("the GPUs of the ranks could not be connected: " + ncclReason(error));
  }
}

} // namespace stretto::runtime
