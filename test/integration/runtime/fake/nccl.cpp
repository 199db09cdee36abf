// NCCL on this machine's memory, as far as c10d calls it to carry bytes: communicators over Unix sockets, work as late
// as the stream allows. All ranks of a communicator must do the same in the same order, from graphs or not; what
// differs breaks the device with a message that names both. Where a rank is gone, work waits for it until the
// communicator is aborted, as kernels of NCCL do. STRETTO_FAKE_NCCL_SWAP=N: the N-th work of this process and the one
// after it change places. STRETTO_FAKE_NCCL_KILL=N: SIGKILL in the N-th that runs. STRETTO_FAKE_NCCL_ABORTED=FILE: gets
// a line for work that an abort ended. STRETTO_FAKE_GPU_HOST=N: the host that the GPU is in.
#include "test/integration/runtime/fake/gpu.h"
#include "test/integration/runtime/fake/nccl_links.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nccl.h>
#include <random>
#include <sstream>

struct ncclComm {
  std::shared_ptr<Links> links; // also of work that is still on a stream
  int rank, size;
  uint64_t works = 0;
};

namespace {

thread_local std::string lastError;

// What ranks compare before they do it.
struct Work {
  char name[24];
  uint64_t number, bytes; // of the communicator; of a part
  uint64_t fromGraph;

  std::string describe(int rank) const {
    std::ostringstream text;
    text << "rank " << rank << " does work " << number << ", " << name << " of " << bytes << " bytes"
         << (fromGraph ? " from a graph" : "");
    return text.str();
  }
};

using Pieces = std::vector<Links::Piece>;

// Parts of one memory, `stride` bytes apart; 0: all the same.
Pieces piecesOf(const void *data, size_t bytes, size_t stride, int count) {
  Pieces pieces;
  for (int i = 0; i < count; ++i)
    pieces.push_back({static_cast<char *>(const_cast<void *>(data)) + static_cast<size_t>(i) * stride, bytes});
  return pieces;
}

// Whether all ranks do the same; breaks the device where they do not.
bool agree(Links &links, Work own) {
  std::vector<Work> all(static_cast<size_t>(links.size()));
  if (!links.exchange(piecesOf(&own, sizeof own, 0, links.size()),
                      piecesOf(all.data(), sizeof own, sizeof own, links.size())))
    return false;
  for (int rank = 0; rank < links.size(); ++rank)
    if (const Work &other = all[static_cast<size_t>(rank)]; std::memcmp(&other, &own, sizeof own) != 0) {
      breakDevice(cudaErrorLaunchFailure, own.describe(links.rank()) + ", " + other.describe(rank));
      return false;
    }
  return true;
}

void noteAborted(const std::string &what) {
  if (const char *path = std::getenv("STRETTO_FAKE_NCCL_ABORTED"))
    std::ofstream(path, std::ios::app) << what << "\n";
}

void dieInTime() {
  static const size_t last = numberIn("STRETTO_FAKE_NCCL_KILL", 0);
  static size_t runs = 0;
  if (++runs == last)
    raise(SIGKILL);
}

// `fromStride`: 0 where every rank gets the same.
void run(Links &links, const Work &work, const void *from, size_t fromStride, void *to) {
  const size_t all = work.bytes * static_cast<size_t>(links.size());
  if (!isAllocated(from, fromStride ? all : work.bytes) || !isAllocated(to, all))
    return breakDevice(cudaErrorIllegalAddress, "memory of a collective that is not there");
  dieInTime();
  std::vector<char> came(all);
  if (agree(links, work) && links.exchange(piecesOf(from, work.bytes, fromStride, links.size()),
                                           piecesOf(came.data(), work.bytes, work.bytes, links.size())))
    std::memcpy(to, came.data(), all);
  else if (links.isAborted())
    noteAborted(work.describe(links.rank()));
}

size_t bytesOf(ncclDataType_t type) { return type == ncclInt8 || type == ncclUint8 ? 1 : 0; }

ncclResult_t refuse(ncclResult_t result, const std::string &text) { return lastError = text, result; }

// Puts work on a stream, the one that is to change places behind the next one.
cudaError_t putInOrder(cudaStream_t stream, std::function<void()> work) {
  static const size_t swapped = numberIn("STRETTO_FAKE_NCCL_SWAP", 0);
  static size_t count = 0;
  static std::function<void()> held;
  if (++count == swapped)
    return held = std::move(work), cudaSuccess;
  const cudaError_t status = enqueue(stream, std::move(work));
  return count == swapped + 1 && held ? enqueue(stream, std::move(held)) : status;
}

ncclResult_t submit(const char *name, const void *from, bool isParted, void *to, size_t count, ncclDataType_t type,
                    ncclComm_t comm, cudaStream_t stream) {
  if (bytesOf(type) == 0)
    return refuse(ncclInvalidArgument, "only bytes are carried");
  if (comm->links->isAborted())
    return refuse(ncclInvalidUsage, "the communicator was aborted");
  Work work{};
  std::strncpy(work.name, name, sizeof work.name - 1);
  work.bytes = count;
  const GpuLock lock(gpuMutex());
  work.number = ++comm->works;
  work.fromGraph = isCaptured(stream);
  const cudaError_t status = putInOrder(stream, [links = comm->links, work, from, isParted, to] {
    run(*links, work, from, isParted ? work.bytes : 0, to);
  });
  return status == cudaSuccess ? ncclSuccess : refuse(ncclUnhandledCudaError, cudaGetErrorString(status));
}

// NCCL wants a GPU for each rank.
bool hasOwnDevice(Links &links) {
  int own = 0;
  cudaGetDevice(&own);
  own += 1000 * static_cast<int>(numberIn("STRETTO_FAKE_GPU_HOST", 0));
  std::vector<int> all(static_cast<size_t>(links.size()));
  if (!links.exchange(piecesOf(&own, sizeof own, 0, links.size()),
                      piecesOf(all.data(), sizeof own, sizeof own, links.size())))
    return false;
  for (int rank = 0; rank < links.size(); ++rank)
    if (rank != links.rank() && all[static_cast<size_t>(rank)] == own)
      return false;
  return true;
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int *version) { return *version = NCCL_VERSION_CODE, ncclSuccess; }
const char *ncclGetErrorString(ncclResult_t result) { return result == ncclSuccess ? "no error" : "refused"; }
const char *ncclGetLastError(ncclComm_t) { return lastError.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::random_device random;
  std::ostringstream text;
  text << std::hex << random() << random();
  *id = {};
  text.str().copy(id->internal, sizeof id->internal - 1);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int size, ncclUniqueId id, int rank, ncclConfig_t *) {
  try {
    auto links = std::make_shared<Links>(id.internal, rank, size);
    if (!hasOwnDevice(*links))
      return refuse(ncclInvalidUsage, "Duplicate GPU detected");
    *comm = new ncclComm{std::move(links), rank, size};
    return ncclSuccess;
  } catch (const std::exception &error) {
    return refuse(ncclSystemError, error.what());
  }
}
ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return delete comm, ncclSuccess; }
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->links->abort();
  return delete comm, ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result) {
  return *result = comm->links->hasLostRank() ? ncclRemoteError : ncclSuccess, ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int *count) { return *count = comm->size, ncclSuccess; }
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank) { return *rank = comm->rank, ncclSuccess; }

ncclResult_t ncclGroupStart() { return ncclSuccess; }
ncclResult_t ncclGroupEnd() { return ncclSuccess; }

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return submit("all-gather", from, false, to, count, type, comm, stream);
}
ncclResult_t ncclAlltoAll(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return submit("all-to-all", from, true, to, count, type, comm, stream);
}

} // extern "C"
