// Operations of the library on the device.
#include "runtime/device/cuda/library.h"

#include "runtime/device/cuda/torch_work.h"
#include "runtime/library/run.h"

namespace stretto::runtime {

Library::Library(cudaStream_t stream, int capability) : stream(stream), capability(capability) {}
Library::~Library() = default;

void Library::reserve(const std::vector<LibraryOp> &ops) {
  expectKnown(ops);
  if (!ops.empty() && !pool)
    reporting("operations of the library cannot be prepared", [&] { pool = std::make_unique<TorchPool>(stream); });
}

void Library::run(const LibraryOp &op) {
  if (!pool)
    throw Error("operations of the library must have been prepared for");
  pool->run("an operation of the library failed", [&] { runOnGpu(op, currentGpu().index(), capability); });
}

} // namespace stretto::runtime
